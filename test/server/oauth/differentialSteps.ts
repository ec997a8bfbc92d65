import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { DEVICE_CODE_GRANT } from '../../../src/contract/oauth.ts';
import type { SharedClient } from './differentialOracle.ts';
import {
  type HttpResponse,
  type Browser,
  type ClientName,
  type Decision,
  send,
  type Sent,
  type Side,
} from './differentialStage.ts';

// The steps of conversations. Each sends a request to one server and summarizes the response independently of the server, so that both
// can be compared.

export const VERIFIER = 'Az09-._~'.repeat(6);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** Response of one server. */
export interface Seen {
  /** Summary in the tables: `200`, `400 invalid_grant`, `code`, `asks for consent`. */
  readonly summary: string;
  /** All other comparable parts. */
  readonly metadata: unknown;
  /** The response itself, for differences in parts that are not compared. */
  readonly response?: HttpResponse;
}

/** State of a conversation with one of the servers. */
export interface Scene {
  readonly side: Side;
  readonly client: (name: ClientName) => SharedClient;
  /** Returns a browser in which the user is signed in, opened at the first use. */
  readonly person: () => Promise<Browser>;
  /** A browser that is signed out. */
  readonly signedOutBrowser: Browser;
  /** Values from responses for later requests, in order of arrival. */
  readonly carried: Map<string, string[]>;
}

export type Step = (scene: Scene) => Promise<Seen>;

/** Parameters; undefined omits a default, `$name` is the latest value from a response, `$name#1` the first one. */
export type Parameters = Readonly<Record<string, string | undefined>>;

export function openScene(side: Side, client: (name: ClientName) => SharedClient): Scene {
  let person: Promise<Browser> | undefined;
  const signedIn = async (): Promise<Browser> => {
    const browser = side.openBrowser();
    await browser.signIn();
    return browser;
  };
  return {
    side,
    client,
    person: () => (person ??= signedIn()),
    signedOutBrowser: side.openBrowser(),
    carried: new Map(),
  };
}

interface AuthorizeOptions {
  readonly by?: ClientName;
  readonly decision?: Decision;
  /** True to use a browser that is signed out. */
  readonly signedOut?: boolean;
  /** Parameters to append, even if they are repeated. */
  readonly again?: readonly (readonly [name: string, value: string])[];
}

/** Opens the authorization endpoint in the user's browser with a valid request of the client. */
export function authorize(more: Parameters = {}, options: AuthorizeOptions = {}): Step {
  const { by = 'page', decision = 'approve', signedOut = false, again = [] } = options;
  return async (scene) => {
    const client = scene.client(by);
    const isPublic = client.client_secret === undefined;
    const parameters = {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      response_type: 'code',
      scope: 'openid api',
      state: 'xyz',
      ...(isPublic ? { code_challenge: CHALLENGE, code_challenge_method: 'S256' } : {}),
      ...more,
    };
    const query = new URLSearchParams([...pairsOf(scene, parameters), ...again.map(([name, value]) => [name, value])]);
    const browser = signedOut ? scene.signedOutBrowser : await scene.person();
    const response = await browser.authorize(String(query), decision);
    return { ...landed(scene, response), response };
  };
}

