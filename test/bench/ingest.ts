import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { endPlatform } from '../../server/createPlatform.ts';
import { eventsOf, listErrors } from '../../server/features/errorTracking/read/readErrors.ts';
import { trackedProject } from '../server/errorTracking/senders.ts';
import { createTestPlatform, startTestServer, TEST_ADMIN_TOKEN as token } from '../support/server.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { batchInserts } from './batchInserts.ts';
import {
  checkSameWork,
  cpuOf,
  median,
  type Ratio,
  ratio,
  rounded,
  roundsUntilSure,
  startSubject,
  type Subject,
} from './harness.ts';
import { envelopes } from './ingestBodies.ts';
import { anonymousMegabytes, startIdle, startMeasured } from './measured.ts';
import { send } from './sender.ts';
import { larger, lengthen, slower, slowness } from './slowness.ts';

const MAX_ROUNDS = 181;
/** Requests per window. Many short windows spread other load on the machine over both sides. */
const REQUESTS = 1000;
/** Requests before the first window, until the code is compiled. */
const WARM_UP = 20_000;
const CONNECTIONS = 64;
const BODIES = 1000;
/** Number of events with separate ids, to check that each can be read afterwards. */
const READABLE = 10_000;
/** Number of events sent before memory is measured, in ten steps. The environment variable allows fewer for a quick run. */
const EVENTS = Number(process.env['SIGNALBOX_BENCH_EVENTS'] ?? 1_000_000);
const STEPS = 10;
const EVENTS_OF_ENVELOPE = 4;
/** Warm-up before the event loop is measured under load, in milliseconds. */
const TOGETHER_WARM_UP = 3000;
const TOGETHER = 10_000;

/** Sums of the events that a server has stored as received, and that it has counted. */
const RAW_BODIES = 'SELECT count(*) AS events FROM raw_bodies';
const COUNTED = 'SELECT sum(event_count) AS events FROM tracked_hours';

