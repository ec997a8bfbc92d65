import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { eventsOf, findError } from '../../../server/features/errorTracking/read/readErrors.ts';
import { type Report, writeReports } from '../../../server/features/errorTracking/write/writeEvents.ts';
import { deleteGroup } from '../../../server/features/groups/manageGroups.ts';
import { findGroup } from '../../../server/features/groups/access.ts';
import { hashSecret, numberInSecret, randomSecret } from '../../../server/core/secrets.ts';
import { migrations } from '../../../server/store/migrations.ts';
import { groups } from '../../../server/store/migrations/0002-groups.ts';
import { endedOAuthTokens } from '../../../server/store/migrations/0003-ended-oauth-tokens.ts';
import { personalAccessTokenFamilies } from '../../../server/store/migrations/0006-personal-access-token-families.ts';
import { todoActions } from '../../../server/store/migrations/0044-todo-actions.ts';
import { userStates } from '../../../server/store/migrations/0009-user-states.ts';
import { numberedOAuthTokens } from '../../../server/store/migrations/0014-numbered-oauth-tokens.ts';
import { labelsAndMilestones } from '../../../server/store/migrations/0015-labels-and-milestones.ts';
import { ingestStatistics } from '../../../server/store/migrations/0037-ingest-statistics.ts';
import { eventInbox } from '../../../server/store/migrations/0040-event-inbox.ts';
import { notificationsAndApprovalRules } from '../../../server/store/migrations/0041-notifications-and-approval-rules.ts';
import { storageMovesAndProtectedRefs } from '../../../server/store/migrations/0042-storage-moves-and-protected-refs.ts';
import { releasesOfResolvedErrors } from '../../../server/store/migrations/0054-releases-of-resolved-errors.ts';
import { payloadsOfHooks } from '../../../server/store/migrations/0058-payloads-of-hooks.ts';
import { openStore } from '../../../server/store/open.ts';
import { trackedEvent } from '../errorTracking/trackedEvents.ts';
import { rootOf } from '../projects/cast.ts';
import { startDemoServer } from '../../support/demo.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin } from '../../support/server.ts';

describe('a database that an earlier version filled', function () {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('a database that an earlier version filled keeps all data, and its users can create groups', async () => {
    const [newer, older] = ['newer.sqlite', 'older.sqlite'].map((name) => path.join(folder, name)) as [string, string];
    await using demo = await startDemoServer();
    const filled = demo.platform;
    // The first schema had no group members.
    for (const path of ['tidemark', 'open-harbour']) {
      const found = findGroup(filled, path, { user: rootOf(filled) });
      assert.ok(found);
      deleteGroup(filled, found.group);
    }
    const access = 'SELECT project_id, user_id, access_level FROM project_access ORDER BY project_id, user_id';
    const before = filled.store.all(access);
    await filled.store.copyTo(newer);
    fillFirstSchema(older, newer);

    await using server = await startTestServer({ file: older });
    const { store } = server.platform;
    assert.deepEqual(store.get('PRAGMA user_version'), { user_version: migrations.length });
    assert.deepEqual(store.all(access), before);
    assert.deepEqual(
      store.all('SELECT project_id, user_id, access_level FROM project_members ORDER BY project_id, user_id'),
      before,
    );
    assert.deepEqual(store.all('PRAGMA foreign_key_check'), []);
    const feed = await server.request('GET', '/api/v4/events?scope=all', { token: admin });
    assert.equal(feed.headers.get('x-per-page'), '20');
    assert.equal((feed.json() as unknown[]).length, 20);
    const group = await server.request('POST', '/api/v4/groups', { token: admin, json: { name: 'Later', path: 'later' } });
    assert.equal(group.status, 201, group.text);
    const { id } = group.json() as { id: number };
    const project = await server.request('POST', '/api/v4/projects', { token: admin, json: { name: 'New', namespace_id: id } });
    assert.equal(project.status, 201, project.text);
  });

  it('a database that an earlier version filled keeps the time of earlier revocations', () => {
    const file = path.join(folder, 'tokens.sqlite');
    const connection = databaseBefore(endedOAuthTokens, file);
    const insert = connection.prepare(
      `INSERT INTO oauth_tokens (application_id, family, grant_type, access_hash, scopes, created_at, revoked_at)
       VALUES (1, ?, 'device', ?, 'api', 1, ?)`,
    );
    connection.exec(
      "INSERT INTO oauth_applications (id, uid, name, scopes, confidential, created_at) VALUES (1, 'a', 'A', 'api', 0, 1)",
    );
    for (const [hash, family, revokedAt] of [
      ['a', 1, 5],
      ['b', 1, 9],
      ['c', 2, 5],
      ['d', 2, null],
    ] as const)
      insert.run(family, hash, revokedAt);
    connection.close();
    const store = openStore(file);
    try {
      assert.deepEqual(
        store
          .all<{ end: number | null }>('SELECT ended_at AS "end" FROM oauth_tokens ORDER BY access_hash')
          .map(({ end }) => end),
        [9, 9, null, null],
      );
    } finally {
      store.close();
    }
  });
});

