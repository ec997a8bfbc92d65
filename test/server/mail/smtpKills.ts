// Tests of a server that is killed while it mails many users.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MailBasic } from '../../../src/contract/mail.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import { createUser, ensureRoot } from '../../../server/features/users/accounts.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import type { MailKillPoint } from '../../support/mailKillPoint.ts';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';
import { createTestPlatform } from '../../support/server.ts';
import { type MailServer, type MailServerOptions, startMailServer } from '../../support/smtp.ts';
import { untilTrue } from '../../support/until.ts';

export const token = 'mail-kills-test-token-0123456789';
/** More users than are decided in one transaction. */
const USERS = 60;
export const PASSWORD = 'the password of the mail server';
const names = Array.from({ length: USERS }, (_, index) => `potter${index + 1}`);

/** Creates a database with the users, who need no passwords, a public project and an issue. */
function prepare(folder: string): void {
  mkdirSync(folder);
  const platform = createTestPlatform({ file: path.join(folder, 'signalbox.sqlite') });
  const root = ensureRoot(platform);
  for (const username of names) createUser(platform, { username, name: username, email: `${username}@kiln.example` });
  const project = createProject(platform, root, { name: 'Kiln', visibility: 'public' });
  createIssue(platform, project, root, { title: 'Glaze cracks' });
  endPlatform(platform);
}

/** Starts a server with an SMTP server of the command line. */
function start(folder: string, port: number, more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const passwordFile = path.join(folder, '..', 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  return spawnServer(
    [
      'serve',
      ...['--data', folder, '--smtp-from', 'lab@kiln.example'],
      ...['--smtp-url', `smtp://lab@127.0.0.1:${port}`, '--smtp-password-file', passwordFile],
    ],
    {
      env: { SIGNALBOX_ADMIN_TOKEN: token, ...more },
      ...(more['SIGNALBOX_TEST_KILL_POINT'] === undefined
        ? {}
        : { preload: path.join(import.meta.dirname, '../../support/mailKillPoint.ts') }),
    },
  );
}

/** Waits until a server has been killed; fails if it goes on instead. */
async function untilKilled(server: ServerProcess): Promise<void> {
  await untilTrue(() => server.child.signalCode === 'SIGKILL', 'the server is killed', server.stderr);
}

/** Sends a comment that mentions everybody. The server may be killed before it responds. */
async function comment(server: ServerProcess): Promise<void> {
  assert.equal(server.line['event'], 'listening', server.stderr());
  const body = names.map((name) => `@${name}`).join(' ');
  await requestOf(server, token, 'POST', '/api/v4/projects/1/issues/1/notes', { body }).catch(() => undefined);
}

async function mailsOf(server: ServerProcess): Promise<readonly MailBasic[]> {
  return (await requestOf(server, token, 'GET', '/api/v4/mails?per_page=100')) as readonly MailBasic[];
}

/** Checks that everybody has one mail in the mailbox, and at least one, always the same, at the SMTP server. */
async function assertDelivered(server: ServerProcess, mails: MailServer): Promise<void> {
  await untilTrue(
    async () => {
      const list = await mailsOf(server);
      return list.length >= USERS && list.every(({ delivery }) => delivery?.state === 'sent');
    },
    'every mail is sent',
    server.stderr,
  );
  const addresses = names.map((name) => `${name}@kiln.example`).sort();
  assert.deepEqual((await mailsOf(server)).map(({ to }) => to).sort(), addresses);
  const sources = new Map<string, Set<string>>();
  for (const { to, source, parsed } of mails.messages) {
    assert.match(parsed.messageId ?? '', /^<note_\d+@127\.0\.0\.1>$/);
    const [address = ''] = to;
    sources.set(address, (sources.get(address) ?? new Set()).add(source));
  }
  assert.deepEqual([...sources.keys()].sort(), addresses);
  for (const [address, { size }] of sources) assert.equal(size, 1, `${address} received different messages`);
}

export const authenticated: MailServerOptions = {
  authOptional: false,
  onAuth: ({ username, password }, _session, done) => {
    if (username === 'lab' && password === PASSWORD) done(null, { user: 'lab' });
    else done(new Error('wrong password'));
  },
};

/** Moments at which a server is killed while it mails; `sending` without a kill point of its own. */
export const mailKills: readonly (readonly [point: MailKillPoint | 'sending', when: string])[] = [
  ['recorded', 'after the event was recorded'],
  ['mailed', 'after a mail was written, before its transaction ends'],
  ['sliced', 'after the first recipients were decided'],
  ['unmarked', 'after the SMTP server has accepted a mail'],
  ['sending', 'while it sends'],
];

/** Declares a test for each of the moments. */
export function testMailKills(moments: typeof mailKills): void {
  for (const [point, when] of moments) {
    it(`mails everybody once and loses nothing if it is killed ${when}`, () =>
      point === 'sending' ? killedWhileSending() : killedAt(point));
  }
}

async function killedAt(point: MailKillPoint): Promise<void> {
  using folder = temporaryFolder();
  await using mails = await startMailServer(authenticated);
  const data = path.join(folder.path, 'data');
  const armed = path.join(folder.path, 'armed');
  prepare(data);
  await using first = await start(data, mails.port, { SIGNALBOX_TEST_KILL_POINT: point, SIGNALBOX_TEST_KILL_ARMED: armed });
  writeFileSync(armed, '');
  await comment(first);
  await untilKilled(first);
  await using second = await start(data, mails.port);
  await assertDelivered(second, mails);
}

async function killedWhileSending(): Promise<void> {
  using folder = temporaryFolder();
  const data = path.join(folder.path, 'data');
  let first: ServerProcess | undefined;
  let isKilled = false;
  await using mails = await startMailServer({
    ...authenticated,
    onMessage: async () => {
      if (isKilled) return;
      isKilled = true;
      first?.child.kill('SIGKILL');
      await first?.ended;
    },
  });
  prepare(data);
  first = await start(data, mails.port);
  await comment(first);
  await untilKilled(first);
  await using second = await start(data, mails.port);
  await assertDelivered(second, mails);
}
