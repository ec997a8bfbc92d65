import { Agent } from 'node:http';
import path from 'node:path';
import autocannon from 'autocannon';
import { DEVICE_CODE_GRANT } from '../../src/contract/oauth.ts';
import { HOUR } from '../../server/core/clock.ts';
import { beginDeviceGrant, POLL_INTERVAL } from '../../server/features/oauth/deviceGrants.ts';
import { createApplication } from '../../server/features/oauth/oauth.ts';
import { startTestServer, TEST_ADMIN_TOKEN } from '../support/server.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import {
  checkSameWork,
  cpuOf,
  type Limit,
  median,
  pairAt,
  postForm,
  type Ratio,
  ratio,
  rounded,
  roundsUntilSure,
  startSubject,
  type Subject,
} from './harness.ts';
import { slower, slowness } from './slowness.ts';

/** 1,000 devices would add a tenth of what these add, which is less than the rounds differ. */
const CLIENTS = 10_000;
const CONNECTIONS = 16;
const LIMIT: Limit = { atMost: 2 };
const MAX_ROUNDS = 41;
/** Seconds in which the devices poll in a window. */
const WINDOW = 2;
/** Number of `GET /user` requests in a window. It is fixed, because the polls cost more of fewer requests. */
const REQUESTS = 16_000;
const headers = { 'PRIVATE-TOKEN': TEST_ADMIN_TOKEN };

/**
 * Measures what `GET /user` costs while 10,000 devices wait for authorization and poll at their interval: the server's whole processor
 * time, including the polls, for 8,000 `GET /user` requests per second of polls, in short windows with and without the devices. In the
 * windows without them they poll a bare server instead, so that the load of the devices themselves is in both windows.
 */
export async function devicePolls(): Promise<Ratio> {
  using folder = temporaryFolder();
  const { clientId, codes } = await prepare(path.join(folder.path, 'signalbox.sqlite'));
  const slow = slower({ requests: '^/oauth/token', factor: slowness(), by: 'everything' });
  const server = await startSubject(
    [...slow, path.join(DIST, 'server.js'), 'serve', '--data', folder.path, '--log-level', 'error'],
    {
      SIGNALBOX_ADMIN_TOKEN: TEST_ADMIN_TOKEN,
    },
  );
  const elsewhere = await startSubject([path.join(import.meta.dirname, 'barePending.mjs')]);
  const devices = devicesOf(clientId, codes);
  try {
    await costOf(server, () => devices.poll(server, WINDOW));
    const windows: { readonly without: number; readonly waiting: number }[] = [];
    const rounds = await roundsUntilSure(LIMIT, MAX_ROUNDS, async (index) => {
      const [waiting, without] = await pairAt(
        index,
        () => costOf(server, () => devices.poll(server, WINDOW)),
        () => costOf(server, () => devices.poll(elsewhere, WINDOW)),
      );
      windows.push({ without, waiting });
      return waiting / without;
    });
    // The warm-up is a window, too.
    const each = devices.answeredBy(server) / (rounds.length + 1);
    checkSameWork('polls of a window', each, devices.answeredBy(elsewhere) / rounds.length);
    return ratio(
      `GET /user while ${CLIENTS} devices poll`,
      'processor time per request, with polling devices / without',
      rounds,
      LIMIT,
      {
        withoutMicroseconds: rounded(median(windows.map(({ without }) => without))),
        withMicroseconds: rounded(median(windows.map(({ waiting }) => waiting))),
        pollsPerSecond: rounded(devices.perSecond()),
      },
    );
  } finally {
    await server.stop();
    await elsewhere.stop();
  }
}

/** Creates the waiting device codes. Each is requested from a separate address because the number per address is limited. */
async function prepare(file: string): Promise<{ readonly clientId: string; readonly codes: readonly string[] }> {
  await using filling = await startTestServer({ file });
  const { platform } = filling;
  const { application } = createApplication(platform, { name: 'Bench', scopes: ['api'], confidential: false });
  // One hour ahead, so that no code expires before the end.
  const now = platform.clock.now() + HOUR;
  const codes = platform.store.transaction(() =>
    Array.from({ length: CLIENTS }, (_, n) => {
      const address = `10.0.${n >> 8}.${n & 255}`;
      return beginDeviceGrant(platform, { application, scopes: ['api'], address, now }).deviceCode;
    }),
  );
  return { clientId: application.uid, codes };
}

/**
 * Returns the server's processor time per `GET /user` request of a window, in microseconds; wall time where the system does not report
 * processor time.
 */
async function costOf(server: Subject, meanwhile: () => Promise<void>): Promise<number> {
  const before = cpuOf(server.child.pid);
  const started = performance.now();
  // The load runs in a separate thread, so the devices do not slow it down.
  const load = autocannon({
    url: `${server.origin}/api/v4/user`,
    headers,
    connections: CONNECTIONS,
    amount: REQUESTS,
    workers: 1,
  });
  const [result] = await Promise.all([load, meanwhile()]);
  const after = cpuOf(server.child.pid);
  if (result.non2xx > 0 || result.errors > 0) throw new Error('GET /user failed');
  checkSameWork('GET /user requests', result['2xx'], REQUESTS);
  const used = before === undefined || after === undefined ? (performance.now() - started) * 1000 : after - before;
  return used / REQUESTS;
}

/** Returns devices that poll one after the other, so that each polls at its interval. */
function devicesOf(clientId: string, codes: readonly string[]) {
  const gap = (POLL_INTERVAL * 1000) / codes.length;
  let polls = 0;
  let time = 0;
  const answered = new Map<Subject, number>();
  const one = async (agent: Agent, server: Subject, code: string): Promise<void> => {
    const form = { grant_type: DEVICE_CODE_GRANT, client_id: clientId, device_code: code };
    const { error } = await postForm(agent, `${server.origin}/oauth/token`, form, 400);
    if (error !== 'authorization_pending') throw new Error(`a waiting device received ${String(error)}`);
  };
  return {
    poll: async (server: Subject, seconds: number): Promise<void> => {
      const started = performance.now();
      const wanted = Math.floor((seconds * 1000) / gap);
      // Each window has connections of its own: servers close those that are idle until the next window.
      const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
      const sent: Promise<void>[] = [];
      const next = (): void => {
        const poll = one(agent, server, codes[polls % codes.length] ?? '');
        // A failure is thrown at the end of the window.
        poll.catch(() => undefined);
        sent.push(poll);
        polls += 1;
      };
      const timer = setInterval(() => {
        while (sent.length < wanted && sent.length * gap < performance.now() - started) next();
      }, gap);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      clearInterval(timer);
      while (sent.length < wanted) next();
      await Promise.all(sent);
      agent.destroy();
      time += performance.now() - started;
      answered.set(server, (answered.get(server) ?? 0) + sent.length);
    },
    /** Returns how many polls a server has answered. */
    answeredBy: (server: Subject) => answered.get(server) ?? 0,
    perSecond: () => (polls * 1000) / time,
  };
}
