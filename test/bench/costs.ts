import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { testEnvironment } from '../support/environment.ts';
import { DIST } from '../support/serverProcess.ts';
import { rounded, type Subject } from './harness.ts';

/** Parts of the work of a request, by the functions in which the processor time is spent. */
const parts = ['sql', 'checks', 'presenting', 'json', 'rest'] as const;

type Part = (typeof parts)[number];

/** Processor time of the main thread of a server per request in microseconds, by part. */
export type Costs = Readonly<Record<Part, number>>;

/** A built server whose processor time is profiled. */
export interface Profiled extends Subject {
  /** Returns the share of each part in the processor time since the last call. */
  shares(): Promise<Costs>;
}

const module = pathToFileURL(path.join(import.meta.dirname, 'profiled.mjs')).href;

/** Starts the built server with a profile of its processor time, which slows it down: only the shares of the parts are meaningful. */
export async function startProfiled(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Profiled> {
  const child: ChildProcess = spawn(process.execPath, ['--import', module, path.join(DIST, 'server.js'), ...args], {
    env: testEnvironment(['git'], env),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  if (child.stdout === null) throw new Error('the process has no standard output');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { origin } = JSON.parse(line) as { origin: string };
  const sources = builtSources();
  return {
    child,
    origin,
    shares: async () => {
      const profile = once(child, 'message');
      child.send({});
      return sharesOf(((await profile) as [Profiler.Profile])[0], sources);
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

/** Returns the microseconds of each part of a request that takes `total` microseconds. */
export function costsOf(shares: Costs, total: number): Costs {
  return Object.fromEntries(parts.map((part) => [part, rounded(shares[part] * total)])) as Record<Part, number>;
}

/** Returns the source file of a function of the bundle, relative to the repository; undefined for packages and Node. */
type SourceOf = (frame: Profiler.Profile['nodes'][number]['callFrame']) => string | undefined;

function builtSources(): SourceOf {
  const map = new TraceMap(readFileSync(path.join(DIST, 'running.js.map'), 'utf8'));
  const root = path.join(DIST, '..');
  return ({ url, lineNumber, columnNumber }) => {
    if (!url.endsWith('/dist/running.js') || lineNumber < 0 || columnNumber < 0) return undefined;
    const { source } = originalPositionFor(map, { line: lineNumber + 1, column: columnNumber });
    return source === null ? undefined : path.relative(root, path.resolve(DIST, source)).replaceAll('\\', '/');
  };
}

/** Files of parameters, credentials and permissions. Frames of the handlers are never below theirs. */
const checks =
  /^server\/(?:http\/(?:params|input|credentials|authentication|bodyReceiver|rateLimits|combinations)|httpParts|features\/(?:authentication|abilities|personalTokens|accountRules|oauth|jobTokens|projectAccess\/access|projectAccess\/store|groups\/access)\b)/;

/** Files that find a project or group and call the handler. */
const wrappers = /^server\/features\/(?:projectAccess|groups|code|registry|issues)\/(?:containerRoute|route)\.ts$/;

/** Returns the part to which a function belongs, given the files of it and of its callers, innermost first. */
function partOf(files: readonly string[]): Part {
  if (files.some((file) => file.startsWith('server/store/'))) return 'sql';
  if (files.includes('server/http/requestContext.ts')) return 'json';
  if (files.some((file) => checks.test(file))) return 'checks';
  const feature = files.find((file) => file.startsWith('server/features/'));
  if (feature === undefined) return 'rest';
  return wrappers.test(feature) ? 'checks' : 'presenting';
}

function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile, sourceOf: SourceOf): Costs {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const partOfNode = new Map<number, Part | undefined>();
  for (const { id, callFrame } of nodes) {
    const files: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) {
      const node = known.get(at);
      const file = node === undefined ? undefined : sourceOf(node.callFrame);
      if (file !== undefined) files.push(file);
    }
    partOfNode.set(id, callFrame.functionName === '(idle)' ? undefined : partOf(files));
  }
  const times = new Map<Part, number>();
  for (const [index, id] of samples.entries()) {
    const part = partOfNode.get(id);
    if (part !== undefined) times.set(part, (times.get(part) ?? 0) + Math.max(0, timeDeltas[index] ?? 0));
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  if (total === 0) throw new Error('the profile is empty');
  return Object.fromEntries(parts.map((part) => [part, (times.get(part) ?? 0) / total])) as Record<Part, number>;
}
