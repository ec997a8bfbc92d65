// Loaded into a server before its own program (`node --import`), by tests only: ends the process with SIGKILL at a named step of a repository
// storage move. The steps are observed from outside, at the processes of git, at the file system and at the database driver.
import childProcess, { type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * `scheduled` and `started`: the state is stored. `copied`: the copy is complete, and its refs were read. `verified`: its objects are complete.
 * `renamed`: it has its name. `switched`: the new storage is stored. `linked`: the old copy is renamed, and a link is in its place. `removed`:
 * the old copy is gone. `finished`: the state is stored; the link is still there.
 */
export type MoveKillPoint =
  | 'scheduled'
  | 'started'
  | 'copied'
  | 'verified'
  | 'renamed'
  | 'switched'
  | 'linked'
  | 'removed'
  | 'finished';

const point = process.env['SIGNALBOX_TEST_KILL_POINT'];

function reached(name: MoveKillPoint): void {
  if (name === point) process.kill(process.pid, 'SIGKILL');
}

const { spawn } = childProcess;
// Git is started with all arguments in one form only.
const watched = (program: string, args: readonly string[], options: object): ChildProcess => {
  const child = spawn(program, args, options);
  if (args.some((text) => text.endsWith('.git.part'))) {
    if (args.includes('for-each-ref')) child.once('exit', () => reached('copied'));
    if (args.includes('rev-list')) child.once('exit', () => reached('verified'));
  }
  return child;
};
Object.assign(childProcess, { spawn: watched });

const { renameSync, symlinkSync } = fs;
let isStarted = false;
Object.assign(fs, {
  renameSync: (...args: Parameters<typeof renameSync>) => {
    renameSync(...args);
    // New repositories are renamed, too.
    if (isStarted && String(args[0]).endsWith('.git.part')) reached('renamed');
  },
  symlinkSync: (...args: Parameters<typeof symlinkSync>) => {
    symlinkSync(...args);
    reached('linked');
  },
});
syncBuiltinESMExports();

interface Statement {
  run(...params: readonly unknown[]): unknown;
}

/** The part of the driver's addon that is used here. */
interface Addon {
  readonly Database: { readonly prototype: { prepare(sql: string, ...more: readonly unknown[]): Statement } };
}

/** Changes of the open transaction. */
let written: MoveKillPoint | undefined;

const { dlopen } = process;
process.dlopen = (module: object, ...more: [string]) => {
  dlopen.call(process, module, ...more);
  const { exports: addon } = module as { readonly exports: Addon };
  const { prototype } = addon.Database;
  const { prepare } = prototype;
  prototype.prepare = function (this: unknown, sql, ...options) {
    const statement = prepare.call(this, sql, ...options);
    const run = statement.run.bind(statement);
    if (/^\s*INSERT INTO repository_storage_moves\b/.test(sql)) {
      statement.run = (...params) => {
        written = 'scheduled';
        return run(...params);
      };
    } else if (/^\s*UPDATE repository_storage_moves SET state\b/.test(sql)) {
      statement.run = (...params) => {
        const text = JSON.stringify(params);
        if (text.includes('"finished"')) reached('removed');
        const result = run(...params);
        if (text.includes('"started"')) {
          isStarted = true;
          reached('started');
        }
        if (text.includes('"finished"')) reached('finished');
        if (text.includes('"replicated"')) written = 'switched';
        return result;
      };
    } else if (sql === 'COMMIT') {
      statement.run = (...params) => {
        const result = run(...params);
        if (written !== undefined) reached(written);
        written = undefined;
        return result;
      };
    }
    return statement;
  };
};
