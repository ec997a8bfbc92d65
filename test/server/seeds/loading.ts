import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { columnsWithTimes, prepareDemo } from '../../../scripts/demoData.ts';
import { routeDefinitions } from '../../../server/app.ts';
import { DAY, HOUR, MINUTE } from '../../../server/core/clock.ts';
import { createPlatform, endPlatform } from '../../../server/createPlatform.ts';
import { createRepositories } from '../../../server/repositories/repositories.ts';
import { userHasher } from '../../../server/features/errorTracking/errorTracking.ts';
import { checkPassword } from '../../../server/features/users/accounts.ts';
import { type DemoPassword, seedDemo } from '../../../server/seeds/demo.ts';
import { type DemoArchive, packDemo, unpackDemo } from '../../../server/seeds/demoArchive.ts';
import { demoUserIds } from '../../../server/seeds/demoErrors.ts';
import { timeColumns } from '../../../server/seeds/demoTimes.ts';
import { loadDemo, type LoadedDemo } from '../../../server/seeds/loadDemo.ts';
import { silentProgress } from '../../../server/seeds/progress.ts';
import { editDatabase } from '../../../server/store/editing.ts';
import { createLog } from '../../../server/core/log.ts';
import { defaultProfile } from '../../../server/core/profile.ts';
import { openStore, type Store } from '../../../server/store/open.ts';
import { recount } from '../errorTracking/write/recount.ts';
import { testEnvironment } from '../../support/environment.ts';
import { sampleOf } from '../../support/sample.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

const MADE = Date.UTC(2026, 4, 10);
/** Delay that is not a whole number of days, hours or minutes, in milliseconds. */
const NOW = MADE + 37 * DAY + 15 * HOUR + 31 * MINUTE + 12_345;

const git = { program: 'git', env: testEnvironment(['git']) };

function load(archive: DemoArchive, folder: string, now: number, withPasswords = false): Promise<LoadedDemo> {
  const keyOwner = { dataFolder: folder };
  const repositories = createRepositories(folder, git);
  return loadDemo({
    archive,
    now,
    keyOwner,
    repositories,
    withPasswords,
    nativeBinding: undefined,
    progress: silentProgress,
  });
}

