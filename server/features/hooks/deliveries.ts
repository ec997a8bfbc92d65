import { randomUUID } from 'node:crypto';
import { unavailable, unprocessable } from '../../core/errors.ts';
import { type DeliveryRow, insertDelivery, type SentDelivery } from './deliveryStore.ts';
import type { DeliveredEvent } from './events.ts';
import type { HookCore } from './hookCore.ts';
import { withoutCredentials } from './hookUrl.ts';
import type { Hook } from './manageHooks.ts';
import type { NewPayload } from './payloads/parts.ts';
import { sendNow } from './sending.ts';

type Identity = Pick<DeliveryRow, 'event_uuid' | 'idempotency_key'>;

/** Records a delivery to a hook in the current transaction. Returns its ID. */
export function recordDelivery(
  { store, clock }: HookCore,
  hookId: number,
  event: DeliveredEvent,
  { payload, completion }: NewPayload,
  { event_uuid, idempotency_key }: Identity,
): number {
  return insertDelivery(store, {
    hook_id: hookId,
    event,
    event_uuid,
    idempotency_key,
    payload: JSON.stringify(payload),
    completion: completion === undefined ? null : JSON.stringify(completion),
    created_at: clock.now(),
  });
}

/** Delivers a test. Throws `Refused` if the receiver does not respond with a status of success. */
export async function deliverTest(core: HookCore, hook: Hook, event: DeliveredEvent, sample: NewPayload): Promise<void> {
  const id = recordDelivery(core, hook.id, event, sample, { event_uuid: randomUUID(), idempotency_key: randomUUID() });
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
  const { hook_id, event, idempotency_key, payload, completion } = delivery;
  const id = insertDelivery(core.store, {
    hook_id,
    event,
    event_uuid: randomUUID(),
    idempotency_key,
    payload,
    completion,
    created_at: core.clock.now(),
  });
  return deliver(core, hook, id);
}

async function deliver(core: HookCore, hook: Hook, id: number): Promise<number> {
  const outcome = await sendNow(core, hook, id);
  if (outcome === undefined) throw unavailable('The server is shutting down.', 'the delivery is sent after the next start');
  if (outcome.kind === 'responded') return outcome.status;
  throw unprocessable(`Hook execution failed: ${outcome.error}`, outcome.error, 'hook.delivered');
}
