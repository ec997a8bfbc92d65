declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    releases: ReleaseChange;
  }
}

/** Changes of releases. */
export type ReleaseChange =
  | {
      /** The release date has come. */
      readonly kind: 'releasePublished';
      readonly releaseId: number;
      readonly projectId: number;
      readonly authorId: number | null;
    }
  /** `releaseRemoved` is published before the deletion. */
  | {
      readonly kind: 'releaseCreated' | 'releaseUpdated' | 'releaseRemoved';
      readonly releaseId: number;
      readonly projectId: number;
    };
