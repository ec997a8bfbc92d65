import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Ratio } from './harness.ts';

/** Smallest share of its limit that a measurement counts as, so that one near zero does not ask for a product that is endlessly slow. */
const SMALLEST_SHARE = 0.01;

let factors: readonly number[] | number = 1;

/** Makes the product slower for the next measurements: by one factor, or by one for each result of a benchmark. */
export function setSlowness(wanted: readonly number[] | number): void {
  factors = wanted;
}

/**
 * Returns how many times as long the product takes for the result at this position in those of a benchmark. A benchmark applies it to the
 * work that it measures, never to the result.
 */
export function slowness(position = 0): number {
  return typeof factors === 'number' ? factors : (factors[position] ?? 1);
}

/** Returns the factor that makes the product slower by twice the margin between a result and its limit. */
export function twiceTheMargin({ median, limit }: Ratio): number {
  const margin = 'atLeast' in limit ? median / limit.atLeast : limit.atMost / Math.max(median, limit.atMost * SMALLEST_SHARE);
  return 1 + 2 * Math.max(0, margin - 1);
}

/** Requests of a server, and what makes them slower (slower.mjs). */
interface SlowRequests {
  /** Pattern of the address or of the header `X-Bench`. All requests by default. */
  readonly requests?: string;
  readonly factor: number;
  readonly by?: 'work' | 'everything' | 'time' | 'waiting';
}

/** Returns the arguments of Node that make a server slower; none if it is to be as fast as it is. */
export function slower(...all: readonly SlowRequests[]): readonly string[] {
  const rules = all
    .filter(({ factor }) => factor !== 1)
    .map(({ requests = '', factor, by = 'work' }) => ({ requests, factor, by }));
  return rules.length === 0 ? [] : [preload('slower.mjs', { rules: JSON.stringify(rules) })];
}

/** Factors by which a server and its git processes take more memory (larger.mjs). */
interface LargerMemory {
  readonly factor?: number;
  readonly gitFactor?: number;
  /** Header `X-Bench` of the request from which on memory is larger. From the start by default. */
  readonly from?: string;
}

/** Returns the arguments of Node that make a server and its git processes take more memory; none if all factors are 1. */
export function larger(rules: readonly LargerMemory[], memory: 'anonymous' | 'live' = 'anonymous'): readonly string[] {
  if (rules.every(({ factor = 1, gitFactor = 1 }) => factor === 1 && gitFactor === 1)) return [];
  return [preload('larger.mjs', { rules: JSON.stringify(rules), memory })];
}

function preload(name: string, parameters: Readonly<Record<string, string>>): string {
  const address = pathToFileURL(path.join(import.meta.dirname, name));
  address.search = String(new URLSearchParams(parameters));
  return `--import=${address.href}`;
}

/** Milliseconds that the extension computes in addition (slowerExtension.mjs). */
interface SlowParts {
  readonly rows?: number;
  readonly keys?: number;
  readonly edits?: number;
}

/** Extension that can be made slower while it runs. */
export interface SlowExtension {
  /** Arguments of Node for VS Code's server. */
  readonly nodeArguments: readonly string[];
  readonly slow: (parts: SlowParts) => void;
}

/** Returns what makes the extension slower; nothing if no factor is above 1. The folder keeps how much slower. */
export function slowExtension(folder: string, ...all: readonly number[]): SlowExtension {
  if (all.every((factor) => factor === 1)) return { nodeArguments: [], slow: () => undefined };
  const file = path.join(folder, 'slow.json');
  const slow = (parts: SlowParts): void => writeFileSync(file, JSON.stringify(parts));
  slow({});
  return { nodeArguments: [preload('slowerExtension.mjs', { file })], slow };
}

/** Runs a part of the product in this thread, and computes until it has taken `factor` times as long. */
export function slowly<T>(factor: number, work: () => T): T {
  const started = performance.now();
  const result = work();
  lengthen(started, factor);
  return result;
}

/** Runs a part of the product, and computes until it has taken `factor` times as long. */
export async function slowlyAsync<T>(factor: number, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  lengthen(started, factor);
  return result;
}

/** Computes until `factor` times as much time has passed since `started`. */
export function lengthen(started: number, factor: number): void {
  const until = started + (performance.now() - started) * factor;
  while (performance.now() < until);
}
