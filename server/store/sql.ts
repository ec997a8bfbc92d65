/** What SQLite can bind. Booleans are stored as 0 and 1 by the stores themselves. */
export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlParams = Readonly<Record<string, SqlValue>>;
/** In the order of question marks, which takes half as long as names do: for statements that run with each event that is received. */
export type SqlList = readonly SqlValue[];
