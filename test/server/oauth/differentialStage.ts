import assert from 'node:assert/strict';
import { createApplication } from '../../../server/features/oauth/oauth.ts';
import { findUserByName } from '../../../server/features/users/accounts.ts';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import { formsOf } from '../../support/pages.ts';
import { startTestServer } from '../../support/server.ts';
import { type SharedClient, startOracle, type Input } from './differentialOracle.ts';

// The environment of a conversation: the local server and the oracle, each with the same clients and a user with a browser.

const REDIRECT = 'https://lamps.example/callback';
const SCOPE = 'openid email api read_user';
/** Redirect URI of `rival`. */
const LESS_SCOPE = 'openid api';

/** Client names. Confidential: `board`, `rival`. Public: `page`, `otherPage`, and the native client `program`. */
export type ClientName = 'board' | 'rival' | 'page' | 'otherPage' | 'program';

const redirects: Readonly<Record<ClientName, readonly string[]>> = {
  board: [REDIRECT, 'https://lamps.example/callback?board=1'],
  rival: ['https://rival.example/callback'],
  page: [REDIRECT],
  otherPage: ['https://other.example/callback'],
  program: ['http://127.0.0.1/callback', 'com.lamps.board:/callback'],
};

/** An HTTP response as it was received. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Sent {
  readonly form?: readonly (readonly [name: string, value: string])[];
  /** Sent instead of a form. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The user's decision on a page; `look` makes none. */
export type Decision = 'approve' | 'deny' | 'look';

/** One of the two servers. */
export interface Side {
  readonly name: 'local' | 'oracle';
  readonly origin: string;
  /** Opens a separate browser that is signed out. */
  openBrowser(): Browser;
  advance(seconds: number): void;
}

export interface Browser {
  signIn(): Promise<void>;
  /** Opens the authorization endpoint and follows redirects to the client or to a page that needs the user. */
  authorize(query: string, decision: Decision): Promise<HttpResponse>;
  /** Enters a user code and decides. */
  device(userCode: string, decision: Decision): Promise<void>;
}

export interface Stage {
  readonly local: Side;
  readonly oracle: Side;
  /** Creates clients with these names for one conversation. */
  cast(): (name: ClientName) => SharedClient;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const server = await startTestServer();
  const oracle = await startOracle();
  const register = (name: ClientName): SharedClient => {
    const confidential = name === 'board' || name === 'rival';
    const redirectUris = redirects[name];
    const scope = name === 'rival' ? LESS_SCOPE : SCOPE;
    const created = createApplication(server.platform, { name, scopes: scope.split(' '), confidential, redirectUris });
    const client: SharedClient = {
      client_id: created.application.uid,
      ...(created.secret === undefined ? {} : { client_secret: created.secret }),
      redirect_uris: redirectUris,
      scope,
      native: name === 'program',
    };
    oracle.register(client);
    return client;
  };
  const usher = register('page');

  const local: Side = {
    name: 'local',
    origin: server.origin,
    advance: (seconds) => server.platform.clock.advance(seconds * 1000),
    openBrowser: () => {
      const walk = walker(server.origin);
      return {
        signIn: async () => {
          const root = findUserByName(server.platform, 'root');
          assert.ok(root);
          await walk.go('GET', mintSignInLink(server.platform, root, '/')?.path ?? '');
        },
        authorize: async (query, decision) => {
          const page = await walk.on('GET', `/oauth/authorize?${query}`);
          const consent = formsOf(page.text).find(({ action }) => action === '/oauth/authorize');
          if (consent === undefined || decision === 'look') return page;
          return walk.on('POST', '/oauth/authorize', {
            ...consent.fields,
            ...(decision === 'deny' ? { _method: 'delete' } : {}),
          });
        },
        device: async (userCode, decision) => {
          const entry = await walk.go('GET', '/oauth/device');
          const consent = await walk.go('POST', '/oauth/device', {
            ...formsOf(entry.text).find(({ action }) => action === '/oauth/device')?.fields,
            user_code: userCode,
          });
          const form = formsOf(consent.text).find(({ action }) => action === '/oauth/device/confirm');
          assert.ok(form, consent.text);
          await walk.go('POST', '/oauth/device/confirm', { ...form.fields, decision });
        },
      };
    },
  };

  const judge: Side = {
    name: 'oracle',
    origin: oracle.origin,
    advance: oracle.advance,
    openBrowser: () => {
      const walk = walker(oracle.origin);
      const wishing = async (inputs: readonly Input[], first: Promise<HttpResponse>): Promise<HttpResponse> => {
        let page = await first;
        for (const input of inputs) {
          oracle.input = input;
          if (walk.waiting() !== undefined) page = await walk.on('GET', walk.waiting() ?? '');
        }
        oracle.input = 'look';
        return page;
      };
      const authorize = (query: string, inputs: readonly Input[]) => wishing(inputs, walk.on('GET', `/oauth/authorize?${query}`));
      return {
        signIn: async () => {
          const query = new URLSearchParams({
            client_id: usher.client_id,
            redirect_uri: REDIRECT,
            response_type: 'code',
            scope: 'read_user',
            code_challenge: 'c'.repeat(43),
            code_challenge_method: 'S256',
          });
          const arrived = await authorize(String(query), ['sign in', 'approve']);
          assert.match(arrived.headers.get('location') ?? '', /code=/, arrived.text);
        },
        authorize: (query, decision) => authorize(query, [decision]),
        device: async (userCode, decision) => {
          const entry = await walk.go('GET', '/oauth/device');
          const field = (page: HttpResponse, name: string) =>
            new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? '';
          const xsrf = field(entry, 'xsrf');
          const last = { xsrf, user_code: userCode, ...(decision === 'deny' ? { abort: 'yes' } : { confirm: 'yes' }) };
          await wishing([decision], walk.on('POST', '/oauth/device', last));
        },
      };
    },
  };

  return {
    local,
    oracle: judge,
    cast: () => {
      const known = new Map<ClientName, SharedClient>();
      return (name) => {
        const client = known.get(name) ?? register(name);
        known.set(name, client);
        return client;
      };
    },
    close: async () => {
      await server.close();
      await oracle.close();
    },
  };
}

export async function send(
  origin: string,
  method: string,
  target: string,
  { form, body, headers }: Sent = {},
): Promise<HttpResponse> {
  const response = await fetch(new URL(target, origin), {
    method,
    redirect: 'manual',
    headers: {
      ...(form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(form === undefined ? {} : { body: String(new URLSearchParams(form.map(([name, value]) => [name, value]))) }),
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A browser with cookies; `on` follows redirects within the server and keeps the last page. */
function walker(origin: string) {
  const cookies = new Map<string, string>();
  let waiting: string | undefined;

  async function go(method: string, target: string, fields?: Readonly<Record<string, string>>): Promise<HttpResponse> {
    const response = await send(origin, method, target, {
      ...(fields === undefined ? {} : { form: Object.entries(fields) }),
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      const at = pair.indexOf('=');
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  async function on(method: string, target: string, fields?: Readonly<Record<string, string>>): Promise<HttpResponse> {
    let address = new URL(target, origin);
    let response = await go(method, address.href, fields);
    for (let hop = 0; hop < 8; hop += 1) {
      const location = response.headers.get('location');
      const next = location === null ? undefined : new URL(location, origin);
      if (next === undefined || next.origin !== origin) break;
      address = next;
      response = await go('GET', address.href);
    }
    waiting = response.status === 200 && address.pathname.startsWith('/interaction/') ? address.href : undefined;
    return response;
  }

  return { go, on, waiting: () => waiting };
}