describe('personal access tokens of an earlier version', () => {
  it('personal access tokens of an earlier version each become a separate family, so that rotating one does not revoke others', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
    const file = path.join(folder, 'tokens.sqlite');
    const connection = databaseBefore(personalAccessTokenFamilies, file);
    connection.pragma('foreign_keys = OFF');
    const insert = connection.prepare(
      "INSERT INTO personal_access_tokens (user_id, name, token_hash, scopes, created_at) VALUES (1, 'old', ?, 'api', 1)",
    );
    for (const hash of ['a', 'b']) insert.run(hash);
    connection.close();
    const store = openStore(file);
    try {
      assert.deepEqual(store.all('SELECT id, family, description FROM personal_access_tokens ORDER BY id'), [
        { id: 1, family: 1, description: null },
        { id: 2, family: 2, description: null },
      ]);
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('OAuth tokens of an earlier version', () => {
  it('OAuth tokens of an earlier version stay valid, can be refreshed, and are replaced by numbered tokens', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
    const file = path.join(folder, 'tokens.sqlite');
    const connection = databaseBefore(numberedOAuthTokens, file);
    const [access, refresh] = [randomSecret(), randomSecret()];
    connection.exec(`
      INSERT INTO users (username, name, email, created_at, updated_at) VALUES ('ada', 'Ada', 'ada@example.test', 1, 1);
      INSERT INTO oauth_applications (id, uid, name, scopes, confidential, created_at) VALUES (1, 'a', 'A', 'api', 0, 1)`);
    const insert = connection.prepare(
      `INSERT INTO oauth_tokens (id, application_id, user_id, family, grant_type, access_hash, refresh_hash, scopes, created_at)
       VALUES (?, 1, 1, ?, 'device', ?, ?, 'api', 1)`,
    );
    insert.run(7, 7, hashSecret(access), hashSecret(refresh));
    insert.run(9, 9, 'a', 'b');
    connection.exec('DELETE FROM oauth_tokens WHERE id = 9');
    connection.close();
    {
      await using server = await startTestServer({ file });
      const user = async (token: string) =>
        (await server.request('GET', '/api/v4/projects', { headers: { Authorization: `Bearer ${token}` } })).status;
      assert.equal(await user(access), 200);
      const form = { grant_type: 'refresh_token', client_id: 'a', refresh_token: refresh };
      const renewed = await server.request('POST', '/oauth/token', { form });
      assert.equal(renewed.status, 200, renewed.text);
      const { access_token } = renewed.json() as { access_token: string };
      // IDs are never reused, not even those of deleted rows.
      assert.equal(numberInSecret(access_token), 10);
      assert.deepEqual([await user(access), await user(access_token)], [401, 200]);
      server.platform.store.run('DELETE FROM oauth_tokens');
      assert.deepEqual(server.platform.store.all('SELECT * FROM earlier_oauth_tokens'), []);
    }
    rmSync(folder, { recursive: true });
  });
});

describe('users of an earlier version', () => {
  it('users of an earlier version keep their state and their data', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
    const file = path.join(folder, 'people.sqlite');
    const connection = databaseBefore(userStates, file);
    const insert = connection.prepare(
      'INSERT INTO users (username, name, email, state, created_at, updated_at) VALUES ($name, $name, $name, $state, 1, 1)',
    );
    for (const [name, state] of [
      ['ada', 'active'],
      ['bob', 'blocked'],
    ] as const) {
      insert.run({ name, state });
    }
    connection.exec("INSERT INTO web_sessions (session_hash, user_id, created_at, expires_at) VALUES ('a', 2, 1, 2)");
    connection.close();
    const store = openStore(file);
    try {
      assert.deepEqual(store.all('SELECT username, state FROM users ORDER BY id'), [
        { username: 'ada', state: 'active' },
        { username: 'bob', state: 'blocked' },
      ]);
      assert.deepEqual(store.all('SELECT user_id FROM web_sessions'), [{ user_id: 2 }]);
      assert.throws(() => store.run("UPDATE users SET state = 'asleep'"), /CHECK/);
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('counters of client keys of an earlier version', () => {
  it('counters of client keys of an earlier version move to their project, with rejected events separate from events dropped by SDKs', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
    const file = path.join(folder, 'keys.sqlite');
    const connection = databaseBefore(ingestStatistics, file);
    connection.exec(`
      INSERT INTO users (username, name, email, created_at, updated_at) VALUES ('ada', 'Ada', 'a@example.com', 1, 1);
      INSERT INTO namespaces (kind, name, path, full_path, created_at) VALUES ('user', 'ada', 'ada', 'ada', 1);
      INSERT INTO projects (namespace_id, creator_id, name, path, full_path, created_at, updated_at, last_activity_at)
        VALUES (1, 1, 'x', 'x', 'ada/x', 1, 1, 1);
      INSERT INTO error_tracking_client_keys (project_id, public_key, active, created_at) VALUES (1, 'a', 1, 1), (1, 'b', 1, 1);
      INSERT INTO client_key_discards (key_id, reason, category, quantity, last_at) VALUES
        (1, 'sample_rate', 'error', 2, 86400000), (2, 'sample_rate', 'error', 3, 86400007), (1, 'key_quota', 'error', 9, 5);
    `);
    connection.close();
    const store = openStore(file);
    try {
      assert.deepEqual(store.all('SELECT day, outcome, name, category, quantity, last_at FROM tracked_arrivals'), [
        { day: 0, outcome: 'refused', name: 'limit', category: '', quantity: 9, last_at: 5 },
        { day: 1, outcome: 'discarded', name: 'sample_rate', category: 'error', quantity: 5, last_at: 86_400_007 },
      ]);
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('events of an earlier version', () => {
  it('events of an earlier version keep the payload of the latest event of each grouping, and later events follow them', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
    const file = path.join(folder, 'events.sqlite');
    const connection = databaseBefore(eventInbox, file);
    connection.exec(`
      INSERT INTO users (username, name, email, created_at, updated_at) VALUES ('ada', 'Ada', 'a@example.com', 1, 1);
      INSERT INTO namespaces (kind, name, path, full_path, created_at) VALUES ('user', 'ada', 'ada', 'ada', 1);
      INSERT INTO projects (namespace_id, creator_id, name, path, full_path, created_at, updated_at, last_activity_at)
        VALUES (1, 1, 'x', 'x', 'ada/x', 1, 1, 1);
      INSERT INTO tracked_errors (project_id, fingerprint, title, culprit, platform, level, created_at, first_seen_at, last_seen_at, event_count)
        VALUES (1, 7, 'x', 'x', 'python', 'error', 1, 1, 1, 245);
      INSERT INTO tracked_groupings (project_id, error_id, hash, algorithm, first_seen_at, last_seen_at, event_count, payload_count)
        VALUES (1, 1, x'01', 1, 1, 1, 240, 230), (1, 1, x'02', 1, 1, 1, 5, 3);
      WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 245)
        INSERT INTO tracked_events (project_id, event_id, grouping_id, occurred_at, received_at, level)
        SELECT 1, unhex(printf('%032x', n)), IIF(n <= 240, 1, 2), n, n, 'error' FROM numbers;
      INSERT INTO tracked_payloads (event_id, encoding, form, ordinal, bytes)
        SELECT id, 'raw-deflate', 'store', 0, CAST(id AS BLOB) FROM tracked_events WHERE id BETWEEN 11 AND 240 OR id > 242;
    `);
    connection.close();
    await using server = await startTestServer({ file });
    const { platform } = server;
    const error = findError(platform, 1, 7);
    assert.ok(error);
    const stored = (): number[] =>
      eventsOf(platform, error, { limit: 1000, withPayload: true }).map(({ id, bytes }) => {
        assert.equal(String(Buffer.from(bytes ?? [])), String(id));
        return id;
      });
    const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, index) => last - index);
    assert.deepEqual(stored(), [...from(243, 245), ...from(41, 240)]);
    assert.equal(eventsOf(platform, error, { limit: 1000 }).length, 245);
    const event = (id: number): Report => ({
      projectId: 1,
      event: trackedEvent({ id: id.toString(16).padStart(32, '0'), occurredAt: id }),
      grouping: { version: 1, app: Buffer.from([1]), whole: () => Buffer.from([1]), former: () => [] },
      userHash: undefined,
      receivedAt: id,
      payload: { encoding: 'raw-deflate', form: 'store', ordinal: 0, bytes: Buffer.from(String(id)) },
    });
    platform.store.transaction(() => writeReports(platform.store, [246, 247, 5].map(event), () => {}));
    assert.deepEqual(stored(), [...from(246, 247), ...from(243, 245), ...from(43, 240)]);
  });
});

describe('resolved errors of an earlier version', () => {
  it('resolved errors of an earlier version have the releases of their own events, and changes that can be undone are complete', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
    const file = path.join(folder, 'errors.sqlite');
    const connection = databaseBefore(releasesOfResolvedErrors, file);
    const state = (release: string | null): object => ({ status: 'resolved', status_release: release, counted_events: 1 });
    connection.exec(`
      INSERT INTO users (username, name, email, created_at, updated_at) VALUES ('ada', 'Ada', 'a@example.com', 1, 1);
      INSERT INTO projects (namespace_id, creator_id, name, path, full_path, created_at, updated_at, last_activity_at)
        SELECT id, owner_id, 'x', 'x', 'ada/x', 1, 1, 1 FROM namespaces WHERE path = 'ada';
      INSERT INTO app_releases (project_id, version, first_seen_at) VALUES (1, 'app@1.0', 1), (1, 'app@999.9', 1), (1, 'app@1.1', 9);
      INSERT INTO tracked_errors (project_id, fingerprint, title, culprit, platform, level, created_at, first_seen_at, last_seen_at, status, status_at, status_release)
        VALUES (1, 7, 'x', 'x', 'python', 'error', 1, 1, 1, 'resolved_in_next_release', 5, 'app@999.9'),
          (1, 8, 'y', 'y', 'python', 'error', 1, 1, 1, 'unresolved', NULL, NULL);
      INSERT INTO tracked_groupings (project_id, error_id, hash, algorithm, first_seen_at, last_seen_at) VALUES (1, 1, x'01', 1, 1, 1);
      INSERT INTO tracked_events (project_id, event_id, grouping_id, occurred_at, received_at, level, app_release_id)
        VALUES (1, x'01', 1, 1, 1, 'error', 1), (1, x'02', 1, 1, 9, 'error', 3);
    `);
    const insert = connection.prepare('INSERT INTO tracked_edits (error_id, kind, previous, made_at) VALUES (1, ?, ?, 1)');
    insert.run('status', JSON.stringify({ state: state('app@1.0'), closedIssueId: null }));
    insert.run('status', JSON.stringify({ state: state(null), closedIssueId: 4 }));
    const merged = [null, 'b@2'].map((release, index) => ({
      fingerprint: 70 + index,
      state: state(release),
      responsibility: { assignee_id: 1, issue_id: null },
    }));
    insert.run('merge', JSON.stringify({ responsibility: {}, merged }));
    insert.run('assignee', JSON.stringify({ assigneeId: 1 }));
    connection.close();
    const store = openStore(file);
    try {
      assert.deepEqual(store.all('SELECT fingerprint, status_releases FROM tracked_errors ORDER BY fingerprint'), [
        { fingerprint: 7, status_releases: '["app@1.0"]' },
        { fingerprint: 8, status_releases: null },
      ]);
      const now = (releases: string | null): object => ({ status: 'resolved', counted_events: 1, status_releases: releases });
      const edits = store.all<{ readonly previous: string }>('SELECT previous FROM tracked_edits ORDER BY id');
      assert.deepEqual(
        edits.map(({ previous }) => JSON.parse(previous) as unknown),
        [
          { state: now('["app@1.0"]'), closedIssueIds: [] },
          { state: now(null), closedIssueIds: [4] },
          {
            responsibility: {},
            merged: [null, '["b@2"]'].map((releases, index) => ({ ...merged[index], state: now(releases) })),
          },
          { assigneeId: 1 },
        ],
      );
      assert.deepEqual(store.all('SELECT fingerprint, error_id, assignee_id, issue_id FROM tracked_merged_errors ORDER BY id'), [
        { fingerprint: 70, error_id: 1, assignee_id: 1, issue_id: null },
        { fingerprint: 71, error_id: 1, assignee_id: 1, issue_id: null },
      ]);
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('issues of an earlier version', () => {
  it('issues of an earlier version have their labels, which belong to their project', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
    const file = path.join(folder, 'issues.sqlite');
    const connection = databaseBefore(labelsAndMilestones, file);
    connection.exec(`
      INSERT INTO users (username, name, email, created_at, updated_at) VALUES ('ada', 'Ada', 'a@example.com', 1, 1);
      INSERT INTO namespaces (kind, name, path, full_path, created_at) VALUES ('user', 'ada', 'ada', 'ada', 1);
      INSERT INTO projects (namespace_id, creator_id, name, path, full_path, created_at, updated_at, last_activity_at)
        VALUES (1, 1, 'x', 'x', 'ada/x', 1, 1, 1), (1, 1, 'y', 'y', 'ada/y', 1, 1, 1);
    `);
    const insert = connection.prepare(
      `INSERT INTO issues (project_id, iid, title, author_id, labels, created_at, updated_at)
       VALUES ($project, $iid, 'x', 1, $labels, $iid, $iid)`,
    );
    for (const [project, iid, labels] of [
      [1, 1, ['a', 'b']],
      [1, 2, ['b', 'b']],
      [2, 3, ['b']],
      [2, 4, []],
    ] as const) {
      insert.run({ project, iid, labels: JSON.stringify(labels) });
    }
    connection.close();
    const store = openStore(file);
    try {
      assert.deepEqual(
        store.all(
          `SELECT i.iid, l.project_id AS project, l.title, l.created_at AS at FROM label_links k
             JOIN issues i ON i.id = k.target_id JOIN labels l ON l.id = k.label_id ORDER BY i.iid, l.title`,
        ),
        [
          { iid: 1, project: 1, title: 'a', at: 1 },
          { iid: 1, project: 1, title: 'b', at: 1 },
          { iid: 2, project: 1, title: 'b', at: 1 },
          { iid: 3, project: 2, title: 'b', at: 3 },
        ],
      );
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('issues, releases and pipelines of an earlier version', () => {
  it('issues and releases of an earlier version are announced if their time has not come, and pipelines keep their results', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
    const file = path.join(folder, 'notices.sqlite');
    const connection = databaseBefore(notificationsAndApprovalRules, file);
    connection.exec(`
      INSERT INTO users (username, name, email, created_at, updated_at) VALUES ('ada', 'Ada', 'a@example.com', 1, 1);
      INSERT INTO namespaces (kind, name, path, full_path, created_at) VALUES ('user', 'ada', 'ada', 'ada', 1);
      INSERT INTO projects (namespace_id, creator_id, name, path, full_path, created_at, updated_at, last_activity_at)
        VALUES (1, 1, 'x', 'x', 'ada/x', 1, 1, 1);
      INSERT INTO issues (project_id, iid, title, author_id, state, due_date, created_at, updated_at) VALUES
        (1, 1, 'x', 1, 'opened', '2020-01-01', 1, 1), (1, 2, 'x', 1, 'opened', '2999-01-01', 1, 1),
        (1, 3, 'x', 1, 'closed', '2999-01-01', 1, 1), (1, 4, 'x', 1, 'opened', NULL, 1, 1);
      INSERT INTO releases (project_id, tag, commit_id, name, author_id, created_at, updated_at, released_at)
        VALUES (1, 'v1', 'a', 'One', 1, 1, 1, 1), (1, 'v2', 'a', 'Two', 1, 1, 1, ${Date.UTC(2999, 0, 1)});
      INSERT INTO pipelines (project_id, iid, status, source, ref, is_tag, sha, before_sha, user_id, created_at, updated_at)
        VALUES (1, 1, 'failed', 'push', 'main', 0, 'a', 'a', 1, 1, 1), (1, 2, 'canceled', 'push', 'main', 0, 'a', 'a', 1, 1, 1);
    `);
    connection.close();
    const store = openStore(file);
    try {
      assert.deepEqual(store.all('SELECT iid, due_notice_at AS at FROM issues WHERE due_notice_at IS NOT NULL'), [
        { iid: 2, at: Date.UTC(2998, 11, 31, 0, 50) },
      ]);
      assert.deepEqual(store.all('SELECT tag, notice_at AS at FROM releases WHERE notice_at IS NOT NULL'), [
        { tag: 'v2', at: Date.UTC(2999, 0, 1) },
      ]);
      assert.deepEqual(store.all('SELECT iid, last_result AS result FROM pipelines'), [
        { iid: 1, result: 'failed' },
        { iid: 2, result: null },
      ]);
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('to-do items of an earlier version', () => {
  it('to-do items of an earlier version stay, and end with what they are about', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
    const file = path.join(folder, 'todos.sqlite');
    const connection = databaseBefore(todoActions, file);
    connection.exec(`
      INSERT INTO users (username, name, email, created_at, updated_at) VALUES ('ada', 'Ada', 'a@example.com', 1, 1);
      INSERT INTO namespaces (kind, name, path, full_path, created_at) VALUES ('user', 'ada', 'ada', 'ada', 1);
      INSERT INTO projects (namespace_id, creator_id, name, path, full_path, created_at, updated_at, last_activity_at)
        VALUES (1, 1, 'x', 'x', 'ada/x', 1, 1, 1);
      INSERT INTO issues (project_id, iid, title, author_id, state, created_at, updated_at) VALUES (1, 1, 'x', 1, 'opened', 1, 1);
      INSERT INTO todos (id, user_id, author_id, project_id, target_type, target_id, action, state, created_at, updated_at)
        VALUES (7, 1, 1, 1, 'Issue', 1, 'assigned', 'done', 1, 2);
    `);
    connection.close();
    const store = openStore(file);
    try {
      const rows = (): unknown[] => store.all('SELECT id, action, state, updated_at AS at FROM todos');
      assert.deepEqual(rows(), [{ id: 7, action: 'assigned', state: 'done', at: 2 }]);
      store.run('DELETE FROM issues');
      assert.deepEqual(rows(), []);
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('projects of an earlier version', () => {
  it('the default branch of a project with branches is protected by a rule, that of an empty project by none', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
    const file = path.join(folder, 'protected.sqlite');
    const connection = databaseBefore(storageMovesAndProtectedRefs, file);
    connection.exec(`
      INSERT INTO users (username, name, email, created_at, updated_at) VALUES ('ada', 'Ada', 'a@example.com', 1, 1);
      INSERT INTO namespaces (kind, name, path, full_path, created_at) VALUES ('user', 'ada', 'ada', 'ada', 1);
      INSERT INTO projects (namespace_id, creator_id, name, path, full_path, default_branch, created_at, updated_at, last_activity_at)
        VALUES (1, 1, 'x', 'x', 'ada/x', 'trunk', 1, 1, 1), (1, 1, 'y', 'y', 'ada/y', 'main', 1, 1, 1);
      INSERT INTO repositories (project_id, storage, folder, created_at) VALUES (1, 'default', 'x', 1);
      INSERT INTO repository_refs (project_id, kind, name, target, commit_id, committed_at)
        VALUES (1, 'branch', 'trunk', 'a', 'a', 1), (1, 'branch', 'other', 'a', 'a', 1);
    `);
    connection.close();
    const store = openStore(file);
    try {
      assert.deepEqual(
        store.all(`SELECT r.project_id, r.kind, r.name, g.action, g.access_level FROM protected_refs r
          JOIN protected_ref_access_levels g ON g.protected_ref_id = r.id ORDER BY g.action DESC`),
        ['push', 'merge'].map((action) => ({ project_id: 1, kind: 'branch', name: 'trunk', action, access_level: 40 })),
      );
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('deliveries of hooks of an earlier version', () => {
  it('deliveries of one event get a common payload, the complete one, and are counted in the project of the event', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-migrations-'));
    const file = path.join(folder, 'hooks.sqlite');
    const connection = databaseBefore(payloadsOfHooks, file);
    connection.exec(`
      INSERT INTO users (username, name, email, created_at, updated_at) VALUES ('ada', 'Ada', 'a@example.com', 1, 1);
      INSERT INTO namespaces (kind, name, path, full_path, created_at) VALUES ('group', 'g', 'g', 'g', 1);
      INSERT INTO projects (namespace_id, creator_id, name, path, full_path, default_branch, created_at, updated_at, last_activity_at)
        VALUES (1, 1, 'x', 'x', 'g/x', 'main', 1, 1, 1);
      INSERT INTO hooks (project_id, group_id, secrets, events, branch_filter, branch_filter_strategy, enable_ssl_verification, created_at)
        VALUES (1, NULL, '', '{}', '', 'wildcard', 1, 1), (NULL, 1, '', '{}', '', 'wildcard', 1, 1);
      INSERT INTO hook_deliveries (hook_id, event, event_uuid, idempotency_key, payload, completion, created_at, sent_at,
          url, request_headers, response_status, response_headers, response_body, execution_duration)
        VALUES (1, 'push_events', 'a', 'k1', '{"n":0,"project":{"id":1}}', '{}', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
          (2, 'push_events', 'a', 'k2', '{"n":1,"project":{"id":1}}', NULL, 1, 2, 'u', '{}', '200', '{}', 'körper', 0.1),
          (2, 'issues_events', 'b', 'k3', '{"n":2,"project":{"id":1}}', NULL, 1, 2, 'u', '{}', '200', '{}', '', 0.1),
          (2, 'issues_events', 'c', 'k4', '{"n":3,"project":{"id":7}}', NULL, 1, 2, 'u', '{}', '200', '{}', '', 0.1);
    `);
    connection.close();
    const store = openStore(file);
    try {
      assert.deepEqual(
        store.all(`SELECT d.id, d.idempotency_key AS key, p.payload ->> '$.n' AS n, p.completion, p.project_id
          FROM hook_deliveries d JOIN hook_payloads p ON p.id = d.payload_id ORDER BY d.id`),
        [
          { id: 1, key: 'k1', n: 1, completion: null, project_id: 1 },
          { id: 2, key: 'k2', n: 1, completion: null, project_id: 1 },
          { id: 3, key: 'k3', n: 2, completion: null, project_id: 1 },
          { id: 4, key: 'k4', n: 3, completion: null, project_id: null },
        ],
      );
      const bytes = 2 * '{"n":1,"project":{"id":1}}'.length + 3 * 1024 + 2 * '{}{}'.length + Buffer.byteLength('körper');
      assert.deepEqual(store.all('SELECT project_id, size FROM hook_storage'), [{ project_id: 1, size: bytes }]);
      assert.deepEqual(store.all('PRAGMA foreign_key_check'), []);
      store.run('DELETE FROM hooks WHERE id = 2');
      assert.deepEqual(store.all('SELECT id FROM hook_payloads'), [{ id: 2 }]);
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

/** Creates an empty database that has run the steps before `step`. */
function databaseBefore(step: string, file: string): Database.Database {
  const connection = new Database(file);
  // Nothing is lost if the machine stops during a test.
  connection.pragma('synchronous = OFF');
  connection.pragma('journal_mode = MEMORY');
  const version = migrations.indexOf(step);
  for (const sql of migrations.slice(0, version)) connection.exec(sql);
  connection.pragma(`user_version = ${version}`);
  connection.pragma('application_id = 0x53494742');
  return connection;
}

/** Creates a database of the first schema with the rows of another one. */
function fillFirstSchema(file: string, source: string): void {
  const connection = databaseBefore(groups, file);
  connection.prepare('ATTACH ? AS source').run(source);
  connection.pragma('foreign_keys = OFF');
  const tables = connection
    .prepare<[], { name: string }>("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  for (const { name } of tables) {
    // Later migrations removed some columns.
    const columns = connection
      .prepare<{ table: string }, { name: string }>(
        "SELECT name FROM pragma_table_info($table, 'main') INTERSECT SELECT name FROM pragma_table_info($table, 'source')",
      )
      .all({ table: name })
      .map((column) => column.name)
      .join(', ');
    connection.exec(`DELETE FROM main.${name}; INSERT INTO main.${name} (${columns}) SELECT ${columns} FROM source.${name}`);
  }
  connection.close();
}
