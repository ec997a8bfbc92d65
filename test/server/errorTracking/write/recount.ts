import assert from 'node:assert/strict';
import type { Platform } from '../../../../server/platform.ts';

/** Recalculates all counters of tracked errors from the events. Throws if they differ from the stored ones. */
export function recount({ store, inbox }: Pick<Platform, 'store' | 'inbox'>): void {
  inbox.flush();
  const same = (name: string, stored: string, counted: string): void => {
    assert.deepEqual(store.all(stored), store.all(counted), name);
  };
  same(
    'events of errors',
    'SELECT id, event_count AS n FROM tracked_errors ORDER BY id',
    `SELECT e.id, (SELECT COUNT(*) FROM tracked_events v JOIN tracked_groupings g ON g.id = v.grouping_id WHERE g.error_id = e.id) AS n
     FROM tracked_errors e ORDER BY e.id`,
  );
  same(
    'users of errors',
    'SELECT id, user_count AS n FROM tracked_errors ORDER BY id',
    `SELECT e.id, (SELECT COUNT(DISTINCT v.user_hash) FROM tracked_events v JOIN tracked_groupings g ON g.id = v.grouping_id
       WHERE g.error_id = e.id) AS n FROM tracked_errors e ORDER BY e.id`,
  );
  same(
    'events of groupings',
    'SELECT id, event_count AS n FROM tracked_groupings ORDER BY id',
    'SELECT g.id, (SELECT COUNT(*) FROM tracked_events v WHERE v.grouping_id = g.id) AS n FROM tracked_groupings g ORDER BY g.id',
  );
  same(
    'what was received',
    'SELECT id, event_id FROM tracked_payloads ORDER BY id',
    `SELECT p.id, p.event_id FROM tracked_events v JOIN tracked_payloads p ON p.id = v.payload_id AND p.event_id = v.id
     WHERE p.id / 256 = v.grouping_id ORDER BY p.id`,
  );
  assert.deepEqual(store.all('SELECT id FROM tracked_inbox'), [], 'not everything is counted');
  same(
    'hours',
    'SELECT grouping_id, hour, event_count AS n FROM tracked_hours ORDER BY grouping_id, hour',
    `SELECT grouping_id, occurred_at / 3600000 AS hour, COUNT(*) AS n FROM tracked_events GROUP BY grouping_id, hour
     ORDER BY grouping_id, hour`,
  );
  same(
    'users',
    'SELECT grouping_id, hex(user_hash) AS user, event_count AS n FROM tracked_users ORDER BY grouping_id, user',
    `SELECT grouping_id, hex(user_hash) AS user, COUNT(*) AS n FROM tracked_events WHERE user_hash IS NOT NULL
     GROUP BY grouping_id, user ORDER BY grouping_id, user`,
  );
  for (const [kind, column] of [
    ['environment', 'environment'],
    ['level', 'level'],
    ['release', '(SELECT version FROM app_releases WHERE id = v.app_release_id)'],
  ] as const) {
    same(
      kind,
      `SELECT grouping_id, value, event_count AS n FROM tracked_facets WHERE kind = '${kind}' ORDER BY grouping_id, value`,
      `SELECT grouping_id, ${column} AS value, COUNT(*) AS n FROM tracked_events v WHERE ${column} IS NOT NULL
       GROUP BY grouping_id, ${column} ORDER BY grouping_id, value`,
    );
  }
}
