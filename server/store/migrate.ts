import type { Database } from 'better-sqlite3';
import { migrations } from './migrations.ts';

/** `application_id` of our files, so that a foreign SQLite file is not taken for one: the letters "SIGB". */
const APPLICATION_ID = 0x53494742;

/** Number of migrations that a database of this program has. */
export const CURRENT_SCHEMA = migrations.length;

/** The file was written by a later program. */
export class NewerSchema extends Error {
  readonly found: number;
  readonly known: number;
  constructor(found: number, known: number) {
    super(`The database has schema ${found}, and this program knows schemas up to ${known}.`);
    this.found = found;
    this.known = known;
  }
}

/** The file is an SQLite database of another program. */
export class ForeignDatabase extends Error {}

/**
 * Brings a database to the newest schema in one IMMEDIATE transaction, so that a step that fails leaves the database as the program that
 * wrote it left it, and that program can go on with it. Migrations are only ever appended. `onMigration` is told
 * before each.
 */
export function migrate(connection: Database, onMigration?: (done: number, total: number) => void): void {
  const version = checkSchema(connection);
  if (version === migrations.length) return;
  connection
    .transaction(() => {
      const missing = migrations.slice(version);
      for (const [done, sql] of missing.entries()) {
        onMigration?.(done, missing.length);
        connection.exec(sql);
      }
      connection.pragma(`user_version = ${migrations.length}`);
      connection.pragma(`application_id = ${APPLICATION_ID}`);
    })
    .immediate();
}

/** The number of steps a database has behind it. Throws when they are not ours, or too many. */
export function checkSchema(connection: Database): number {
  const version = Number(connection.pragma('user_version', { simple: true }));
  const owner = Number(connection.pragma('application_id', { simple: true }));
  if (version > 0 && owner !== APPLICATION_ID) throw new ForeignDatabase('The database file belongs to another program.');
  if (version > migrations.length) throw new NewerSchema(version, migrations.length);
  return version;
}
