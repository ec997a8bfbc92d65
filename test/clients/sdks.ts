import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import path from 'node:path';
import { build, stop } from 'esbuild';
import { makeDsn } from '../../src/contract/dsn.ts';
import { ingestReport } from '../../server/features/errorTracking/receive/ingestReport.ts';
import { latestEventOf, type TrackedError } from '../../server/features/errorTracking/read/readErrors.ts';
import type { EventLevel, TrackedEvent } from '../../server/features/errorTracking/event/trackedEvent.ts';
import { STREAM_PATH } from '../../server/features/errorTracking/receive/localStream.ts';
import { stacksOf } from '../../server/features/errorTracking/event/mainStack.ts';
import { titleOf } from '../../server/features/errorTracking/grouping/errorTitles.ts';
import { recount } from '../server/errorTracking/write/recount.ts';
import { trackedProject } from '../server/errorTracking/senders.ts';
import { type Environment, testEnvironment } from '../support/environment.ts';
import {
  clientTest,
  goProgram,
  javaClasses,
  MissingDependency,
  mavenJar,
  npmPackages,
  pythonPackages,
  rustProgram,
} from '../support/clientSuite.ts';
import { openBrowser } from '../support/host/browser.ts';
import { startTestServer } from '../support/server.ts';

const here = import.meta.dirname;
const inFolder = (...parts: readonly string[]): string => path.join(here, ...parts);

type Part = 'story' | 'crash' | 'ids';

interface Ended {
  /** True if it ended with an unhandled error. */
  readonly hasCrashed: boolean;
  readonly output: string;
}

type Play = (part: Part, dsn: string) => Promise<Ended>;

/** Command that starts a program; the part is added to the arguments. */
interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Environment;
}

/** Expected event data that differs between SDKs. */
interface Reported {
  /** Exception types of the chain, innermost cause first. */
  readonly chain: readonly string[];
  /** Titles of the error and of the crash. */
  readonly title: string;
  readonly crash: string;
  /** Names of the functions where the error was thrown, innermost last; with file names where the SDK distinguishes them. */
  readonly frames: readonly [caller: string, thrower: string];
  readonly file: string;
  /** True if the SDK's own frames follow, marked as library frames. */
  readonly hasOwnFrames?: true;
  /** Sessions of the error and of the crash; undefined if the SDK has none. */
  readonly sessions: { readonly errored: number; readonly crashed: number; readonly users?: 0 } | undefined;
  /** False by default. */
  readonly crashHandled?: undefined;
  /** `fatal` by default. */
  readonly crashLevel?: EventLevel;
  /** The exact problems that normalization finds in an event. */
  readonly problems?: readonly string[];
}

interface Sdk {
  readonly name: string;
  readonly prepare: () => Promise<Play>;
  readonly reported: Reported;
}

let installed: Promise<string> | undefined;
/** Packages of three SDKs, installed once. */
export const nodePackages = (): Promise<string> => (installed ??= npmPackages(inFolder('node/sentry')));

const node = (sdk: string) => async (): Promise<Play> => {
  const packages = await nodePackages();
  return played({
    command: process.execPath,
    args: [inFolder('node/sentry/ship.mjs'), path.join(packages, 'package.json'), sdk],
  });
};

