import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { updateStates } from '../../../server/features/errorTracking/status/errorStatus.ts';
import { findError, type TrackedError } from '../../../server/features/errorTracking/read/readErrors.ts';
import type { TrackedEvent } from '../../../server/features/errorTracking/event/trackedEvent.ts';
import { payloadOf } from '../../../server/features/errorTracking/event/scrubbedPayload.ts';
import { groupingOf } from '../../../server/features/errorTracking/grouping/grouping.ts';
import { writeReports } from '../../../server/features/errorTracking/write/writeEvents.ts';
import type { Platform } from '../../../server/platform.ts';
import { frameAt, logMessage, trackedEvent, trackedException } from './trackedEvents.ts';

/** Writes an event as if it was just received. Returns its error. */
export function reportError(platform: Platform, projectId: number, members: Partial<TrackedEvent>): TrackedError {
  const { store, clock } = platform;
  const now = clock.now();
  const event = trackedEvent({ id: randomBytes(16).toString('hex'), occurredAt: now, ...members });
  const grouping = groupingOf(event, projectId, true);
  const bytes = deflateRawSync(JSON.stringify(payloadOf(event)));
  store.transaction(() =>
    writeReports(
      store,
      [
        {
          projectId,
          event,
          grouping,
          userHash: event.user?.id === undefined ? undefined : hash('sha256', event.user.id, 'buffer').subarray(0, 12),
          receivedAt: now,
          payload: { encoding: 'raw-deflate', form: 'store', ordinal: 0, bytes },
        },
      ],
      (happened) => updateStates(platform, happened),
    ),
  );
  const row = store.get<{ readonly fingerprint: number }>(
    `SELECT fingerprint FROM tracked_errors WHERE id =
       (SELECT error_id FROM tracked_groupings WHERE project_id = :projectId AND hash = :hash)`,
    { projectId, hash: grouping.app },
  );
  const error = row && findError(platform, projectId, row.fingerprint);
  assert.ok(error);
  return error;
}

/** Returns members of an event of `fails`, with all kinds of data that an event can have. */
export function fullEvent(fails: string): Partial<TrackedEvent> {
  const frames = [
    frameAt(`app/ship.py ${fails}:10`, {
      absPath: '/srv/app/ship.py',
      module: 'app.ship',
      column: 4,
      contextLine: '    raise ValueError()',
      preContext: ['def sail():'],
      postContext: [''],
      vars: { crew: ['Ada'] },
    }),
  ];
  return {
    platform: 'python',
    exceptions: [
      trackedException('OSError', 'no wind', [], { type: 'chained' }),
      trackedException('ValueError', `cannot ${fails}`, frames, { type: 'logging', handled: false }),
    ],
    message: logMessage('Sailing 7', 'Sailing %s'),
    breadcrumbs: [
      {
        at: Date.UTC(2026, 0, 2),
        category: 'wind',
        type: 'default',
        level: 'info',
        message: 'It turns',
        data: { knots: 12 },
      },
    ],
    tags: new Map([['sea', 'north']]),
    user: { id: '7', username: 'ada', email: 'ada@example.com', address: '192.0.2.7', name: 'Ada' },
    request: {
      url: 'https://ship.example/sail',
      method: 'POST',
      query: 'a=b',
      headers: [['Accept', '*/*']],
      cookies: 'theme=dark',
      data: { knots: 12 },
    },
    contexts: { runtime: { name: 'CPython' } },
    extra: { sails: 3 },
    modules: new Map([['sails', '1.0']]),
    logger: 'ship',
    transaction: '/sail',
    serverName: 'harbour',
    appRelease: 'ship@1.2.0',
    dist: '1',
    environment: 'open sea',
    sdk: { name: 'sentry.python', version: '2.68.0' },
  };
}
