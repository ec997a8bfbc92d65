import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readSession, readSessionCounts } from '../../../../server/features/errorTracking/releases/sessionItems.ts';
import { writeSessions } from '../../../../server/features/errorTracking/releases/sessions.ts';
import type { Platform } from '../../../../server/platform.ts';

let sessions = 0;

/** Writes a session of a release that exited. */
export function hearSession({ store, clock }: Platform, projectId: number, release: string): void {
  sessions += 1;
  const receivedAt = clock.now();
  const session = readSession(
    {
      sid: sessions.toString(16).padStart(32, '0'),
      init: true,
      started: new Date(receivedAt - 2000).toISOString(),
      status: 'exited',
      duration: 2,
      attrs: { release },
    },
    { receivedAt, sentAt: undefined, scrub: true },
  );
  assert.ok('status' in session);
  const nobody = { bodyHash: Buffer.alloc(16), userHashOf: () => undefined };
  writeSessions(store, { projectId, receivedAt, sessions: [session], counts: [], ...nobody });
}

/** Writes session counts of a release, as SDKs of servers send them. */
export function hearSessionCounts({ store, clock }: Platform, projectId: number, release: string): void {
  const receivedAt = clock.now();
  const counts = readSessionCounts(
    { aggregates: [{ started: new Date(receivedAt - 2000).toISOString(), exited: 3 }], attrs: { release } },
    { receivedAt, sentAt: undefined, scrub: true },
  );
  assert.ok('buckets' in counts);
  const about = { bodyHash: randomBytes(16), userHashOf: () => undefined };
  writeSessions(store, { projectId, receivedAt, sessions: [], counts: [counts], ...about });
}
