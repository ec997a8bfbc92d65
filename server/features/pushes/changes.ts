declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    pushes: RepositoryChange;
  }
}

/** Changes of branches and tags. */
export type RepositoryChange =
  | { readonly kind: 'refsPushed'; readonly projectId: number; readonly authorId: number; readonly refs: readonly PushedRef[] }
  /** Known commits have reached a branch, or the default branch was created. Published after all other changes of a push. */
  | {
      readonly kind: 'commitsReached';
      readonly projectId: number;
      readonly branch: string;
      readonly commits: readonly string[];
      /** The newest of these commits with their messages, if the branch is the default branch; those of its history if it is new. */
      readonly described: readonly DescribedCommit[];
      readonly authorId: number;
    };

export interface PushedRef {
  /** Short name of the branch or tag. */
  readonly ref: string;
  readonly refType: 'branch' | 'tag';
  readonly action: 'created' | 'removed' | 'pushed';
  readonly commitFrom: string | null;
  readonly commitTo: string | null;
  readonly commitCount: number;
  readonly commitTitle: string | null;
  /** The newest commits that a push adds to an existing branch, at most {@link MAX_PUSHED_COMMITS}, newest first. */
  readonly commits?: readonly PushedCommit[];
}

export interface PushedCommit {
  readonly id: string;
  readonly title: string;
}

export interface DescribedCommit {
  readonly id: string;
  readonly message: string;
}

export const MAX_PUSHED_COMMITS = 20;
/** Maximum number of commits of a push whose messages are read. */
export const MAX_DESCRIBED_COMMITS = 100;
