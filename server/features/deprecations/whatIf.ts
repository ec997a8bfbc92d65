import {
  type DeprecationId,
  deprecationIds,
  deprecationOf,
  isDeprecationId,
  stateIn,
} from '../../../src/contract/deprecations.ts';
import type { Release } from '../../../src/contract/releases.ts';
import { conflict } from '../../core/errors.ts';
import { findUser } from '../users/users.ts';
import { issuePersonalToken } from '../personalTokens/personalTokens.ts';
import { type Difference, differencesOf } from './differences.ts';
import { REPORT_PATH } from '../../http/deprecationHeaders.ts';
import type { RecordedRead } from '../../http/httpParts.ts';
import type { DeprecationsCore } from './deprecationsCore.ts';
import type { OpenReplica, Replica, ReplicaResponse } from './replica.ts';
import { listCalls } from './store.ts';

/** A read in the current release and in another one. */
export interface ReplayedRead {
  readonly request: string;
  /** Username; null for an anonymous read. */
  readonly user: string | null;
  readonly status_before: number;
  readonly status_after: number;
  /** Differences of the bodies, if both responses succeed, and of the relations of `Link`. */
  readonly differences: readonly Difference[];
  readonly deprecations: readonly DeprecationId[];
}

/** A call of a deprecated element that is no read, and what another release does with it. */
export interface JudgedWrite {
  readonly request: string;
  readonly deprecation: DeprecationId;
  readonly outcome: string;
}

export interface WhatIf {
  readonly release: Release;
  readonly requests: readonly ReplayedRead[];
  readonly writes: readonly JudgedWrite[];
}

/** Maximum number of judged writes. */
const MAX_WRITES = 500;

const running = new WeakSet<DeprecationsCore>();

/**
 * Sends the recorded reads again, as their users, to a copy of the server in the current and in another release, and judges the recorded
 * writes by the registry. `userId` limits both to those of a user.
 *
 * @throws {Refused} While another one runs, and if the database is too large.
 */
export async function whatIf(
  core: DeprecationsCore,
  openReplica: OpenReplica,
  { release, userId, baseUrl }: { readonly release: Release; readonly userId: number | undefined; readonly baseUrl: string },
): Promise<WhatIf> {
  if (running.has(core)) throw conflict('Another replay is running');
  running.add(core);
  try {
    core.deprecatedCalls.flush();
    const reads = core.recordedReads.list(userId);
    const requests = reads.length === 0 ? [] : await replayed(openReplica, { reads, release, baseUrl });
    return { release, requests, writes: judgedWrites(core, release, userId) };
  } finally {
    running.delete(core);
  }
}

async function replayed(
  openReplica: OpenReplica,
  { reads, release, baseUrl }: { readonly reads: readonly RecordedRead[]; readonly release: Release; readonly baseUrl: string },
): Promise<readonly ReplayedRead[]> {
  using replica = openReplica(baseUrl);
  const current = replica.core.profile;
  const known = reads.filter(({ userId }) => userId === undefined || findUser(replica.core, userId) !== undefined);
  const tokenOf = await issueTokens(replica, known);
  const send = (read: RecordedRead): Promise<ReplicaResponse> =>
    replica.send({
      method: read.method,
      path: read.query === '' ? read.path : `${read.path}?${read.query}`,
      token: tokenOf(read),
      body: read.body,
    });
  const before: (readonly [RecordedRead, ReplicaResponse, ReplicaResponse])[] = [];
  for (const read of known) before.push([read, await send(read), await send(read)]);
  replica.emulation.change({ ...current, release });
  const results: ReplayedRead[] = [];
  for (const [read, first, second] of before) {
    const after = await send(read);
    const differences = comparedResponses(first, second, after);
    const changed = deprecationIds.filter((id) => stateIn(id, current.release) !== stateIn(id, release));
    results.push({
      request: nameOf(read),
      user: read.userId === undefined ? null : (findUser(replica.core, read.userId)?.username ?? null),
      status_before: first.status,
      status_after: after.status,
      differences,
      deprecations: [
        ...new Set([
          ...linkedDeprecations(first),
          ...linkedDeprecations(after),
          ...changed.filter((id) => isNamed(id, differences)),
        ]),
      ],
    });
  }
  return results;
}

/**
 * Issues a token in the copy for each user and each set of scopes, and uses it, before any read can list it with the time of its last use.
 * Returns a function that finds the token of a read.
 */
