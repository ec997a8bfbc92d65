// Runs the suites of the extension host from outside. Every test of a suite is a test here, too: it has the same title, and the result
// that it had inside.
import assert from 'node:assert/strict';
import { createRequire, registerHooks } from 'node:module';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Context, Suite } from 'mocha';
import { buildHostSuites, type BuiltSuites, suiteFiles } from '../../../scripts/build-host-suite.ts';
import { MissingDependency, npmPackages, pythonPackages, pythonWith, rubyWith } from '../clientSuite.ts';
import { mochaEnvironment, testEnvironment } from '../environment.ts';
import { grepOf } from '../titles.ts';
import { HANG_LIMIT_MS } from '../until.ts';
import type { Plan, Result } from './suite/outside.ts';
import { type Editor, openEditor, RECORDER } from './vscode.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** Programs that suites start. */
const TOOLS = ['git', 'glab', 'openssl', 'python3'];
/** Milliseconds after which a test counts as hanging. */
const TIMEOUT = HANG_LIMIT_MS + 20_000;

/** Half of the suites. If suites are named, the first half has all of them. */
type Half = 'first' | 'second';

/** Declares the tests of half of the suites, and runs them in one VS Code. Must be called in the function of a `describe`. */
export function declareSuites(group: Suite, half: Half): void {
  const results = createResults();
  let running: Running | undefined;
  before(async function (this: Context) {
    // Packages may have to be installed; then VS Code starts.
    this.timeout(900_000);
    await preparePackages();
    running = await runSuites({ titles: plannedTitles(group), timeout: TIMEOUT }, results);
  });
  after(() => running?.close());

  const titleOf = (test: Pick<Mocha.Runnable, 'fullTitle'>): string => test.fullTitle().slice(group.fullTitle().length + 1);
  const declare = (title: string, test?: unknown): Mocha.Test =>
    mocha.it(
      title,
      test === undefined
        ? undefined
        : async function (this: Context) {
            this.timeout(0);
            assert.ok(this.test);
            const { state, text } = await results.of(titleOf(this.test));
            if (state === 'skipped') this.skip();
            if (state === 'failed') throw new FailureInside(text ?? 'failed');
          },
    );
  const mocha = withoutHooks(declare);
  try {
    loadSuites(half);
  } finally {
    mocha.restore();
  }
  // A suite that leaves something behind fails after its tests.
  for (const suite of group.suites) {
    suite.afterAll('reset', async () => {
      const { state, text } = await results.of(titleOf({ fullTitle: () => suite.fullTitle() }));
      if (state === 'failed') throw new FailureInside(text ?? 'failed');
    });
  }
}

/** Installs the packages that suites use. A suite whose package cannot be installed is skipped. */
async function preparePackages(): Promise<void> {
  const folder = path.join(ROOT, 'test/clients');
  for (const prepared of await Promise.allSettled([
    npmPackages(path.join(folder, 'node/sentry')),
    pythonPackages(path.join(folder, 'python/sentry/requirements.txt')),
    pythonWith(path.join(folder, 'python/requirements.txt')),
    rubyWith('ruby-gitlab', '4.17.0'),
  ]))
    if (prepared.status === 'rejected' && !(prepared.reason instanceof MissingDependency)) throw prepared.reason;
}

/** Replaces the functions that declare tests and hooks. */
function withoutHooks(declare: (title: string, test?: unknown) => Mocha.Test) {
  const { it, before: first, after: last, beforeEach: eachFirst, afterEach: eachLast } = globalThis;
  const hook = (): void => {};
  Object.assign(globalThis, { it: declare, before: hook, after: hook, beforeEach: hook, afterEach: hook });
  return {
    it,
    restore: (): void =>
      void Object.assign(globalThis, { it, before: first, after: last, beforeEach: eachFirst, afterEach: eachLast }),
  };
}

/** Loads suites with a stand-in for VS Code, which is enough to declare tests. */
function loadSuites(half: Half): void {
  const url = 'signalbox-test:vscode';
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'vscode' ? { url, format: 'commonjs', shortCircuit: true } : next(specifier, context),
    load: (wanted, context, next) =>
      wanted === url ? { format: 'commonjs', source: standIn(), shortCircuit: true } : next(wanted, context),
  });
  try {
    const require = createRequire(import.meta.url);
    for (const file of suitesOf(half)) require(path.join(ROOT, file));
  } finally {
    hooks.deregister();
  }
}

