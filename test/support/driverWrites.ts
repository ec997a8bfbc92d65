import Database from 'better-sqlite3';

export interface DriverConnection {
  readonly inTransaction: boolean;
  prepare(sql: string, ...more: readonly unknown[]): DriverStatement;
}

interface DriverStatement {
  run(...params: readonly unknown[]): unknown;
  get(...params: readonly unknown[]): unknown;
  all(...params: readonly unknown[]): unknown;
}

export interface WriteHooks {
  /** Called before a write statement outside a transaction. */
  beforeWrite(): void;
  /** Called before the commit of a transaction that has written. The driver rolls back if it throws. */
  beforeCommit(): void;
}

/** Calls `hooks` for writes of connections that are opened from now on. `prototype` is the prototype of the addon's connections. */
export function interceptWrites(prototype: DriverConnection, { beforeWrite, beforeCommit }: WriteHooks): Disposable {
  const { prepare } = prototype;
  /** Connections whose transaction has written. */
  const changed = new WeakSet<DriverConnection>();
  prototype.prepare = function (this: DriverConnection, sql, ...options) {
    const statement = prepare.call(this, sql, ...options);
    const isCommit = sql === 'COMMIT';
    const isBegin = sql.startsWith('BEGIN');
    const isWrite = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql);
    if (!isCommit && !isBegin && !isWrite) return statement;
    for (const method of ['run', 'get', 'all'] as const) {
      const call = statement[method].bind(statement);
      statement[method] = (...params) => {
        if (isBegin) changed.delete(this);
        if (isCommit && changed.delete(this)) beforeCommit();
        if (isWrite) {
          if (!this.inTransaction) beforeWrite();
          changed.add(this);
        }
        return call(...params);
      };
    }
    return statement;
  };
  return {
    [Symbol.dispose]: () => {
      prototype.prepare = prepare;
    },
  };
}

export interface FailingDriver extends Disposable {
  /** Makes every write fail with this SQLite code until `recover` is called. */
  fail(code: string): void;
  recover(): void;
}

/** Creates a switch that makes writes fail, on connections that this process opens from now on. */
export function createFailingDriver(): FailingDriver {
  let code: string | undefined;
  const failNow = (): void => {
    if (code !== undefined) throw new Database.SqliteError(`injected failure ${code}`, code);
  };
  const interception = interceptWrites(addonPrototype(), { beforeWrite: failNow, beforeCommit: failNow });
  return {
    fail: (next) => {
      code = next;
    },
    recover: () => {
      code = undefined;
    },
    [Symbol.dispose]: () => interception[Symbol.dispose](),
  };
}

/** Returns the prototype of the addon's connection, which is the only member of the driver's connection that is named by a symbol. */
function addonPrototype(): DriverConnection {
  const connection = new Database(':memory:');
  const [own] = Object.getOwnPropertySymbols(connection).map((symbol) => Reflect.get(connection, symbol) as object);
  connection.close();
  if (own === undefined) throw new Error('the structure of the database driver has changed');
  return Object.getPrototypeOf(own) as DriverConnection;
}
