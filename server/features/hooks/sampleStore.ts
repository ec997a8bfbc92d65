import type { Store } from '../../store/open.ts';

// Finds the newest record of each kind in a project, which tests of hooks deliver.

export function newestIssue(store: Store, projectId: number, confidential: boolean): number | undefined {
  return store.get<{ id: number }>(
    'SELECT id FROM issues_view WHERE project_id = $projectId AND confidential = $confidential ORDER BY id DESC LIMIT 1',
    { projectId, confidential: confidential ? 1 : 0 },
  )?.id;
}

export function newestMergeRequest(store: Store, projectId: number): number | undefined {
  const sql = 'SELECT id FROM merge_requests_view WHERE project_id = $projectId ORDER BY id DESC LIMIT 1';
  return store.get<{ id: number }>(sql, { projectId })?.id;
}

export function newestTag(store: Store, projectId: number): { readonly name: string; readonly commit_id: string } | undefined {
  return store.get(
    `SELECT name, commit_id FROM repository_refs_view WHERE project_id = $projectId AND kind = 'tag' ORDER BY name DESC LIMIT 1`,
    { projectId },
  );
}

export interface SampleComment {
  readonly id: number;
  readonly noteable_type: 'Issue' | 'MergeRequest';
  readonly noteable_id: number;
  /** 1 for an internal comment, and for one on a confidential issue. */
  readonly confidential: 0 | 1;
}

/** Returns the newest comment on an issue or merge request of a project. */
export function newestComment(store: Store, projectId: number, confidential: boolean): SampleComment | undefined {
  return store.get(
    `SELECT * FROM (
       SELECT n.id, n.noteable_type, n.noteable_id, max(n.internal, i.confidential) AS confidential
       FROM issues_view i JOIN notes_view n ON n.noteable_type = 'Issue' AND n.noteable_id = i.id AND n.system = 0
       WHERE i.project_id = $projectId
       UNION ALL
       SELECT n.id, n.noteable_type, n.noteable_id, n.internal
       FROM merge_requests_view r JOIN notes_view n ON n.noteable_type = 'MergeRequest' AND n.noteable_id = r.id AND n.system = 0
       WHERE r.project_id = $projectId)
     WHERE confidential = $confidential ORDER BY id DESC LIMIT 1`,
    { projectId, confidential: confidential ? 1 : 0 },
  );
}
