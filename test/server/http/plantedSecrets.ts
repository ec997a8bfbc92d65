import assert from 'node:assert/strict';
import { type Random, randomFrom } from '../../support/random.ts';
import { TEST_ADMIN_TOKEN, type TestRequest, type TestServer } from '../../support/server.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

function drawn(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => random.pick([...alphabet])).join('');
}

type MakeSecret = (random: Random) => string;

const hex =
  (length: number): MakeSecret =>
  (random) =>
    drawn(random, '0123456789abcdef', length);

/** Secrets that are recognized by their format, whatever the name of the parameter. */
const FORMATS: Readonly<Record<string, MakeSecret>> = {
  'personal access token': (random) => `glpat-${drawn(random, LETTERS, 20)}`,
  'application secret': (random) => `gloas-${hex(64)(random)}`,
  'client key': (random) => `glet_${hex(32)(random)}`,
  'code or access token': hex(64),
  'GitHub token': (random) => `ghp_${drawn(random, LETTERS, 36)}`,
  'fine-grained GitHub token': (random) => `github_pat_${drawn(random, LETTERS, 22)}_${drawn(random, LETTERS, 59)}`,
  'AWS key': (random) => `AKIA${drawn(random, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', 16)}`,
  'JSON web token': (random) =>
    ['alg', 'sub', 'sig']
      .map((part) => Buffer.from(`{"${part}":"${drawn(random, LETTERS, 12)}"}`).toString('base64url'))
      .join('.'),
};

/** Returns a password, which has no recognizable format. */
const password: MakeSecret = (random) => `${drawn(random, LETTERS, 12)} %&=ü`;

const SECRET_NAMES = [
  'private_token',
  'access_token',
  'password',
  'user[password]',
  'user[password_confirmation]',
  'application[secret]',
  'a[b][client_secret]',
  'accounts[][password]',
];

interface SecretRequest {
  readonly method: string;
  readonly path: string;
  readonly request?: TestRequest;
}

/** Requests with a recognizable secret, by the location of the secret. */
const LOCATIONS: Readonly<Record<string, (secret: string, random: Random) => SecretRequest>> = {
  path: (secret) => ({ method: 'GET', path: `/api/v4/personal_access_tokens/${encodeURIComponent(secret)}` }),
  'path without a route': (secret) => ({ method: 'DELETE', path: `/nothing/${encodeURIComponent(secret)}/here` }),
  'encoded path': (secret) => ({ method: 'GET', path: `/nothing/${everyCharacterEncoded(secret)}` }),
  'twice encoded path': (secret) => ({ method: 'GET', path: `/nothing/${encodeURIComponent(everyCharacterEncoded(secret))}` }),
  query: (secret) => ({ method: 'GET', path: `/api/v4/projects?search=${encodeURIComponent(secret)}` }),
  'encoded query': (secret) => ({ method: 'GET', path: `/api/v4/projects?search=x%20${everyCharacterEncoded(secret)}` }),
  'URL in a query': (secret) => ({
    method: 'GET',
    path: `/oauth/authorize?redirect_uri=${encodeURIComponent(`http://127.0.0.1/back?next=/a?b=${secret}`)}`,
  }),
  'one-time link': (secret) => ({ method: 'GET', path: `/users/sign_in_links/${encodeURIComponent(secret)}` }),
  'Referer header': (secret) => ({
    method: 'GET',
    path: '/users/sign_in',
    request: { headers: { Referer: `http://127.0.0.1/users/sign_in_links/${encodeURIComponent(secret)}` } },
  }),
  'return address': (secret) => ({
    method: 'GET',
    path: `/users/sign_in?return_to=${encodeURIComponent(`/oauth/device?user_code=${secret}`)}`,
  }),
  form: (secret) => ({ method: 'POST', path: '/oauth/token', request: { form: { grant_type: secret, 'user[name]': secret } } }),
  JSON: (secret) => ({
    method: 'POST',
    path: '/api/v4/projects',
    request: { json: { user: { name: [secret] }, visibility: secret } },
  }),
  'Authorization header': (secret) => ({
    method: 'GET',
    path: '/api/v4/user',
    request: { headers: { Authorization: `Bearer ${encodeURIComponent(secret)}` } },
  }),
};

