// Creates the demo data that a server loads at its first start, for `node esbuild.js`. It contains no secrets: values that must differ
// between servers are placeholders, which the server replaces.
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPlatform, endPlatform } from '../server/createPlatform.ts';
import { DAY } from '../server/core/clock.ts';
import { userHasher } from '../server/features/errorTracking/errorTracking.ts';
import { createLog } from '../server/core/log.ts';
import { defaultProfile } from '../server/core/profile.ts';
import { type DemoArchive, packDemo } from '../server/seeds/demoArchive.ts';
import { demoUserIds } from '../server/seeds/demoErrors.ts';
import { writeDemo } from '../server/seeds/demo.ts';
import { hasRandomMessageId, renameDiscussionsOfMails } from '../server/features/mail/mail.ts';
import { timeColumns } from '../server/seeds/demoTimes.ts';
import { type DatabaseEditor, editDatabase } from '../server/store/editing.ts';
import { openStore } from '../server/store/open.ts';

const root = path.resolve(import.meta.dirname, '..');
const CACHE = '.cache/demo';

/** Returns the prepared demo data for today. It is created again only if the sources or the day have changed. */
export async function builtDemoData(): Promise<Buffer> {
  const today = Math.floor(Date.now() / DAY) * DAY;
  const file = path.join(root, CACHE, `${sourceKey(today)}.data`);
  if (existsSync(file)) return readFileSync(file);
  const bytes = await packDemo(await prepareDemo(today));
  mkdirSync(path.dirname(file), { recursive: true });
  for (const old of readdirSync(path.dirname(file))) rmSync(path.join(path.dirname(file), old), { force: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, bytes);
  renameSync(draft, file);
  return bytes;
}

/** Returns a hash of everything that the demo data may depend on. */
function sourceKey(day: number): string {
  const hash = createHash('sha256').update(String(day));
  const sources = [
    'package-lock.json',
    'scripts/demoData.ts',
    ...globSync('{server,src/contract}/**/*.ts', { cwd: root }).sort(),
  ];
  for (const name of sources) hash.update(`${name}\0`).update(readFileSync(path.join(root, name)));
  return hash.digest('hex').slice(0, 32);
}

/** Generates demo data that ends at `now`, and removes what a server creates itself. */
export async function prepareDemo(now: number): Promise<DemoArchive> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-demo-'));
  const database = path.join(folder, 'demo.sqlite');
  try {
    const platform = createPlatform({
      store: openStore(database),
      profile: defaultProfile,
      log: createLog('error', (text) => process.stderr.write(text)),
      version: '',
      mediaDir: root,
      dataFolder: folder,
      git: { program: 'git', env: process.env },
      systemNow: () => now,
    });
    let users: DemoArchive['users'];
    try {
      // Otherwise the archive would silently lack the repositories.
      await platform.repositories.git.demand();
      await writeDemo(platform, []);
      const hashOf = userHasher(platform);
      users = demoUserIds.map((id, index) => {
        const hash = hashOf({ id, username: undefined, email: undefined, address: undefined, name: undefined });
        const placeholder = (index + 1).toString(16).padStart((hash?.length ?? 0) * 2, '0');
        for (const table of ['tracked_events', 'tracked_users'])
          platform.store.run(`UPDATE ${table} SET user_hash = unhex($placeholder) WHERE user_hash = $hash`, {
            placeholder,
            hash: hash ?? null,
          });
        return { id, placeholder };
      });
    } finally {
      endPlatform(platform);
    }
    const store = openStore(database);
    try {
      // A server loads it into a database in memory, which supports no write-ahead log.
      store.all('PRAGMA journal_mode = DELETE');
    } finally {
      store.close();
    }
    const editor = editDatabase(readFileSync(database));
    try {
      const repositories = namedRepositories(editor, folder);
      const objects = strip(editor);
      refuseUnknownTimes(editor, now);
      return {
        schema: editor.schema,
        madeAt: now,
        objects,
        users,
        repositories: repositories.map(({ files, ...rest }) => ({
          ...rest,
          files: files.map(({ path: name, bytes }) => ({ path: name, length: bytes.length })),
        })),
        database: editor.bytes(),
        files: repositories.flatMap(({ files }) => files.map(({ bytes }) => bytes)),
      };
    } finally {
      editor.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface RepositoryFiles {
  readonly placeholder: string;
  readonly branch: string;
  readonly files: readonly { readonly path: string; readonly bytes: Buffer }[];
}

/** Replaces the folder names with placeholders, and reads the objects in the folders. */
function namedRepositories(editor: DatabaseEditor, data: string): RepositoryFiles[] {
  const rows = editor.all<{ readonly folder: string; readonly placeholder: string; readonly branch: string }>(
    `SELECT r.folder, 'project-' || r.project_id AS placeholder, p.default_branch AS branch
     FROM repositories r JOIN projects p ON p.id = r.project_id
     UNION ALL SELECT folder, 'single-' || id, 'main' FROM single_repositories`,
  );
  return rows.map(({ folder, placeholder, branch }) => {
    for (const table of ['repositories', 'single_repositories'])
      editor.run(`UPDATE ${table} SET folder = $placeholder WHERE folder = $folder`, { folder, placeholder });
    const [location] = globSync(`repositories/*/@hashed/*/*/${folder}.git`, { cwd: data });
    if (location === undefined) throw new Error(`the demo data has no folder ${folder}`);
    // An index is listed after its pack, because git uses a pack as soon as its index exists.
    const names = globSync('objects/pack/*', { cwd: path.join(data, location) })
      .sort()
      .toReversed();
    const files = names.map((name) => ({
      path: name.replaceAll('\\', '/'),
      bytes: readFileSync(path.join(data, location, name)),
    }));
    return { placeholder, branch, files };
  });
}

/** Removes from the database what a server creates or counts itself. Returns the statements that create the indexes and triggers. */
function strip(editor: DatabaseEditor): string[] {
  const objects = editor.all<{ readonly type: string; readonly name: string; readonly sql: string }>(
    "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, rowid",
  );
  for (const { type, name } of objects) editor.execute(`DROP ${type} "${name}"`);
  editor.execute(
    `DELETE FROM instance;
     DELETE FROM tracked_hours;
     DELETE FROM tracked_arrivals;
     DELETE FROM audit_event_blocks;
     DELETE FROM tracked_session_requests;
     UPDATE tracked_errors SET counted_hour = 0, counted_of_hour = 0;
     CREATE TEMP TABLE discussions AS SELECT discussion_id AS id, printf('%040x', min(id)) AS placeholder FROM notes GROUP BY 1;
     CREATE INDEX temp.discussions_by_id ON discussions (id);
     UPDATE notes SET discussion_id = (SELECT placeholder FROM discussions WHERE id = notes.discussion_id)`,
  );
  renameDiscussionsOfMails(editor, 'SELECT placeholder FROM discussions WHERE id');
  editor.execute(
    `DROP TABLE discussions;
     UPDATE mails SET message_id = 'placeholder-' || id WHERE ${hasRandomMessageId}`,
  );
  const keys = editor.all<{ readonly id: number; readonly key: string }>(
    'SELECT id, public_key AS key FROM error_tracking_client_keys',
  );
  for (const { id, key } of keys) {
    const placeholder = `placeholder-${id}`;
    editor.run('UPDATE error_tracking_client_keys SET public_key = $placeholder WHERE id = $id', { id, placeholder });
    editor.run('UPDATE audit_events SET details = replace(details, $key, $placeholder)', { key, placeholder });
  }
  // Removes the bytes of deleted rows.
  editor.execute('VACUUM');
  return objects.map(({ sql }) => sql);
}

/** Throws if a column that loading does not move contains a time. */
function refuseUnknownTimes(editor: DatabaseEditor, now: number): void {
  for (const { table, column } of columnsWithTimes(editor, now)) {
    const kind = timeColumns[table]?.[column];
    if (kind === undefined || kind === 'unused')
      throw new Error(`the demo data has times in ${table}.${column}: add the column to server/seeds/demoTimes.ts`);
  }
}

/** Returns the columns in which a value looks like a time of the last year: milliseconds, seconds or a date. */
export function columnsWithTimes(
  editor: Pick<DatabaseEditor, 'all'>,
  now: number,
): { readonly table: string; readonly column: string }[] {
  const columns = editor.all<{ readonly table: string; readonly column: string }>(
    `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'tracked_search%'`,
  );
  const [from, to] = [now - 366 * DAY, now + 366 * DAY];
  const years = [from, now, to].map((time) => String(new Date(time).getUTCFullYear()));
  return columns.filter(
    ({ table, column }) =>
      editor.all(
        `SELECT 1 FROM ${table} WHERE (typeof(${column}) = 'integer'
           AND (${column} BETWEEN $from AND $to OR ${column} BETWEEN $from / 1000 AND $to / 1000))
         OR (typeof(${column}) = 'text' AND substr(${column}, 1, 10) GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'
           AND substr(${column}, 1, 4) IN (SELECT value FROM json_each($years))) LIMIT 1`,
        { from, to, years: JSON.stringify(years) },
      ).length > 0,
  );
}
