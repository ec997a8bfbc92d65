import type { SqlParams, Store } from '../store/open.ts';

export interface AuditRow {
  readonly id: number;
  readonly created_at: number;
  readonly author_id: number;
  readonly entity_type: string;
  readonly entity_id: number;
  readonly event_name: string;
  /** JSON, as it is shown. */
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
  /** Both belong to the window; milliseconds. */
  readonly after: number;
  readonly before: number;
  readonly entityType?: string | undefined;
  readonly entityId?: number | undefined;
  readonly authorId?: number | undefined;
}

/** Ids of one block of the schema: 1024 that follow one another. */
const BLOCK_BITS = 10;

// The order is that of ids, and the window one of times, which need not rise with them. So blocks of ids that have nothing in the window are
// left out, and the others are read along an index, newest first.
function listSql(filter: AuditFilter, columns: string): { sql: string; params: SqlParams } {
  const { entityType, entityId, authorId } = filter;
  // Without statistics the planner would read what everybody did.
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

/** Newest first; `below` is the id of the last row before the page. */
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
  return store.get<Named>('SELECT name, full_path AS path FROM namespaces WHERE id = $id', { id });
}

export function projectNamed(store: Store, id: number): Named | undefined {
  return store.get<Named>('SELECT name, full_path AS path FROM projects WHERE id = $id', { id });
}