/** Requests with a secret that is only recognizable by its parameter name, by the location of the secret. */
const NAMED_LOCATIONS: Readonly<Record<string, (name: string, secret: string) => SecretRequest>> = {
  query: (name, secret) => ({ method: 'GET', path: `/api/v4/projects?per_page=1&${pair(name, secret)}&page=1` }),
  'query with unencoded brackets': (name, secret) => ({
    method: 'GET',
    path: `/api/v4/projects?${name}=${encodeURIComponent(secret)}`,
  }),
  'query with an encoded name': (name, secret) => ({
    method: 'GET',
    path: `/users/sign_in?${encodeURIComponent(encodeURIComponent(name))}=${encodeURIComponent(secret)}`,
  }),
  'URL in a query': (name, secret) => ({
    method: 'GET',
    path: `/oauth/authorize?redirect_uri=${encodeURIComponent(`http://127.0.0.1/back?a=1&${pair(name, secret)}`)}`,
  }),
  'Referer header': (name, secret) => ({
    method: 'GET',
    path: '/nothing',
    request: { headers: { Referer: `http://127.0.0.1/?${pair(name, secret)}` } },
  }),
  form: (name, secret) => ({ method: 'POST', path: '/users/sign_in', request: { form: pair(name, secret) } }),
  JSON: (name, secret) => ({ method: 'POST', path: '/api/v4/projects', request: { json: nested(name, secret) } }),
};

function pair(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

function nested(name: string, value: string): object {
  const members = name.split(/[[\]]+/).filter((member) => member !== '');
  return members.reduceRight<unknown>((inner, member) => ({ [member]: inner }), value) as object;
}

function everyCharacterEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** A request that contains a secret: its description, and a function that creates it from random numbers. */
export interface PlantedRequest {
  readonly text: string;
  readonly make: (random: Random) => SecretRequest & { readonly secret: string };
}

/** Each secret format and each secret name in each location. */
export const plantedRequests: readonly PlantedRequest[] = [
  ...Object.entries(FORMATS).flatMap(([format, makeSecret]) =>
    Object.entries(LOCATIONS).map(([location, requestWith]) => ({
      text: `${format} in ${location}`,
      make: (random: Random) => {
        const secret = makeSecret(random);
        return { ...requestWith(secret, random), secret };
      },
    })),
  ),
  ...SECRET_NAMES.flatMap((name) =>
    Object.entries(NAMED_LOCATIONS).map(([location, requestWith]) => ({
      text: `${name} in ${location}`,
      make: (random: Random) => {
        const secret = password(random);
        return { ...requestWith(name, secret), secret };
      },
    })),
  ),
];

/** Sends every request once, and searches the request log, the response that lists it, the OAuth flows and the log for its secret. */
export async function sendPlantedSecrets(server: TestServer, log: string[], seed: number): Promise<void> {
  const random = randomFrom(seed);
  const found: string[] = [];
  for (const { text: message, make } of plantedRequests) {
    const { method, path, request, secret } = make(random);
    log.length = 0;
    const { status } = await server.request(method, path, request ?? {});
    assert.ok(status < 500, `${message}: ${status}`);
    const spellings = [secret, encodeURIComponent(secret), secret.split(' ')[0] ?? secret, everyCharacterEncoded(secret)];
    const outputs = { 'request log': JSON.stringify(server.platform.requestLog.list(1)), log: log.join('') };
    for (const [location, text] of Object.entries(outputs)) {
      if (spellings.some((spelling) => decoded(text).includes(spelling) || text.includes(spelling)))
        found.push(`${message}: ${location}: ${text}`);
    }
  }
  const listed = await server.request('GET', '/_local/requests?limit=500', { token: TEST_ADMIN_TOKEN });
  const flows = await server.request('GET', '/_local/oauth/flows', { token: TEST_ADMIN_TOKEN });
  assert.equal(listed.status, 200);
  assert.equal(flows.status, 200);
  const again = randomFrom(seed);
  for (const { text: message, make } of plantedRequests) {
    const { secret } = make(again);
    for (const { text } of [listed, flows]) if (decoded(text).includes(secret)) found.push(`${message}: in a response`);
  }
  assert.deepEqual(found, []);
}

function decoded(text: string): string {
  let plain = text;
  for (let left = 4; left > 0; left -= 1) {
    plain = plain.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'));
  }
  return plain;
}
