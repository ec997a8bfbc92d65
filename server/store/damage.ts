import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';

/** Messages of the codes SQLITE_CORRUPT and SQLITE_NOTADB (https://sqlite.org/rescode.html). */
const DAMAGE_MESSAGE = /^(?:database disk image is malformed|file is not a database)/;

/** Returns true if an error shows that a database file is damaged. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // An error that ends a thread has lost its code.
  return 'code' in error ? /^SQLITE_(?:CORRUPT|NOTADB)/.test(String(error.code)) : DAMAGE_MESSAGE.test(error.message);
}

/** Returns the first damage in a database in the words of SQLite, or undefined if it is intact. Reads the whole database. */
export function findDamage(connection: Database, progress: (table: string) => void = () => undefined): string | undefined {
  try {
    for (const name of tablesOf(connection.prepare(TABLES).all())) {
      progress(name);
      const found = problemOf(connection.prepare(checkOf(name)).all());
      if (found !== undefined) return found;
    }
    return undefined;
  } catch (error) {
    if (isDamage(error) && error instanceof Error) return error.message;
    throw error;
  }
}

/** Query for all tables. It includes virtual tables, because only their own check reads the content of their pages. */
export const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'";

/** Returns the statement that checks one table with its indexes. Separate statements allow a check to stop between two tables. */
export function checkOf(table: string): string {
  return `PRAGMA integrity_check("${table.replaceAll('"', '""')}")`;
}

export function tablesOf(rows: readonly unknown[]): string[] {
  return ['sqlite_schema', ...rows.flatMap((row) => textIn(row, 'name') ?? [])];
}

/** Returns the problem that the check of a table found, or undefined. */
export function problemOf(rows: readonly unknown[]): string | undefined {
  return rows.map((row) => textIn(row, 'integrity_check') ?? '').find((text) => text !== 'ok');
}

function textIn(row: unknown, member: string): string | undefined {
  const value: unknown = typeof row === 'object' && row !== null ? Reflect.get(row, member) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Header of a database file (https://sqlite.org/fileformat2.html#the_database_header). */
export interface FileHeader {
  /** Size of the file in bytes. */
  readonly size: number;
  /** Size according to the header in bytes. Undefined if the header does not contain a valid one. */
  readonly expectedSize: number | undefined;
  readonly userVersion: number;
}

/** Returns undefined if the file does not exist or is not a database. */
export function readHeader(file: string): FileHeader | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size < 100) return undefined;
  const header = Buffer.alloc(100);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, 100, 0);
  } finally {
    closeSync(descriptor);
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') return undefined;
  // The value 1 means 65,536, which does not fit into two bytes.
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const knowsPages = header.readUInt32BE(24) === header.readUInt32BE(92) && header.readUInt32BE(28) > 0;
  return {
    size,
    expectedSize: knowsPages ? header.readUInt32BE(28) * pageSize : undefined,
    userVersion: header.readUInt32BE(60),
  };
}
