// Loaded into a server before its own program (`node --import`), by tests only: ends the process by SIGKILL at a named point of the first
// request to the token endpoint after the file that arms it was made. The product has no such switch; the points are seen from outside of
// it, at the database driver and at Node's own modules.
import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Statements after which one of the points lies. */
const statements = {
  /** The request is read, and the transaction is open. */
  begun: /^BEGIN IMMEDIATE$/,
  /** In the transaction: the old pair is marked as used. */
  rotated: /^UPDATE oauth_tokens SET rotated_at\b/,
  /** In the transaction: the new pair is written. */
  inserted: /^INSERT INTO oauth_tokens\b/,
  /** The new pair is on disk, and nothing of the answer is written. */
  committed: /^COMMIT$/,
} as const;

/**
 * `arrived`: the head of the request is there, its body is not read. `answering`: half of the answer is written. `answered`: all of it
 * is. `keyWriting`, in any request: half of the key that signs ID tokens is written.
 */
export type KillPoint = 'arrived' | keyof typeof statements | 'answering' | 'answered' | 'keyWriting';

const point = process.env['SIGNALBOX_TEST_KILL_POINT'];
const armed = process.env['SIGNALBOX_TEST_KILL_ARMED'] ?? '';
let isUnderWay = false;

function reached(name: KillPoint): void {
  if (isUnderWay && name === point) process.kill(process.pid, 'SIGKILL');
}

// Of the messages of this channel Node documents the members.
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

/** What the driver's addon holds, as far as it matters here. */
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
