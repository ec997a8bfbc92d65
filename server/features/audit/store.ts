import type { SqlParams, Store } from '../../store/open.ts';
import type { AuditEntity } from './rules.ts';

export interface AuditRow {
  readonly id: number;
  readonly created_at: number;
  readonly author_id: number;
  readonly entity_type: AuditEntity['type'];
  readonly entity_id: number;
  readonly event_name: string;
  /** JSON text of the response member `details`. */
  readonly details: string;
}

export function insertAuditEvent(store: Store, event: Omit<AuditRow, 'id'>): number {
  return store.run(
    `INSERT INTO audit_events (created_at, author_id, entity_type, entity_id, event_name, details)
     VALUES ($created_at, $author_id, $entity_type, $entity_id, $event_name, $details)`,
    { ...event },
  ).lastId;
}

export function auditEventById(store: Store, id: number): AuditRow | undefined {
  return store.get<AuditRow>('SELECT * FROM audit_events WHERE id = $id', { id });
}

export interface AuditFilter {
  /** Bounds of the time span, inclusive, in milliseconds. */
  readonly after: number;
  readonly before: number;
  readonly entityType?: string | undefined;
  readonly entityId?: number | undefined;
  readonly authorId?: number | undefined;
}

/** Number of low bits of an ID within its block. A block of the schema has 1024 consecutive IDs. */
const BLOCK_BITS = 10;

// Events are sorted by ID but selected by time, and times need not increase with IDs. Blocks of IDs without events in the time span are
// skipped; the others are read along an index, newest first.
function listSql(filter: AuditFilter, columns: string): { sql: string; params: SqlParams } {
  const { entityType, entityId, authorId } = filter;
  // Without statistics, the query planner would read the events of all users.
  const index = authorId === undefined ? '' : 'INDEXED BY audit_events_by_author';
  const sql = `SELECT ${columns} FROM audit_event_blocks b CROSS JOIN audit_events e ${index}
    WHERE b.block <= $below >> ${BLOCK_BITS} AND b.latest >= $after AND b.earliest <= $before
      AND e.id BETWEEN b.block << ${BLOCK_BITS} AND (b.block << ${BLOCK_BITS}) + ${(1 << BLOCK_BITS) - 1}
      AND e.id < $below AND e.created_at BETWEEN $after AND $before
      ${entityType === undefined ? '' : 'AND e.entity_type = $entityType'}
      ${entityId === undefined ? '' : 'AND e.entity_id = $entityId'}
      ${authorId === undefined ? '' : 'AND e.author_id = $authorId'}`;
  return {
    sql,
    params: {
      after: filter.after,
      before: filter.before,
      ...(entityType === undefined ? {} : { entityType }),
      ...(entityId === undefined ? {} : { entityId }),
      ...(authorId === undefined ? {} : { authorId }),
    },
  };
}

/** Returns a page of events, newest first. `below` is the ID of the last event of the previous page. */
export function listAuditEvents(
  store: Store,
  filter: AuditFilter,
  page: { readonly below?: number | undefined; readonly limit: number; readonly offset?: number },
): readonly AuditRow[] {
  const { sql, params } = listSql(filter, 'e.*');
  return store.all<AuditRow>(`${sql} ORDER BY b.block DESC, e.id DESC LIMIT $limit OFFSET $offset`, {
    ...params,
    below: page.below ?? Number.MAX_SAFE_INTEGER,
    limit: page.limit,
    offset: page.offset ?? 0,
  });
}

export function countAuditEvents(store: Store, filter: AuditFilter, cap: number): number {
  const { sql, params } = listSql(filter, '1');
  const counted = store.get<{ n: number }>(`SELECT count(*) AS n FROM (${sql} LIMIT $cap)`, {
    ...params,
    below: Number.MAX_SAFE_INTEGER,
    cap,
  });
  return counted?.n ?? 0;
}

interface Named {
  readonly name: string;
  readonly path: string;
}

export function groupNamed(store: Store, id: number): Named | undefined {
  return store.get<Named>('SELECT name, full_path AS path FROM namespaces_view WHERE id = $id', { id });
}

export function projectNamed(store: Store, id: number): Named | undefined {
  return store.get<Named>('SELECT name, full_path AS path FROM projects_view WHERE id = $id', { id });
}