/** Declares the tests. `sample` is the number of addresses whose responses are compared; all by default. */
export function describeLoading({ sample = Number.POSITIVE_INFINITY }: { readonly sample?: number } = {}): void {
  describe('prepared demo data', () => {
    const folders: ReturnType<typeof temporaryFolder>[] = [];
    const newFolder = (): string => {
      const folder = temporaryFolder();
      folders.push(folder);
      return folder.path;
    };
    async function serve({ database }: LoadedDemo, folder: string, now: number): Promise<TestServer> {
      const file = path.join(folder, 'signalbox.sqlite');
      writeFileSync(file, database);
      return startTestServer({ file, dataFolder: folder, systemNow: () => now });
    }

    async function play(): Promise<TestServer> {
      const folder = newFolder();
      const file = path.join(folder, 'signalbox.sqlite');
      // Without an admin token, so that root does not exist before the demo data.
      const platform = createPlatform({
        store: openStore(file),
        profile: defaultProfile,
        log: createLog('error', () => undefined),
        version: '',
        mediaDir: folder,
        dataFolder: folder,
        git,
        systemNow: () => NOW,
      });
      reported = await seedDemo(platform, {
        withPasswords: false,
        progress: async (message, done, total) => void progress.push(`${message} ${done} of ${total}`),
      });
      endPlatform(platform);
      return startTestServer({ file, dataFolder: folder, systemNow: () => NOW });
    }

    const progress: string[] = [];
    let reported: readonly DemoPassword[] | undefined;
    let packed: Buffer;
    let archive: DemoArchive;
    let loaded: TestServer;
    let played: TestServer;
    /** Rows before any request, because requests store the last use of tokens. */
    let rowsBefore: readonly { readonly table: string; readonly loaded: readonly Row[]; readonly played: readonly Row[] }[];
    before(async () => {
      packed = await packDemo(await prepareDemo(MADE));
      archive = await unpackDemo(packed);
      const folder = newFolder();
      loaded = await serve(await load(archive, folder, NOW), folder, NOW);
      played = await play();
      const stores = { loaded: loaded.platform.store, played: played.platform.store };
      rowsBefore = tablesOf(stores.loaded)
        .filter((table) => !incomparable.has(table))
        .map((table) => ({ table, loaded: rowsOf(stores.loaded, table), played: rowsOf(stores.played, table) }));
    });
    after(async () => {
      await Promise.all([loaded.close(), played.close()]);
      for (const folder of folders) folder[Symbol.dispose]();
    });

    it('prepared demo data has the same rows as demo data generated at that time', () => {
      assert.ok(rowsBefore.length > 60);
      const alias = createAliases();
      for (const { table, loaded: rows, played: expected } of rowsBefore) {
        assert.equal(rows.length, expected.length, table);
        for (const [index, row] of rows.entries()) {
          const other = expected[index] ?? {};
          for (const [column, value] of Object.entries(row)) {
            const name = `${table}.${column}`;
            if (timeColumns[table]?.[column] === 'commit' || ofOneServer.has(name)) continue;
            const [one, two] = alias(value, other[column]);
            // Row by row, because the message about two different tables would take minutes to format.
            if (one !== two) assert.fail(`${name} of row ${index} is ${String(one)} and not ${String(two)}`);
          }
        }
      }
    });

    it('prepared demo data has the schema of the migrations', () => {
      const schemaOf = ({ platform: { store } }: TestServer): unknown =>
        store.all("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name");
      assert.deepEqual(schemaOf(loaded), schemaOf(played));
      assert.deepEqual(loaded.platform.store.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
      assert.deepEqual(loaded.platform.store.all('PRAGMA foreign_key_check'), []);
    });

    it('prepared demo data gives the same API responses as generated demo data, apart from commits', async () => {
      const targets = routeDefinitions(loaded.platform)
        .filter(({ area, method }) => area === 'api' && method === 'GET')
        .map((row) => row.path)
        .filter((target) => (target.match(/:/g) ?? []).length <= 1 && !target.includes('*'))
        // The source of a mail contains links with codes of its server, broken over lines.
        .filter((target) => target !== '/api/v4/mails/:id/source')
        // Archives contain times and ids of commits.
        .filter((target) => !target.startsWith('/api/v4/projects/:id/repository/archive'))
        .flatMap((target) => (target.includes(':') ? [1, 7].map((id) => target.replace(/:\w+/, String(id))) : [target]));
      assert.ok(targets.length > 100);
      let successes = 0;
      for (const target of sampleOf('responses of demo data', [...new Set(targets)], sample)) {
        const [one, two] = await Promise.all(
          [loaded, played].map(async (server) => {
            const response = await server.request('GET', `/api/v4${target}`.replace('/api/v4/api/v4', '/api/v4'), {
              token: admin,
            });
            if (response.status === 200) successes += 1;
            return `${response.status} ${comparable(response.text.replaceAll(server.origin.replace('http://', ''), ''))}`;
          }),
        );
        // Without equal(), because its message would take minutes to format.
        assert.ok(one === two, `${target} differs:\n${one}\n${two}`.slice(0, 4000));
      }
      assert.ok(successes > Math.min(100, sample / 4), String(successes));
    });

    it('prepared demo data has recent mails with the discussions of their comments', () => {
      const { store } = loaded.platform;
      const count = store.get<{ n: number }>(
        "SELECT count(*) AS n FROM mails m JOIN users u ON u.id = m.user_id WHERE u.username = 'amara'",
      );
      assert.ok(count !== undefined && count.n >= 15 && count.n <= 30, String(count?.n));
      const names = store.all<{ discussion: string; found: number }>(
        `SELECT data ->> '$.headers."X-GitLab-Discussion-ID"' AS discussion,
         EXISTS (SELECT 1 FROM notes WHERE discussion_id = data ->> '$.headers."X-GitLab-Discussion-ID"') AS found
       FROM mail_contents WHERE data ->> '$.headers."X-GitLab-Discussion-ID"' IS NOT NULL`,
      );
      assert.ok(names.length > 5);
      assert.deepEqual(
        names.filter(({ found }) => found === 0),
        [],
      );
      const late = store.all('SELECT 1 FROM mails WHERE created_at > $now OR created_at < $now - $most', {
        now: NOW,
        most: 2 * DAY,
      });
      assert.deepEqual(late, []);
    });

    it('prepared demo data gives only root a password when passwords are not shown', async () => {
      assert.deepEqual(
        reported?.map(({ username }) => username),
        ['root'],
      );
      assert.deepEqual(played.platform.store.all('SELECT id FROM users WHERE password_hash IS NOT NULL'), [{ id: 1 }]);
      // Otherwise the first visitor could set the password of root.
      const start = await played.request('GET', '/', { headers: { Accept: 'text/html' } });
      assert.ok(start.text.includes('Sign in') && !start.text.includes('Set up'), start.text);
    });

    it('prepared demo data reports progress while it is generated', () => {
      assert.deepEqual(
        progress,
        Array.from({ length: 96 }, (_, index) => `Writing demo data ${index + 1} of 96`),
      );
    });

    it('prepared demo data counts moved rows by their new hour and day', () => {
      recount(loaded.platform);
    });

    it('prepared demo data keeps the ids and times of commits, and everything about them comes later', async () => {
      const { store } = loaded.platform;
      const refs = store.all<{ project: number; name: string; id: string; at: number }>(
        `SELECT project_id AS project, name, commit_id AS id, committed_at AS at FROM repository_refs WHERE kind = 'branch' AND name = 'main'`,
      );
      assert.equal(refs.length, 16);
      for (const { project, name, id, at } of refs) {
        const response = await loaded.request('GET', `/api/v4/projects/${project}/repository/commits/${name}`, { token: admin });
        const commit = response.json() as { readonly id: string; readonly committed_date: string };
        assert.deepEqual([commit.id, Date.parse(commit.committed_date)], [id, at]);
        assert.ok(at < MADE);
      }
      assert.deepEqual(
        store.all(
          `SELECT e.id FROM push_payloads p JOIN events e ON e.id = p.event_id JOIN pipeline_commits c
         ON c.project_id = e.project_id AND c.sha = p.commit_to WHERE c.committer_seconds * 1000 > e.created_at`,
        ),
        [],
      );
    });

    it('prepared demo data lists every column of the schema that may contain a time', () => {
      const { store } = played.platform;
      const columns = store.all<{ readonly name: string }>(
        `SELECT m.name || '.' || c.name AS name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
       WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'tracked_search%'`,
      );
      const known = Object.entries(timeColumns).flatMap(([table, listed]) =>
        Object.keys(listed).map((name) => `${table}.${name}`),
      );
      const there = new Set(columns.map(({ name }) => name));
      assert.deepEqual(
        known.filter((name) => !there.has(name)),
        [],
        'listed, and not in the schema',
      );
      const timeName = /(?:_at|_since|_until|hour|day|earliest|latest|_date|_date_fixed|_seconds|step)$|\.at$/;
      const others = ['oauth_device_grants.interval_seconds', 'tracked_errors.ignored_until'];
      assert.deepEqual(
        columns.map(({ name }) => name).filter((name) => timeName.test(name) && !known.includes(name) && !others.includes(name)),
        [],
        'say in demoTimes.ts how these are moved',
      );
    });

    it('prepared demo data has times only in columns that are moved', () => {
      const editor = editDatabase(archive.database);
      try {
        const held = columnsWithTimes(editor, MADE);
        assert.ok(held.length > 60);
        assert.deepEqual(
          held.filter(({ table, column }) => (timeColumns[table]?.[column] ?? 'unused') === 'unused'),
          [],
        );
      } finally {
        editor.close();
      }
    });

    it('prepared demo data contains no value that must be unique to a server', async () => {
      const editor = editDatabase(archive.database);
      const count = (sql: string): unknown => editor.all(sql)[0];
      try {
        assert.deepEqual(count('SELECT count(*) AS n FROM instance'), { n: 0 });
        assert.deepEqual(count('SELECT count(*) AS n FROM users WHERE password_hash IS NOT NULL'), { n: 0 });
        for (const table of ['personal_access_tokens', 'oauth_applications', 'oauth_tokens', 'web_sessions', 'sign_in_links'])
          assert.deepEqual(count(`SELECT count(*) AS n FROM ${table}`), { n: 0 }, table);
        assert.deepEqual(
          editor.all(
            "SELECT folder FROM repositories WHERE folder NOT LIKE 'project-%' UNION ALL SELECT folder FROM single_repositories WHERE folder NOT LIKE 'single-%'",
          ),
          [],
        );
      } finally {
        editor.close();
      }
      const text = Buffer.concat([archive.database, ...archive.files, Buffer.from(JSON.stringify(archive.objects))]).toString(
        'latin1',
      );
      for (const secret of [
        /glet_/,
        /glpat-/,
        /scrypt\$/,
        /-----BEGIN/,
        /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/,
      ])
        assert.ok(!secret.test(text), String(secret));
      // Digests of files and images also have 64 digits.
      const digests = new Set(
        loaded.platform.store
          .all<{ digest: string }>(
            'SELECT file_sha256 AS digest FROM package_files UNION SELECT substr(digest, 8) FROM container_tags UNION SELECT revision FROM container_tags',
          )
          .map(({ digest }) => digest),
      );
      const long = [...text.matchAll(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g)].map(([found]) => found);
      assert.deepEqual(
        long.filter((found) => !digests.has(found)),
        [],
      );
    });

    it('prepared demo data has different keys, folders, discussions and hashes on every server', async () => {
      const other = newFolder();
      const second = await serve(await load(archive, other, NOW), other, NOW);
      try {
        for (const sql of [
          'SELECT public_key AS value FROM error_tracking_client_keys',
          'SELECT folder AS value FROM repositories UNION ALL SELECT folder FROM single_repositories',
          'SELECT DISTINCT discussion_id AS value FROM notes',
          "SELECT message_id AS value FROM mails WHERE message_id NOT GLOB '*_*'",
          'SELECT DISTINCT hex(user_hash) AS value FROM tracked_events WHERE user_hash IS NOT NULL UNION SELECT hex(user_hash) FROM tracked_users',
          'SELECT password_hash AS value FROM users WHERE id = 1',
          'SELECT instance_id AS value FROM instance',
        ]) {
          const [one, two] = [loaded, second].map((server) => server.platform.store.all<{ value: string }>(sql));
          assert.ok(one !== undefined && two !== undefined && one.length > 0 && one.length === two.length, sql);
          const values = new Set(one.map(({ value }) => value));
          assert.ok(!two.some(({ value }) => values.has(value)), sql);
        }
        const { store } = second.platform;
        const key = store.get<{ key: string }>('SELECT public_key AS key FROM error_tracking_client_keys')?.key ?? '';
        assert.match(key, /^glet_[0-9a-f]{32}$/);
        const details = store.get<{ details: string }>(
          "SELECT details FROM audit_events WHERE event_name = 'error_tracking_client_key_created'",
        );
        assert.ok(details?.details.includes(key));
        const hashOf = userHasher(second.platform);
        const known = new Set(
          demoUserIds.map((id) =>
            hashOf({ id, username: undefined, email: undefined, address: undefined, name: undefined })
              ?.toString('hex')
              .toUpperCase(),
          ),
        );
        const hashes = store.all<{ hash: string }>(
          'SELECT DISTINCT hex(user_hash) AS hash FROM tracked_events WHERE user_hash IS NOT NULL',
        );
        assert.ok(
          hashes.every(({ hash }) => known.has(hash)),
          'a user who comes again is counted as the same one',
        );
      } finally {
        await second.close();
      }
    });

    it('prepared demo data can be loaded at a time at which moved rows would collide in a unique key', async () => {
      const editor = editDatabase(archive.database);
      const shifts = editor.all<{ readonly shift: number }>(
        `SELECT DISTINCT later.started_at - earlier.started_at AS shift
       FROM tracked_session_counts AS earlier JOIN tracked_session_counts AS later
         USING (app_release_id, environment, user_hash)
       WHERE shift > 0 ORDER BY shift LIMIT 3`,
      );
      editor.close();
      assert.equal(shifts.length, 3);
      for (const { shift } of shifts) {
        const now = archive.madeAt + shift;
        const folder = newFolder();
        const server = await serve(await load(archive, folder, now), folder, now);
        const { n } = server.platform.store.get<{ n: number }>('SELECT count(*) AS n FROM tracked_session_counts') ?? { n: 0 };
        assert.ok(n > 0);
        await server.close();
      }
    });

    it('prepared demo data gives users passwords when they are shown', async () => {
      const folder = newFolder();
      const result = await load(archive, folder, NOW, true);
      assert.equal(new Set(result.passwords.map(({ password }) => password)).size, 8);
      const server = await serve(result, folder, NOW);
      try {
        for (const { username, password } of result.passwords) {
          const found = await checkPassword(server.platform, username, password);
          assert.equal(found?.username, username);
        }
      } finally {
        await server.close();
      }
    });

    it('prepared demo data is refused when it is damaged', async () => {
      await assert.rejects(unpackDemo(packed.subarray(0, packed.length - 1000)));
      await assert.rejects(unpackDemo(Buffer.from('something else')));
    });
  });
}

/** Tables whose rows belong to the server: its own tokens and applications, and data that expires within minutes. */
const incomparable = new Set(['instance', 'personal_access_tokens', 'oauth_applications', 'tracked_session_requests']);

/** Columns with random values. */
const ofOneServer = new Set(['users.password_hash', 'repositories.folder', 'single_repositories.folder']);

function tablesOf(store: Store): string[] {
  return store
    .all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'tracked_search%'",
    )
    .map(({ name }) => name);
}

