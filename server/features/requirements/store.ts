import type { Store } from '../../store/open.ts';

export interface RequirementRow {
  readonly id: number;
  readonly project_id: number;
  /** Number among the requirements of the project. */
  readonly iid: number;
  /** Number among the work items of the project, such as issues. */
  readonly work_item_iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: 'OPENED' | 'ARCHIVED';
  readonly author_id: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface RequirementFilter {
  readonly projectId: number;
  readonly iids?: readonly number[] | undefined;
  readonly workItemIids?: readonly number[] | undefined;
  readonly state?: string | undefined;
  readonly idBefore?: number | undefined;
  readonly idAfter?: number | undefined;
}

/** Returns requirements in the order of their IDs. */
export function listRequirements(
  store: Store,
  filter: RequirementFilter,
  page: { readonly sort: 'asc' | 'desc'; readonly limit: number },
): RequirementRow[] {
  const parts = ['project_id = $projectId'];
  const params: Record<string, string | number> = { projectId: filter.projectId, limit: page.limit };
  const add = (name: string, sql: string, value: string | number | readonly number[] | undefined): void => {
    if (value === undefined) return;
    parts.push(sql);
    params[name] = typeof value === 'object' ? JSON.stringify(value) : value;
  };
  add('iids', 'iid IN (SELECT value FROM json_each($iids))', filter.iids);
  add('workItemIids', 'work_item_iid IN (SELECT value FROM json_each($workItemIids))', filter.workItemIids);
  add('state', 'state = $state', filter.state);
  add('idBefore', 'id < $idBefore', filter.idBefore);
  add('idAfter', 'id > $idAfter', filter.idAfter);
  return store.all<RequirementRow>(
    `SELECT * FROM requirements WHERE ${parts.join(' AND ')} ORDER BY id ${page.sort} LIMIT $limit`,
    params,
  );
}

export function requirementById(store: Store, id: number): RequirementRow | undefined {
  return store.get<RequirementRow>('SELECT * FROM requirements WHERE id = $id', { id });
}

/** Adds a requirement with the next legacy IID of its project. */
export function insertRequirement(
  store: Store,
  requirement: Pick<RequirementRow, 'project_id' | 'work_item_iid' | 'title' | 'description' | 'author_id'>,
  now: number,
): number {
  return store.run(
    `INSERT INTO requirements (project_id, iid, work_item_iid, title, description, state, author_id, created_at, updated_at)
     VALUES ($project_id, (SELECT coalesce(max(iid), 0) + 1 FROM requirements WHERE project_id = $project_id), $work_item_iid, $title,
       $description, 'OPENED', $author_id, $now, $now)`,
    { ...requirement, now },
  ).lastId;
}

export function writeRequirement(
  store: Store,
  id: number,
  values: Pick<RequirementRow, 'title' | 'description' | 'state'>,
  now: number,
): void {
  const { title, description, state } = values;
  store.run(
    'UPDATE requirements SET title = $title, description = $description, state = $state, updated_at = $now WHERE id = $id',
    { id, title, description, state, now },
  );
}

/** Makes another user the author of the requirements of a user. */
export function handOverRequirements(store: Store, fromUserId: number, toUserId: number): void {
  store.run('UPDATE requirements SET author_id = $toUserId WHERE author_id = $fromUserId', { fromUserId, toUserId });
}

export function deleteRequirementsOf(store: Store, authorId: number): void {
  store.run('DELETE FROM requirements WHERE author_id = $authorId', { authorId });
}