/** Database of a server, with a project that tracks errors. */
interface Fixture {
  readonly folder: string;
  readonly file: string;
  readonly target: string;
  readonly projectId: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Measures what it costs to accept durably what SDKs send, compared with a bare node:http server that decompresses and parses the same
 * bodies and stores nothing, or stores them too: as received, and with everything that is derived from them.
 */
export async function ingest(): Promise<readonly Ratio[]> {
  using folders = temporaryFolder();
  const bodies = envelopes(BODIES);
  const here = import.meta.dirname;
  const full = await prepare(path.join(folders.path, 'full'));
  const bareArgs = [path.join(here, 'bareIngest.ts')];
  const raw = path.join(folders.path, 'raw.sqlite');
  const rawArgs = [...slower({ factor: Math.max(slowness(0), slowness(1)) }), path.join(here, 'rawIngest.ts'), raw];
  const stored = path.join(folders.path, 'bare.sqlite');
  const fullArgs = [...slower({ factor: slowness(2) }), ...serverArgs(full)];
  const processorTime = 'processor time, bare http, gunzip and parse / server';
  return await compare(
    bodies,
    [
      { name: 'bare', location: full, counts: false, args: bareArgs },
      {
        name: 'bareStoring',
        location: full,
        counts: false,
        args: [...bareArgs, stored],
        events: () => eventsIn(stored, RAW_BODIES),
      },
      { name: 'raw', location: full, counts: false, args: rawArgs, events: () => eventsIn(raw, RAW_BODIES) },
      { name: 'full', location: full, counts: true, args: fullArgs, events: () => eventsIn(full.file, COUNTED) },
    ],
    [
      { name: 'accepting raw events durably', of: processorTime, base: 'bare', server: 'raw', atLeast: 0.6 },
      {
        name: 'accepting raw events durably, compared with a bare server that stores them too',
        of: 'processor time, bare http and the same database work / server',
        base: 'bareStoring',
        server: 'raw',
        atLeast: 0.8,
      },
      { name: 'accepting, grouping and counting events', of: processorTime, base: 'bare', server: 'full', atLeast: 0.4 },
    ],
  );
}

/** Measures the cost of flushing each event to disk before it is acknowledged. */
export async function durability(): Promise<readonly Ratio[]> {
  using folders = temporaryFolder();
  const flushed = await prepare(path.join(folders.path, 'flushed'));
  const normal = await prepare(path.join(folders.path, 'normal'));
  const fullArgs = [...slower({ factor: slowness() }), ...serverArgs(flushed)];
  const normalArgs = [`--import=${path.join(import.meta.dirname, 'normalSync.mjs')}`, ...serverArgs(normal)];
  return await compare(
    envelopes(BODIES),
    [
      { name: 'full', location: flushed, counts: true, args: fullArgs, events: () => eventsIn(flushed.file, COUNTED) },
      { name: 'normal', location: normal, counts: true, args: normalArgs, events: () => eventsIn(normal.file, COUNTED) },
    ],
    [
      {
        name: 'flushing events to disk before each response',
        of: 'processor time, flushed occasionally / flushed before each response',
        base: 'normal',
        server: 'full',
        atLeast: 0.8,
      },
    ],
  );
}

/** Compares inserts by the inbox with the same inserts by the driver alone. */
export async function inbox(): Promise<Ratio> {
  using folders = temporaryFolder();
  return await batchInserts(folders.path);
}

/** Checks that everything that was accepted can be read. */
export async function reading(): Promise<Ratio> {
  using folders = temporaryFolder();
  return await readable(await prepare(path.join(folders.path, 'readable')));
}

/** Measures memory, and how long other requests wait while events arrive and expire. */
export async function million(): Promise<readonly Ratio[]> {
  using folders = temporaryFolder();
  return await loadAndMeasure(await prepare(path.join(folders.path, 'million')));
}

interface Measuring {
  readonly name: string;
  readonly args: readonly string[];
  readonly location: Fixture;
  /** True if the server groups and counts the events it accepts. */
  readonly counts: boolean;
  /** Returns the number of stored events. Undefined for a server that stores nothing. */
  readonly events?: () => number;
}

/** Ratio of two of the measured servers. */
interface Comparison {
  readonly name: string;
  readonly of: string;
  readonly base: string;
  readonly server: string;
  readonly atLeast: number;
}

type Round = ReadonlyMap<string, Cost>;

/**
 * Measures the servers one after the other, alternately forwards and backwards, so that a machine that gets slower favours none, until all
 * comparisons are sure.
 */
async function compare(
  bodies: readonly Buffer[],
  measured: readonly Measuring[],
  comparisons: readonly Comparison[],
): Promise<readonly Ratio[]> {
  const subjects: (Measuring & { readonly subject: Subject })[] = [];
  try {
    for (const one of measured) {
      const subject = await startSubject(one.args, { SIGNALBOX_ADMIN_TOKEN: token });
      subjects.push({ ...one, subject });
      await costOf(subject, one.location, bodies, WARM_UP, one.counts);
    }
    const rounds: Round[] = [];
    const measure = async (index: number): Promise<void> => {
      const costs = new Map<string, Cost>();
      for (const { name, subject, location, counts } of index % 2 === 0 ? subjects : subjects.toReversed()) {
        costs.set(name, await costOf(subject, location, bodies, REQUESTS, counts));
      }
      rounds.push(costs);
    };
    for (const { base, server, atLeast } of comparisons) {
      await roundsUntilSure({ atLeast }, MAX_ROUNDS, async (index) => {
        if (rounds[index] === undefined) await measure(index);
        return ratioOf(rounds[index], base, server);
      });
    }
    for (const { name, events } of measured) {
      if (events !== undefined) checkSameWork(`events stored by "${name}"`, events(), WARM_UP + rounds.length * REQUESTS);
    }
    return comparisons.map((comparison) => compared(rounds, comparison));
  } finally {
    for (const { subject } of subjects) await subject.stop();
  }
}

function ratioOf(round: Round | undefined, base: string, server: string): number {
  return (round?.get(base)?.perRequest ?? Number.NaN) / (round?.get(server)?.perRequest ?? Number.NaN);
}

function compared(rounds: readonly Round[], { name, of, base, server, atLeast }: Comparison): Ratio {
  const every = (who: string, what: keyof Cost): number[] => rounds.map((round) => round.get(who)?.[what] ?? Number.NaN);
  const details = Object.fromEntries(
    [base, server].map((who) => [
      `${who}Microseconds`,
      `${rounded(median(every(who, 'perRequest')))} at ${rounded(median(every(who, 'perSecond')))}/s`,
    ]),
  );
  return ratio(
    name,
    of,
    rounds.map((round) => ratioOf(round, base, server)),
    { atLeast },
    details,
  );
}

async function prepare(folder: string): Promise<Fixture> {
  mkdirSync(folder);
  const file = path.join(folder, 'signalbox.sqlite');
  await using filling = await startTestServer({ file });
  const project = trackedProject(filling);
  return {
    folder,
    file,
    projectId: project.id,
    target: `/api/v4/error_tracking/collector/api/${project.id}/envelope/`,
    headers: { 'content-encoding': 'gzip', 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${project.key}` },
  };
}

function serverArgs({ folder }: Fixture): string[] {
  return [path.join(DIST, 'server.js'), 'serve', '--data', folder, '--log-level', 'error'];
}

interface Cost {
  /** Processor time of the server per request, in microseconds; wall time where the system does not report processor time. */
  readonly perRequest: number;
  readonly perSecond: number;
}

/** Sends `requests` requests, cycling through the bodies, for at most `milliseconds`. */
async function sendAll(
  subject: Subject,
  { target, headers }: Fixture,
  bodies: readonly Buffer[],
  requests: number,
  milliseconds?: number,
): Promise<number> {
  const { origin } = subject;
  const limit = milliseconds === undefined ? {} : { milliseconds };
  const accepted = await send({ origin, target, headers, bodies, connections: CONNECTIONS, requests, ...limit });
  if (milliseconds === undefined) checkSameWork('accepted requests', accepted, requests);
  return accepted;
}

function eventsIn(file: string, sum: string): number {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare<[], { readonly events: number }>(sum).get()?.events ?? 0;
  } finally {
    database.close();
  }
}

async function costOf(
  subject: Subject,
  location: Fixture,
  bodies: readonly Buffer[],
  requests: number,
  counts: boolean,
): Promise<Cost> {
  const before = cpuOf(subject.child.pid);
  const started = performance.now();
  await sendAll(subject, location, bodies, requests);
  // Work that happens after the acknowledgement is part of the cost.
  if (counts) await readErrors(subject, location);
  const took = performance.now() - started;
  const after = cpuOf(subject.child.pid);
  const used = before === undefined || after === undefined ? took * 1000 : after - before;
  return { perRequest: used / requests, perSecond: requests / (took / 1000) };
}

/** Reads the error list of the project, which makes the server process every event it has received. */
async function readErrors({ origin }: Subject, { projectId }: Fixture, query = ''): Promise<void> {
  const list = `/api/v4/projects/${projectId}/error_tracking/errors${query}`;
  const response = await fetch(`${origin}${list}`, { headers: { 'PRIVATE-TOKEN': token } });
  if (response.status !== 200) throw new Error(`${list} returned ${response.status}`);
  await response.arrayBuffer();
}

/** Checks that all accepted events can be read, and that reading included, this is at least half as fast as accepting them. */
async function readable(location: Fixture): Promise<Ratio> {
  const server = await startSubject(serverArgs(location), { SIGNALBOX_ADMIN_TOKEN: token });
  try {
    const idOf = (index: number): string => (index + 1).toString(16).padStart(32, '0');
    const bodies = envelopes(READABLE, 1, idOf);
    const unread = new Set(bodies.map((_, index) => idOf(index)));
    const started = performance.now();
    await sendAll(server, location, bodies, bodies.length);
    const accepted = performance.now() - started;
    await readErrors(server, location);
    const platform = createTestPlatform({ file: location.file });
    const page = { order: 'last_seen', direction: 'desc', limit: 100 } as const;
    for (const error of await listErrors(platform, location.projectId, { statuses: ['unresolved'] }, page)) {
      for (const { event_id: id } of eventsOf(platform, error, { limit: READABLE }))
        unread.delete(Buffer.from(id).toString('hex'));
    }
    endPlatform(platform);
    lengthen(started, slowness());
    const took = performance.now() - started;
    if (unread.size > 0) throw new Error(`${unread.size} of ${READABLE} accepted events cannot be read`);
    return ratio(
      `accepting and reading ${READABLE} events`,
      'events per second, until all are readable / until all are accepted',
      [accepted / took],
      { atLeast: 0.5 },
      { perSecond: rounded((READABLE / took) * 1000), bytesPerEvent: Math.round(statSync(location.file).size / READABLE) },
    );
  } finally {
    await server.stop();
  }
}

/** Stores a million events, then measures how late the event loop is while events are accepted, others expire and lists are read. */
async function loadAndMeasure(location: Fixture): Promise<readonly Ratio[]> {
  const slow = slower({ requests: '^/api/v4/projects', factor: slowness(1) });
  const server = await startMeasured([...larger([{ factor: slowness(0) }]), ...slow, ...serverArgs(location)]);
  const idle = await startIdle();
  try {
    const batches = envelopes(BODIES, EVENTS_OF_ENVELOPE);
    const started = performance.now();
    const megabytesByStep: number[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      await sendAll(server, location, batches, Math.ceil(EVENTS / EVENTS_OF_ENVELOPE / STEPS));
      megabytesByStep.push(Math.round(anonymousMegabytes(server)));
    }
    const seconds = (performance.now() - started) / 1000;
    await readErrors(server, location);
    const sent = STEPS * Math.ceil(EVENTS / EVENTS_OF_ENVELOPE / STEPS) * EVENTS_OF_ENVELOPE;
    checkSameWork('events sent and counted', sent, eventsIn(location.file, COUNTED));
    const memory = ratio(
      `memory after ${EVENTS} events`,
      'anonymous memory in megabytes',
      [anonymousMegabytes(server)],
      { atMost: 200 },
      {
        megabytesByStep,
        eventsPerSecond: rounded(EVENTS / seconds),
        bytesPerEvent: Math.round((statSync(location.file).size + statSync(`${location.file}-wal`).size) / EVENTS),
      },
    );
    const admin = { 'PRIVATE-TOKEN': token };
    await fetch(`${server.origin}/_local/clock`, {
      method: 'POST',
      headers: { ...admin, 'Content-Type': 'application/json' },
      body: JSON.stringify({ advance_seconds: 91 * 86_400 }),
    });
    const sending = new AbortController();
    const reading = (async () => {
      while (!sending.signal.aborted) {
        const response = await fetch(`${server.origin}/api/v4/projects`, { headers: admin });
        await response.arrayBuffer();
        for (const query of ['', '?search=cannot']) await readErrors(server, location, query);
        await pause(10);
      }
    })();
    const single = envelopes(BODIES);
    await sendAll(server, location, single, Number.POSITIVE_INFINITY, TOGETHER_WARM_UP);
    await Promise.all([server.measured(), idle.measured()]);
    await sendAll(server, location, single, Number.POSITIVE_INFINITY, TOGETHER);
    const [busy, quiet] = await Promise.all([server.measured(), idle.measured()]);
    sending.abort();
    await reading;
    return [
      memory,
      ratio(
        'event loop delay while events arrive and expire and lists are read',
        'event loop delay in milliseconds, p99.9, minus an idle process',
        [busy.late - quiet.late],
        { atMost: 50 },
        { longest: rounded(busy.longest), idle: rounded(quiet.late) },
      ),
    ];
  } finally {
    await server.stop();
    await idle.stop();
  }
}
