import type { Database } from 'better-sqlite3';
import { migrations } from './migrations.ts';

/** `application_id` of Signalbox databases, to recognise those of other programs: the letters "SIGB". */
const APPLICATION_ID = 0x53494742;

/** Schema version of this program: the number of its migrations. */
export const CURRENT_SCHEMA = migrations.length;

/** The database was written by a newer version of Signalbox. */
export class NewerSchema extends Error {
  readonly found: number;
  readonly known: number;
  constructor(found: number, known: number) {
    super(`The database was written by a newer version of Signalbox (schema ${found}; this version supports up to ${known}).`);
    this.found = found;
    this.known = known;
  }
}

/** The file is an SQLite database of another program. */
export class ForeignDatabase extends Error {}

/**
 * Migrates a database to the newest schema in one IMMEDIATE transaction. If a step fails, the database is unchanged, and the program that
 * wrote it can still use it. Migrations are only ever appended. `onMigration` is called before each.
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

/** Returns the number of migrations that have been applied. Throws ForeignDatabase or NewerSchema. */
export function checkSchema(connection: Database): number {
  const version = Number(connection.pragma('user_version', { simple: true }));
  const owner = Number(connection.pragma('application_id', { simple: true }));
  if (version > 0 && owner !== APPLICATION_ID) throw new ForeignDatabase('The database file belongs to another program.');
  if (version > migrations.length) throw new NewerSchema(version, migrations.length);
  return version;
}
