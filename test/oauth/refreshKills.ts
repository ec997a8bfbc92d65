import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { EXTENSION_CLIENT_ID } from '../../src/contract/product.ts';
import { readOAuthError, readTokenResponse, REFRESH_TOKEN_GRANT, type TokenResponse } from '../../src/contract/oauth.ts';
import { hashSecret } from '../../server/secrets.ts';
import { openStore } from '../../server/store/open.ts';
import { tokensByDeviceGrant } from '../support/deviceGrant.ts';
import type { KillPoint } from '../support/killPoint.ts';
import type { Random } from '../support/random.ts';
import { type ServerProcess, spawnServer } from '../support/serverProcess.ts';

// A server that is killed while it renews tokens, with its data on disk.

export const ADMIN_TOKEN = 'refresh-kills-token-0123456789';
/** Longer than a spent refresh token is forgiven, in seconds. */
export const AFTER_GRACE = 11;
const CLIENTS = 8;

/** What becomes of the client's pair at a point: it stays good, it is replaced by one that nobody received, or by one it received. */
export const points: readonly (readonly [point: KillPoint, words: string, outcome: 'stored' | 'lost' | 'received'])[] = [
  ['arrived', 'before it has read the request', 'stored'],
  ['begun', 'when it has opened the transaction', 'stored'],
  ['rotated', 'when the transaction has marked the old pair', 'stored'],
  ['inserted', 'when the transaction has written the new pair', 'stored'],
  ['committed', 'when the new pair is on disk and the answer is not written', 'lost'],
  ['answering', 'when half of the answer is sent', 'lost'],
  ['answered', 'when the answer is sent', 'received'],
];

export function serve(folder: string, more: Readonly<Record<string, string>> = {}, preload?: string): Promise<ServerProcess> {
  const env = { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN, ...more };
  return spawnServer(['serve', '--data', folder, '--port', '0'], { env, ...(preload === undefined ? {} : { preload }) });
}

/** A server that is killed at the point by the first refresh after `arm`. Its clock stands still, also after the kill. */
export async function serveUntil(point: KillPoint, folder: string): Promise<ServerProcess & { arm(): void }> {
  const armed = `${folder}.armed`;
  const env = { SIGNALBOX_TEST_KILL_POINT: point, SIGNALBOX_TEST_KILL_ARMED: armed };
  const server = await serve(folder, env, path.join(import.meta.dirname, '../support/killPoint.ts'));
  assert.equal(server.line['event'], 'listening', server.stderr());
  await control(server, 'POST', 'clock', { freeze_at: 'now' });
  return Object.assign(server, { arm: () => writeFileSync(armed, '') });
}

/** Tokens that root approved for the extension's own application. */
export function signIn(server: ServerProcess): Promise<TokenResponse> {
  return tokensByDeviceGrant(server.origin, ADMIN_TOKEN, 'root');
}

/** What a refresh came to: new tokens, an OAuth error, or nothing whole because the server went away. */
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

/** The rules by which the token endpoint refused, and null for what it did not refuse, the latest first. */
export async function verdicts(server: ServerProcess): Promise<readonly (string | null)[]> {
  const requestLog = (await control(server, 'GET', 'requests?limit=500')) as { path: string; refusal: { rule: string } | null }[];
  return requestLog.filter((entry) => entry.path === '/oauth/token').map(({ refusal }) => refusal?.rule ?? null);
}

interface Stored {
  /** How many pairs are alive, by family; one without any is not there. */
  readonly pairs: ReadonlyMap<number, number>;
  /** Family of a pair and whether it was renewed. */
  readonly fate: (tokens: TokenResponse) => { readonly family: number; readonly isSpent: boolean };
}

/** What the database of a server holds at the moment. */
export function read<T>(folder: string, look: (stored: Stored) => T): T {
  const store = openStore(path.join(folder, 'signalbox.sqlite'));
  try {
    const rows = store.all<{ family: number; pairs: number }>(
      'SELECT family, count(*) AS pairs FROM oauth_tokens WHERE revoked_at IS NULL GROUP BY family',
    );
    return look({
      pairs: new Map(rows.map(({ family, pairs }) => [family, pairs])),
      fate: (tokens) => {
        const row = store.get<{ family: number; spentAt: number | null }>(
          'SELECT family, rotated_at AS spentAt FROM oauth_tokens WHERE refresh_hash = $hash',
          { hash: hashSecret(tokens.refresh_token ?? '') },
        );
        assert.ok(row !== undefined, 'a pair that was given out is not in the database');
        return { family: row.family, isSpent: row.spentAt !== null };
      },
    });
  } finally {
    store.close();
  }
}

/** How many clients went on with the pair they had at a kill, and how many had to sign in again. */
export interface Tally {
  readonly wentOn: number;
  readonly signedInAgain: number;
}

/**
 * Clients renew their tokens as fast as they can until the server is killed in the middle of it, again and again on the same folder.
 * After every restart each sign-in has exactly one living pair, and a client is refused exactly when it did not receive its pair.
 */
export async function refreshKillCycles(folder: string, cycles: number, random: Random): Promise<Tally> {
  let [wentOn, signedInAgain] = [0, 0];
  let clients: readonly TokenResponse[] = [];
  for (let cycle = 0; cycle <= cycles; cycle += 1) {
    await using server = await serve(folder);
    assert.equal(server.line['event'], 'listening', server.stderr());
    // However long a restart takes, it takes no time of the platform.
    if (cycle === 0) await control(server, 'POST', 'clock', { freeze_at: 'now' });
    clients = cycle === 0 ? await newClients(server) : await Promise.all(clients.map((tokens) => goOn(server, tokens)));
    if (cycle < cycles) clients = await renewUntilKilled(server, clients);
  }
  return { wentOn, signedInAgain };

  function newClients(server: ServerProcess): Promise<readonly TokenResponse[]> {
    return Promise.all(Array.from({ length: CLIENTS }, () => signIn(server)));
  }

  async function renewUntilKilled(server: ServerProcess, before: readonly TokenResponse[]): Promise<readonly TokenResponse[]> {
    let wanted = random.integer(1, 60);
    const enough = Promise.withResolvers<void>();
    const work = before.map(async (first) => {
      for (let tokens = first; ; ) {
        const response = await refresh(server, tokens);
        if (response === 'cut off') return tokens;
        if (typeof response === 'string') throw new Error(`refused a good refresh token: ${response}`);
        tokens = response;
        if ((wanted -= 1) === 0) enough.resolve();
      }
    });
    const all = Promise.all(work);
    await Promise.race([enough.promise, all]);
    // Answers come in bursts; the moment is to fall between them, too.
    const until = performance.now() + random.integer(0, 40) / 10;
    while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
    server.child.kill('SIGKILL');
    return all;
  }

  async function goOn(server: ServerProcess, tokens: TokenResponse): Promise<TokenResponse> {
    const { family, isSpent } = read(folder, ({ pairs, fate }) => {
      const found = fate(tokens);
      assert.equal(pairs.get(found.family), 1, 'living pairs of a sign-in');
      return found;
    });
    const response = await refresh(server, tokens);
    if (!isSpent) {
      assert.ok(typeof response === 'object', `the pair that was not renewed is refused: ${String(response)}`);
      assert.equal(await userStatus(server, response), 200);
      wentOn += 1;
      return response;
    }
    assert.equal(response, 'invalid_grant');
    assert.equal(
      read(folder, ({ pairs }) => pairs.get(family)),
      1,
      'a pair that nobody received stays alone in its sign-in',
    );
    signedInAgain += 1;
    return signIn(server);
  }
}
