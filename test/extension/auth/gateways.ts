import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createPins, createProjectChoice } from '../../../src/activity/chosenProject.ts';
import { type Client, createClient } from '../../../src/api/client.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import type { SignInDialogs } from '../../../src/auth/dialogs.ts';
import { createPendingCodes } from '../../../src/auth/pendingCodes.ts';
import { createRefresh } from '../../../src/auth/refresh.ts';
import { keyOf } from '../../../src/auth/session.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import { createSignIn } from '../../../src/auth/signIn.ts';
import { isJsonObject } from '../../../src/contract/json.ts';
import { createInstances } from '../../../src/instances/instances.ts';
import { createMask } from '../../../src/support/log.ts';
import { decide } from '../../server/oauth/support.ts';
import { fakeLog, fakeMemento, fakeSecrets, noLock } from '../../support/extension/fakes.ts';
import { type GatewayProxy, type Interference, startGatewayProxy } from '../../support/extension/gatewayProxy.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Interference => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const page = (status: number, headers: Readonly<Record<string, string>> = {}): Interference => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: '<html><h1>Gateway</h1></html>',
});

const interferences: readonly (readonly [name: string, interference: Interference])[] = [
  ['429 as text', { status: 429, headers: { 'content-type': 'text/plain' }, body: 'Retry later' }],
  ['429 as JSON', json(429, { error: 'rate limit exceeded' }, { 'retry-after': '120' })],
  ['401 as JSON', json(401, { message: 'Unauthorized' })],
  ['401 as a page', page(401)],
  ['403 as JSON', json(403, { error: 'Forbidden' })],
  ['403 as a page', page(403)],
  ['404 as JSON', json(404, { error: 'Not Found' })],
  ['404 as a page', page(404)],
  ['407', json(407, { error: 'Proxy Authentication Required' })],
  ['408', json(408, { error: 'Request Timeout' })],
  ...[301, 302, 307, 308].flatMap((status) => [
    [`${status} to a page for maintenance`, page(status, { location: '/maintenance.html' })] as const,
    [`${status} to a page for signing in`, page(status, { location: '/login?next=%2Fapi%2Fv4' })] as const,
  ]),
  ['400 with server_error', json(400, { error: 'server_error' })],
  ['400 with temporarily_unavailable', json(400, { error: 'temporarily_unavailable' })],
  ['401 with invalid_client', json(401, { error: 'invalid_client' })],
  ['503', page(503)],
  ['the page of a captive portal', page(200)],
  ['a connection that is cut before the request', 'cut before'],
  ['a connection that is cut after the request', 'cut after'],
];

interface World {
  readonly client: () => Client;
  readonly project: number;
  /** Lets the access token expire. */
  readonly expire: () => void;
  readonly signIn: () => Promise<unknown>;
  readonly signOut: () => Promise<void>;
}

interface Call {
  readonly name: string;
  readonly matches: (method: string, path: string) => boolean;
  readonly run: (world: World) => Promise<unknown>;
  /** The user has signed out, so only other accounts are still signed in. */
  readonly isSignOut?: true;
  /** The instance has spent the refresh token. If its response is lost, it ends the sign-in itself when the token comes back. */
  readonly spendsToken?: true;
}

const value = (body: unknown): unknown => body ?? {};
const isToken = (method: string, path: string): boolean => method === 'POST' && path === '/oauth/token';

/** Titles of issues that were sent. */
const title = 'Sent through a gateway';

const calls: readonly Call[] = [
  {
    name: 'a read',
    matches: (_, path) => path.startsWith('/api/v4/projects/'),
    run: ({ client, project }) => client().get(`/projects/${project}`, value),
  },
  {
    name: 'a list',
    matches: (_, path) => path.startsWith('/api/v4/events'),
    run: ({ client }) => client().list('/events', value),
  },
  {
    name: 'a query',
    matches: (_, path) => path === '/api/graphql',
    run: ({ client }) => client().query({ query: '{ currentUser { username } }', variables: {} }, value),
  },
  {
    name: 'a change',
    matches: (method, path) => method === 'POST' && path.endsWith('/issues'),
    run: ({ client, project }) =>
      client().change({ method: 'POST', path: `/projects/${project}/issues`, body: { title } }, value),
  },
  {
    name: 'a refresh before a read',
    matches: isToken,
    spendsToken: true,
    run: ({ expire, client, project }) => {
      expire();
      return client().get(`/projects/${project}`, value);
    },
  },
  {
    name: 'a refresh before a change',
    matches: isToken,
    spendsToken: true,
    run: ({ expire, client, project }) => {
      expire();
      return client().change({ method: 'POST', path: `/projects/${project}/issues`, body: { title } }, value);
    },
  },
  { name: 'the request for a code', matches: (_, path) => path === '/oauth/authorize_device', run: ({ signIn }) => signIn() },
  { name: 'the poll for an approval', matches: isToken, run: ({ signIn }) => signIn() },
  { name: 'the question who signed in', matches: (_, path) => path === '/api/v4/user', run: ({ signIn }) => signIn() },
  { name: 'a revocation', matches: (_, path) => path === '/oauth/revoke', run: ({ signOut }) => signOut(), isSignOut: true },
];

interface Pair {
  readonly call: Call;
  readonly interference: (typeof interferences)[number];
}

/** Each call with each interference. */
export const pairs: readonly Pair[] = calls.flatMap((call) => interferences.map((interference) => ({ call, interference })));

