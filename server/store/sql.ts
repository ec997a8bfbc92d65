/** Values that SQLite can bind. Stores convert booleans to 0 and 1. */
export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlParams = Readonly<Record<string, SqlValue>>;
/**
 * Values in the order of question marks. Binding takes half as long as with names; used for statements that run for each received event.
 */
export type SqlList = readonly SqlValue[];

type Values = Record<string, string | number>;

/** Builder of a WHERE condition. Its SQL is fixed; input of clients is only ever the value of a parameter. */
export interface Condition {
  /** Adds a condition. */
  also(sql: string, params?: Readonly<Values>): void;
  /** Adds a condition on the parameter `$name`, if there is a value. */
  add(name: string, sql: string, value: string | number | undefined): void;
  /** Adds the condition that one of the columns contains a text, using the parameter `$name`. Adds nothing if the text is empty. */
  addSearch(name: string, columns: readonly string[], text: string | undefined): void;
  /** Returns the complete condition with the values of its parameters. */
  whole(): { readonly where: string; readonly params: SqlParams };
}

/** Returns an empty condition. `params` contains values that are always needed; `also` and `add` add others. */
export function beginCondition(params: Values): Condition {
  const parts: string[] = [];
  const also: Condition['also'] = (sql, more = {}) => {
    parts.push(sql);
    Object.assign(params, more);
  };
  return {
    also,
    add: (name, sql, value) => {
      if (value !== undefined) also(sql, { [name]: value });
    },
    addSearch: (name, columns, text) => {
      if (text !== undefined && text !== '') also(likeSql(columns, `$${name}`), { [name]: likePattern(text) });
    },
    whole: () => ({ where: parts.length === 0 ? 'true' : parts.join(' AND '), params }),
  };
}

/** Returns the SQL condition that a column matches a pattern of `likePattern`. The case of ASCII letters is ignored. */
export function likeSql(columns: readonly string[], pattern: string): string {
  return `(${columns.map((column) => `${column} LIKE ${pattern} ESCAPE '!'`).join(' OR ')})`;
}

/** Returns the pattern of values that contain a text, or begin or end with it. */
export function likePattern(
  text: string,
  { atStart = false, atEnd = false }: { readonly atStart?: boolean; readonly atEnd?: boolean } = {},
): string {
  return `${atStart ? '' : '%'}${text.replaceAll(/[!%_]/g, '!$&')}${atEnd ? '' : '%'}`;
}

/** Returns the SQL of how close a name or path is to `$similarTo`, a text in lower case: equal, beginning with it, or other. */
export function similaritySql(name: string, path: string): string {
  return `(CASE WHEN $similarTo IN (lower(${name}), lower(${path})) THEN 3
    WHEN instr(lower(${name}), $similarTo) = 1 OR instr(lower(${path}), $similarTo) = 1 THEN 2 ELSE 1 END)`;
}
