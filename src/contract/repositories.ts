/** Commit in lists and as part of other resources. Times are ISO 8601 with the time zone of the author or committer. */
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

/** Numbers of lines that a commit adds and removes. */
export interface CommitStats {
  readonly additions: number;
  readonly deletions: number;
  readonly total: number;
}

export interface CommitWithStats extends Commit {
  readonly stats: CommitStats;
}

/** The newest pipeline of a commit. */
export interface LastPipeline {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly sha: string;
  readonly ref: string;
  readonly status: string;
  readonly source: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly web_url: string;
}

/** Commit as a single resource. */
export interface CommitDetail extends Commit {
  readonly stats?: CommitStats;
  /** State of its pipeline; null if there is none. */
  readonly status: string | null;
  readonly project_id: number;
  readonly last_pipeline: LastPipeline | null;
}

/** Change of a file in a commit. */
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
  /** True if the default branch contains all its commits. */
  readonly merged: boolean;
  readonly protected: boolean;
  readonly developers_can_push: boolean;
  readonly developers_can_merge: boolean;
  /** True if the caller can push to it. */
  readonly can_push: boolean;
  readonly default: boolean;
  readonly web_url: string;
}

/** Name of a branch or tag. */
export interface RefName {
  readonly type: 'branch' | 'tag';
  readonly name: string;
}

export interface Tag {
  readonly name: string;
  /** Message of an annotated tag; null for other tags. */
  readonly message: string | null;
  readonly target: string;
  readonly commit: Commit;
  readonly release: { readonly tag_name: string; readonly description: string | null } | null;
  readonly protected: boolean;
  /** Creation time of an annotated tag; null for other tags. */
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

/** Metadata of a file in a repository, without its content. */
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
