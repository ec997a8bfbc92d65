/** A commit, as lists and other resources show it. Times are ISO 8601 with the zone of the person. */
export interface Commit {
  readonly id: string;
  readonly short_id: string;
  readonly created_at: string;
  readonly parent_ids: readonly string[];
  /** First line of the message. */
  readonly title: string;
  readonly message: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly authored_date: string;
  readonly committer_name: string;
  readonly committer_email: string;
  readonly committed_date: string;
  readonly trailers: Readonly<Record<string, string>>;
  readonly extended_trailers: Readonly<Record<string, readonly string[]>>;
  readonly web_url: string;
}

/** Lines that a commit adds and takes away. */
export interface CommitStats {
  readonly additions: number;
  readonly deletions: number;
  readonly total: number;
}

export interface CommitWithStats extends Commit {
  readonly stats: CommitStats;
}

/** A commit shown alone. */
export interface CommitDetail extends Commit {
  readonly stats?: CommitStats;
  /** State of its pipeline; null without one. */
  readonly status: string | null;
  readonly project_id: number;
  readonly last_pipeline: null;
}

/** What a commit does to one file. */
export interface Diff {
  readonly diff: string;
  readonly collapsed: boolean;
  readonly too_large: boolean;
  readonly new_path: string;
  readonly old_path: string;
  readonly a_mode: string;
  readonly b_mode: string;
  readonly new_file: boolean;
  readonly renamed_file: boolean;
  readonly deleted_file: boolean;
  readonly generated_file: boolean | null;
}

export interface Branch {
  readonly name: string;
  readonly commit: Commit;
  /** Whether the default branch has everything of it. */
  readonly merged: boolean;
  readonly protected: boolean;
  readonly developers_can_push: boolean;
  readonly developers_can_merge: boolean;
  /** Whether the caller may push to it. */
  readonly can_push: boolean;
  readonly default: boolean;
  readonly web_url: string;
}

/** A branch or tag by its name. */
export interface RefName {
  readonly type: 'branch' | 'tag';
  readonly name: string;
}

export interface Tag {
  readonly name: string;
  /** Of an annotated tag; null otherwise. */
  readonly message: string | null;
  readonly target: string;
  readonly commit: Commit;
  readonly release: { readonly tag_name: string; readonly description: string | null } | null;
  readonly protected: boolean;
  /** When an annotated tag was made; null otherwise. */
  readonly created_at: string | null;
}

export interface TreeEntry {
  readonly id: string;
  readonly name: string;
  readonly type: 'tree' | 'blob' | 'commit';
  readonly path: string;
  /** `040000`, `100644`, `100755`, `120000` or `160000`. */
  readonly mode: string;
}

/** What a repository says of a file without its content. */
export interface FileMetadata {
  readonly file_name: string;
  readonly file_path: string;
  readonly size: number;
  readonly encoding: 'base64';
  readonly content_sha256: string;
  readonly ref: string;
  readonly blob_id: string;
  readonly commit_id: string;
  readonly last_commit_id: string;
  readonly execute_filemode: boolean;
}

export interface RepositoryFile extends FileMetadata {
  readonly content: string;
}

export interface Blob {
  readonly size: number;
  readonly encoding: 'base64';
  readonly content: string;
  readonly sha: string;
}

export interface Comparison {
  readonly commit: Commit | null;
  readonly commits: readonly Commit[];
  readonly diffs: readonly Diff[];
  readonly compare_timeout: boolean;
  readonly compare_same_ref: boolean;
  readonly web_url: string;
}
