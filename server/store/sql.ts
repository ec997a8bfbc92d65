/** What SQLite can bind. Booleans are stored as 0 and 1 by the stores themselves. */
export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlParams = Readonly<Record<string, SqlValue>>;
/** In the order of question marks, which takes half as long as names do: for statements that run with each event that is received. */
export type SqlList = readonly SqlValue[];

type Values = Record<string, string | number>;

/** A condition in the making. Its SQL is ours alone; what people have sent is only ever the value of a parameter. */
export interface Condition {
  /** Has it demand something more. */
  also(sql: string, params?: Readonly<Values>): void;
  /** Has it demand something of the parameter `$name`, where there is a value for it. */
  add(name: string, sql: string, value: string | number | undefined): void;
  /** What it has become, with the values of its parameters. */
  whole(): { readonly where: string; readonly params: SqlParams };
}

/** A condition that demands nothing yet. `params` are values that its parts need in any case; those of the others come to them. */
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
    whole: () => ({ where: parts.length === 0 ? 'true' : parts.join(' AND '), params }),
  };
}
