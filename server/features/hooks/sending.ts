import { randomUUID } from 'node:crypto';
import type { Core } from '../../core/core.ts';
import { DAY } from '../../core/clock.ts';
import { retentionWork } from '../../core/retention.ts';
import { maskTokens } from '../../core/masking.ts';
import { completed } from './completion.ts';
import {
  deleteDeliveriesUntil,
  deliveryById,
  type DeliveryRow,
  nextDelivery,
  oldestDelivery,
  writePayload,
  writeResult,
} from './deliveryStore.ts';
import { namesOf } from './events.ts';
import type { HookCore } from './hookCore.ts';
import { filledIn, missingVariables, urlRefusal, withoutCredentials } from './hookUrl.ts';
import { type Hook, openHook } from './manageHooks.ts';
import { type Outcome, sendRequest } from './sendRequest.ts';
import { hookById } from './store.ts';

// Sending of deliveries, at least once: a delivery is recorded with its change, and one whose result was not recorded is sent again with
// the same Idempotency-Key.

/** Maximum number of hooks that are called at the same time. The deliveries of one hook are sent one after the other. */
const MAX_CONNECTIONS = 4;
/** Time that deliveries are kept, in milliseconds. */
const RETENTION = 7 * DAY;
/** Number of deliveries that one run of the retention job deletes. */
const MAX_DELETIONS = 500;

interface Sender {
  /** Sends what waits. */
  start(): void;
  /** Sends one delivery before others of its hook. Returns undefined if the server shuts down meanwhile. */
  send(delivery: Pick<DeliveryRow, 'id' | 'hook_id'>): Promise<Outcome | undefined>;
}

const senders = new WeakMap<Core, Sender>();

/** Sends deliveries that wait, after the current transaction. */
export function wakeSender(core: Core): void {
  setImmediate(() => senders.get(core)?.start());
}

/** Sends all deliveries that wait, as after a start. Does nothing before the server listens, because payloads contain its address. */
export function sendWaiting(core: Core): void {
  senders.get(core)?.start();
}

/** Sends a delivery at once and returns its outcome. Returns undefined if the server shuts down meanwhile. */
export async function sendNow(core: Core, delivery: Pick<DeliveryRow, 'id' | 'hook_id'>): Promise<Outcome | undefined> {
  return senders.get(core)?.send(delivery);
}

/** Schedules the sending of deliveries, and their deletion. */
export function scheduleDeliveries(core: HookCore): void {
  const { store, live, log, schedule, origin } = core;
  /** Hooks that are called, by delivery. */
  const underWay = new Map<number, number>();
  const isReady = (): boolean => !live.isEnded && origin.value !== '';
  /** Hooks whose delivery could not be recorded. They are called again with the next run of the schedule. */
  const stalled = new Set<number>();
  const next = (without: readonly number[]) =>
    underWay.size < MAX_CONNECTIONS ? nextDelivery(store, [...underWay.values(), ...without]) : undefined;

  const send: Sender['send'] = async ({ id, hook_id: hookId }) => {
    underWay.set(id, hookId);
    try {
      return await attempt(core, id);
    } finally {
      underWay.delete(id);
      setImmediate(start);
    }
  };
  const start = (): void => {
    while (isReady()) {
      const waiting = next([...stalled]);
      if (waiting === undefined) return;
      send(waiting).catch((error: unknown) => {
        stalled.add(waiting.hook_id);
        log.error(`delivery ${waiting.id} of a hook could not be sent`, error);
      });
    }
  };
  senders.set(core, { start, send });
  schedule.add({
    name: 'deliveries of hooks',
    next: () => (isReady() ? (next([])?.created_at ?? null) : null),
    run: () => {
      stalled.clear();
      start();
      return false;
    },
  });
  schedule.add(
    retentionWork({
      name: 'old deliveries of hooks',
      period: RETENTION,
      oldest: () => oldestDelivery(store),
      deleteUntil: (time) => deleteDeliveriesUntil(store, time, MAX_DELETIONS) === MAX_DELETIONS,
    }),
  );
}

async function attempt(core: HookCore, id: number): Promise<Outcome | undefined> {
  const { store, clock, live } = core;
  const row = deliveryById(store, id);
  const hookRow = row === undefined ? undefined : hookById(store, row.hook_id);
  if (row === undefined || hookRow === undefined) return undefined;
  const hook = openHook(core, hookRow);
  const payload = await completed(core, row);
  if (live.isEnded) return undefined;
  if (row.completion !== null) writePayload(store, id, payload);
  const headers = headersOf(core, row, hook);
  const started = performance.now();
  const outcome = await outcomeOf(core, hook, headers, payload);
  // The database may already be closed. The delivery is sent again after the next start.
  if (live.isEnded) return undefined;
  writeResult(
    store,
    id,
    {
      url: withoutCredentials(hook.secrets.url),
      request_headers: JSON.stringify(maskedHeaders(hook, headers)),
      response_status: outcome.kind === 'responded' ? String(outcome.status) : 'internal error',
      response_headers: JSON.stringify(outcome.kind === 'responded' ? outcome.headers : {}),
      response_body: outcome.kind === 'responded' ? outcome.body : outcome.error,
      execution_duration: Math.round(performance.now() - started) / 1000,
    },
    clock.now(),
  );
  return outcome;
}

async function outcomeOf(
  core: HookCore,
  { secrets, enable_ssl_verification: verifies }: Hook,
  headers: Readonly<Record<string, string>>,
  payload: string,
): Promise<Outcome> {
  const text = filledIn(secrets.url, secrets.urlVariables);
  const refusal =
    missingVariables(secrets.url, secrets.urlVariables).length > 0
      ? 'has variables without a value'
      : urlRefusal(text, core.origin);
  if (refusal !== undefined) return { kind: 'failed', error: `the URL ${refusal}` };
  const url = new URL(text);
  const abort = new AbortController();
  const unfollow = core.live.follow({ next: () => undefined, end: () => abort.abort() });
  try {
    return await sendRequest({
      url,
      headers,
      body: Buffer.from(payload),
      verifiesCertificates: verifies === 1,
      signal: abort.signal,
    });
  } finally {
    unfollow();
  }
}

function headersOf(core: HookCore, row: DeliveryRow, { secrets }: Hook): Record<string, string> {
  return {
    ...secrets.customHeaders,
    'Content-Type': 'application/json',
    'User-Agent': `GitLab/${core.profile.release}.0-ee`,
    'Idempotency-Key': row.idempotency_key,
    'X-Gitlab-Event': namesOf(row.event).header,
    'X-Gitlab-Webhook-UUID': randomUUID(),
    'X-Gitlab-Instance': core.origin.value,
    'X-Gitlab-Event-UUID': row.event_uuid,
    ...(secrets.token === '' ? {} : { 'X-Gitlab-Token': secrets.token }),
  };
}

function maskedHeaders({ secrets }: Hook, headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const secretNames = new Set(['X-Gitlab-Token', ...Object.keys(secrets.customHeaders)]);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secretNames.has(name) ? '[REDACTED]' : maskTokens(value)]),
  );
}