type Row = Readonly<Record<string, unknown>>;

/** Returns the rows of a table, in an order without random values. */
function rowsOf(store: Store, table: string): Row[] {
  const orders: Readonly<Record<string, string>> = {
    pipeline_commits: '(SELECT min(id) FROM pipelines p WHERE p.project_id = t.project_id AND p.sha = t.sha)',
    tracked_users: 'grouping_id, (SELECT min(v.id) FROM tracked_events v WHERE v.user_hash = t.user_hash)',
  };
  const order = orders[table] ?? '1, 2, 3';
  const width = store.all(`SELECT 1 FROM pragma_table_info('${table}')`).length;
  return store.all(`SELECT * FROM ${table} t ORDER BY ${width < 3 && orders[table] === undefined ? '1, 2' : order}`);
}

/** Creates a function that replaces two values by equal aliases if each of them always occurs with the other. */
function createAliases(): (one: unknown, two: unknown) => readonly [unknown, unknown] {
  const aliases = new Map<string, string>();
  const isRandom = /^[0-9a-f]{24}$|^[0-9a-f]{32}$|^[0-9a-f]{40}$|^glet_/;
  const readable = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString('hex') : value);
  return (first, second) => {
    const [one, two] = [readable(first), readable(second)];
    if (typeof one !== 'string' || typeof two !== 'string') return [one, two];
    const [left, right] = [one, two].map((text) =>
      text.split(/(glet_[0-9a-f]{32}|(?<![0-9a-f])(?:[0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{24})(?![0-9a-f]))/),
    );
    const replaced = (left ?? []).map((part, index) => {
      const other = right?.[index] ?? '';
      if (!isRandom.test(part) || !isRandom.test(other)) return part;
      if (!aliases.has(part)) aliases.set(part, other);
      return aliases.get(part);
    });
    return [replaced.join(''), two];
  };
}

/** Returns a body without random values and without commits, which keep their time. */
function comparable(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text, (_, value: unknown) => {
      if (typeof value !== 'object' || value === null || !('short_id' in value)) return value;
      return 'a commit';
    });
  } catch {
    return text;
  }
  return JSON.stringify(body).replaceAll(
    /glet_[0-9a-f]{32}|GR1348941[\w-]+|[0-9a-f]{40}|(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])|(?<=unsubscribe.)[\w-]+/g,
    '<random>',
  );
}