/** Declares a test of each pair. */
export function describeGateways(tested: readonly Pair[]): void {
  describe('a gateway that answers once in place of the instance', () => {
    let server: TestServer;
    let proxy: GatewayProxy;
    beforeEach(async () => {
      server = await startTestServer();
      proxy = await startGatewayProxy(server.origin);
    });
    afterEach(async () => {
      await proxy[Symbol.asyncDispose]();
      await server.close();
    });

    for (const { call, interference } of tested) {
      const [name, response] = interference;
      it(`a gateway that answers ${call.name} with ${name} loses nothing that is stored, and makes no change twice`, async () => {
        const { world, stored, signedIn } = await signedInWorld();
        const before = stored();
        proxy.interfere(response, call.matches);
        await call.run(world).catch(() => undefined);
        assert.ok(proxy.hasInterfered(), 'the gateway has answered');
        assert.deepEqual(stored(), before);
        // The longest pause that a gateway has asked for.
        server.platform.clock.advance(120_000);
        const isSpent = call.spendsToken === true && response === 'cut after';
        if (isSpent) await assert.rejects(world.client().list('/events', value));
        if (isSpent || call.isSignOut === true) {
          assert.deepEqual(signedIn(), []);
          await world.signIn();
        }
        assert.deepEqual(signedIn(), ['root']);
        const sent = await titlesOf(world);
        assert.ok(sent.filter((one) => one === title).length <= 1, sent.join());
        await world
          .client()
          .change({ method: 'POST', path: `/projects/${world.project}/issues`, body: { title: 'After' } }, value);
        assert.deepEqual(
          (await titlesOf(world)).filter((one) => one === 'After'),
          ['After'],
        );
      });
    }

    async function titlesOf({ client, project }: World): Promise<readonly string[]> {
      const read = (issue: unknown): string | undefined => (isJsonObject(issue) ? String(issue.title) : undefined);
      return (await client().list(`/projects/${project}/issues`, read, { per_page: 100 })).items;
    }

    /** Creates a window that is signed in with a code. `stored` returns what must not change. */
    async function signedInWorld() {
      const [log, mask, secrets, memory, window] = [fakeLog(), createMask(), fakeSecrets(), fakeMemento(), fakeMemento()];
      const send = createLoopbackSend();
      const now = (): number => server.platform.clock.now();
      const instances = createInstances(
        () => [{ url: proxy.origin }],
        memory,
        () => undefined,
      );
      const sessions = createSessions({ secrets, window, memory, mask, log, sleep: async () => undefined });
      const addresses = (key: string): string => key;
      const refresh = createRefresh({ sessions, send, addresses, lock: noLock, now, sleep: async () => undefined, log });
      const signIn = createSignIn({
        ...{ sessions, send, addresses, now, mask, log },
        pendingCodes: createPendingCodes({ secrets, window, mask, log, now }),
        redirects: undefined,
        dialogs: dialogs(),
        reach: async (instance) => ({ instance, baseUrl: proxy.origin }),
        sleep: async (milliseconds) => server.platform.clock.advance(milliseconds),
      });
      const session = (await signIn.signIn(instances.current(), 'code')) ?? assert.fail('nobody was signed in');
      const account = keyOf(session);
      const credentials = {
        token: async () => (await refresh.fresh(account))?.accessToken,
        renewed: async (refused: string) => (await refresh.renewed(account, refused))?.accessToken,
      };
      const client = createClient({ baseUrl: proxy.origin, send, credentials, now, sleep: async () => undefined });
      const created = await client.change({ method: 'POST', path: '/projects', body: { name: 'Lamps' } }, (body) =>
        isJsonObject(body) && typeof body.id === 'number' ? { id: body.id } : undefined,
      );
      const project = { id: created.id, path: 'root/lamps' };
      await createProjectChoice(window).set(proxy.origin, project);
      await createPins(memory).pin(account, project);
      await instances.select(proxy.origin);
      const world: World = {
        client: () => client,
        project: created.id,
        expire: () => server.platform.clock.advance(3 * 3_600_000),
        signIn: () => signIn.signIn(instances.current(), 'code'),
        signOut: () => signIn.signOut(sessions.get(account) ?? assert.fail('signed out')),
      };
      const isOfSessions = (key: string): boolean => key.startsWith('auth.');
      const stored = () => ({
        instances: instances.all().map(({ key }) => key),
        current: instances.current().key,
        memory: [...memory.values].filter(([key]) => !isOfSessions(key)),
        window: [...window.values].filter(([key]) => !isOfSessions(key)),
      });
      const signedIn = (): readonly string[] =>
        [...secrets.values]
          .filter(([key, text]) => key.startsWith('session/') && text.includes('refreshToken'))
          .map(([key]) => sessions.get(key.slice('session/'.length))?.account.username ?? 'nobody');
      return { world, stored, signedIn };
    }

    function dialogs(): SignInDialogs {
      return {
        chooseWay: async () => 'code',
        chooseOtherWay: async () => undefined,
        askToken: async () => undefined,
        choosePersona: async () => undefined,
        keepForNow: async () => false,
        showCode: async () => 'open',
        openPage: async (_, { verification_uri_complete: complete = '', ...authorization }) => {
          await decide(server, { ...authorization, verification_uri_complete: complete });
          return true;
        },
        wait: (_, _deadline, work) => work(new AbortController().signal),
        showPage: async () => false,
        waitForRedirect: () => assert.fail('nobody waits for a redirect'),
        expired: async () => false,
        denied: async () => false,
        failed: () => undefined,
      };
    }
  });
}