async function issueTokens(
  { core, send }: Replica,
  reads: readonly RecordedRead[],
): Promise<(read: RecordedRead) => string | undefined> {
  const known = new Map<string, string>();
  const keyOf = ({ userId, scopes }: RecordedRead): string => JSON.stringify([userId, scopes]);
  for (const read of reads) {
    const user = read.userId === undefined ? undefined : findUser(core, read.userId);
    if (user === undefined || known.has(keyOf(read))) continue;
    const { token } = issuePersonalToken(core, user, { name: 'Replay', scopes: read.scopes, expiresAt: null });
    await send({ method: 'GET', path: '/api/v4/version', token, body: undefined });
    known.set(keyOf(read), token);
  }
  return (read) => known.get(keyOf(read));
}

function nameOf({ method, path, query, body }: RecordedRead): string {
  const address = `${method} ${path}${query === '' ? '' : `?${query}`}`;
  return body === undefined ? address : `${address} ${body}`;
}

/** Returns the differences that are due to the release: without those between two responses in the same release. */
function comparedResponses(first: ReplicaResponse, second: ReplicaResponse, after: ReplicaResponse): readonly Difference[] {
  if (first.status >= 400 || after.status >= 400) return [];
  const [one, other, next] = [jsonOf(first), jsonOf(second), jsonOf(after)];
  const varying = new Set(differencesOf(one, other).map(({ path }) => path));
  const differences = differencesOf(one, next).filter(({ path }) => !varying.has(path));
  const [links, nextLinks] = [relationsOf(first), relationsOf(after)];
  return links === nextLinks ? differences : [...differences, { path: 'Link', before: links, after: nextLinks, count: 1 }];
}

function jsonOf({ text }: ReplicaResponse): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the relations of pages in the header `Link`, or null if there are none. */
function relationsOf({ headers }: ReplicaResponse): string | null {
  const relations = [...(headers['link'] ?? '').toString().matchAll(/; rel="(\w+)"/g)].map(([, relation = '']) => relation);
  const pages = [...new Set(relations)].filter((relation) => relation !== 'deprecation');
  return pages.length === 0 ? null : pages.join(', ');
}

function linkedDeprecations({ headers }: ReplicaResponse): readonly DeprecationId[] {
  const links = [...(headers['link'] ?? '').toString().matchAll(/<([^>]+)>; rel="deprecation"/g)];
  return links.map(([, address = '']) => address.split(`${REPORT_PATH}/`).at(-1) ?? '').filter(isDeprecationId);
}

/** Returns true if a difference is at a member that the deprecation names. */
function isNamed(id: DeprecationId, differences: readonly Difference[]): boolean {
  const words = new Set(deprecationOf(id).items.flatMap((item) => item.split(/[ .]/)));
  return differences.some(({ path }) => words.has(path.split('/').at(-1) ?? ''));
}

/** Returns what the registry says about recorded calls that are no reads and whose element a release lacks. */
function judgedWrites(core: DeprecationsCore, release: Release, userId: number | undefined): readonly JudgedWrite[] {
  const current = core.profile.release;
  const deprecations = deprecationIds.filter((id) => stateIn(id, release) === 'removed' && stateIn(id, current) !== 'removed');
  const writes = listCalls(core.store, { userId, deprecations }, MAX_WRITES).filter(
    ({ request, deprecation }) => !request.startsWith('GET ') && (request !== 'POST /api/graphql' || isMutation(deprecation)),
  );
  const judged = new Map(
    writes.map(({ request, deprecation }) => [
      `${request} ${deprecation}`,
      { request, deprecation, outcome: outcomeOf(deprecation, request) },
    ]),
  );
  return [...judged.values()];
}

function isMutation(id: DeprecationId): boolean {
  return deprecationOf(id).items.some((item) => item.startsWith('Mutation.'));
}

function outcomeOf(id: DeprecationId, request: string): string {
  const { afterwards, replacement } = deprecationOf(id);
  if (afterwards === 'gone') return `410 Gone. ${replacement}.`;
  if (afterwards === 'absent') return `404 Not Found. ${replacement}.`;
  return request === 'POST /api/graphql'
    ? `The query is refused, because the schema lacks the member. ${replacement}.`
    : `It is refused, or has another effect. ${replacement}.`;
}
