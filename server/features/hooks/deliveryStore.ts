import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import type { DeliveredEvent } from './events.ts';
import type { OwnedHook } from './store.ts';

export interface DeliveryRow {
  readonly id: number;
  readonly hook_id: number;
  readonly event: DeliveredEvent;
  /** The same for all deliveries of one event. */
  readonly event_uuid: string;
  /** The same for all attempts of one delivery, and when it is sent again. */
  readonly idempotency_key: string;
  readonly payload_id: number;
  /** JSON. */
  readonly payload: string;
  /** JSON that describes which members of the payload have yet to be read from the repository; null if it is complete. */
  readonly completion: string | null;
  readonly created_at: number;
}

/** Result of an attempt. */
export interface DeliveryResult {
  /** URL without the values of variables and without credentials. */
  readonly url: string;
  /** JSON object; secrets are masked. */
  readonly request_headers: string;
  /** Status code, or `internal error` without a response. */
  readonly response_status: string;
  /** JSON object. */
  readonly response_headers: string;
  readonly response_body: string;
  /** In seconds. */
  readonly execution_duration: number;
}

const WAITING = 'd.id, d.hook_id, d.event, d.event_uuid, d.idempotency_key, d.payload_id, p.payload, p.completion, d.created_at';
const SENT = `${WAITING}, d.url, d.request_headers, d.response_status, d.response_headers, d.response_body, d.execution_duration`;
const FROM = 'FROM hook_deliveries d JOIN hook_payloads p ON p.id = d.payload_id';

export type SentDelivery = DeliveryRow & DeliveryResult;

/** Stores the payload of an event in a project. It is deleted with the last delivery. */
export function insertPayload(
  store: Store,
  row: Pick<DeliveryRow, 'payload' | 'completion'> & { readonly project_id: number | null },
): number {
  return store.run(
    `INSERT INTO hook_payloads (project_id, payload, completion, size)
     VALUES ($project_id, $payload, $completion, octet_length($payload))`,
    { project_id: row.project_id, payload: row.payload, completion: row.completion },
  ).lastId;
}

export type NewDelivery = Omit<DeliveryRow, 'id' | 'payload' | 'completion'>;

export function insertDelivery(store: Store, row: NewDelivery): number {
  return store.run(
    `INSERT INTO hook_deliveries (hook_id, event, event_uuid, idempotency_key, payload_id, created_at)
     VALUES ($hook_id, $event, $event_uuid, $idempotency_key, $payload_id, $created_at)`,
    { ...row },
  ).lastId;
}

/** Deletes deliveries of the project of a payload, the oldest ones first, until they fit into a budget or only newer ones are left. */
export function makeRoom(store: Store, delivery: { readonly id: number; readonly payloadId: number }, budget: number): void {
  while (storedBytes(store, delivery.payloadId) > budget) {
    if (!deleteOldest(store, delivery)) return;
  }
}

function storedBytes(store: Store, payloadId: number): number {
  const row = store.get<{ size: number }>(
    'SELECT size FROM hook_storage WHERE project_id = (SELECT project_id FROM hook_payloads WHERE id = $payloadId)',
    { payloadId },
  );
  return row?.size ?? 0;
}

/** Deletes the oldest delivery of the oldest payload. Returns false if it is not older than this one. */
function deleteOldest(store: Store, { id, payloadId }: { readonly id: number; readonly payloadId: number }): boolean {
  const { changes } = store.run(
    `DELETE FROM hook_deliveries WHERE id < $id AND id = (
       SELECT min(d.id) FROM hook_deliveries d WHERE d.payload_id = (
         SELECT min(p.id) FROM hook_payloads p WHERE p.project_id = (SELECT o.project_id FROM hook_payloads o WHERE o.id = $payloadId)))`,
    { id, payloadId },
  );
  return changes > 0;
}

