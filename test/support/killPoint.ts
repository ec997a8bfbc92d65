// Loaded into a server before its own program (`node --import`), by tests only: ends the process with SIGKILL at a named point of the first
// request to the token endpoint after the arming file was created. The product has no such setting; the points are observed from outside,
// at the database driver and at Node's own modules.
import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Statements that precede each kill point. */
const statements = {
  /** The request has been read, and the transaction is open. */
  begun: /^BEGIN IMMEDIATE$/,
  /** In the transaction: the old token pair is marked as used. */
  rotated: /^UPDATE oauth_tokens SET rotated_at\b/,
  /** In the transaction: the new token pair is written. */
  inserted: /^INSERT INTO oauth_tokens\b/,
  /** The new token pair is on disk, and nothing of the response is written. */
  committed: /^COMMIT$/,
} as const;

/**
 * `arrived`: the request headers have arrived, the body is not read. `answering`: half of the response is written. `answered`: the whole
 * response is written. `keyWriting`, in any request: half of the ID token signing key is written.
 */
export type KillPoint = 'arrived' | keyof typeof statements | 'answering' | 'answered' | 'keyWriting';

const point = process.env['SIGNALBOX_TEST_KILL_POINT'];
const armed = process.env['SIGNALBOX_TEST_KILL_ARMED'] ?? '';
let isUnderWay = false;

function reached(name: KillPoint): void {
  if (isUnderWay && name === point) process.kill(process.pid, 'SIGKILL');
}

// Node documents the members of this channel's messages.
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
  if (request.url !== '/oauth/token' || !fs.existsSync(armed)) return;
  isUnderWay = true;
  reached('arrived');
  const end = response.end.bind(response);
  Object.assign(response, {
    end: (body: string) => {
      if (point === 'answering') response.write(body.slice(0, body.length / 2), () => reached('answering'));
      else end(body, () => reached('answered'));
    },
  });
});

interface Statement {
  run(...params: readonly unknown[]): unknown;
}

/** The part of the driver's addon that is used here. */
interface Addon {
  readonly Database: { readonly prototype: { prepare(sql: string, ...more: readonly unknown[]): Statement } };
}

const { dlopen } = process;
process.dlopen = (module: object, ...more: [string]) => {
  dlopen.call(process, module, ...more);
  const { exports: addon } = module as { readonly exports: Addon };
  const { prototype } = addon.Database;
  const { prepare } = prototype;
  prototype.prepare = function (this: unknown, sql, ...options) {
    const statement = prepare.call(this, sql, ...options);
    const found = Object.entries(statements).find(([, pattern]) => pattern.test(sql));
    if (found === undefined) return statement;
    const run = statement.run.bind(statement);
    statement.run = (...params) => {
      const result = run(...params);
      reached(found[0] as KillPoint);
      return result;
    };
    return statement;
  };
};

const { writeFileSync } = fs;
fs.writeFileSync = (file, data, options) => {
  if (point !== 'keyWriting' || typeof data !== 'string' || !String(file).includes('signing-key.pem')) {
    writeFileSync(file, data, options);
    return;
  }
  writeFileSync(file, data.slice(0, data.length / 2), options);
  process.kill(process.pid, 'SIGKILL');
};
