import { countRows } from '../../store/count.ts';
import type { SqlParams, Store } from '../../store/open.ts';
import { AREA_MASK, areas, AUDIENCES, CONFIDENTIAL, type PushPayload, type EventVisibility } from './rules.ts';

export interface EventRow {
  readonly id: number;
  readonly project_id: number;
  readonly author_id: number;
  readonly action: number;
  readonly target_type: string | null;
  readonly target_id: number | null;
  readonly target_iid: number | null;
  readonly target_title: string | null;
  readonly note_id: number | null;
  readonly created_at: number;
}

export interface NewEvent {
  readonly projectId: number;
  readonly authorId: number;
  readonly action: number;
  readonly targetType?: string;
  readonly targetId?: number;
  readonly targetIid?: number;
  readonly targetTitle?: string;
  readonly issueId?: number;
  readonly mergeRequestId?: number;
  readonly noteId?: number;
  readonly audience: number;
  readonly push?: PushPayload;
  readonly at: number;
}

export function insertEvent(store: Store, event: NewEvent): void {
  const { lastId } = store.run(
    `INSERT INTO events (project_id, author_id, action, target_type, target_id, target_iid, target_title, issue_id, merge_request_id,
       note_id, audience, created_at)
     VALUES ($projectId, $authorId, $action, $targetType, $targetId, $targetIid, $targetTitle, $issueId, $mergeRequestId, $noteId,
       $audience, $at)`,
    {
      projectId: event.projectId,
      authorId: event.authorId,
      action: event.action,
      targetType: event.targetType ?? null,
      targetId: event.targetId ?? null,
      targetIid: event.targetIid ?? null,
      targetTitle: event.targetTitle ?? null,
      issueId: event.issueId ?? null,
      mergeRequestId: event.mergeRequestId ?? null,
      noteId: event.noteId ?? null,
      audience: event.audience,
      at: event.at,
    },
  );
  if (event.push === undefined) return;
  store.run(
    `INSERT INTO push_payloads (event_id, commit_count, action, ref_type, commit_from, commit_to, ref, commit_title, ref_count)
     VALUES ($eventId, $commit_count, $action, $ref_type, $commit_from, $commit_to, $ref, $commit_title, $ref_count)`,
    { ...event.push, eventId: lastId },
  );
}

/** Returns the push payloads of the given events. Events other than pushes have none. */
export function pushesOf(store: Store, ids: readonly number[]): ReadonlyMap<number, PushPayload> {
  const rows = store.all<PushPayload & { event_id: number }>(
    `SELECT event_id, commit_count, action, ref_type, commit_from, commit_to, ref, commit_title, ref_count
     FROM push_payloads WHERE event_id IN (SELECT value FROM json_each($ids))`,
    { ids: JSON.stringify(ids) },
  );
  return new Map(rows.map(({ event_id, ...payload }) => [event_id, payload]));
}

/** Makes the events of an issue and its notes confidential, or no longer confidential. */
export function writeConfidentiality(store: Store, issueId: number, confidential: boolean): void {
  store.run('UPDATE events SET audience = (audience & ~$bit) | $set WHERE issue_id = $issueId', {
    issueId,
    bit: CONFIDENTIAL,
    set: confidential ? CONFIDENTIAL : 0,
  });
}

/** Updates the title in the events of an issue or merge request. */
export function writeTargetTitle(store: Store, column: 'issue_id' | 'merge_request_id', id: number, title: string): void {
  store.run(`UPDATE events SET target_title = $title WHERE ${column} = $id`, { id, title });
}

/** Updates title and audience of the events of comments on a snippet. */
export function writeSnippetNotes(
  store: Store,
  snippetId: number,
  values: { readonly title: string; readonly audience: number },
): void {
  store.run(
    `UPDATE events SET target_title = $title, audience = $audience
     WHERE note_id IN (SELECT id FROM notes_view WHERE noteable_type = 'Snippet' AND noteable_id = $snippetId)`,
    { snippetId, ...values },
  );
}

