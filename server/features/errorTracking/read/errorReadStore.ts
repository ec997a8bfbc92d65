import type { Store, SqlParams } from '../../../store/open.ts';
import type { EditKind } from '../edits/editStore.ts';
import type { EventLevel } from '../event/trackedEvent.ts';
import { isClean } from '../event/readValue.ts';
import type { ErrorStatus } from '../status/statusRules.ts';
import type { StateRow } from '../status/statusStore.ts';

/** Read-only queries. */

export interface ErrorRow extends StateRow {
  readonly id: number;
  readonly project_id: number;
  readonly fingerprint: number;
  readonly title: string;
  readonly type: string | null;
  readonly message: string | null;
  readonly culprit: string;
  readonly platform: string;
  readonly level: EventLevel;
  readonly is_regression: number;
  readonly is_overflow: number;
  readonly first_seen_at: number;
  readonly last_seen_at: number;
  readonly first_release: string | null;
  readonly last_release: string | null;
  readonly event_count: number;
  readonly user_count: number;
  readonly assignee_id: number | null;
  readonly issue_id: number | null;
  /** The latest change by a user that can be undone. */
  readonly edit_id: number | null;
  readonly edit_kind: EditKind | null;
  /** JSON array of the first environments by name. */
  readonly environments: string;
}

/** Maximum number of environments that lists name of an error. */
const MAX_ENVIRONMENTS = 10;

const ERROR = `error.id, error.project_id, error.fingerprint, error.title, error.type, error.message, error.culprit, error.platform,
  error.level, error.status, error.status_at, error.status_releases, error.ignored_until, error.ignored_number, error.counted_events,
  error.counted_hour, error.counted_of_hour, error.is_regression, error.is_overflow, error.first_seen_at, error.last_seen_at,
  (SELECT version FROM app_releases WHERE id = error.first_release_id) AS first_release,
  (SELECT version FROM app_releases WHERE id = error.last_release_id) AS last_release,
  error.event_count, error.user_count, error.assignee_id,
  COALESCE(error.issue_id, (SELECT issue_id FROM tracked_merged_errors WHERE error_id = error.id AND issue_id IS NOT NULL ORDER BY id LIMIT 1))
    AS issue_id,
  (SELECT id FROM tracked_edits WHERE error_id = error.id ORDER BY id DESC LIMIT 1) AS edit_id,
  (SELECT json_group_array(value) FROM (SELECT DISTINCT facet.value FROM tracked_groupings AS one
     JOIN tracked_facets AS facet ON facet.grouping_id = one.id AND facet.kind = 'environment'
     WHERE one.error_id = error.id ORDER BY facet.value LIMIT ${MAX_ENVIRONMENTS})) AS environments,
  (SELECT kind FROM tracked_edits WHERE error_id = error.id ORDER BY id DESC LIMIT 1) AS edit_kind`;

export type ErrorOrder = 'last_seen' | 'first_seen' | 'frequency';

const columns = { last_seen: 'last_seen_at', first_seen: 'first_seen_at', frequency: 'event_count' } as const satisfies Record<
  ErrorOrder,
  keyof ErrorRow
>;

/** Position in a list, after which the next page starts. */
export interface ErrorPosition {
  readonly value: number;
  readonly id: number;
}

export function positionOf(row: ErrorRow, order: ErrorOrder): ErrorPosition {
  return { value: row[columns[order]], id: row.id };
}

export interface ErrorFilter {
  readonly statuses: readonly ErrorStatus[];
  /** Part of a title. With at least three characters also part of types, values, functions and files. */
  readonly search?: string | undefined;
  readonly environment?: string | undefined;
  readonly release?: string | undefined;
  readonly level?: string | undefined;
  /** User ID, or whether anybody is assigned. */
  readonly assignee?: number | 'None' | 'Any' | undefined;
  /** Range of hours since 1970 with events, both ends included. */
  readonly fromHour?: number | undefined;
  readonly toHour?: number | undefined;
}

export interface ErrorPage {
  readonly order: ErrorOrder;
  readonly direction: 'asc' | 'desc';
  readonly after?: ErrorPosition | undefined;
  readonly limit: number;
}

/**
 * Returns errors of a project. Each status has its own query with the index of the order, so that none has to sort. Filters can
 * read many rows, so these queries run in another thread.
 */
