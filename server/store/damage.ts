import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';

/** The texts of those codes (https://sqlite.org/rescode.html). */
const DAMAGE_MESSAGE = /^(?:database disk image is malformed|file is not a database)/;

/** Whether an error says that a database file does not hold what SQLite has written. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // What a thread ends with has lost its code.
  return 'code' in error ? /^SQLITE_(?:CORRUPT|NOTADB)/.test(String(error.code)) : DAMAGE_MESSAGE.test(error.message);
}

/** The first thing that is wrong with a database, as SQLite says it; undefined when nothing is. Reads all of it. */
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

/** Virtual tables too: their own check reads what is in the pages, which the check of the tables behind them cannot. */
export const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'";

/** One table with its indexes, so that a check of many can be ended between two. */
export function checkOf(table: string): string {
  return `PRAGMA integrity_check("${table.replaceAll('"', '""')}")`;
}

export function tablesOf(rows: readonly unknown[]): string[] {
  return ['sqlite_schema', ...rows.flatMap((row) => textIn(row, 'name') ?? [])];
}

/** What a check of a table complains about. */
export function problemOf(rows: readonly unknown[]): string | undefined {
  return rows.map((row) => textIn(row, 'integrity_check') ?? '').find((text) => text !== 'ok');
}

function textIn(row: unknown, member: string): string | undefined {
  const value: unknown = typeof row === 'object' && row !== null ? Reflect.get(row, member) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** What the header of a database file says (https://sqlite.org/fileformat2.html#the_database_header). */
export interface FileHeader {
  /** Bytes of the file. */
  readonly size: number;
  /** Bytes that the file should have; undefined where the header does not know. */
  readonly expectedSize: number | undefined;
  readonly userVersion: number;
}

/** Undefined where there is no file, or where it does not begin like a database. */
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
  // 1 stands for 65,536, which does not fit into two bytes.
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const knowsPages = header.readUInt32BE(24) === header.readUInt32BE(92) && header.readUInt32BE(28) > 0;
  return {
    size,
    expectedSize: knowsPages ? header.readUInt32BE(28) * pageSize : undefined,
    userVersion: header.readUInt32BE(60),
  };
}
