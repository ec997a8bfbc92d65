import type { Database, Statement } from 'better-sqlite3';

/** So many statements are kept since the last were let go, and as many of those before. */
const GENERATION = 256;

/**
 * Statements by their text, prepared once while they are used now and then. There are as many texts as there are ways to narrow a list, so
 * those that nobody has asked for since two generations are let go.
 */
export function preparedStatements(connection: Database): (sql: string) => Statement {
  let recent = new Map<string, Statement>();
  let earlier = new Map<string, Statement>();
  return (sql) => {
    const known = recent.get(sql);
    if (known !== undefined) return known;
    const statement = earlier.get(sql) ?? connection.prepare(sql);
    if (recent.size === GENERATION) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(sql, statement);
    return statement;
  };
}
