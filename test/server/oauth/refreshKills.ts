import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import { readOAuthError, readTokenResponse, REFRESH_TOKEN_GRANT, type TokenResponse } from '../../../src/contract/oauth.ts';
import { hashSecret } from '../../../server/core/secrets.ts';
import { openStore } from '../../../server/store/open.ts';
import { tokensByDeviceGrant } from '../../support/deviceGrant.ts';
import type { KillPoint } from '../../support/killPoint.ts';
import type { Random } from '../../support/random.ts';
import { sampleOf } from '../../support/sample.ts';
import { type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

// Tests of a server with its data on disk that is killed during a token refresh.

export const ADMIN_TOKEN = 'refresh-kills-token-0123456789';
/** Slightly more than the time in which a spent refresh token is tolerated, in seconds. */
export const AFTER_GRACE = 11;
const CLIENTS = 8;

/** Outcome for the client's pair at each kill point: it stays valid, it is replaced by a pair that got lost, or by one it received. */
export const points: readonly (readonly [point: KillPoint, when: string, outcome: 'stored' | 'lost' | 'received'])[] = [
  ['arrived', 'before it has read the request', 'stored'],
  ['begun', 'after it has opened the transaction', 'stored'],
  ['rotated', 'after the transaction has marked the old pair', 'stored'],
  ['inserted', 'after the transaction has written the new pair', 'stored'],
  ['committed', 'after the new pair is on disk, before the response is written', 'lost'],
  ['answering', 'after half of the response is sent', 'lost'],
  ['answered', 'after the response is sent', 'received'],
];

/** Returns one point of each outcome, chosen by the seed of the run. */
export function samplePoints(name: string): typeof points {
  return (['stored', 'lost', 'received'] as const).flatMap((wanted) => {
    const fitting = points.filter(([, , outcome]) => outcome === wanted);
    return sampleOf(`${name}, ${wanted}`, fitting, 1);
  });
}

export function serve(folder: string, more: Readonly<Record<string, string>> = {}, preload?: string): Promise<ServerProcess> {
  const env = { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN, ...more };
  return spawnServer(['serve', '--data', folder, '--port', '0'], { env, ...(preload === undefined ? {} : { preload }) });
}

/** Starts a server that the first refresh after `arm` kills at the given point. Its clock is frozen, also after the kill. */
export async function serveUntil(point: KillPoint, folder: string): Promise<ServerProcess & { arm(): void }> {
  const armed = `${folder}.armed`;
  const env = { SIGNALBOX_TEST_KILL_POINT: point, SIGNALBOX_TEST_KILL_ARMED: armed };
  const server = await serve(folder, env, path.join(import.meta.dirname, '../../support/killPoint.ts'));
  assert.equal(server.line['event'], 'listening', server.stderr());
  await control(server, 'POST', 'clock', { freeze_at: 'now' });
  return Object.assign(server, { arm: () => writeFileSync(armed, '') });
}

/** Returns tokens that root approved for the extension's own application. */
export function signIn(server: ServerProcess): Promise<TokenResponse> {
  return tokensByDeviceGrant(server.origin, ADMIN_TOKEN, 'root');
}

/** Returns new tokens, an OAuth error, or `cut off` if the server ended before the response was complete. */
export async function refresh({ origin }: ServerProcess, tokens: TokenResponse): Promise<TokenResponse | string> {
  const body = new URLSearchParams({
    grant_type: REFRESH_TOKEN_GRANT,
    client_id: EXTENSION_CLIENT_ID,
    refresh_token: tokens.refresh_token ?? '',
  });
  let response: unknown;
  try {
    response = await (await fetch(`${origin}/oauth/token`, { method: 'POST', body })).json();
  } catch {
    return 'cut off';
  }
  return readTokenResponse(response) ?? readOAuthError(response)?.error ?? JSON.stringify(response);
}

export async function userStatus({ origin }: ServerProcess, { access_token: token }: TokenResponse): Promise<number> {
  return (await fetch(`${origin}/api/v4/user`, { headers: { authorization: `Bearer ${token}` } })).status;
}

export async function control(server: ServerProcess, method: string, route: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${server.origin}/_local/${route}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${method} ${route}: ${response.status}`);
  return response.json();
}

/** Returns the violated rule of each token request, or null for successful ones, newest first. */
export async function verdicts(server: ServerProcess): Promise<readonly (string | null)[]> {
  const requestLog = (await control(server, 'GET', 'requests?limit=500')) as { path: string; refusal: { rule: string } | null }[];
  return requestLog.filter((entry) => entry.path === '/oauth/token').map(({ refusal }) => refusal?.rule ?? null);
}

interface Stored {
  /** Number of valid pairs by token family; families without any are omitted. */
  readonly pairs: ReadonlyMap<number, number>;
  /** Returns the family of a pair, and true as `isSpent` if it was refreshed. */
  readonly stateOf: (tokens: TokenResponse) => { readonly family: number; readonly isSpent: boolean };
}

/** Reads the tokens in a server's database. */
export function read<T>(folder: string, use: (stored: Stored) => T): T {
  const store = openStore(path.join(folder, 'signalbox.sqlite'));
  try {
    const rows = store.all<{ family: number; pairs: number }>(
      'SELECT family, count(*) AS pairs FROM oauth_tokens WHERE revoked_at IS NULL GROUP BY family',
    );
    return use({
      pairs: new Map(rows.map(({ family, pairs }) => [family, pairs])),
      stateOf: (tokens) => {
        const row = store.get<{ family: number; spentAt: number | null }>(
          'SELECT family, rotated_at AS spentAt FROM oauth_tokens WHERE refresh_hash = $hash',
          { hash: hashSecret(tokens.refresh_token ?? '') },
        );
        assert.ok(row !== undefined, 'an issued pair is not in the database');
        return { family: row.family, isSpent: row.spentAt !== null };
      },
    });
  } finally {
    store.close();
  }
}

/** Number of clients that continued with the pair they had at a kill, and of those that had to sign in again. */
export interface Tally {
  readonly continued: number;
  readonly signedInAgain: number;
}

/**
 * Lets clients refresh their tokens as fast as they can until the server is killed, repeatedly with the same data folder. Asserts after
 * every restart that each sign-in has exactly one valid pair, and that a client is refused exactly when it did not receive its pair.
 */
export async function refreshKillCycles(folder: string, cycles: number, random: Random): Promise<Tally> {
  let [continued, signedInAgain] = [0, 0];
  let clients: readonly TokenResponse[] = [];
  for (let cycle = 0; cycle <= cycles; cycle += 1) {
    await using server = await serve(folder);
    assert.equal(server.line['event'], 'listening', server.stderr());
    // The duration of a restart does not count, because the clock is frozen.
    if (cycle === 0) await control(server, 'POST', 'clock', { freeze_at: 'now' });
    clients = cycle === 0 ? await newClients(server) : await Promise.all(clients.map((tokens) => resume(server, tokens)));
    if (cycle < cycles) clients = await refreshUntilKilled(server, clients);
  }
  return { continued, signedInAgain };

  function newClients(server: ServerProcess): Promise<readonly TokenResponse[]> {
    return Promise.all(Array.from({ length: CLIENTS }, () => signIn(server)));
  }

  async function refreshUntilKilled(server: ServerProcess, before: readonly TokenResponse[]): Promise<readonly TokenResponse[]> {
    let wanted = random.integer(1, 60);
    const enough = Promise.withResolvers<void>();
    const work = before.map(async (first) => {
      for (let tokens = first; ; ) {
        const response = await refresh(server, tokens);
        if (response === 'cut off') return tokens;
        if (typeof response === 'string') throw new Error(`refused a valid refresh token: ${response}`);
        tokens = response;
        if ((wanted -= 1) === 0) enough.resolve();
      }
    });
    const all = Promise.all(work);
    await Promise.race([enough.promise, all]);
    // Responses come in bursts; the kill must sometimes fall between them, too.
    const until = performance.now() + random.integer(0, 40) / 10;
    while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
    server.child.kill('SIGKILL');
    return all;
  }

  async function resume(server: ServerProcess, tokens: TokenResponse): Promise<TokenResponse> {
    const { family, isSpent } = read(folder, ({ pairs, stateOf }) => {
      const found = stateOf(tokens);
      assert.equal(pairs.get(found.family), 1, 'number of valid pairs of a sign-in');
      return found;
    });
    const response = await refresh(server, tokens);
    if (!isSpent) {
      assert.ok(typeof response === 'object', `a pair that was not refreshed is refused: ${String(response)}`);
      assert.equal(await userStatus(server, response), 200);
      continued += 1;
      return response;
    }
    assert.equal(response, 'invalid_grant');
    assert.equal(
      read(folder, ({ pairs }) => pairs.get(family)),
      1,
      'the lost pair is not the only valid one of its sign-in',
    );
    signedInAgain += 1;
    return signIn(server);
  }
}

/** Declares a test of a refresh for each of the points. */
export function testRefreshKills(chosen: typeof points): void {
  const livingPairs = (folder: string): readonly number[] => read(folder, ({ pairs }) => [...pairs.values()]);
  for (const [point, text, outcome] of chosen) {
    it(`one pair of the sign-in is left when the server is killed ${text}`, async () => {
      using container = temporaryFolder();
      const folder = `${container.path}/data`;
      await using killed = await serveUntil(point, folder);
      const old = await signIn(killed);
      killed.arm();
      const response = await refresh(killed, old);
      assert.equal(typeof response === 'string' ? response : 'received', outcome === 'received' ? outcome : 'cut off');
      assert.equal(await killed.ended, 'SIGKILL');

      await using server = await serve(folder);
      assert.deepEqual(livingPairs(folder), [1]);
      if (outcome === 'stored') {
        assert.equal(await userStatus(server, old), 200);
        const next = await refresh(server, old);
        assert.ok(typeof next === 'object', String(next));
        assert.equal(await userStatus(server, next), 200);
        assert.equal(await userStatus(server, old), 401);
        assert.deepEqual(livingPairs(folder), [1]);
        return;
      }
      assert.equal(await userStatus(server, old), 401);
      assert.equal(await refresh(server, old), 'invalid_grant');
      assert.deepEqual(livingPairs(folder), [1], 'two windows may have refreshed at once, so nothing is revoked yet');
      if (typeof response === 'object') {
        assert.equal(await userStatus(server, response), 200);
        assert.ok(typeof (await refresh(server, response)) === 'object');
        assert.deepEqual(livingPairs(folder), [1]);
        return;
      }
      await control(server, 'POST', 'clock', { advance_seconds: AFTER_GRACE });
      assert.equal(await refresh(server, old), 'invalid_grant');
      assert.deepEqual(livingPairs(folder), [], 'no client has the remaining pair');
      assert.deepEqual(await verdicts(server), ['refresh_token.replay', 'refresh_token.single']);
      assert.equal(await userStatus(server, await signIn(server)), 200);
    });
  }
}
