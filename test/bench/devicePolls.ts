import { Agent } from 'node:http';
import path from 'node:path';
import autocannon from 'autocannon';
import { DEVICE_CODE_GRANT } from '../../src/contract/oauth.ts';
import { beginDeviceGrant, POLL_INTERVAL } from '../../server/features/oauth/deviceGrants.ts';
import { createApplication } from '../../server/features/oauth/oauth.ts';
import { startTestServer, TEST_ADMIN_TOKEN } from '../support/server.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { checkSameWork, cpuOf, median, postForm, type Ratio, ratio, rounded, startSubject, type Subject } from './harness.ts';
import { slower, slowness } from './slowness.ts';

const CLIENTS = 1000;
const CONNECTIONS = 16;
/** Number of paired windows. */
const ROUNDS = 11;
/** Length of a window in seconds. */
const WINDOW = 2;
const headers = { 'PRIVATE-TOKEN': TEST_ADMIN_TOKEN };

/**
 * Measures what `GET /user` costs while 1,000 devices wait for authorization and poll at their interval: the server's whole processor time,
 * including the polls, per `GET /user` request, in short windows with and without the devices. In the windows without them they poll a bare
 * server instead, so that the load of the devices themselves is in both windows.
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
    const rounds: { readonly without: number; readonly waiting: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // The sides take turns going first, so a machine that gets slower favours neither.
      const first = round % 2 === 0 ? await costOf(server, () => devices.poll(server, WINDOW)) : undefined;
      const without = await costOf(server, () => devices.poll(elsewhere, WINDOW));
      rounds.push({ without, waiting: first ?? (await costOf(server, () => devices.poll(server, WINDOW))) });
    }
    // The warm-up is a window, too.
    const each = devices.answeredBy(server) / (ROUNDS + 1);
    checkSameWork('polls of a window', each, devices.answeredBy(elsewhere) / ROUNDS);
    return ratio(
      `GET /user while ${CLIENTS} devices poll`,
      'processor time per request, with polling devices / without',
      rounds.map(({ without, waiting }) => waiting / without),
      { atMost: 1.1 },
      {
        withoutMicroseconds: rounded(median(rounds.map(({ without }) => without))),
        withMicroseconds: rounded(median(rounds.map(({ waiting }) => waiting))),
        pollsPerSecond: rounded(devices.perSecond()),
      },
    );
  } finally {
    devices.stop();
    await server.stop();
    await elsewhere.stop();
  }
}

/** Creates the waiting device codes. Each is requested from a separate address because the number per address is limited. */
async function prepare(file: string): Promise<{ readonly clientId: string; readonly codes: readonly string[] }> {
  await using filling = await startTestServer({ file });
  const { platform } = filling;
  const { application } = createApplication(platform, { name: 'Bench', scopes: ['api'], confidential: false });
  const now = platform.clock.now();
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
    duration: WINDOW,
    workers: 1,
  });
  const [result] = await Promise.all([load, meanwhile()]);
  const after = cpuOf(server.child.pid);
  if (result.non2xx > 0 || result.errors > 0) throw new Error('GET /user failed');
  const used = before === undefined || after === undefined ? (performance.now() - started) * 1000 : after - before;
  return used / result.requests.total;
}

/** Returns devices that poll one after the other, so that each polls at its interval. */
function devicesOf(clientId: string, codes: readonly string[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const gap = (POLL_INTERVAL * 1000) / codes.length;
  let polls = 0;
  let time = 0;
  const answered = new Map<Subject, number>();
  const one = async (server: Subject, code: string): Promise<void> => {
    const form = { grant_type: DEVICE_CODE_GRANT, client_id: clientId, device_code: code };
    const { error } = await postForm(agent, `${server.origin}/oauth/token`, form, 400);
    if (error !== 'authorization_pending') throw new Error(`a waiting device received ${String(error)}`);
  };
  return {
    poll: async (server: Subject, seconds: number): Promise<void> => {
      const started = performance.now();
      const wanted = Math.floor((seconds * 1000) / gap);
      const sent: Promise<void>[] = [];
      const next = (): void => {
        sent.push(one(server, codes[polls % codes.length] ?? ''));
        polls += 1;
      };
      const timer = setInterval(() => {
        while (sent.length < wanted && sent.length * gap < performance.now() - started) next();
      }, gap);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      clearInterval(timer);
      while (sent.length < wanted) next();
      await Promise.all(sent);
      time += performance.now() - started;
      answered.set(server, (answered.get(server) ?? 0) + sent.length);
    },
    /** Returns how many polls a server has answered. */
    answeredBy: (server: Subject) => answered.get(server) ?? 0,
    perSecond: () => (polls * 1000) / time,
    stop: () => agent.destroy(),
  };
}
