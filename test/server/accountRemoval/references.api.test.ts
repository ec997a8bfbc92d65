import assert from 'node:assert/strict';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { addMember } from '../../../server/features/members/projectMembers.ts';
import type { Store } from '../../../server/store/open.ts';
import { examples, type Fixture, makeFixture, sendExample } from '../../support/examples.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';
import { TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';
import { serverTemplate, type ServerTemplate } from '../../support/serverTemplate.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { availableRoutes } from '../http/everyRoute.ts';
import { actor } from '../projects/cast.ts';

interface Reference {
  readonly table: string;
  readonly column: string;
}

/** Columns with IDs of users that are no foreign keys. Audit events are kept. */
const others: readonly Reference[] = [{ table: 'deprecated_calls', column: 'user_id' }];

/** Returns all columns that contain IDs of users. */
function referencesToUsers(store: Store): readonly Reference[] {
  const keys = store.all<Reference>(
    `SELECT t.name AS "table", k."from" AS "column" FROM sqlite_schema t, pragma_foreign_key_list(t.name) k
     WHERE t.type = 'table' AND k."table" = 'users' ORDER BY 1, 2`,
  );
  return [...keys, ...others];
}

const countOf = (store: Store, { table, column }: Reference, userId: number): number =>
  store.get<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${column} = $userId`, { userId })?.n ?? 0;

/** Sends the example of every route that creates or changes something, so that hardly any table is empty. */
async function useEverything(server: TestServer, fixture: Fixture): Promise<void> {
  for (const route of availableRoutes()) {
    if (route.area !== 'api' || !(route.method === 'POST' || route.method === 'PUT')) continue;
    const example = await examples[`${route.method} ${route.path}`]?.(fixture);
    if (example !== undefined) await sendExample(server, route, example);
  }
}

/** Rows of tables that the examples leave empty. */
const rows: readonly string[] = [
  'INSERT INTO card_validations (user_id, validated_at) VALUES ($userId, 1)',
  `INSERT INTO oauth_authorization_codes (application_id, user_id, code_hash, redirect_uri, scopes, created_at, expires_at)
     SELECT min(id), $userId, 'code', 'http://localhost/', 'api', 1, 2 FROM oauth_applications`,
  `INSERT INTO oauth_device_grants (application_id, user_id, device_code_hash, user_code_hash, scopes, address, interval_seconds,
     created_at, expires_at) SELECT min(id), $userId, 'device', 'user', 'api', '127.0.0.1', 5, 1, 2 FROM oauth_applications`,
  `INSERT INTO oauth_tokens (user_id, family, grant_type, access_hash, scopes, created_at)
     VALUES ($userId, 900, 'password', 'access', 'api', 1)`,
  "INSERT INTO second_factors (user_id, sealed_secret, made_at) VALUES ($userId, 'sealed', 1)",
  "INSERT INTO recovery_codes (user_id, code_hash) VALUES ($userId, 'recovery')",
  `INSERT INTO sign_in_links (link_hash, user_id, return_to, created_at, expires_at) VALUES ('link', $userId, '/', 1, 2)`,
  'INSERT INTO spent_time_steps (user_id, step, spent_at) VALUES ($userId, 1, 1)',
  `INSERT INTO web_sessions (session_hash, user_id, half_user_id, created_at, expires_at) VALUES ('session', $userId, $userId, 1, 2)`,
  `INSERT INTO requirements (project_id, iid, work_item_iid, title, state, author_id, created_at, updated_at)
     SELECT min(id), 900, 900, 'Requirement', 'OPENED', $userId, 1, 1 FROM projects`,
];

/** Makes a user the one whom at least one row of each table names. */
function nameEverywhere(store: Store, userId: number): void {
  for (const sql of rows) store.run(sql, { userId });
  for (const reference of referencesToUsers(store)) {
    if (countOf(store, reference, userId) > 0) continue;
    const { table, column } = reference;
    store.run(`UPDATE OR IGNORE ${table} SET ${column} = $userId WHERE ${column} IS (SELECT min(${column}) FROM ${table})`, {
      userId,
    });
  }
}

describe('references to deleted users', () => {
  let template: ServerTemplate<Fixture>;
  before(async () => {
    using folder = temporaryFolder();
    template = await serverTemplate(
      async (server) => {
        const fixture = makeFixture(server);
        await useEverything(server, fixture);
        return fixture;
      },
      { dataFolder: folder.path, storages: emptyStorage },
    );
  });

  for (const hardDelete of [false, true]) {
    it(`no row refers to a user who did everything and was deleted with hard_delete=${hardDelete}`, async () => {
      using folder = temporaryFolder();
      await using server = await template.start({ dataFolder: folder.path });
      const { store } = server.platform;
      const { root, project, group } = template.made;
      const { user } = actor(server.platform, 'busy');
      const access = { user: root, access: project.access };
      addMember(server.platform, project.project, user, { level: 30 }, access);
      addGroupMember(server.platform, group.group, user, { level: 30 }, { user: root });
      nameEverywhere(store, user.id);
      const references = referencesToUsers(store);
      const unnamed = references.filter((reference) => countOf(store, reference, user.id) === 0);
      assert.deepEqual(unnamed, [], 'tables that the test does not cover');
      const deleted = await server.request('DELETE', `/api/v4/users/${user.id}?hard_delete=${hardDelete}`, { token: admin });
      assert.equal(deleted.status, 204, deleted.text);
      const left = references.filter((reference) => countOf(store, reference, user.id) > 0);
      assert.deepEqual(left, []);
      assert.deepEqual(store.all('PRAGMA foreign_key_check'), []);
    });
  }
});
