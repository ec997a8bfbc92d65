import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { DEVICE_CODE_GRANT } from '../../src/contract/oauth.ts';
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

// The requests of which conversations are made. Each is sent to one server, and what it answered is told in words that do not depend on
// the server: what both must agree about.

export const VERIFIER = 'Az09-._~'.repeat(6);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** What one server answered. */
export interface Seen {
  /** For the table: `200`, `400 invalid_grant`, `code`, `asks for consent`. */
  readonly summary: string;
  /** Everything else that must be the same. */
  readonly metadata: unknown;
  /** As it came, for differences in what is not compared. */
  readonly response?: HttpResponse;
}

/** A conversation with one of the servers, while it goes on. */
export interface Scene {
  readonly side: Side;
  readonly client: (name: ClientName) => SharedClient;
  /** A browser in which the person is signed in, opened when it is first needed. */
  readonly person: () => Promise<Browser>;
  /** A browser in which nobody is. */
  readonly nobody: Browser;
  /** What answers gave for later requests, in the order in which they came. */
  readonly carried: Map<string, string[]>;
}

export type Step = (scene: Scene) => Promise<Seen>;

/** Parameters; undefined leaves out what would be sent, `$name` is what an answer gave last, `$name#1` what the first one gave. */
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
    nobody: side.openBrowser(),
    carried: new Map(),
  };
}

interface AuthorizeOptions {
  readonly by?: ClientName;
  readonly decision?: Decision;
  /** In a browser in which nobody is signed in. */
  readonly signedOut?: boolean;
  /** Sent besides, whatever is there already. */
  readonly again?: readonly (readonly [name: string, value: string])[];
}

/** Leads the person's browser to the authorization endpoint with a good request of the client. */
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
    const browser = signedOut ? scene.nobody : await scene.person();
    const response = await browser.authorize(String(query), decision);
    return { ...landed(scene, response), response };
  };
}

/** What came of an authorization request: a page, or parameters at the client's address. */
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
      // oidc-provider tells which scope it refused in a parameter that no RFC has.
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
  /** How the client proves itself; by default a confidential one in the body, and a public one not at all. */
  readonly auth?: 'post' | 'basic' | 'both' | 'name' | 'nothing';
  /** Sent instead of the secret. */
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly again?: readonly (readonly [name: string, value: string])[];
  readonly method?: string;
  /** Sent as it is, instead of a form. */
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

/** A request at the token endpoint. */
export function token(more: Parameters, options: ClientOptions = {}): Step {
  return async (scene) => {
    const sent = authenticated(scene, more, options);
    const method = options.method ?? 'POST';
    const target = `/oauth/token${options.query ?? ''}`;
    const response = await send(scene.side.origin, method, target, method === 'GET' ? {} : sent);
    return reportedBy(scene, response, sent, options.by);
  };
}

/** Exchanges the code that came last. */
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

/** Asks for a device code. */
export function beginDevice(more: Parameters = {}, options: ClientOptions = {}): Step {
  return async (scene) => {
    const sent = authenticated(scene, { scope: 'openid api', ...more }, options);
    return reportedBy(scene, await send(scene.side.origin, 'POST', '/oauth/authorize_device', sent), sent, options.by);
  };
}

/** The person types the user code and decides. */
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
    // RFC 7009 §2.2: the status tells all, and there is nothing in the body that may not be stored.
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

/** Time goes on for the server. */
export function wait(seconds: number): Step {
  return async ({ side }) => {
    side.advance(seconds);
    return { summary: 'waited', metadata: undefined };
  };
}

/** Reads a document that is for anybody. */
export function read(target: string, tell: (body: Readonly<Record<string, unknown>>, origin: string) => unknown): Step {
  return async ({ side }) => {
    const response = await send(side.origin, 'GET', target);
    return { summary: String(response.status), metadata: tell(bodyOf(response), side.origin), response };
  };
}

/** The same step, told by something else of its answer; for differences in what is otherwise not compared. */
export function showing(step: Step, tell: (body: Readonly<Record<string, unknown>>, response: HttpResponse) => string): Step {
  return async (scene) => {
    const { response } = await step(scene);
    assert.ok(response);
    return { summary: tell(bodyOf(response), response), metadata: undefined };
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

/** Tells an answer of JSON: status, error, members with their types or values, how it may be stored, and the challenge of a 401. */
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
  // An introspected refresh token and its client have less in common than what is issued.
  const known = active === undefined ? members : { active: 'value', scope: 'scopes' };
  const isRefused = error !== undefined;
  return {
    summary: `${response.status}${error === undefined ? '' : ` ${error}`}${state}`,
    metadata: {
      members: isRefused ? 'of an error' : Object.fromEntries(reportedMembers(body, known)),
      tokenType: typeof tokenType === 'string' && active === undefined ? tokenType.toLowerCase() : undefined,
      // RFC 6749 §5.1; what is not there at all may be stored.
      isStored: response.status === 404 ? undefined : response.headers.get('cache-control')?.includes('no-store') !== true,
      // RFC 6749 §5.2: with the scheme with which the client tried.
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

/** What of an ID token a client checks (OpenID Connect Core §3.1.3.7). */
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

/** A parameter as it is sent: `$name` is what an answer gave. */
export function valueOf({ carried }: Scene, text: string): string {
  if (!text.startsWith('$')) return text;
  const [name = '', at] = text.slice(1).split('#', 2);
  const values = carried.get(name) ?? [];
  const value = at === undefined ? values.at(-1) : values[Number(at) - 1];
  assert.ok(value, `nothing was given that is called ${text}`);
  return value;
}
