import type { Database, Statement } from 'better-sqlite3';

/** Number of statements per generation. Two generations are kept. */
const GENERATION = 256;

/** String literals, quoted names, comments, and parameters. */
const tokens = /'[^']*'|"[^"]*"|--[^\n]*|\/\*.*?\*\/|(\$\w+|\?)/gs;

/**
 * Returns a statement whose plan does not depend on the values of its parameters. By default SQLite prepares a statement with a join or a
 * LIMIT again whenever its parameters change, because their values might lead to another plan, which takes several times as long as running
 * it. It ignores the values of parameters with a plus sign, an operator that changes nothing (https://sqlite.org/lang_expr.html).
 */
export function withFixedPlan(sql: string): string {
  return sql.replace(tokens, (token, parameter?: string) => (parameter === undefined ? token : `+${parameter}`));
}

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
    const statement = earlier.get(sql) ?? connection.prepare(withFixedPlan(sql));
    if (recent.size === GENERATION) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(sql, statement);
    return statement;
  };
}
