import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { DAY, MINUTE } from '../core/clock.ts';
import { fillAuditEventBlocks, moveAuditEventsOfErrors, renameAuditedClientKey } from '../features/audit/audit.ts';
import { remakeClientKeys } from '../features/clientKeys/clientKeys.ts';
import { countErrors, rehashTrackedUsers, userHasher } from '../features/errorTracking/errorTracking.ts';
import { writePasswordHashes, writeUpdateTime } from '../features/users/users.ts';
import { makeMessageIds, renameDiscussionsOfMails } from '../features/mail/mail.ts';
import { renameDiscussions } from '../features/notes/notes.ts';
import { DEFAULT_STORAGE, type Repositories } from '../repositories/repositories.ts';
import type { KeyOwner } from '../core/sealing.ts';
import { type RandomPassword, randomPassword, unmatchedPasswordHash } from '../core/secrets.ts';
import { type DatabaseEditor, editDatabase } from '../store/editing.ts';
import type { DemoPassword } from './demo.ts';
import type { DemoArchive } from './demoArchive.ts';
import { people } from './demoPeople.ts';
import { type TimeKind, timeColumns } from './demoTimes.ts';
import type { Progress } from './progress.ts';

export interface DemoLoad {
  readonly archive: DemoArchive;
  /** End of the demo history, in milliseconds since the epoch. Not before the archive was created. */
  readonly now: number;
  /** Owner of the keys that hash end users. */
  readonly keyOwner: KeyOwner;
  readonly repositories: Pick<Repositories, 'newName' | 'create' | 'folderOf'>;
  /** True if the passwords will be shown. Otherwise users have none, and nobody knows the password of root. */
  readonly withPasswords: boolean;
  readonly nativeBinding: string | undefined;
  readonly progress: Progress;
}

export interface LoadedDemo {
  /** Complete database file. */
  readonly database: Buffer;
  /** Empty if passwords will not be shown. */
  readonly passwords: readonly DemoPassword[];
}

/**
 * Completes prepared demo data: moves its times, and creates everything that must differ between servers (passwords, client keys, keyed
 * hashes, names of folders and discussions). Writes the repositories to disk; the database exists only in memory. The result equals that of
 * `seedDemo` at the same time, except for the commits, which keep their time and therefore their hash.
 */
export async function loadDemo(load: DemoLoad): Promise<LoadedDemo> {
  const { archive, progress } = load;
  const made = load.withPasswords ? passwordsForAll() : [];
  const folders = writeRepositories(load);
  folders.catch(() => undefined);
  const editor = editDatabase(archive.database, load.nativeBinding);
  try {
    const steps = [
      () => listUserHashes(editor, load),
      ...movesOfTimes(editor, load),
      () => dropUserHashes(editor),
      () => renameAllDiscussions(editor),
      () => remakeClientKeys(editor, (placeholder, key) => renameAuditedClientKey(editor, placeholder, key)),
      ...archive.objects.map((sql) => () => editor.execute(sql)),
      () => countErrors(editor),
    ];
    for (const [done, step] of steps.entries()) {
      step();
      if (done % STEPS_PER_REPORT === 0) await progress('Loading demo data', done, steps.length);
    }
    for (const [placeholder, folder] of await folders) {
      for (const table of ['repositories', 'single_repositories'])
        editor.run(`UPDATE ${table} SET folder = $folder WHERE folder = $placeholder`, { folder, placeholder });
    }
    setPasswords(editor, load.now, made);
    return { database: editor.bytes(), passwords: made.map(({ username, password }) => ({ username, password })) };
  } finally {
    editor.close();
  }
}

/** Number of statements between two progress reports. Each takes a few milliseconds. */
const STEPS_PER_REPORT = 20;

function passwordsForAll(): (DemoPassword & RandomPassword)[] {
  return ['root', ...people.map(({ username }) => username)].map((username) => ({ username, ...randomPassword() }));
}

/**
 * Returns the statements that move the times of each table. A moved row could collide with one that has not been moved yet if the time
 * belongs to a unique key; such times are negative until all rows are moved.
 */