/** Returns the outcome of an authorization request: a page, or parameters at the redirect URI. */
function landed(scene: Scene, response: HttpResponse): Seen {
  const [, posted, form = ''] = /<form method="post" action="(https?:[^"]+)"[^>]*>(.*?)<\/form>/s.exec(response.text) ?? [];
  const refresh = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(response.text)?.[1]?.replaceAll('&amp;', '&');
  const location = response.headers.get('location') ?? refresh;
  if (location === undefined && posted === undefined) {
    if (response.status !== 200) {
      const error = /<code>(\w+)<\/code>/.exec(response.text)?.[1];
      return {
        summary: `page ${response.status} ${error}`,
        metadata: { type: response.headers.get('content-type')?.split(';', 1)[0] },
      };
    }
    return { summary: /<h1[^>]*>Authorize/.test(response.text) ? 'asks for consent' : 'asks to sign in', metadata: undefined };
  }
  const mark = location?.search(/[?#](?:code|error)=|&(?:code|error)=/) ?? 0;
  const mode = location === undefined ? 'form_post' : location[mark] === '#' ? 'fragment' : 'query';
  const parameters = new URLSearchParams(location?.slice(mark + 1) ?? hiddenFields(form));
  const code = parameters.get('code');
  if (code !== null) carry(scene, 'code', code);
  return {
    summary: parameters.get('error') ?? (code === null ? 'nothing' : 'code'),
    metadata: {
      to: location?.slice(0, mark) ?? posted,
      mode,
      // oidc-provider returns the refused scope in a nonstandard parameter.
      names: [...parameters.keys()].filter((name) => name !== 'error_description' && name !== 'scope').toSorted(),
      state: parameters.get('state'),
      isIssuer: parameters.get('iss') === scene.side.origin,
    },
  };
}

function hiddenFields(form: string): string {
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return String(new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value])));
}

interface ClientOptions {
  readonly by?: ClientName;
  /** Client authentication method; by default the body for a confidential client, and none for a public one. */
  readonly auth?: 'post' | 'basic' | 'both' | 'name' | 'nothing';
  /** Sent instead of the secret. */
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly again?: readonly (readonly [name: string, value: string])[];
  readonly method?: string;
  /** Raw body, sent instead of a form. */
  readonly body?: string;
}

function authenticated(scene: Scene, more: Parameters, options: ClientOptions): Sent {
  const { by = 'page', auth, again = [], headers = {} } = options;
  const { client_id, client_secret } = scene.client(by);
  const secret = options.secret ?? client_secret;
  const way = auth ?? (secret === undefined ? 'name' : 'post');
  const basic = { Authorization: `Basic ${Buffer.from(`${client_id}:${encodeURIComponent(secret ?? '')}`).toString('base64')}` };
  const inBody: Parameters =
    way === 'nothing' || way === 'basic' ? {} : { client_id, client_secret: way === 'name' ? undefined : secret };
  return {
    ...(options.body === undefined ? { form: [...pairsOf(scene, { ...inBody, ...more }), ...again] } : { body: options.body }),
    headers: { ...(way === 'basic' || way === 'both' ? basic : {}), ...headers },
  };
}

/** Sends a token request. */
export function token(more: Parameters, options: ClientOptions = {}): Step {
  return async (scene) => {
    const sent = authenticated(scene, more, options);
    const method = options.method ?? 'POST';
    const target = `/oauth/token${options.query ?? ''}`;
    const response = await send(scene.side.origin, method, target, method === 'GET' ? {} : sent);
    return reportedBy(scene, response, sent, options.by);
  };
}

/** Exchanges the latest code. */
export function exchangeCode(more: Parameters = {}, options: ClientOptions = {}): Step {
  const { by = 'page' } = options;
  return (scene) => {
    const { client_secret, redirect_uris } = scene.client(by);
    const verifier = client_secret === undefined ? { code_verifier: VERIFIER } : {};
    const all = { grant_type: 'authorization_code', code: '$code', redirect_uri: redirect_uris[0], ...verifier, ...more };
    return token(all, options)(scene);
  };
}

export function refresh(more: Parameters = {}, options: ClientOptions = {}): Step {
  return token({ grant_type: 'refresh_token', refresh_token: '$refresh_token', ...more }, options);
}

export function poll(more: Parameters = {}, options: ClientOptions = {}): Step {
  return token({ grant_type: DEVICE_CODE_GRANT, device_code: '$device_code', ...more }, options);
}

export function clientCredentials(more: Parameters = {}, options: ClientOptions = {}): Step {
  return token({ grant_type: 'client_credentials', scope: 'api', ...more }, { by: 'board', ...options });
}