function suitesOf(half: Half): readonly string[] {
  const files = suiteFiles();
  if ((process.env['SIGNALBOX_TEST_SUITES'] ?? '') !== '') return half === 'first' ? files : [];
  return files.filter((_, index) => (index % 2 === 0) === (half === 'first'));
}

/** Returns the titles of the tests that mocha is about to run, in its order. */
function plannedTitles(group: Suite): readonly string[] {
  const pattern = grepOf(process.argv.slice(2));
  const all: Mocha.Test[] = [];
  group.eachTest((test) => void all.push(test));
  return all
    .filter((test) => pattern === undefined || pattern.test(test.fullTitle()))
    .map((test) => test.fullTitle().slice(group.fullTitle().length + 1));
}

/** Returns a module with all names of VS Code's API. Every member is a function and a class, with the same members. */
function standIn(): string {
  const types = readFileSync(createRequire(import.meta.url).resolve('@types/vscode/index.d.ts'), 'utf8');
  const names = new Set([...types.matchAll(/^\texport (?:class|enum|namespace|const|let) (\w+)/gm)].map(([, name]) => name));
  return [
    'const any = new Proxy(class {}, { get: (target, name) => (name in target ? target[name] : any), apply: () => any });',
    ...[...names].map((name) => `exports.${name} = any;`),
  ].join('\n');
}

/** Failure of a test inside the extension host, with its own stack. */
class FailureInside extends Error {
  constructor(text: string) {
    super(text.split('\n')[0]);
    this.stack = text;
  }
}

/** Results of tests and suites, which may be asked for before they exist. */
interface Results {
  readonly of: (title: string) => Promise<Result>;
  readonly add: (result: Result) => void;
  /** Ends the wait for results that have not arrived. */
  readonly end: (reason: string) => void;
}

function createResults(): Results {
  const known = new Map<string, PromiseWithResolvers<Result>>();
  let ended: string | undefined;
  const missing = (title: string): Result => ({ title, state: 'failed', text: `no result of “${title}”: ${ended}` });
  const entry = (title: string): PromiseWithResolvers<Result> => {
    const found = known.get(title) ?? Promise.withResolvers<Result>();
    known.set(title, found);
    if (ended !== undefined) found.resolve(missing(title));
    return found;
  };
  return {
    of: (title) => entry(title).promise,
    add: (result) => entry(result.title).resolve(result),
    end: (reason) => {
      ended ??= reason;
      for (const title of known.keys()) entry(title);
    },
  };
}

interface Running {
  readonly close: () => Promise<void>;
}

/** Starts VS Code, which runs the planned tests and reports their results. */
async function runSuites(plan: Plan, results: Results): Promise<Running> {
  let editor: Editor | undefined;
  let suites: BuiltSuites | undefined;
  const server = http.createServer((request, response) => {
    void respond(request).then((text) => {
      if (text !== undefined) response.end(text);
    });
  });
  async function respond(request: http.IncomingMessage): Promise<string | undefined> {
    if (request.url === '/alive') {
      request.once('close', () => results.end('the extension host has ended'));
      return undefined;
    }
    if (request.url === '/plan') return JSON.stringify(plan);
    const body: unknown = JSON.parse(await textOf(request));
    if (request.url === '/end') results.end((body as { readonly text: string }).text);
    else {
      const result = body as Result;
      if (result.state === 'failed') console.log(`screenshots: ${((await editor?.screenshot(result.title)) ?? []).join(', ')}`);
      results.add(result);
    }
    return '';
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    try {
      await editor?.close();
    } finally {
      server.close();
      server.closeAllConnections();
      suites?.[Symbol.dispose]();
    }
  };
  try {
    suites = await buildHostSuites();
    editor = await openEditor({
      extensionDevelopmentPath: suites.extension,
      testsPath: suites.testsPath,
      neighbours: [RECORDER],
      env: {
        SUITE_PLAN_ADDRESS: `http://127.0.0.1:${port}`,
        PATH: testEnvironment(TOOLS)['PATH'] ?? '',
        // Suites find programs and packages as other tests do.
        SIGNALBOX_TEST_MACHINE: mochaEnvironment()['SIGNALBOX_TEST_MACHINE'] ?? '',
      },
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

async function textOf(request: http.IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}