export async function listErrorRows(store: Store, projectId: number, filter: ErrorFilter, page: ErrorPage): Promise<ErrorRow[]> {
  const column = columns[page.order];
  const sign = page.direction === 'desc' ? '<' : '>';
  const params: Record<string, SqlParams[string]> = { projectId, limit: page.limit };
  const conditions = ['error.project_id = $projectId', 'error.status = $status'];
  if (page.after !== undefined) {
    conditions.push(`(error.${column}, error.id) ${sign} ($value, $id)`);
    Object.assign(params, page.after);
  }
  const isFiltered = addFilter(filter, conditions, params);
  const sql = `SELECT ${ERROR} FROM tracked_errors AS error WHERE ${conditions.join(' AND ')}
    ORDER BY error.${column} ${page.direction}, error.id ${page.direction} LIMIT $limit`;
  const lists = await Promise.all(
    filter.statuses.map((status) =>
      isFiltered
        ? store.runInReader<ErrorRow>(sql, { ...params, status })
        : Promise.resolve(store.all<ErrorRow>(sql, { ...params, status })),
    ),
  );
  const turn = page.direction === 'desc' ? -1 : 1;
  return lists
    .flat()
    .toSorted((a, b) => turn * (a[column] - b[column] || a.id - b.id))
    .slice(0, page.limit);
}

/** Returns true if a condition was added. */
function addFilter(filter: ErrorFilter, conditions: string[], params: Record<string, SqlParams[string]>): boolean {
  const before = conditions.length;
  // The full-text index reads only up to a NUL, and treats the rest as an incomplete query.
  const search = filter.search?.replaceAll('\0', ' ');
  if (search !== undefined && search !== '') {
    // Stored texts contain no NUL, at which the index would stop reading.
    if (!isClean(search)) conditions.push('false');
    // The index finds texts of at least three code points.
    else if ([...search].length >= 3) {
      conditions.push('error.id IN (SELECT rowid FROM tracked_search WHERE tracked_search MATCH $search)');
      params['search'] = `"${search.replaceAll('"', '""')}"`;
    } else {
      conditions.push('instr(lower(error.title), lower($search)) > 0');
      params['search'] = search;
    }
  }
  for (const kind of ['environment', 'release', 'level'] as const) {
    const value = filter[kind];
    if (value === undefined) continue;
    conditions.push(`EXISTS (SELECT 1 FROM tracked_groupings AS one JOIN tracked_facets AS facet ON facet.grouping_id = one.id
      WHERE one.error_id = error.id AND facet.kind = '${kind}' AND facet.value = :${kind})`);
    params[kind] = value;
  }
  if (filter.assignee === 'None') conditions.push('error.assignee_id IS NULL');
  else if (filter.assignee === 'Any') conditions.push('error.assignee_id IS NOT NULL');
  else if (filter.assignee !== undefined) {
    conditions.push('error.assignee_id = $assignee');
    params['assignee'] = filter.assignee;
  }
  if (filter.fromHour !== undefined || filter.toHour !== undefined) {
    conditions.push(`EXISTS (SELECT 1 FROM tracked_groupings AS one JOIN tracked_hours AS hour ON hour.grouping_id = one.id
      WHERE one.error_id = error.id AND hour.hour BETWEEN $fromHour AND $toHour)`);
    params['fromHour'] = filter.fromHour ?? 0;
    params['toHour'] = filter.toHour ?? Number.MAX_SAFE_INTEGER;
  }
  return conditions.length > before;
}

export function errorRow(store: Store, projectId: number, fingerprint: number): ErrorRow | undefined {
  return store.get<ErrorRow>(
    `SELECT ${ERROR} FROM tracked_errors AS error WHERE error.project_id = $projectId AND error.fingerprint = $fingerprint`,
    { projectId, fingerprint },
  );
}

export interface HourRow {
  readonly error_id: number;
  readonly hour: number;
  readonly count: number;
}

/** Returns events per hour of some errors, without hours that have no events. */
export function hourRows(store: Store, errorIds: readonly number[], fromHour: number): HourRow[] {
  return store.all<HourRow>(
    `SELECT one.error_id, hour.hour, SUM(hour.event_count) AS count
     FROM tracked_groupings AS one JOIN tracked_hours AS hour ON hour.grouping_id = one.id
     WHERE one.error_id IN (SELECT value FROM json_each($ids)) AND hour.hour >= $fromHour
     GROUP BY one.error_id, hour.hour ORDER BY one.error_id, hour.hour`,
    { ids: JSON.stringify(errorIds), fromHour },
  );
}

export interface FacetRow {
  readonly kind: 'environment' | 'level' | 'release';
  readonly value: string;
  readonly count: number;
}

/** Returns values of the events of an error, the most frequent first. */
export function facetRows(store: Store, errorId: number): FacetRow[] {
  return store.all<FacetRow>(
    `SELECT facet.kind, facet.value, SUM(facet.event_count) AS count
     FROM tracked_groupings AS one JOIN tracked_facets AS facet ON facet.grouping_id = one.id
     WHERE one.error_id = $errorId GROUP BY facet.kind, facet.value ORDER BY count DESC, facet.value LIMIT 1000`,
    { errorId },
  );
}

/** Returns environments of the events of a project, sorted by name, up to `most`. */
export async function environmentsSeen(store: Store, projectId: number, most: number): Promise<string[]> {
  const rows = await store.runInReader<{ readonly value: string }>(
    `SELECT DISTINCT facet.value FROM tracked_groupings AS one JOIN tracked_facets AS facet ON facet.grouping_id = one.id
     WHERE one.project_id = $projectId AND facet.kind = 'environment' LIMIT $most`,
    { projectId, most },
  );
  return rows.map(({ value }) => value).toSorted();
}