const python = (requirements: string) => async (): Promise<Play> => {
  const packages = await pythonPackages(inFolder('python/sentry', requirements));
  const env = { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' };
  return played({ command: 'python3', args: [inFolder('python/sentry/ship.py')], env });
};

const go = (modules?: string) => async (): Promise<Play> =>
  played({ command: await goProgram(inFolder('go/sentry'), modules), args: [] });

/** Serves pages of another origin to a browser. */
async function browser(): Promise<Play> {
  const packages = await nodePackages();
  const { outputFiles } = await build({
    entryPoints: [inFolder('node/sentry/page.js')],
    bundle: true,
    write: false,
    nodePaths: [path.join(packages, 'node_modules')],
    logLevel: 'silent',
  });
  const script = outputFiles[0]?.text ?? '';
  return (part, dsn) => showPage(script, { part, dsn });
}

/** Opens a page with a script, at `/page.js`, in a browser, and waits until its title is `sent`. */
export async function showPage(script: string, parameters: Readonly<Record<string, string>>): Promise<Ended> {
  const pages = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('Content-Type', `${isScript ? 'text/javascript' : 'text/html'}; charset=utf-8`);
    response.end(isScript ? script : '<!doctype html><title>Ship</title><script src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  const address = pages.address();
  assert.ok(address !== null && typeof address === 'object');
  const chromium = await openBrowser();
  try {
    const page = await chromium.newPage();
    const output: string[] = [];
    let hasCrashed = false;
    page.on('console', (message) => output.push(message.text()));
    page.on('pageerror', () => {
      hasCrashed = true;
    });
    await page.goto(`http://127.0.0.1:${address.port}/?${new URLSearchParams(parameters)}`);
    await page.waitForFunction(() => document.title === 'sent');
    return { hasCrashed, output: output.join('\n') };
  } finally {
    await chromium.close();
    pages.close();
  }
}

const java = (program: string, artifacts: readonly string[]) => async (): Promise<Play> => {
  const jars: string[] = [];
  for (const artifact of artifacts) jars.push(await mavenJar(artifact));
  const libraries = jars.join(path.delimiter);
  const classes = await javaClasses(inFolder(`java/${program}.java`), libraries);
  return played({ command: 'java', args: ['-cp', [classes, libraries].join(path.delimiter), program] });
};

/** The last release of the former SDK, with the libraries that it needs. */
const formerJava = ['io.sentry:sentry:1.7.30', 'com.fasterxml.jackson.core:jackson-core:2.10.0', 'org.slf4j:slf4j-api:1.7.24'];

const rust = async (): Promise<Play> =>
  played({ command: await rustProgram(inFolder('rust'), 'ship'), args: [], env: { RUST_BACKTRACE: '0' } });

const sdks: readonly Sdk[] = [
  ...['@sentry/node', 'sentry-node-8'].map((name) => ({
    name,
    prepare: node(name),
    reported: {
      chain: ['RangeError', 'Error'],
      title: 'Error: cannot steer',
      crash: 'TypeError: the hull leaks',
      frames: ['sail', 'steer'] as const,
      file: 'ship.mjs',
      sessions: { errored: 1, crashed: 1 },
    },
  })),
  ...(
    [
      ['sentry-sdk', 'requirements.txt'],
      ['sentry-sdk 1', 'requirements-1.txt'],
    ] as const
  ).map(([name, requirements]) => ({
    name,
    prepare: python(requirements),
    reported: {
      chain: ['LookupError', 'ValueError'],
      title: 'ValueError: cannot steer',
      crash: 'TypeError: the hull leaks',
      crashLevel: 'error' as const,
      frames: ['sail', 'steer'] as const,
      file: 'ship.py',
      sessions: { errored: 1, crashed: 1 },
    },
  })),
  ...([['sentry-go'], ['sentry-go 0.20, which sends to the store', 'store']] as const).map(([name, modules]) => ({
    name,
    prepare: go(modules),
    reported: {
      chain: ['main.calm', '*fmt.wrapError'],
      title: '*fmt.wrapError: cannot steer: no wind',
      crash: 'main.leak: the hull leaks',
      crashHandled: undefined,
      frames: ['sail', 'steer'] as const,
      file: 'main.go',
      sessions: undefined,
    },
  })),
  {
    name: '@sentry/browser in Chromium',
    prepare: browser,
    reported: {
      chain: ['RangeError', 'Error'],
      title: 'Error: cannot steer',
      crash: 'TypeError: the hull leaks',
      crashLevel: 'error',
      frames: ['sail', 'steer'] as const,
      file: 'page.js',
      // A page continues after an unhandled error: such a session is `unhandled`.
      sessions: { errored: 2, crashed: 0 },
      // The address of the page contains the DSN, and thus a client key.
      problems: ['{"name":"request.url","type":"scrubbed"}'],
    },
  },
  {
    name: 'io.sentry:sentry',
    prepare: java('Ship', ['io.sentry:sentry:8.20.0']),
    reported: {
      chain: ['ArithmeticException', 'IllegalStateException'],
      title: 'IllegalStateException: cannot steer',
      crash: 'UnsupportedOperationException: the hull leaks',
      frames: ['sail', 'steer'] as const,
      file: 'Ship.java',
      sessions: { errored: 1, crashed: 1, users: 0 },
    },
  },
  {
    name: 'io.sentry:sentry 1.7, which uses former names',
    prepare: java('FormerShip', formerJava),
    reported: {
      chain: ['ArithmeticException', 'IllegalStateException'],
      title: 'IllegalStateException: cannot steer',
      crash: 'UnsupportedOperationException: the hull leaks',
      crashHandled: undefined,
      frames: ['sail', 'steer'] as const,
      file: 'FormerShip.java',
      sessions: undefined,
    },
  },
  {
    name: 'sentry of Rust',
    prepare: rust,
    reported: {
      chain: ['Calm', 'CannotSteer'],
      title: 'CannotSteer: cannot steer',
      crash: 'panic: the hull leaks',
      frames: ['ship::sail', 'ship::steer'] as const,
      file: 'main.rs',
      hasOwnFrames: true,
      sessions: { errored: 1, crashed: 1 },
    },
  },
];

/** SDKs that are downloaded and built quickly, beside `@sentry/node`. */
export const quickSdks: readonly string[] = [
  'sentry-sdk',
  'sentry-go',
  '@sentry/browser in Chromium',
  'io.sentry:sentry 1.7, which uses former names',
];

/** Declares tests with real errors of the selected SDKs. */
export function sdkTests(wanted: (name: string) => boolean): void {
  const chosen = sdks.filter(({ name }) => wanted(name));
  const prepared = new Map<Sdk, Promise<Play>>();
  // All wait for their registries and compilers at the same time.
  before(() => {
    for (const sdk of chosen) {
      const play = sdk.prepare();
      play.catch(() => undefined);
      prepared.set(sdk, play);
    }
  });

  after(stop);
  for (const sdk of chosen) {
    clientTest(
      `errors, messages and crashes are received from ${sdk.name}`,
      () => prepared.get(sdk) ?? sdk.prepare(),
      (play) => verify(play, sdk.reported),
    );
  }
}

/** Declares the test of an SDK that sends a copy of everything to `/stream`, or sends only there. */
export function spotlightTest(): void {
  clientTest(
    'events are received from @sentry/node with the option spotlight, once each, with and without a DSN',
    nodePackages,
    async (packages) => {
      await using server = await startTestServer();
      const { platform } = server;
      const program = {
        command: process.execPath,
        args: [inFolder('node/sentry/ship.mjs'), path.join(packages, 'package.json'), '@sentry/node'],
        env: { SHIP_SPOTLIGHT: `${server.origin}${STREAM_PATH}` },
      };
      for (const hasDsn of [false, true]) {
        const project = trackedProject(server);
        const json = { error_tracking_stream_project_id: project.id };
        await server.request('PUT', '/api/v4/application/settings', { token: server.adminToken, json });
        const { output } = await played(program)('story', hasDsn ? makeDsn(server.origin, project.key, project.id) : '');
        const errors = await project.errors();
        const titles = errors.map(({ title }) => title.replace(/lamp .* stays/, 'lamp stays')).toSorted();
        assert.deepEqual(titles, ['Error: cannot steer', 'lamp stays dark'], output);
        assert.deepEqual(errors.map(({ event_count: events, user_count: users }) => [events, users]).toSorted(), [
          [1, 1],
          [2, 1],
        ]);
        const { accepted, repeated, refused } = ingestReport(platform, project.id).counts;
        const events = [accepted, repeated].map((rows) => rows.find(({ name }) => name === 'event')?.quantity);
        assert.deepEqual(events, [3, hasDsn ? 3 : undefined]);
        assert.deepEqual(refused, []);
      }
      recount(platform);
    },
  );
}

/** Declares the test of task groups of Python, which exist from 3.11 on. */
export function taskGroupTest(): void {
  clientTest('task groups of Python with the same kinds of failures are one error', taskGroups, async (play) => {
    await using server = await startTestServer();
    const project = trackedProject(server);
    const { output } = await play('story', makeDsn(server.origin, project.key, project.id));
    assert.deepEqual(
      (await project.errors()).map(({ title, event_count: events }) => [title, events]).toSorted(),
      [
        ['ExceptionGroup: unhandled errors in a TaskGroup', 3],
        ["KeyError: 'anchor'", 3],
      ],
      output,
    );
  });
}

/** 64-bit IDs that a double rounds to two numbers. */
const longIds = ['1234567890123456700', '1234567890123456788', '1234567890123456789'];

/** Declares the test of 64-bit IDs of a program that sends them with three events of one error. */
function longIdsTest(sdk: string, prepare: () => Promise<Play>): void {
  clientTest(`64-bit IDs from ${sdk} are different users and have all digits`, prepare, async (play) => {
    await using server = await startTestServer();
    const project = trackedProject(server);
    const { output } = await play('ids', makeDsn(server.origin, project.key, project.id));
    const [error, ...others] = await project.errors();
    assert.deepEqual([others.length, error?.event_count, error?.user_count], [0, 3, 3], output);
    const path_ = `/api/v4/projects/${project.id}/error_tracking/errors/${error?.fingerprint}/events`;
    const events = (await server.request('GET', path_, { token: project.owner.token })).json() as readonly ShownEvent[];
    const shown = events.map(({ payload: { user, tags, extra, contexts } }) => [
      user.id,
      tags.find(({ key }) => key === 'guild')?.value,
      // The SDK of Go has no extra data any more.
      sdk === 'sentry-go' ? user.id : extra.find(({ name }) => name === 'order')?.value,
      contexts.find(({ name }) => name === 'order')?.value,
    ]);
    for (const [index, id] of longIds.entries()) {
      // Node sends `[BigInt: 1234567890123456789]`.
      const texts = shown.map((one) => one.map((text) => /\d{19}/.exec(text ?? '')?.[0])).toSorted()[index];
      assert.deepEqual(texts, [id, id, id, id], JSON.stringify(shown));
    }
  });
}

interface ShownEvent {
  readonly payload: {
    readonly user: { readonly id: string };
    readonly tags: readonly { readonly key: string; readonly value: string }[];
    readonly extra: readonly { readonly name: string; readonly value: string }[];
    readonly contexts: readonly { readonly name: string; readonly value: string }[];
  };
}

export function nodeIdsTest(): void {
  longIdsTest('@sentry/node', async () => {
    const packages = await nodePackages();
    return played({
      command: process.execPath,
      args: [inFolder('node/sentry/ids.mjs'), path.join(packages, 'package.json')],
    });
  });
}

export function goIdsTest(): void {
  longIdsTest('sentry-go', go());
}

const spring = ['core', 'jcl', 'aop', 'beans'].map((name) => `org.springframework:spring-${name}:5.3.39`);

/** Declares the test of a program whose own functions are called by Spring, and call it. */
export function springTest(): void {
  clientTest(
    'long stacks of Spring around a few application frames are told apart by these',
    java('Harbour', ['io.sentry:sentry:8.20.0', ...spring]),
    async (play) => {
      await using server = await startTestServer();
      const project = trackedProject(server);
      const { output } = await play('story', makeDsn(server.origin, project.key, project.id));
      const errors = await project.errors();
      assert.deepEqual(
        errors.map(({ event_count: events }) => events),
        [2, 2],
        output,
      );
      const callers: (string | undefined)[] = [];
      for (const error of errors) {
        assert.equal(error.culprit, 'find (Harbour)');
        const frames = latestEventOf(server.platform, error)?.event.exceptions[0]?.frames ?? [];
        // The stack has about 130 frames, of which the SDK sends the innermost 100.
        assert.equal(frames.length, 100);
        const own = frames.filter(({ inApp }) => inApp).map((frame) => frame.function ?? '');
        assert.match(own.join(), /^lambda\$main\$\d,(?:load|unload),find$/);
        callers.push(own[1]);
        for (const end of [frames.slice(0, 25), frames.slice(-60)])
          assert.ok(
            end.every(
              ({ module }) =>
                module?.startsWith('org.springframework.') === true ||
                module?.startsWith('jdk.') === true ||
                module?.startsWith('java.') === true,
            ),
          );
      }
      assert.deepEqual(callers.toSorted(), ['load', 'unload']);
    },
  );
}

async function taskGroups(): Promise<Play> {
  const packages = await pythonPackages(inFolder('python/sentry/requirements.txt'));
  const env = { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' };
  const version = await played({ command: 'python3', args: ['-c', 'import asyncio; asyncio.TaskGroup'], env })('story', '');
  if (version.hasCrashed) throw new MissingDependency('needs Python 3.11');
  return played({ command: 'python3', args: [inFolder('python/sentry/fleet.py')], env });
}

async function verify(play: Play, reported: Reported): Promise<void> {
  await using server = await startTestServer();
  const project = trackedProject(server);
  const { platform } = server;
  const dsn = makeDsn(server.origin, project.key, project.id);
  const [story, crash] = await Promise.all([play('story', dsn), play('crash', dsn)]);
  assert.deepEqual([story.hasCrashed, crash.hasCrashed], [false, true], story.output);
  const output = `${story.output}\n${crash.output}`;
  const errors = await project.errors();
  const events = new Map(errors.map((error) => [error.title, eventOf(error)]));
  function eventOf(error: TrackedError): TrackedEvent {
    const latest = latestEventOf(platform, error);
    assert.ok(latest);
    return latest.event;
  }
  const message = errors.find(({ title }) => /^lamp .* stays dark$/.test(title));
  assert.deepEqual(
    errors.map(({ title }) => title).toSorted(),
    [reported.title, reported.crash, message?.title ?? 'a message'].toSorted(),
    output,
  );
  // Messages that differ only in their parameters are one error.
  assert.equal(message?.event_count, 2);

  assert.ok(errors.find(({ title }) => title === reported.title)?.culprit.includes(reported.frames[1]));
  // The SDK is never the culprit, also of a panic and of a message.
  for (const { culprit } of errors) assert.doesNotMatch(culprit, /capture|event_from_panic_info|build_msg/i);
  const error = events.get(reported.title);
  assert.ok(error);
  assert.equal(titleOf(error), reported.title);
  assert.deepEqual(
    error.exceptions.map(({ type }) => type),
    reported.chain,
  );
  const [{ frames: all } = { frames: [] }] = stacksOf(error);
  const frames = reported.hasOwnFrames === true ? all.slice(0, all.findLastIndex(({ inApp }) => inApp) + 1) : all;
  assert.equal(all.length > frames.length, reported.hasOwnFrames === true);
  assert.deepEqual(
    frames.slice(-2).map((frame) => frame.function),
    reported.frames,
  );
  assert.equal(frames.at(-1)?.inApp, true);
  assert.equal(path.basename(frames.at(-1)?.filename ?? frames.at(-1)?.absPath ?? ''), reported.file);
  assert.ok(
    error.breadcrumbs.some(({ message: text, category }) => text === 'lamp 7 switched on' && category === 'lamp'),
    JSON.stringify(error.breadcrumbs),
  );
  const fallen = events.get(reported.crash);
  assert.ok(fallen);
  assert.equal(fallen.level, reported.crashLevel ?? 'fatal');
  assert.equal(fallen.exceptions.at(-1)?.mechanism?.handled, 'crashHandled' in reported ? reported.crashHandled : false);
  for (const event of events.values()) {
    assert.deepEqual([event.appRelease, event.environment, event.tags.get('deck')], ['ship@1.2.3', 'harbour', 'upper']);
    assert.deepEqual([event.user?.id, event.user?.email], ['7', 'ann@example.com']);
    assert.deepEqual(
      event.problems.map((problem) => JSON.stringify(problem)),
      reported.problems ?? [],
    );
  }
  assert.deepEqual(
    errors.map((one) => [one.user_count, one.first_release]),
    errors.map(() => [1, 'ship@1.2.3']),
  );

  const path_ = `/api/v4/projects/${project.id}/error_tracking/releases?environment=harbour`;
  const response = await server.request('GET', path_, { token: project.owner.token });
  const [release] = response.json() as { sessions: Record<string, number>; users: Record<string, number> }[];
  const { sessions } = reported;
  assert.deepEqual(
    [release?.sessions['total'], release?.sessions['errored'], release?.sessions['crashed'], release?.sessions['healthy']],
    sessions === undefined ? [0, 0, 0, 0] : [sessions.errored + sessions.crashed, sessions.errored, sessions.crashed, 0],
  );
  const users = sessions === undefined ? 0 : (sessions.users ?? 1);
  assert.deepEqual([release?.users['total'], release?.users['crashed']], [users, sessions?.crashed === 0 ? 0 : users]);
  assert.deepEqual(ingestReport(platform, project.id).counts.discarded, []);
  recount(platform);
}

/** Runs a program to its end. */
function played({ command, args, env = {} }: Program): Play {
  return (part, dsn) =>
    new Promise((resolve) => {
      const options = { env: testEnvironment(['python3', 'java'], { ...env, SHIP_DSN: dsn }), timeout: 60_000 };
      execFile(command, [...args, part], options, (error, stdout, stderr) => {
        resolve({ hasCrashed: error !== null, output: `${stdout}${stderr}` });
      });
    });
}
