import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DAY, HOUR } from '../../../server/core/clock.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import type { Platform } from '../../../server/platform.ts';
import { findProject } from '../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../server/features/members/projectMembers.ts';
import { hearSession, hearSessionCounts } from '../errorTracking/releases/heardSessions.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from '../errorTracking/senders.ts';
import { actor, rootOf } from '../projects/cast.ts';
import { randomFrom } from '../../support/random.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Tables that scheduled work deletes rows from, with their time column and retention. Times of announcements are set to null instead. */
const passing: readonly (readonly [table: string, column: string, stays: number])[] = [
  ['web_sessions', 'expires_at', DAY],
  ['sign_in_links', 'expires_at', DAY],
  ['attempts', 'at', DAY],
  ['spent_time_steps', 'spent_at', DAY],
  ['oauth_device_grants', 'expires_at', DAY],
  ['oauth_authorization_codes', 'expires_at', DAY],
  ['tracked_session_requests', 'received_at', DAY],
  ['oauth_tokens', 'ended_at', 90 * DAY],
  ['project_members', 'expires_at', 0],
  ['group_members', 'expires_at', 0],
  ['issues', 'due_notice_at', 0],
  ['releases', 'notice_at', 0],
  ['pipeline_schedules', 'next_run_at', 0],
  ['events', 'created_at', 3 * 365 * DAY],
  ['mails', 'created_at', 90 * DAY],
  ['notification_events', 'created_at', 90 * DAY],
  ['tracked_events', 'received_at', 90 * DAY],
  ['tracked_inbox', 'received_at', 90 * DAY],
  ['tracked_sessions', 'received_at', 90 * DAY],
  ['tracked_session_counts', 'received_at', 90 * DAY],
  ['tracked_refusals', 'at', 91 * DAY],
  ['tracked_arrivals', 'last_at', 91 * DAY],
  ['tracked_key_programs', 'last_at', 91 * DAY],
  ['deprecated_calls', 'last_at', 90 * DAY],
  ['hook_deliveries', 'created_at', 7 * DAY],
];

/** Returns the tables with rows that should have been deleted by the platform's time, with the number of these rows. */
export function overdue({ store, clock }: Platform): string[] {
  return passing.flatMap(([table, column, stays]) => {
    const sql = `SELECT count(*) AS n FROM ${table} WHERE ${column} <= $until`;
    const { n = 0 } = store.get<{ n: number }>(sql, { until: clock.now() - stays }) ?? {};
    return n === 0 ? [] : [`${table}: ${n}`];
  });
}

/** Returns what is overdue after scheduled work had some turns of the event loop, far more than it needs. */
export async function overdueAfterTurns(platform: Platform, turns = 500): Promise<string[]> {
  for (let turn = 0; turn < turns && overdue(platform).length > 0; turn += 1) await nextTurn();
  return overdue(platform);
}

let serial = 0;