/** Updates the target of a milestone's events. After the milestone is deleted, they only have the target type, as on GitLab. */
export function writeMilestoneTarget(
  store: Store,
  milestone: { readonly id: number; readonly projectId: number },
  target: { readonly id: number; readonly iid: number; readonly title: string } | undefined,
): void {
  store.run(
    `UPDATE events SET target_id = $targetId, target_iid = $targetIid, target_title = $targetTitle
     WHERE project_id = $projectId AND target_type = 'Milestone' AND target_id = $id`,
    {
      id: milestone.id,
      projectId: milestone.projectId,
      targetId: target?.id ?? null,
      targetIid: target?.iid ?? null,
      targetTitle: target?.title ?? null,
    },
  );
}

/** User or projects whose events a feed contains. */
export type FeedOwner =
  | { readonly kind: 'author'; readonly id: number }
  | { readonly kind: 'project'; readonly id: number }
  | { readonly kind: 'projects'; readonly ids: readonly number[] };

export interface Feed {
  readonly owner: FeedOwner;
  readonly action?: number | undefined;
  readonly targetType?: string | undefined;
  /** Time span in milliseconds; `until` is exclusive. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly visibility: EventVisibility;
}

const OWN_CONFIDENTIAL = areas.issues + CONFIDENTIAL;

function filters(feed: Feed): { parts: string[]; params: Record<string, string | number> } {
  const parts: string[] = [];
  const params: Record<string, string | number> = {};
  const add = (name: string, sql: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    parts.push(sql);
    params[name] = value;
  };
  add('action', 'e.action = $action', feed.action);
  add('targetType', 'e.target_type = $targetType', feed.targetType);
  add('from', 'e.created_at >= $from', feed.from);
  add('until', 'e.created_at < $until', feed.until);
  const { visibility } = feed;
  if (!visibility.isPartial) {
    if (visibility.withoutMergeRequests) parts.push(`(e.audience & ${AREA_MASK}) <> ${areas.mergeRequests}`);
    return { parts, params };
  }
  if (visibility.open.length === 0) return { parts: ['false'], params: {} };
  const open = `(e.project_id * ${AUDIENCES} + e.audience) IN (SELECT value FROM json_each($open))`;
  params['open'] = JSON.stringify(visibility.open);
  if (visibility.ownConfidentialIn.length === 0) {
    parts.push(open);
    return { parts, params };
  }
  params['reader'] = visibility.reader;
  params['ownConfidentialIn'] = JSON.stringify(visibility.ownConfidentialIn);
  parts.push(`(${open} OR (e.audience = ${OWN_CONFIDENTIAL} AND e.project_id IN (SELECT value FROM json_each($ownConfidentialIn))
    AND (EXISTS (SELECT 1 FROM issues_view i WHERE i.id = e.issue_id AND i.author_id = $reader)
      OR EXISTS (SELECT 1 FROM issue_assignees_view a WHERE a.issue_id = e.issue_id AND a.user_id = $reader))))`);
  return { parts, params };
}

const COLUMNS = `e.id, e.project_id, e.author_id, e.action, e.target_type, e.target_id, e.target_iid, e.target_title, e.note_id, e.created_at`;

/**
 * Returns the index whose first columns are the filters of a feed, followed by its order. Queries name it, because with statistics SQLite
 * may scan the whole table if few users have most of the events.
 */
function indexFor({ owner, action, targetType }: Feed): string {
  const by = owner.kind === 'author' ? 'author' : 'project';
  if (action !== undefined) return `events_by_${by}_action`;
  return targetType === undefined ? `events_by_${by}` : `events_by_${by}_target`;
}

function ownedBy(owner: FeedOwner): { sql: string; params: SqlParams } {
  switch (owner.kind) {
    case 'author':
      return { sql: 'e.author_id = $owner', params: { owner: owner.id } };
    case 'project':
      return { sql: 'e.project_id = $owner', params: { owner: owner.id } };
    case 'projects':
      return { sql: 'e.project_id IN (SELECT value FROM json_each($owners))', params: { owners: JSON.stringify(owner.ids) } };
  }
}

export function countEvents(store: Store, feed: Feed, cap: number): number {
  const { parts, params } = filters(feed);
  const owned = ownedBy(feed.owner);
  const where = [owned.sql, ...parts].join(' AND ');
  return countRows(store, `FROM events e INDEXED BY ${indexFor(feed)} WHERE ${where}`, { ...params, ...owned.params }, cap);
}

/** Returns a page in order of creation time, which may differ from the order of IDs. */
export function listEvents(
  store: Store,
  feed: Feed,
  page: { readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): EventRow[] {
  const { parts, params } = filters(feed);
  const { sort, limit, offset } = page;
  const index = indexFor(feed);
  const order = `ORDER BY created_at ${sort}, id ${sort}`;
  if (feed.owner.kind === 'projects') {
    // Reads as many events of each project as the page can need, in the order of its index, and sorts only these. CROSS JOIN keeps SQLite
    // from scanning all events before the projects.
    const where = ['e.project_id = owners.value', ...parts].join(' AND ');
    return store.all<EventRow>(
      `SELECT ${COLUMNS} FROM events e WHERE e.id IN (
         SELECT candidate.id FROM json_each($owners) owners CROSS JOIN events candidate ON candidate.id IN (
           SELECT e.id FROM events e INDEXED BY ${index} WHERE ${where} ${order} LIMIT $reach)
         ORDER BY candidate.created_at ${sort}, candidate.id ${sort} LIMIT $limit OFFSET $offset)
       ${order}`,
      { ...params, owners: JSON.stringify(feed.owner.ids), reach: limit + offset, limit, offset },
    );
  }
  const owned = ownedBy(feed.owner);
  const where = [owned.sql, ...parts].join(' AND ');
  return store.all<EventRow>(
    `SELECT ${COLUMNS} FROM events e WHERE e.id IN (
       SELECT e.id FROM events e INDEXED BY ${index} WHERE ${where} ${order} LIMIT $limit OFFSET $offset)
     ${order}`,
    { ...params, ...owned.params, limit, offset },
  );
}

/** Returns the IDs of the projects in which a user has events. Skips through the index, so the cost depends on the number of projects only. */
export function projectsOfAuthor(store: Store, authorId: number): number[] {
  return store
    .all<{ project_id: number }>(
      `WITH RECURSIVE found (project_id) AS (
         SELECT min(project_id) FROM events WHERE author_id = $authorId
         UNION ALL
         SELECT (SELECT min(project_id) FROM events WHERE author_id = $authorId AND project_id > found.project_id)
         FROM found WHERE found.project_id IS NOT NULL
       )
       SELECT project_id FROM found WHERE project_id IS NOT NULL`,
      { authorId },
    )
    .map((row) => row.project_id);
}

/** Returns those of the given events that a feed contains. */
export function shownEvents(store: Store, feed: Feed, ids: readonly number[]): ReadonlySet<number> {
  const { parts, params } = filters(feed);
  const owned = ownedBy(feed.owner);
  const where = ['e.id IN (SELECT value FROM json_each($ids))', owned.sql, ...parts].join(' AND ');
  const rows = store.all<{ readonly id: number }>(`SELECT e.id FROM events e WHERE ${where}`, {
    ...params,
    ...owned.params,
    ids: JSON.stringify(ids),
  });
  return new Set(rows.map(({ id }) => id));
}

/** Returns the ID of the newest event, or 0 if there are no events. */
export function newestEventId(store: Store): number {
  return store.get<{ readonly id: number | null }>('SELECT MAX(id) AS id FROM events')?.id ?? 0;
}

/** Returns events with IDs higher than `id`, oldest first. */
export function eventsAfter(store: Store, id: number, limit: number): { readonly id: number; readonly projectId: number }[] {
  return store.all('SELECT id, project_id AS projectId FROM events WHERE id > $id ORDER BY id LIMIT $limit', { id, limit });
}

export function oldestEvent(store: Store): number | null {
  return store.get<{ at: number | null }>('SELECT min(created_at) AS at FROM events')?.at ?? null;
}

/** Deletes up to `limit` events up to a time, oldest first. Returns the number of deleted events. */
export function deleteEventsBefore(store: Store, moment: number, limit: number): number {
  return store.run(
    'DELETE FROM events WHERE id IN (SELECT id FROM events WHERE created_at <= $moment ORDER BY created_at LIMIT $limit)',
    { moment, limit },
  ).changes;
}
