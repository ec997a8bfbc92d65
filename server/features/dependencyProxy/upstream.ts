import type { ProxyCore } from './proxyCore.ts';
import type { WireFailure } from '../../http/wireFailure.ts';
import { isLoopbackOrigin, isOwnUrl, type OwnAddresses } from '../../http/hostGuard.ts';
import { registryFailure } from '../registry/registry.ts';

const MAX_REDIRECTS = 5;
/** Time until the upstream must begin to respond, in milliseconds. */
const RESPONSE_LIMIT = 30_000;
const MAX_TOKEN_BYTES = 65_536;

export interface UpstreamRequest {
  readonly method: 'GET' | 'HEAD';
  readonly image: string;
  /** Path after the name of the repository, such as `manifests/latest`. */
  readonly path: string;
  readonly accept?: string | undefined;
}

/**
 * Sends a request to the upstream registry, with an anonymous token if the registry asks for one. An image without a namespace is looked up in
 * `library`, as on Docker Hub, and then under its own name.
 *
 * @throws {WireFailure} 503 without an upstream, and for one that cannot be reached.
 */
export async function requestUpstream(
  { dependencyProxyUpstream, origin }: ProxyCore,
  request: UpstreamRequest,
): Promise<Response> {
  if (dependencyProxyUpstream === undefined) {
    throw unavailable('no upstream registry is set; start the server with --dependency-proxy-upstream URL');
  }
  const names = request.image.includes('/') ? [request.image] : [`library/${request.image}`, request.image];
  let response: Response | undefined;
  for (const name of names) {
    await response?.body?.cancel();
    const target = new URL(`/v2/${name}/${request.path}`, dependencyProxyUpstream);
    response = await sendWithToken(origin, target, name, request);
    // A registry can respond with 401 or 403 for a repository that does not exist.
    if (![401, 403, 404].includes(response.status)) return response;
  }
  if (response === undefined) throw new Error('an image has at least one name');
  return response;
}

async function sendWithToken(
  own: OwnAddresses,
  target: URL,
  repository: string,
  { method, accept }: UpstreamRequest,
): Promise<Response> {
  const headers = { 'Accept-Encoding': 'identity', ...(accept === undefined ? {} : { Accept: accept }) };
  const response = await send(own, target, method, headers);
  if (response.status !== 401) return response;
  const challenge = parametersOf(response.headers.get('www-authenticate') ?? '');
  const realm = URL.parse(challenge.get('realm') ?? '');
  if (realm === null) return response;
  await response.body?.cancel();
  const token = await anonymousToken(own, realm, challenge, `repository:${repository}:pull`);
  return send(own, target, method, token === undefined ? headers : { ...headers, Authorization: `Bearer ${token}` });
}

/** Returns the parameters of a `Bearer` challenge (RFC 9110 §11.6.1). Empty for other challenges. */
function parametersOf(header: string): ReadonlyMap<string, string> {
  const [, list] = /^bearer +(.*)$/is.exec(header.slice(0, 4096)) ?? [];
  return new Map([...(list ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name.toLowerCase(), value]));
}

async function anonymousToken(
  own: OwnAddresses,
  realm: URL,
  challenge: ReadonlyMap<string, string>,
  pull: string,
): Promise<string | undefined> {
  const service = challenge.get('service');
  if (service !== undefined) realm.searchParams.set('service', service);
  realm.searchParams.set('scope', challenge.get('scope') ?? pull);
  const response = await send(own, realm, 'GET', { Accept: 'application/json', 'Accept-Encoding': 'identity' });
  const text = (await readBytes(response, MAX_TOKEN_BYTES))?.toString('utf8');
  if (!response.ok || text === undefined) return undefined;
  const content = parsed(text);
  // The names of the distribution specification and of OAuth 2.0.
  const token: unknown = content['token'] ?? content['access_token'];
  return typeof token === 'string' && /^[\w.~+/=-]+$/.test(token) ? token : undefined;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/**
 * Sends a request and follows redirects. The credential is not sent to another origin. Everything stays on this machine, and nothing is sent
 * to the server itself.
 */
async function send(
  own: OwnAddresses,
  target: URL,
  method: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), RESPONSE_LIMIT).unref();
  try {
    let url = target;
    let sent = headers;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      if (!isLoopbackOrigin(url.origin)) throw unavailable(`the upstream refers to ${url.origin}, which is not on this machine`);
      if (isOwnUrl(url, own)) throw unavailable(`the upstream refers to ${url.origin}, which is this server itself`);
      const response = await fetched(url, { method, headers: sent, redirect: 'manual', signal: controller.signal });
      const location = [301, 302, 303, 307, 308].includes(response.status) ? response.headers.get('location') : null;
      const next = location === null ? null : URL.parse(location, url.href);
      if (next === null) return response;
      await response.body?.cancel();
      if (next.origin !== url.origin)
        sent = Object.fromEntries(Object.entries(sent).filter(([name]) => name !== 'Authorization'));
      url = next;
    }
    throw unavailable(`the upstream redirects more than ${MAX_REDIRECTS} times`);
  } finally {
    clearTimeout(timer);
  }
}

async function fetched(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw unavailable(`the upstream ${url.origin} cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/** Returns the body of a response; undefined if it is longer than `limit` bytes. */
export async function readBytes(response: Response, limit: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of contentOf(response)) {
    size += chunk.length;
    // Leaving the loop cancels the response.
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Yields the content of a response as it arrives. Throws a 503 if the response breaks off. */
export async function* contentOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  try {
    yield* body;
  } catch (error) {
    throw unavailable(`the response of the upstream broke off: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns a 503 whose text says what is missing. */
export function unavailable(reason: string): WireFailure {
  return registryFailure(503, 'UNAVAILABLE', `service unavailable: ${reason}`, 'dependencyProxy.upstream', reason);
}

/** Returns the refusal for a response of the upstream that is no success. */
export function upstreamRefusal({ status }: Response, kind: 'manifest' | 'blob'): WireFailure {
  const rule = 'dependencyProxy.upstream';
  const reason = `the upstream responded with ${status}`;
  if (status === 404) return unknownContent(kind, reason);
  if (status === 401 || status === 403) {
    return registryFailure(403, 'DENIED', 'requested access to the resource is denied by the upstream', rule, reason);
  }
  if (status === 429) return registryFailure(429, 'TOOMANYREQUESTS', 'too many requests to the upstream', rule, reason);
  return unavailable(reason);
}

/** Returns the 404 for a manifest or blob that does not exist. */
export function unknownContent(kind: 'manifest' | 'blob', reason: string): WireFailure {
  return kind === 'manifest'
    ? registryFailure(404, 'MANIFEST_UNKNOWN', 'manifest unknown', 'dependencyProxy.found', reason)
    : registryFailure(404, 'BLOB_UNKNOWN', 'blob unknown to registry', 'dependencyProxy.found', reason);
}