export interface GroupingOfError {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly algorithm: number;
  readonly event_count: number;
  readonly first_seen_at: number;
  readonly last_seen_at: number;
}

/** Returns the groupings of an error, those with events first. */
export function groupingRows(store: Store, errorId: number): GroupingOfError[] {
  return store.all<GroupingOfError>(
    `SELECT id, hash, algorithm, event_count, first_seen_at, last_seen_at FROM tracked_groupings
     WHERE error_id = $errorId ORDER BY event_count DESC, id`,
    { errorId },
  );
}

export interface EventRow {
  readonly id: number;
  readonly event_id: Uint8Array;
  readonly grouping_id: number;
  readonly occurred_at: number;
  readonly received_at: number;
  readonly release: string | null;
  readonly environment: string | null;
  readonly level: EventLevel;
  readonly encoding: string | null;
  readonly form: 'envelope' | 'store' | null;
  readonly ordinal: number | null;
  readonly bytes: Uint8Array | null;
  readonly sender_address: string | null;
  readonly sender_client: string | null;
}

const EVENT = `event.id, event.event_id, event.grouping_id, event.occurred_at, event.received_at,
  (SELECT version FROM app_releases WHERE id = event.app_release_id) AS release, event.environment, event.level,
  payload.encoding, payload.form, payload.ordinal, payload.bytes, payload.sender_address, payload.sender_client`;

/** The payload slot may meanwhile belong to another event. */
const ITS_PAYLOAD = 'payload.id = event.payload_id AND payload.event_id = event.id';

/**
 * Returns events of an error by time of receipt, with their payloads if they are still stored: the latest first, before the row
 * ID `before`, or the earliest first, after the row ID `after`. Each grouping is read by its own index.
 */
export function eventRows(
  store: Store,
  groupingIds: readonly number[],
  page: {
    readonly before?: number | undefined;
    readonly after?: number | undefined;
    readonly limit: number;
    readonly withPayload?: boolean;
  },
): EventRow[] {
  const isForward = page.after !== undefined;
  const condition = isForward ? 'event.id > :boundary' : 'event.id < :boundary';
  const direction = isForward ? 'ASC' : 'DESC';
  const join = page.withPayload === true ? 'JOIN' : 'LEFT JOIN';
  const boundary = page.after ?? page.before ?? Number.MAX_SAFE_INTEGER;
  return groupingIds
    .flatMap((groupingId) =>
      store.all<EventRow>(
        `SELECT ${EVENT} FROM tracked_events AS event ${join} tracked_payloads AS payload ON ${ITS_PAYLOAD}
         WHERE event.grouping_id = $groupingId AND ${condition} ORDER BY event.id ${direction} LIMIT $limit`,
        { groupingId, boundary, limit: page.limit },
      ),
    )
    .toSorted((a, b) => (isForward ? a.id - b.id : b.id - a.id))
    .slice(0, page.limit);
}

/** Range of the times at which events occurred, in milliseconds: from `from`, before `before`. */
export interface TimeRange {
  readonly from?: number | undefined;
  readonly before?: number | undefined;
}

/** Returns events like `eventRows`, but only those in a range of time. Runs in a reader thread, because many events may be outside of it. */
export function eventRowsBetween(
  store: Store,
  groupingIds: readonly number[],
  range: TimeRange,
  page: { readonly before?: number | undefined; readonly after?: number | undefined; readonly limit: number },
): Promise<EventRow[]> {
  const isForward = page.after !== undefined;
  return store.runInReader<EventRow>(
    `SELECT ${EVENT} FROM tracked_events AS event LEFT JOIN tracked_payloads AS payload ON ${ITS_PAYLOAD}
     WHERE event.grouping_id IN (SELECT value FROM json_each($groupingIds))
       AND event.id ${isForward ? '>' : '<'} $boundary AND event.occurred_at >= $from AND event.occurred_at < $until
     ORDER BY event.id ${isForward ? 'ASC' : 'DESC'} LIMIT $limit`,
    {
      groupingIds: JSON.stringify(groupingIds),
      boundary: page.after ?? page.before ?? Number.MAX_SAFE_INTEGER,
      from: range.from ?? Number.MIN_SAFE_INTEGER,
      until: range.before ?? Number.MAX_SAFE_INTEGER,
      limit: page.limit,
    },
  );
}

export function eventRow(store: Store, projectId: number, eventId: Uint8Array): EventRow | undefined {
  return store.get<EventRow>(
    `SELECT ${EVENT} FROM tracked_events AS event LEFT JOIN tracked_payloads AS payload ON ${ITS_PAYLOAD}
     WHERE event.project_id = $projectId AND event.event_id = $eventId`,
    { projectId, eventId },
  );
}
