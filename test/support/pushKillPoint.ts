// Loaded into a server before its own program (`node --import`), by tests only: ends the process with SIGKILL at a named step of the first
// push after the arming file was created. The steps are observed from outside, at the processes of git and at the database driver.
import childProcess, { type ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

/**
 * `received`: git has the whole pack, and is still working. `unpacked`: the objects are in the quarantine. `checked`: they are complete.
 * `migrated`: they are in the repository, and the transaction is open. `committed`: the transaction is on disk. `refsWritten`: the refs of the
 * folder are updated. `reported`: the response is sent.
 */
export type PushKillPoint = 'received' | 'unpacked' | 'checked' | 'migrated' | 'committed' | 'refsWritten' | 'reported';

const point = process.env['SIGNALBOX_TEST_KILL_POINT'];
const armed = process.env['SIGNALBOX_TEST_KILL_ARMED'] ?? '';

function reached(name: PushKillPoint): void {
  if (name === point && fs.existsSync(armed)) process.kill(process.pid, 'SIGKILL');
}

const { spawn } = childProcess;
// Git is started with all arguments in one form only.
const watched = (program: string, args: readonly string[], options: object): ChildProcess => {
  const child = spawn(program, args, options);
  if (args.includes('unpack-objects') || args.includes('index-pack')) {
    child.stdin?.once('finish', () => reached('received'));
    child.once('exit', () => reached('unpacked'));
  }
  if (args.includes('rev-list') && args.includes('--objects')) child.once('exit', () => reached('checked'));
  if (args.includes('update-ref')) child.once('exit', () => reached('refsWritten'));
  return child;
};
Object.assign(childProcess, { spawn: watched });
syncBuiltinESMExports();

// Node documents the members of this channel's messages.
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
  if (request.url?.endsWith('/git-receive-pack') === true) response.once('finish', () => reached('reported'));
});

interface Statement {
  run(...params: readonly unknown[]): unknown;
}

/** The part of the driver's addon that is used here. */
interface Addon {
  readonly Database: { readonly prototype: { prepare(sql: string, ...more: readonly unknown[]): Statement } };
}

let isRefWritten = false;

const { dlopen } = process;
process.dlopen = (module: object, ...more: [string]) => {
  dlopen.call(process, module, ...more);
  const { exports: addon } = module as { readonly exports: Addon };
  const { prototype } = addon.Database;
  const { prepare } = prototype;
  prototype.prepare = function (this: unknown, sql, ...options) {
    const statement = prepare.call(this, sql, ...options);
    const run = statement.run.bind(statement);
    if (/^\s*INSERT INTO repository_refs\b/.test(sql)) {
      statement.run = (...params) => {
        const result = run(...params);
        isRefWritten = true;
        reached('migrated');
        return result;
      };
    } else if (sql === 'COMMIT') {
      statement.run = (...params) => {
        const result = run(...params);
        if (isRefWritten) reached('committed');
        isRefWritten = false;
        return result;
      };
    }
    return statement;
  };
};
