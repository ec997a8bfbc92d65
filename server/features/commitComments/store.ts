import type { Store } from '../../store/open.ts';

export interface CommentedCommitRow {
  readonly project_id: number;
  readonly sha: string;
  readonly title: string;
  readonly message: string;
  readonly author_id: number | null;
}

/** Returns the number of a commit with comments; undefined if it has never had any. */
export function commentedCommit(store: Store, projectId: number, sha: string): number | undefined {
  return store.get<{ id: number }>('SELECT id FROM commented_commits WHERE project_id = $projectId AND sha = $sha', {
    projectId,
    sha,
  })?.id;
}

export function insertCommentedCommit(store: Store, row: CommentedCommitRow): number {
  return store.run(
    `INSERT INTO commented_commits (project_id, sha, title, message, author_id)
     VALUES ($project_id, $sha, $title, $message, $author_id)`,
    { ...row },
  ).lastId;
}

export function commentedCommitById(store: Store, id: number): (CommentedCommitRow & { readonly id: number }) | undefined {
  return store.get('SELECT id, project_id, sha, title, message, author_id FROM commented_commits WHERE id = $id', { id });
}

/** Returns the SQL expression for the title of a commit with comments. `id` is the expression for its number. */
export function commentedCommitTitleSql(id: string): string {
  return `(SELECT title FROM commented_commits WHERE id = ${id})`;
}
