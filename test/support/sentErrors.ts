// Errors as SDKs send them.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readDsn } from '../../src/contract/dsn.ts';

/** Returns an envelope. The key of each item is its type. */
export function envelope(header: object, ...items: Readonly<Record<string, object>>[]): string {
  const lines = items.flatMap((item) =>
    Object.entries(item).flatMap(([type, payload]) => [JSON.stringify({ type }), JSON.stringify(payload)]),
  );
  return [JSON.stringify(header), ...lines, ''].join('\n');
}

/**
 * Sends an error in an envelope to a DSN, like an SDK. Errors of the same type and frames are grouped. `more` are further members of the
 * event.
 */
export async function sendError(dsn: string, exception: object, more: object = {}): Promise<void> {
  const parts = readDsn(dsn);
  const event = { event_id: randomUUID().replaceAll('-', ''), platform: 'node', level: 'error' };
  const response = await fetch(`${parts?.origin}/api/v4/error_tracking/collector/api/${parts?.projectId}/envelope/`, {
    method: 'POST',
    headers: { 'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${parts?.publicKey}, sentry_client=test/1` },
    body: envelope({ event_id: event.event_id }, { event: { ...event, ...more, exception: { values: [exception] } } }),
  });
  assert.equal(response.status, 200, await response.text());
}
