// An editor window as a separate process: session, refresh and client of the extension, with a file as its secret storage. Each line on
// standard input is the current time in milliseconds; the process responds with the status of GET /user at that time.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '../../../src/api/client.ts';
import { failureOfError } from '../../../src/api/failures.ts';
import { createTransport } from '../../../src/api/transport.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { createRefresh } from '../../../src/auth/refresh.ts';
import { keyOf } from '../../../src/auth/session.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import { readUserBasic } from '../../../src/contract/identity.ts';
import { createMask } from '../../../src/support/log.ts';
import { createMachineLock } from '../../../src/support/machineLock.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { fakeMemento } from './fakes.ts';

const [origin = '', folder = '', lockFolder = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const fileOf = (key: string): string => path.join(folder, createHash('sha256').update(key).digest('hex'));

let time = Date.now();
const now = (): number => time;
const trouble = (line: string): void => void process.stderr.write(`${line}\n`);
const log = { debug: () => undefined, info: () => undefined, warn: trouble, error: trouble };
const send = createTransport({
  userAgent: 'test',
  timeout: 30_000,
  loadLoopback: async () => createLoopbackSend(),
  sendByHost: () => Promise.reject(new Error('the host is unreachable')),
});
const sessions = createSessions({
  secrets: {
    keys: async () => readdirSync(folder).flatMap((name) => readEntry(path.join(folder, name))?.slice(0, 1) ?? []),
    get: async (key) => readEntry(fileOf(key))?.[1],
    store: async (key, value) => {
      const draft = path.join(folder, `.${randomUUID()}`);
      writeFileSync(draft, `${key}\n${value}`);
      renameSync(draft, fileOf(key));
    },
    delete: async (key) => renameSync(fileOf(key), path.join(folder, `.${randomUUID()}`)),
    onDidChange: () => ({ dispose: () => undefined }),
  },
  memory: fakeMemento(),
  window: fakeMemento(),
  mask: createMask(),
  log,
  sleep,
});
const refresh = createRefresh({
  sessions,
  send,
  addresses: () => origin,
  lock: createMachineLock({ folder: lockFolder, limit: 30_000, report: trouble }),
  now,
  sleep,
  log,
});

function readEntry(file: string): readonly [string, string] | undefined {
  if (!existsSync(file) || path.basename(file).startsWith('.')) return undefined;
  const text = readFileSync(file, 'utf8');
  return [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n') + 1)];
}

await sessions.load();
const [session] = sessions.all();
const account = session === undefined ? '' : keyOf(session);
const client = createClient({
  baseUrl: origin,
  send,
  credentials: {
    token: async () => (await refresh.fresh(account))?.accessToken,
    renewed: async (refused) => (await refresh.renewed(account, refused))?.accessToken,
  },
  now,
  sleep,
});
say('ready');
for await (const line of createInterface({ input: process.stdin })) {
  time = Number(line);
  try {
    say(`200 ${(await client.get('/user', readUserBasic)).username}`);
  } catch (error) {
    say(`${failureOfError(error)?.status ?? 0} ${String(error)}`);
  }
}
