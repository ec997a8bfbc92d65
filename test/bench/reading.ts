import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { serialize } from 'node:v8';
import { type Costs, costsOf, type Profiled } from './costs.ts';
import { checkSameWork, cpuOf, type Limit, load, median, type Ratio, ratio, rounded, type Subject } from './harness.ts';
import type { RecordedStatement } from './recordStatements.ts';
import { slower, slowness } from './slowness.ts';

const ROUNDS = 5;
const SECONDS = 2;

/** Work of the bare server for a request. */
export interface RecordedRead {
  readonly statements: readonly RecordedStatement[];
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** The recorded reads by path with query. */
export type RecordedReads = Readonly<Record<string, RecordedRead>>;

/** A request whose cost is compared. */
export interface Read {
  readonly name: string;
  /** Path with query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of rows of a list; undefined for a single object. */
  readonly rows?: number;
  readonly limit: Limit;
}

/** The same server twice, and a bare server that sends its responses. */
export interface Sides {
  readonly server: Subject;
  /** Server with the same data, from whose profile the parts of the cost are taken. */
  readonly profiled: Profiled;
  readonly bare: Subject;
}

/** Headers that differ from response to response, or that Node adds to both. */
const ownHeaders = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'etag']);

interface Response {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function send({ origin }: Subject, { target, headers }: Pick<Read, 'target' | 'headers'>): Promise<Response> {
  const response = await fetch(`${origin}${target}`, { headers });
  return { status: response.status, text: await response.text(), headers: Object.fromEntries(response.headers) };
}

/** Returns what the bare server has to send for a request, from a response of the server. */
export async function recordedRead(
  server: Subject,
  read: Read,
  statements: readonly RecordedStatement[] = [],
): Promise<readonly [target: string, read: RecordedRead]> {
  const { status, text, headers } = await send(server, read);
  if (status !== 200) throw new Error(`${read.target} returned ${status}: ${text.slice(0, 200)}`);
  const value: unknown = JSON.parse(text);
  const rows = Array.isArray(value) ? value.length : undefined;
  if (rows !== read.rows) throw new Error(`${read.target} returned ${rows} rows instead of ${read.rows}`);
  const sent = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
  return [read.target, { statements, value, headers: Object.fromEntries(sent) }];
}

/** Returns the arguments of Node with which a server takes longer for one of the requests (`npm run bench -- NAME --slow`). */
export function slowerReads(reads: readonly Pick<Read, 'target'>[]): readonly string[] {
  const rules = reads.map(({ target }, position) => ({
    requests: `^${target.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`,
    factor: slowness(position),
  }));
  return slower(...rules);
}

/** Returns the arguments of Node for a bare server that does the recorded work. Statements are run in the database file. */
export function bareArguments(folder: string, reads: RecordedReads, databaseFile?: string): readonly string[] {
  const file = path.join(folder, 'recording');
  writeFileSync(file, serialize(reads));
  return [path.join(import.meta.dirname, 'bareReads.ts'), file, ...(databaseFile === undefined ? [] : [databaseFile])];
}

/** Throws unless both sides send the same response: status, headers and every byte of the body. Only the request id differs. */
async function checkSameResponse({ server, bare }: Sides, read: Read): Promise<void> {
  const compared = async (side: Subject): Promise<unknown> => {
    const { status, text, headers } = await send(side, read);
    const { date: _date, 'x-request-id': id, ...others } = headers;
    return { status, text, others, hasId: id !== undefined };
  };
  checkSameWork(`response to ${read.target}`, await compared(server), await compared(bare));
}

/** Resolves once a server does nothing any more, such as work that is left from its data. */
export async function untilQuiet({ child }: Subject): Promise<void> {
  for (;;) {
    const before = cpuOf(child.pid) ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 500));
    if ((cpuOf(child.pid) ?? 0) - before < 10_000) return;
  }
}

/** Compares the processor time of a request with that of the bare server, and prints what the parts of the request cost. */
export async function comparedWithBare(sides: Sides, read: Read, of: string): Promise<Ratio> {
  const { server, profiled, bare } = sides;
  const { name, target, headers, limit } = read;
  await checkSameResponse(sides, read);
  const rounds: { server: Awaited<ReturnType<typeof load>>; bare: Awaited<ReturnType<typeof load>> }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const isServerFirst = round % 2 === 0;
    const first = await load(isServerFirst ? server : bare, target, headers, SECONDS);
    const second = await load(isServerFirst ? bare : server, target, headers, SECONDS);
    rounds.push(isServerFirst ? { server: first, bare: second } : { server: second, bare: first });
  }
  const serverMicroseconds = median(rounds.map((round) => round.server.perRequest));
  const costs: Costs = costsOf(await sharesOfLoad(profiled, target, headers), serverMicroseconds);
  return ratio(
    name,
    of,
    rounds.map((round) => round.bare.perRequest / round.server.perRequest),
    limit,
    {
      serverMicroseconds: rounded(serverMicroseconds),
      bareMicroseconds: rounded(median(rounds.map((round) => round.bare.perRequest))),
      serverP99Milliseconds: rounded(median(rounds.map((round) => round.server.p99))),
      microseconds: costs,
    },
  );
}

async function sharesOfLoad(profiled: Profiled, target: string, headers: Read['headers']): Promise<Costs> {
  await load(profiled, target, headers, 1);
  await profiled.shares();
  await load(profiled, target, headers, 1);
  return await profiled.shares();
}