/** Returns the ID of the oldest delivery to a hook that waits. */
export function nextDelivery(store: Store, hookId: number): number | undefined {
  return store.get<{ id: number }>(
    'SELECT id FROM hook_deliveries WHERE hook_id = $hookId AND sent_at IS NULL ORDER BY id LIMIT 1',
    { hookId },
  )?.id;
}

/** Deletes some of the deliveries to a hook that wait. */
export function deleteWaiting(store: Store, hookId: number, limit: number): void {
  store.run('DELETE FROM hook_deliveries WHERE hook_id = $hookId AND sent_at IS NULL ORDER BY id LIMIT $limit', {
    hookId,
    limit,
  });
}

/** Returns the hooks that deliveries wait for. */
export function hooksThatWait(store: Store): OwnedHook[] {
  return store.all<OwnedHook>(
    `SELECT id, project_id, group_id FROM hooks
     WHERE id IN (SELECT DISTINCT hook_id FROM hook_deliveries WHERE sent_at IS NULL) ORDER BY id`,
  );
}

export function deliveryById(store: Store, id: number): DeliveryRow | undefined {
  return store.get<DeliveryRow>(`SELECT ${WAITING} ${FROM} WHERE d.id = $id`, { id });
}

/** Stores a complete payload. */
export function writePayload(store: Store, id: number, payload: string): void {
  store.run(
    `UPDATE hook_payloads SET size = size - octet_length(payload) + octet_length($payload), payload = $payload, completion = NULL
     WHERE id = $id`,
    { id, payload },
  );
}

export function writeResult(store: Store, id: number, result: DeliveryResult, now: number): void {
  store.run(
    `UPDATE hook_deliveries SET sent_at = $now, url = $url, request_headers = $request_headers, response_status = $response_status,
       response_headers = $response_headers, response_body = $response_body, execution_duration = $execution_duration
     WHERE id = $id`,
    { id, now, ...result },
  );
}

export function sentDelivery(store: Store, hookId: number, id: number): SentDelivery | undefined {
  return store.get<SentDelivery>(`SELECT ${SENT} ${FROM} WHERE d.id = $id AND d.hook_id = $hookId AND d.sent_at IS NOT NULL`, {
    id,
    hookId,
  });
}

/** Deliveries of a hook whose response status has the prefix, such as `20` or `404`. */
export interface DeliveryFilter {
  readonly hookId: number;
  /** Patterns of `GLOB`, of which one has to match; all deliveries if undefined. */
  readonly statuses: readonly string[] | undefined;
}

const CONDITIONS = `d.hook_id = $hookId AND d.sent_at IS NOT NULL AND ($statuses IS NULL OR EXISTS (
  SELECT 1 FROM json_each($statuses) WHERE d.response_status GLOB value))`;

function conditionsOf({ hookId, statuses }: DeliveryFilter) {
  return { hookId, statuses: statuses === undefined ? null : JSON.stringify(statuses) };
}

export function countDeliveries(store: Store, filter: DeliveryFilter, cap: number): number {
  return countRows(store, `FROM hook_deliveries d WHERE ${CONDITIONS}`, conditionsOf(filter), cap);
}

/** Returns the deliveries of a hook that were attempted, newest first. */
export function listDeliveries(store: Store, filter: DeliveryFilter, limit: number, offset: number): SentDelivery[] {
  return store.all<SentDelivery>(`SELECT ${SENT} ${FROM} WHERE ${CONDITIONS} ORDER BY d.id DESC LIMIT $limit OFFSET $offset`, {
    ...conditionsOf(filter),
    limit,
    offset,
  });
}

/** Returns the time of the oldest delivery, or null. */
export function oldestDelivery(store: Store): number | null {
  return store.get<{ at: number | null }>('SELECT min(created_at) AS at FROM hook_deliveries')?.at ?? null;
}

/** Deletes some of the deliveries up to a time. Returns their number. */
export function deleteDeliveriesUntil(store: Store, time: number, limit: number): number {
  return store.run('DELETE FROM hook_deliveries WHERE created_at <= $time ORDER BY created_at LIMIT $limit', { time, limit })
    .changes;
}