/** Requests a device code. */
export function beginDevice(more: Parameters = {}, options: ClientOptions = {}): Step {
  return async (scene) => {
    const sent = authenticated(scene, { scope: 'openid api', ...more }, options);
    return reportedBy(scene, await send(scene.side.origin, 'POST', '/oauth/authorize_device', sent), sent, options.by);
  };
}

/** Enters the user code as the user, and decides. */
export function decideDevice(decision: Decision): Step {
  return async (scene) => {
    const browser = await scene.person();
    await browser.device(valueOf(scene, '$user_code'), decision);
    return { summary: 'decided', metadata: undefined };
  };
}

export function introspect(what: string, more: Parameters = {}, options: ClientOptions = {}): Step {
  return async (scene) => {
    const sent = authenticated(scene, { token: what, ...more }, { by: 'board', ...options });
    return reportedBy(scene, await send(scene.side.origin, 'POST', '/oauth/introspect', sent), sent, options.by ?? 'board');
  };
}

export function revoke(what: string | undefined, more: Parameters = {}, options: ClientOptions = {}): Step {
  return async (scene) => {
    const sent = authenticated(scene, { token: what, ...more }, options);
    const reported = await reportedBy(scene, await send(scene.side.origin, 'POST', '/oauth/revoke', sent), sent, options.by);
    // RFC 7009 §2.2: only the status matters, and the body contains nothing that must not be cached.
    return { ...reported, metadata: { challenge: reported.metadata.challenge } };
  };
}

interface CarrierOptions {
  readonly carrier?: 'header' | 'body' | 'both' | 'query' | 'none';
  readonly method?: 'GET' | 'POST';
}

export function userInfo(what = '$access_token', { carrier = 'header', method = 'GET' }: CarrierOptions = {}): Step {
  return async (scene) => {
    const value = valueOf(scene, what);
    const inHeader = carrier === 'header' || carrier === 'both';
    const inBody = carrier === 'body' || carrier === 'both';
    const sent: Sent = {
      ...(inBody ? { form: [['access_token', value]] } : {}),
      headers: inHeader ? { Authorization: `Bearer ${value}` } : {},
    };
    const target = carrier === 'query' ? `/oauth/userinfo?access_token=${value}` : '/oauth/userinfo';
    const response = await send(scene.side.origin, inBody ? 'POST' : method, target, sent);
    return reportedBy(scene, response, sent);
  };
}

/** Advances the server's clock. */
export function wait(seconds: number): Step {
  return async ({ side }) => {
    side.advance(seconds);
    return { summary: 'waited', metadata: undefined };
  };
}

/** Reads a public document. */
export function read(target: string, summarize: (body: Readonly<Record<string, unknown>>, origin: string) => unknown): Step {
  return async ({ side }) => {
    const response = await send(side.origin, 'GET', target);
    return { summary: String(response.status), metadata: summarize(bodyOf(response), side.origin), response };
  };
}

/** Returns the same step with another summary, for differences in parts that are otherwise not compared. */
export function showing(
  step: Step,
  summarize: (body: Readonly<Record<string, unknown>>, response: HttpResponse) => string,
): Step {
  return async (scene) => {
    const { response } = await step(scene);
    assert.ok(response);
    return { summary: summarize(bodyOf(response), response), metadata: undefined };
  };
}

const members: Readonly<Record<string, 'value' | 'type' | 'scopes'>> = {
  access_token: 'type',
  refresh_token: 'type',
  id_token: 'type',
  expires_in: 'value',
  scope: 'scopes',
  device_code: 'type',
  verification_uri: 'type',
  verification_uri_complete: 'type',
  active: 'value',
  sub: 'value',
  email: 'type',
  nickname: 'value',
};

