import { randomUUID } from 'node:crypto';
import { unavailable, unprocessable } from '../../core/errors.ts';
import { insertDelivery, insertPayload, makeRoom, type NewDelivery, type SentDelivery } from './deliveryStore.ts';
import type { DeliveredEvent } from './events.ts';
import type { HookCore } from './hookCore.ts';
import { withoutCredentials } from './hookUrl.ts';
import type { Hook } from './manageHooks.ts';
import type { NewPayload } from './payloads/parts.ts';
import type { Sample } from './samples.ts';
import { sendNow } from './sending.ts';

/** Maximum number of bytes that the deliveries of the events of one project take. */
const MAX_STORED = 64 * 1024 * 1024;

/** Records the payload of an event in the current transaction. Returns its ID. */
export function recordPayload({ store }: HookCore, projectId: number, { payload, completion }: NewPayload): number {
  return insertPayload(store, {
    project_id: projectId,
    payload: JSON.stringify(payload),
    completion: completion === undefined ? null : JSON.stringify(completion),
  });
}

/** Records a delivery to a hook in the current transaction. The oldest deliveries of the project make room for it. Returns its ID. */
export function recordDelivery({ store, clock }: HookCore, delivery: Omit<NewDelivery, 'created_at'>): number {
  const id = insertDelivery(store, { ...delivery, created_at: clock.now() });
  makeRoom(store, { id, payloadId: delivery.payload_id }, MAX_STORED);
  return id;
}

/** Delivers a test. Throws `Refused` if the receiver does not respond with a status of success. */
export async function deliverTest(
  core: HookCore,
  hook: Hook,
  event: DeliveredEvent,
  { projectId, payload }: Sample,
): Promise<void> {
  const id = core.store.transaction(() =>
    recordDelivery(core, {
      hook_id: hook.id,
      event,
      event_uuid: randomUUID(),
      idempotency_key: randomUUID(),
      payload_id: recordPayload(core, projectId, payload),
    }),
  );
  const status = await deliver(core, hook, id);
  if (status >= 200 && status < 300) return;
  const text = `Hook executed successfully but returned HTTP ${status}`;
  throw unprocessable(text, 'the receiver did not respond with a status of success', 'hook.test');
}

/** Sends a delivery again and returns the status of the response. Throws `Refused` without one, and if the URL has changed since. */
export function resend(core: HookCore, hook: Hook, delivery: SentDelivery): Promise<number> {
  if (withoutCredentials(hook.secrets.url) !== delivery.url) {
    throw unprocessable('The hook URL has changed. Unable to resend.', 'the delivery was for another URL', 'hook.resend');
  }
  const { hook_id, event, idempotency_key, payload_id } = delivery;
  const id = core.store.transaction(() =>
    recordDelivery(core, { hook_id, event, event_uuid: randomUUID(), idempotency_key, payload_id }),
  );
  return deliver(core, hook, id);
}

async function deliver(core: HookCore, hook: Hook, id: number): Promise<number> {
  const outcome = await sendNow(core, hook, id);
  if (outcome === undefined) throw unavailable('The server is shutting down.', 'the delivery is sent after the next start');
  if (outcome.kind === 'responded') return outcome.status;
  throw unprocessable(`Hook execution failed: ${outcome.error}`, outcome.error, 'hook.delivered');
}
