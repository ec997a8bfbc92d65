// Loaded into a server before its own program (`node --import`), by tests only: ends the process with SIGKILL at a named step on the way of a
// notification to the SMTP server, once the arming file exists. The steps are observed from outside, at the database driver.
import fs from 'node:fs';

/**
 * `recorded`: the transaction of the cause, with the event, is on disk. `sliced`: the first users are decided on disk. `mailed`: a mail is
 * written, and its transaction is open. `unmarked`: the SMTP server has accepted a mail, and nothing says so.
 */
export type MailKillPoint = 'recorded' | 'sliced' | 'mailed' | 'unmarked';

const point = process.env['SIGNALBOX_TEST_KILL_POINT'];
const armed = process.env['SIGNALBOX_TEST_KILL_ARMED'] ?? '';

function reached(name: MailKillPoint): void {
  if (name === point && fs.existsSync(armed)) process.kill(process.pid, 'SIGKILL');
}

interface Statement {
  run(...params: readonly unknown[]): unknown;
}

/** The part of the driver's addon that is used here. */
interface Addon {
  readonly Database: { readonly prototype: { prepare(sql: string, ...more: readonly unknown[]): Statement } };
}

/** Kinds of rows that the current transaction has written. */
const written = { event: false, mail: false };

const { dlopen } = process;
process.dlopen = (module: object, ...more: [string]) => {
  dlopen.call(process, module, ...more);
  const { exports: addon } = module as { readonly exports: Addon };
  const { prototype } = addon.Database;
  const { prepare } = prototype;
  prototype.prepare = function (this: unknown, sql, ...options) {
    const statement = prepare.call(this, sql, ...options);
    const run = statement.run.bind(statement);
    if (sql === 'COMMIT') {
      statement.run = (...params) => {
        const result = run(...params);
        const { event, mail } = written;
        Object.assign(written, { event: false, mail: false });
        if (event) reached('recorded');
        if (mail) reached('sliced');
        return result;
      };
    } else if (/^\s*INSERT INTO notification_events\b/.test(sql)) {
      statement.run = (...params) => {
        written.event = true;
        return run(...params);
      };
    } else if (/^\s*INSERT INTO mails\b/.test(sql)) {
      statement.run = (...params) => {
        const result = run(...params);
        written.mail = true;
        reached('mailed');
        return result;
      };
    } else if (/^\s*UPDATE mail_deliveries SET next_at = \+?\$nextAt/.test(sql)) {
      statement.run = (...params) => {
        reached('unmarked');
        return run(...params);
      };
    }
    return statement;
  };
};