/** Summarizes a JSON response: status, error, members with types or values, caching, and the challenge of a 401. */
async function reportedBy(scene: Scene, response: HttpResponse, sent: Sent, by: ClientName = 'page') {
  const body = bodyOf(response);
  for (const name of ['access_token', 'refresh_token', 'device_code', 'user_code', 'id_token']) {
    const value = body[name];
    if (typeof value === 'string') carry(scene, name, value);
  }
  const challenge = response.headers.get('www-authenticate') ?? '';
  const inChallenge = /error="(\w+)"/.exec(challenge)?.[1];
  const error = typeof body['error'] === 'string' && /^\w+$/.test(body['error']) ? body['error'] : inChallenge;
  const active = body['active'];
  const state = typeof active === 'boolean' ? (active ? ' active' : ' inactive') : '';
  const tokenType = body['token_type'];
  // Responses about refresh tokens have fewer members in common than those about access tokens.
  const known = active === undefined ? members : { active: 'value', scope: 'scopes' };
  const isRefused = error !== undefined;
  return {
    summary: `${response.status}${error === undefined ? '' : ` ${error}`}${state}`,
    metadata: {
      members: isRefused ? 'of an error' : Object.fromEntries(reportedMembers(body, known)),
      tokenType: typeof tokenType === 'string' && active === undefined ? tokenType.toLowerCase() : undefined,
      // RFC 6749 §5.1; a missing endpoint may be cached.
      isStored: response.status === 404 ? undefined : response.headers.get('cache-control')?.includes('no-store') !== true,
      // RFC 6749 §5.2: the scheme that the client used.
      challenge:
        response.status === 401 && sent.headers?.['Authorization'] !== undefined ? challenge.split(' ', 1)[0] : undefined,
      idToken: typeof body['id_token'] === 'string' ? await idTokenMetadata(scene, body['id_token'], by) : undefined,
    },
    response,
  };
}

function reportedMembers(body: Readonly<Record<string, unknown>>, known: Readonly<Record<string, string>>) {
  return Object.entries(known).flatMap(([name, how]) => {
    const value = body[name];
    if (value === undefined) return [];
    if (how === 'type') return [[name, typeof value] as const];
    if (how === 'scopes') return [[name, String(value).split(' ').toSorted().join(' ')] as const];
    return [[name, value] as const];
  });
}

/** Returns the parts of an ID token that a client validates (OpenID Connect Core §3.1.3.7). */
async function idTokenMetadata(scene: Scene, idToken: string, by: ClientName): Promise<unknown> {
  const keys = await send(scene.side.origin, 'GET', '/oauth/discovery/keys');
  const claims = decodeJwt(idToken);
  const now = new Date((claims.iat ?? 0) * 1000);
  const { protectedHeader } = await jwtVerify(idToken, createLocalJWKSet(JSON.parse(keys.text) as JSONWebKeySet), {
    issuer: scene.side.origin,
    audience: scene.client(by).client_id,
    currentDate: now,
  });
  return {
    algorithm: protectedHeader.alg,
    hasKeyId: protectedHeader.kid !== undefined,
    subject: claims.sub,
    nonce: claims['nonce'],
    lifetime: (claims.exp ?? 0) - (claims.iat ?? 0),
  };
}

function bodyOf({ text }: HttpResponse): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function carry({ carried }: Scene, name: string, value: string): void {
  carried.set(name, [...(carried.get(name) ?? []), value]);
}

function pairsOf(scene: Scene, parameters: Parameters): [name: string, value: string][] {
  return Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, valueOf(scene, value)]]));
}

/** Returns a parameter value as it is sent; `$name` is replaced by the value from a response. */
export function valueOf({ carried }: Scene, text: string): string {
  if (!text.startsWith('$')) return text;
  const [name = '', at] = text.slice(1).split('#', 2);
  const values = carried.get(name) ?? [];
  const value = at === undefined ? values.at(-1) : values[Number(at) - 1];
  assert.ok(value, `no response contained ${text}`);
  return value;
}