/** Adds rows of every kind, `count` of most, at the platform's time. */
export async function addRows(server: TestServer, project: TrackedProject, count: number): Promise<void> {
  const { platform } = server;
  const { store, clock } = platform;
  const now = clock.now();
  for (let index = 0; index < Math.min(count, 5); index += 1) {
    // The project may have been created before a restart, which changed the port.
    const address = `${server.origin}/api/v4/error_tracking/collector/api/${project.id}/envelope/?sentry_key=${project.key}`;
    const body = envelope({}, { event: errorEvent(`load${index}`) });
    assert.equal((await fetch(address, { method: 'POST', body })).status, 200);
  }
  hearSession(platform, project.id, '1.0');
  hearSessionCounts(platform, project.id, '1.0');
  const member = actor(platform, `member${(serial += 1)}`);
  const expiresAt = (Math.floor(now / DAY) + 3) * DAY;
  const root = rootOf(platform);
  const { group } = createGroup(platform, root, { name: `Group ${serial}`, path: `group${serial}` });
  addGroupMember(platform, group, member.user, { level: 20, expiresAt }, { user: root });
  const found = findProject(platform, project.id, { user: project.owner.user });
  if (found !== undefined) {
    addMember(platform, found.project, member.user, { level: 20, expiresAt }, { user: project.owner.user, access: found.access });
  }
  store.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      serial += 1;
      const values = {
        hash: serial.toString(16).padStart(64, '0'),
        bytes: Buffer.from(serial.toString(16).padStart(32, '0'), 'hex'),
        at: now - index,
        later: now + HOUR,
        user: member.user.id,
        project: project.id,
        serial,
      };
      for (const sql of [
        "INSERT INTO attempts (kind, subject, at) VALUES ('password', $hash, $at)",
        'INSERT INTO tracked_session_requests (project_id, hash, received_at) VALUES ($project, $bytes, $at)',
        'INSERT INTO web_sessions (session_hash, created_at, expires_at) VALUES ($hash, $at, $later)',
        `INSERT INTO sign_in_links (link_hash, user_id, return_to, created_at, expires_at) VALUES ($hash, $user, '/', $at, $later)`,
        'INSERT INTO spent_time_steps (user_id, step, spent_at) VALUES ($user, $serial, $at)',
        `INSERT INTO oauth_device_grants (application_id, device_code_hash, user_code_hash, scopes, address, interval_seconds, created_at, expires_at)
           SELECT min(id), $hash, $hash, 'api', '127.0.0.1', 5, $at, $later FROM oauth_applications`,
        `INSERT INTO oauth_authorization_codes (application_id, user_id, code_hash, redirect_uri, scopes, created_at, expires_at)
           SELECT min(id), $user, $hash, 'http://localhost/', 'api', $at, $later FROM oauth_applications`,
        `INSERT INTO oauth_tokens (user_id, family, grant_type, access_hash, scopes, created_at, revoked_at, ended_at)
           VALUES ($user, $serial, 'password', $hash, 'api', $at, $at, $at)`,
        "INSERT INTO mail_contents (subject, text, data, created_at) VALUES ('Kiln', '', '{}', $at)",
        `INSERT INTO mails (content_id, user_id, address, message_id, created_at)
           SELECT max(id), $user, 'member@example.com', $hash, $at FROM mail_contents`,
        `INSERT INTO notification_events (event, project_id, target_type, target_id, created_at, decided_to)
           VALUES ('moved_project', $project, 'Project', $project, $at, NULL)`,
        `INSERT INTO hooks (project_id, secrets, events, branch_filter, branch_filter_strategy, enable_ssl_verification, created_at)
           VALUES ($project, '', '{}', '', 'wildcard', 1, $at)`,
        "INSERT INTO hook_payloads (project_id, payload, size) VALUES ($project, '{}', 2)",
        `INSERT INTO hook_deliveries (hook_id, event, event_uuid, idempotency_key, payload_id, created_at, sent_at)
           SELECT max(id), 'push_events', $hash, $hash, (SELECT max(id) FROM hook_payloads), $at, $at FROM hooks`,
        `INSERT INTO issues (project_id, iid, title, author_id, due_date, due_notice_at, created_at, updated_at)
           VALUES ($project, $serial, 'Due', $user, '2026-05-01', $later, $at, $at)`,
        `INSERT INTO releases (project_id, tag, commit_id, name, author_id, created_at, updated_at, released_at, notice_at)
           VALUES ($project, 'v' || $serial, $hash, 'Later', $user, $at, $at, $later, $later)`,
        `INSERT INTO pipeline_schedules (project_id, description, ref, cron, cron_timezone, active, owner_id, next_run_at, created_at, updated_at)
           VALUES ($project, 'Nightly', 'main', '0 1 * * *', 'UTC', 1, $user, $later, $at, $at)`,
        'INSERT INTO events (project_id, author_id, action, audience, created_at) VALUES ($project, $user, 5, 0, $at)',
        `INSERT INTO deprecated_calls (deprecation, user_id, user_agent, application_id, request, count, first_at, last_at)
           VALUES ('password-grant', $user, $hash, 0, 'POST /oauth/token', 1, $at, $at)`,
      ]) {
        store.run(sql, values);
      }
    }
  });
}

/**
 * Moves the clock of a server at random: forward, back, frozen, set to the system time, and with a restart in between. Adds rows of every
 * kind in between.
 *
 * @throws Error with the moves so far if due work was not done.
 */
export async function moveAtRandom(seed: number, file: string, moves: number, count: number): Promise<void> {
  const random = randomFrom(seed);
  let machine = Date.UTC(2026, 0, 1);
  const begin = (): Promise<TestServer> => startTestServer({ file, systemNow: () => machine, log: () => {} });
  let server = await begin();
  const project = trackedProject(server);
  const history: string[] = [];
  const way = (): number => random.integer(1, 200) * random.pick([HOUR, DAY, 30 * DAY]);
  try {
    for (let move = 0; move < moves; move += 1) {
      if (random.integer(0, 1) === 1) await addRows(server, project, count);
      const kind = random.pick(['forward', 'forward', 'back', 'freeze', 'reset', 'machine', 'restart'] as const);
      history.push(kind);
      const { clock, schedule } = server.platform;
      switch (kind) {
        case 'forward':
          clock.advance(way());
          break;
        case 'back':
          clock.advance(-way());
          break;
        case 'freeze':
          clock.freeze(machine + way());
          break;
        case 'reset':
          clock.reset();
          break;
        case 'machine':
          // Does what the timer does within a minute after the system clock was set.
          machine += way();
          schedule.runDue();
          break;
        case 'restart':
          await server.close();
          machine += way();
          server = await begin();
          server.platform.schedule.runDue();
      }
      const left = await overdueAfterTurns(server.platform);
      if (left.length > 0) throw new Error(`seed ${seed}, after ${history.join(', ')}: ${left.join('; ')}`);
    }
  } finally {
    await server.close();
  }
}
