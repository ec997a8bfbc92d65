import { randomUUID } from 'node:crypto';
import { maskTokens } from '../../core/masking.ts';
import { completed } from './completion.ts';
import { deliveryById, type DeliveryResult, type DeliveryRow, writePayload, writeResult } from './deliveryStore.ts';
import { namesOf } from './events.ts';
import { stateAfter } from './failures.ts';
import type { HookCore } from './hookCore.ts';
import { filledIn, missingVariables, urlRefusal, withoutCredentials } from './hookUrl.ts';
import { type Hook, openHook } from './manageHooks.ts';
import { type Outcome, sendRequest } from './sendRequest.ts';
import { hookById, writeFailures } from './store.ts';

/** Sends a delivery and records the result. Returns undefined if the server shuts down meanwhile, or the delivery no longer exists. */
export async function attempt(core: HookCore, id: number): Promise<Outcome | undefined> {
  const { store, live } = core;
  const row = deliveryById(store, id);
  const hookRow = row === undefined ? undefined : hookById(store, row.hook_id);
  if (row === undefined || hookRow === undefined) return undefined;
  const hook = openHook(core, hookRow);
  const payload = await completed(core, row);
  if (live.isEnded) return undefined;
  if (row.completion !== null) writePayload(store, row.payload_id, payload);
  const headers = headersOf(core, row, hook);
  const started = performance.now();
  const outcome = await outcomeOf(core, hook, headers, payload);
  // The database may already be closed. The delivery is sent again after the next start.
  if (live.isEnded) return undefined;
  const result: DeliveryResult = {
    url: withoutCredentials(hook.secrets.url),
    request_headers: JSON.stringify(maskedHeaders(hook, headers)),
    response_status: outcome.kind === 'responded' ? String(outcome.status) : 'internal error',
    response_headers: JSON.stringify(outcome.kind === 'responded' ? outcome.headers : {}),
    response_body: outcome.kind === 'responded' ? outcome.body : outcome.error,
    execution_duration: Math.round(performance.now() - started) / 1000,
  };
  store.transaction(() => {
    writeResult(store, id, result, core.clock.now());
    countFailure(core, hook.id, outcome);
  });
  return outcome;
}

/** Records what the outcome of a delivery means for its hook. */
function countFailure({ store, clock, profile }: HookCore, hookId: number, outcome: Outcome): void {
  const hook = hookById(store, hookId);
  if (hook === undefined) return;
  writeFailures(store, hookId, stateAfter(hook, outcome, clock.now(), profile));
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
