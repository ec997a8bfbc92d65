import type { Database, Statement } from 'better-sqlite3';

/** Number of statements per generation. Two generations are kept. */
const GENERATION = 256;

/**
 * Returns a cache of prepared statements by their SQL. Filters can be combined in many ways, so statements that were unused for two
 * generations are dropped.
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
