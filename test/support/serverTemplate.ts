// Servers that are filled once, and of which tests start copies. Filling a server with people, projects and repositories takes many
// transactions and processes of git; a copy takes neither.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hashSecret } from '../../server/core/secrets.ts';
import { DEFAULT_STORAGE } from '../../server/repositories/repositories.ts';
import { editDatabase } from '../../server/store/editing.ts';
import { startTestServer, TEST_ADMIN_TOKEN, type TestServer, type TestServerOptions } from './server.ts';
import { temporaryFolder } from './serverProcess.ts';

export type CopyOptions = Omit<TestServerOptions, 'file' | 'database'>;

/** A filled server, of which tests start copies. */
export interface ServerTemplate<T> {
  /** Result of `fill`. No copy accepts the tokens and client keys in it. */
  readonly made: T;
  /**
   * Starts a copy with an instance ID and keys of its own. It has the rows and repositories of the template, but none of its tokens is
   * valid, and it cannot decrypt what the template has encrypted.
   */
  start(options?: CopyOptions): Promise<TestServer>;
}

/** Starts a server, fills it, and stops it. */
export async function serverTemplate<T>(
  fill: (server: TestServer) => T | Promise<T>,
  options: CopyOptions = {},
): Promise<ServerTemplate<T>> {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'copy.sqlite');
  const server = await startTestServer(options);
  let made: T;
  let repositories: readonly StoredFile[];
  try {
    made = await fill(server);
    await server.platform.store.copyTo(file);
    repositories = filesIn(server.platform.repositories.rootOf(DEFAULT_STORAGE));
  } finally {
    await server.close();
  }
  const database = withoutTokens(readFileSync(file));
  return {
    made,
    start: async (more = {}) => {
      const copy = await startTestServer({ ...options, ...more, database });
      const { repositories: target, store } = copy.platform;
      write(repositories, target.rootOf(DEFAULT_STORAGE));
      for (const { id } of store.all<{ id: number }>('SELECT id FROM error_tracking_client_keys'))
        store.run('UPDATE error_tracking_client_keys SET public_key = $key WHERE id = $id', {
          id,
          key: `glet_${randomBytes(16).toString('hex')}`,
        });
      return copy;
    },
  };
}

/** A file, or a folder if it has no bytes. The name is relative. */
interface StoredFile {
  readonly name: string;
  readonly bytes: Buffer | undefined;
}

function filesIn(folder: string): readonly StoredFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return { name: path.relative(folder, file), bytes: entry.isDirectory() ? undefined : readFileSync(file) };
  });
}

function write(files: readonly StoredFile[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of files) {
    const file = path.join(folder, name);
    if (bytes === undefined) mkdirSync(file, { recursive: true });
    else writeFileSync(file, bytes);
  }
}

/** Columns with hashes of tokens end in this. Passwords are not tokens; those of people stay valid. */
const TOKEN_HASH = /_hash$/;
const NO_TOKENS = ['password_hash', 'user_hash'];

/** Returns a database in which no token is valid except the admin token, which all test servers have. */
function withoutTokens(bytes: Buffer): Buffer {
  const editor = editDatabase(bytes);
  try {
    const columns = editor.all<{ table: string; column: string }>(
      `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t JOIN pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.name LIKE '%!_hash' ESCAPE '!'`,
    );
    for (const { table, column } of columns.filter(({ column: name }) => TOKEN_HASH.test(name) && !NO_TOKENS.includes(name)))
      editor.run(
        `UPDATE "${table}" SET "${column}" = lower(hex(randomblob(32))) WHERE "${column}" IS NOT NULL AND "${column}" <> $admin`,
        { admin: hashSecret(TEST_ADMIN_TOKEN) },
      );
    return editor.bytes();
  } finally {
    editor.close();
  }
}