function movesOfTimes(editor: DatabaseEditor, { archive: { madeAt }, now }: DemoLoad): (() => void)[] {
  const floor = (time: number, unit: number): number => Math.floor(time / unit) * unit;
  const shifts = {
    days: floor(now, DAY) - floor(madeAt, DAY),
    exact: now - madeAt,
    minute: floor(now, MINUTE) - floor(madeAt, MINUTE),
  };
  const unique = uniqueColumns(editor);
  /** Assignments of the statement that moves the times, and of the following one that makes them positive again. */
  const assignments = (table: string, column: string, kind: TimeKind): { move: string; restore?: string } | undefined => {
    switch (kind) {
      case 'days':
      case 'exact':
      case 'minute': {
        if (shifts[kind] === 0) return undefined;
        const moved = `(${column} + ${shifts[kind]})`;
        if (!unique.has(`${table}.${column}`)) return { move: `${column} = ${moved}` };
        return { move: `${column} = -${moved}`, restore: `${column} = -${column}` };
      }
      case 'date':
        return shifts.days === 0 ? undefined : { move: `${column} = date(${column}, '${shifts.days / DAY} days')` };
      case 'commit':
      case 'counted':
      case 'unused':
        return undefined;
    }
  };
  const moves = Object.entries(timeColumns).flatMap(([table, columns]) => {
    const ofColumns = Object.entries(columns).flatMap(([column, kind]) => assignments(table, column, kind) ?? []);
    const first = ofColumns.map(({ move }) => move);
    // Runs together with the times, so that each row is written once.
    if (table === 'tracked_events') first.push(userHash(table));
    const second = ofColumns.flatMap(({ restore }) => restore ?? []);
    return [first, second]
      .filter((list) => list.length > 0)
      .map((list) => () => editor.execute(`UPDATE ${table} SET ${list.join(', ')}`));
  });
  return [...moves, () => moveAuditEventsOfErrors(editor, shifts.exact - shifts.days), () => fillAuditEventBlocks(editor)];
}

/** Returns the columns that belong to a unique key, as `table.column`. */
function uniqueColumns(editor: DatabaseEditor): ReadonlySet<string> {
  const rows = editor.all<{ readonly name: string }>(
    `SELECT DISTINCT t.name || '.' || c.name AS name
     FROM sqlite_schema AS t JOIN pragma_index_list(t.name) AS i JOIN pragma_index_info(i.name) AS c
     WHERE t.type = 'table' AND i."unique" = 1`,
  );
  return new Set(rows.map(({ name }) => name));
}

function renameAllDiscussions(editor: DatabaseEditor): void {
  renameDiscussions(editor);
  renameDiscussionsOfMails(editor, 'SELECT id FROM discussions WHERE placeholder');
  editor.execute('DROP TABLE discussions');
  makeMessageIds(editor);
}

function userHash(table: string): string {
  return `user_hash = (SELECT hash FROM hashes WHERE placeholder = ${table}.user_hash)`;
}

/** Maps the placeholders of end users to their keyed hashes. */
function listUserHashes(editor: DatabaseEditor, { archive, keyOwner }: DemoLoad): void {
  const hashOf = userHasher(keyOwner);
  const hashes = archive.users.map(({ id, placeholder }) => [
    placeholder,
    hashOf({ id, username: undefined, email: undefined, address: undefined, name: undefined })?.toString('hex'),
  ]);
  editor.execute('CREATE TEMP TABLE hashes (placeholder BLOB PRIMARY KEY, hash BLOB) WITHOUT ROWID');
  editor.run('INSERT INTO hashes SELECT unhex(value ->> 0), unhex(value ->> 1) FROM json_each($hashes)', {
    hashes: JSON.stringify(hashes),
  });
}

function dropUserHashes(editor: DatabaseEditor): void {
  rehashTrackedUsers(editor, userHash('tracked_users'));
  editor.execute('DROP TABLE hashes');
}

/** Writes the git objects into new folders. Returns the name of each folder by its placeholder. */
function writeRepositories({ archive, repositories }: DemoLoad): Promise<(readonly [placeholder: string, folder: string])[]> {
  let next = 0;
  return Promise.all(
    archive.repositories.map(async ({ placeholder, branch, files }) => {
      const contents = archive.files.slice(next, (next += files.length));
      const folder = repositories.newName();
      repositories.create({ storage: DEFAULT_STORAGE, folder }, branch);
      for (const [index, file] of files.entries()) {
        const target = path.join(repositories.folderOf({ storage: DEFAULT_STORAGE, folder }), file.path);
        await mkdir(path.dirname(target), { recursive: true });
        await writeDurably(target, contents[index] ?? Buffer.alloc(0));
      }
      return [placeholder, folder] as const;
    }),
  );
}

async function writeDurably(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o444);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function setPasswords(editor: DatabaseEditor, now: number, made: readonly (DemoPassword & RandomPassword)[]): void {
  const hashes = made.map(({ username, hash }) => [username, hash] as const);
  // Without a password, the first visitor could set that of root.
  writePasswordHashes(editor, new Map(made.length === 0 ? [['root', unmatchedPasswordHash()]] : hashes));
  writeUpdateTime(editor, 'root', now);
}
