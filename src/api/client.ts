import * as l10n from '@vscode/l10n';
import { isSameOrigin } from '../contract/hosts.ts';
import { isJsonObject, listOf, parseJson, stringMember } from '../contract/json.ts';
import { linkTo } from '../contract/pagination.ts';
import { EXTENSION_SCOPE } from '../contract/scopes.ts';
import { type Query, queryString } from './encode.ts';
import type { OpenedStream, OpenStream } from './eventStream.ts';
import { ApiFailure, failureOfResponse, failureOfError, isOwnWord, lacksScope, unintelligible } from './failures.ts';
import { missingScope, missingScopeOfGraphql } from './insufficientScope.ts';
import { createMoves } from './moves.ts';
import type { Send, WireResponse, WireRequest } from './transport.ts';

/** Source of bearer tokens. */
export interface Credentials {
  /** Returns the token to send, or undefined for anonymous requests. */
  readonly token: () => Promise<string | undefined>;
  /** Called after a 401 with the rejected token. Returns another token to try once, or undefined if there is none. */
  readonly renewed: (refused: string) => Promise<string | undefined>;
  /** Returns true if the token is known to lack the scopes for reading. GraphQL refuses such a token like an invalid one. */
  readonly cannotRead?: () => boolean;
}

/** One page of a list, with the link to the next one. */
export interface Page<T> {
  readonly items: readonly T[];
  /** URL for `follow`, as the server sent it; absent on the last page. */
  readonly next?: string;
  /** Number of elements of the whole list (`X-Total`). Absent in keyset pagination and for very long lists. */
  readonly total?: number;
}

export interface Client {
  /** Reads one resource. Rejects with an `ApiFailure`. */
  readonly get: <T>(path: string, read: (body: unknown) => T | undefined, query?: Query, signal?: AbortSignal) => Promise<T>;
  /** Reads a resource that is not JSON as text. Rejects with an `ApiFailure`. */
  readonly text: (path: string, signal?: AbortSignal) => Promise<string>;
  /** Reads the first page of a list. Omits elements for which `read` returns undefined. Rejects with an `ApiFailure`. */
  readonly list: <T>(
    path: string,
    read: (element: unknown) => T | undefined,
    query?: Query,
    signal?: AbortSignal,
  ) => Promise<Page<T>>;
  /** Reads the page at the URL of a `Link` header. Rejects with an `ApiFailure`. */
  readonly follow: <T>(link: string, read: (element: unknown) => T | undefined, signal?: AbortSignal) => Promise<Page<T>>;
  /**
   * Changes something. The request is sent once, because without a response it is unknown whether the change was made. After a 401 of the
   * instance itself, which means that it was not, the request is sent again with a renewed token. Rejects with an `ApiFailure`, also for a
   * redirect.
   */
  readonly change: <T>(change: ChangeRequest, read: (body: unknown) => T | undefined, signal?: AbortSignal) => Promise<T>;
  /** Queries `/api/graphql` and passes the data to `read`. Rejects with an `ApiFailure`, also if the response contains errors. */
  readonly query: <T>(query: GraphqlQuery, read: (data: unknown) => T | undefined, signal?: AbortSignal) => Promise<T>;
  /** Opens a stream of events, starting after `lastEventId` if given. Resolves to undefined if the client has no `openStream`. */
  readonly events: (path: string, lastEventId: string | undefined, signal: AbortSignal) => Promise<OpenedStream | undefined>;
}

/** Read-only query to `/api/graphql`. */
export interface GraphqlQuery {
  readonly query: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export interface ChangeRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below `/api/v4`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface ClientSettings {
  /** Address of the instance, without `/api/v4` and without a trailing slash. */
  readonly baseUrl: string;
  readonly send: Send;
  readonly openStream?: OpenStream;
  readonly credentials: Credentials;
  /** Key of the account that the credentials are of, for failures. */
  readonly account?: string;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Called with every response. */
  readonly onResponse?: (response: WireResponse) => void;
  /** Called when a request gets no response. */
  readonly onFailure?: () => void;
  /** Called with a log line for every request. The line contains no secrets. */
  readonly report?: (line: string) => void;
}

type Outcome =
  | { readonly response: WireResponse; readonly failure?: undefined }
  | { readonly response?: undefined; readonly failure: ApiFailure };

/** Statuses after which a read is sent again; 429 only with a Retry-After header. */
const temporary: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Pauses before further attempts, in milliseconds. */
const pauses = [500, 2_000];
/** Longest Retry-After, in milliseconds, that the client waits for; a longer one is shown to the user. */
const longestPause = 15_000;
/** Redirects that are followed per request. A chain of redirects is an error of the instance. */
const maxRedirects = 1;

/** Creates a client for the API of one instance. Reads are retried after temporary failures; changes are not. */
export function createClient(settings: ClientSettings): Client {
  const { baseUrl, send, credentials, account, now, sleep, onResponse, onFailure, report } = settings;
  const base = new URL(baseUrl);
  const apiPath = new URL(`${baseUrl}/api/v4/`).pathname;
  const moves = createMoves();

  /** Sends a request with the current token and, after a 401 of the instance itself, again with the renewed one. */
  async function withToken<T extends Pick<WireResponse, 'status' | 'headers'> & Partial<WireResponse>>(
    sendWith: (token: string | undefined) => Promise<T>,
  ): Promise<T> {
    const token = await credentials.token();
    const response = await sendWith(token);
    const { status, headers, body } = response;
    if (status !== 401 || token === undefined) return response;
    if (body !== undefined && !isOwnWord({ status, headers, body })) return response;
    // Another token of the same sign-in lacks the scope, too.
    if (missingScope(response) !== undefined) return response;
    const renewed = await credentials.renewed(token);
    return renewed === undefined ? response : sendWith(renewed);
  }

  const headersOf = (token: string | undefined): Readonly<Record<string, string>> => ({
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  });

  async function changeAs(token: string | undefined, change: ChangeRequest, signal?: AbortSignal): Promise<WireResponse> {
    const { method, path, body: sent } = change;
    const request: WireRequest = {
      method,
      url: await confirmedUrl(token, `${baseUrl}/api/v4${path}`, signal),
      headers: { ...headersOf(token), ...(sent === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    };
    const { response, failure } = await sendOnce(request, signal);
    if (response === undefined) throw failure;
    return response;
  }

  /** Returns the URL for a change. Whether the resource is still where a read has found it is asked again. */
  async function confirmedUrl(token: string | undefined, url: string, signal?: AbortSignal): Promise<string> {
    const resource = moves.forget(url);
    if (resource !== undefined) await readAs(token, resource, undefined, signal);
    return moves.current(url);
  }

  /** Sends a read. `sent` is the body of a read that is a POST, such as a GraphQL query. */
  async function readAs(token: string | undefined, url: string, sent?: string, signal?: AbortSignal): Promise<WireResponse> {
    const headers = headersOf(token);
    let request: WireRequest =
      sent === undefined
        ? { method: 'GET', url: moves.current(url), headers }
        : { method: 'POST', url, headers: { ...headers, 'content-type': 'application/json' }, body: sent };
    let redirects = 0;
    let move: readonly [from: string, to: string] | undefined;
    for (let attempt = 0; ; ) {
      const { response, failure } = await sendOnce(request, signal);
      const location = response === undefined || sent !== undefined ? undefined : redirectOf(request.url, response);
      if (location !== undefined && redirects < maxRedirects) {
        redirects += 1;
        if (request.url !== url) moves.forget(url);
        if (response?.status === 301 || response?.status === 308) move = [request.url, location];
        request = { ...request, url: location };
        continue;
      }
      const pause = attempt < pauses.length ? pauseBefore(attempt, response, failure) : undefined;
      if (pause === undefined) {
        if (response === undefined) {
          moves.forget(url);
          throw failure;
        }
        if (move !== undefined) moves.learn(...move, response);
        else moves.check(url, response);
        return response;
      }
      attempt += 1;
      await sleep(pause, signal);
    }
  }

  async function sendOnce(request: WireRequest, signal?: AbortSignal): Promise<Outcome> {
    const started = now();
    const path = request.url.slice(base.origin.length);
    try {
      const response = await send(request, signal);
      onResponse?.(response);
      report?.(`${request.method} ${path} → ${response.status} in ${now() - started} ms`);
      return { response };
    } catch (error) {
      const failure = failureOfError(error);
      if (failure === undefined) throw error;
      onFailure?.();
      report?.(`${request.method} ${path} → ${failure.message}`);
      return { failure };
    }
  }

  /** Returns the milliseconds to wait before the next attempt, or undefined if it would not help or would take too long. */
  function pauseBefore(attempt: number, response: WireResponse | undefined, failure: ApiFailure | undefined): number | undefined {
    const pause = pauses[attempt];
    if (response === undefined) return failure?.kind === 'unreachable' ? pause : undefined;
    if (!temporary.has(response.status)) return undefined;
    const { retryAfter } = failureOfResponse(base.host, response, now());
    if (retryAfter === undefined) return response.status === 429 ? undefined : pause;
    return retryAfter <= longestPause ? retryAfter : undefined;
  }

  /** Returns the target of a redirect within the API. Other hosts, and pages of gateways, must not receive the token. */
  function redirectOf(from: string, response: WireResponse): string | undefined {
    const location = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined || !URL.canParse(location, from))
      return undefined;
    const target = new URL(location, from);
    const isOfApi = isSameOrigin(target.href, base.href) && target.pathname.startsWith(apiPath);
    return isOfApi ? base.origin + target.href.slice(target.origin.length) : undefined;
  }

  async function fetchBody(url: string, signal?: AbortSignal): Promise<{ response: WireResponse; value: unknown }> {
    return parseSuccess(await withToken((token) => readAs(token, url, undefined, signal)));
  }

  function parseSuccess(response: WireResponse): { response: WireResponse; value: unknown } {
    if (response.status < 200 || response.status > 299) throw failureOfResponse(base.host, response, now(), account);
    return { response, value: parseJson(response.body) };
  }

  function readOrThrow<T>(
    { response, value }: { readonly response: WireResponse; readonly value: unknown },
    readBody: (body: unknown) => T | undefined,
  ): T {
    // A page in place of a response, such as that of a captive portal, does not mean that a change was made.
    const result = value === undefined && response.body.trim() !== '' ? undefined : readBody(value);
    if (result !== undefined) return result;
    throw unexpected(response);
  }

  function unexpected(response: WireResponse): ApiFailure {
    return unintelligible(l10n.t('{0}: unexpected response. Is another program using this address?', base.host), response);
  }

  /** Returns the data of a GraphQL response. Throws if it contains errors, because any part of the data may be missing then. */
  function graphqlData({ response, value }: { readonly response: WireResponse; readonly value: unknown }): unknown {
    if (!isJsonObject(value)) return undefined;
    const [scope] = listOf(value.errors, missingScopeOfGraphql);
    if (scope !== undefined) throw lacksScope(base.host, scope, account);
    const [serverMessage] = listOf(value.errors, (error) => (isJsonObject(error) ? stringMember(error, 'message') : undefined));
    if (serverMessage === undefined) return value.data;
    throw new ApiFailure('refused', l10n.t('{0} rejected the request ({1})', base.host, serverMessage), {
      status: response.status,
      serverMessage,
    });
  }

  async function page<T>(url: string, readElement: (element: unknown) => T | undefined, signal?: AbortSignal): Promise<Page<T>> {
    const { response, value } = await fetchBody(url, signal);
    if (!Array.isArray(value))
      throw unintelligible(
        l10n.t('{0}: the response is not a list. Is another program using this address?', base.host),
        response,
      );
    const items = value.map(readElement).filter((item) => item !== undefined);
    const next = linkTo(response.headers.get('link'), 'next');
    const total = response.headers.get('x-total');
    return {
      items,
      ...(next === undefined ? {} : { next }),
      ...(total !== undefined && /^\d{1,15}$/.test(total) ? { total: Number(total) } : {}),
    };
  }

  /** Rewrites a link of a server that does not know its public address to the address of this client. */
  function atBaseUrl(link: string): string {
    if (!URL.canParse(link, `${baseUrl}/`))
      throw new ApiFailure('unintelligible', l10n.t('{0}: the link to the next page is not a valid URL', base.host));
    const { origin, pathname, search } = new URL(link, `${baseUrl}/`);
    if (origin === base.origin) return link;
    const inApi = pathname.indexOf('/api/v4/');
    if (inApi === -1)
      throw new ApiFailure('moved', l10n.t('{0}: the link to the next page is outside the API', base.host), { location: link });
    return `${baseUrl}${pathname.slice(inApi)}${search}`;
  }

  return {
    get: async (path, readBody, query = {}, signal) =>
      readOrThrow(await fetchBody(`${baseUrl}/api/v4${path}${queryString(query)}`, signal), readBody),
    text: async (path, signal) => {
      const { response } = await fetchBody(`${baseUrl}/api/v4${path}`, signal);
      if (!/^text\/html\b/.test(response.headers.get('content-type') ?? '')) return response.body;
      throw unexpected(response);
    },
    list: (path, readElement, query = {}, signal) => page(`${baseUrl}/api/v4${path}${queryString(query)}`, readElement, signal),
    follow: async (link, readElement, signal) => page(atBaseUrl(link), readElement, signal),
    change: async (change, readBody, signal) =>
      readOrThrow(parseSuccess(await withToken((token) => changeAs(token, change, signal))), readBody),
    query: async ({ query, variables }, readData, signal) => {
      if (credentials.cannotRead?.() === true) throw lacksScope(base.host, EXTENSION_SCOPE, account);
      const sent = JSON.stringify({ query, variables });
      const read = parseSuccess(await withToken((token) => readAs(token, `${baseUrl}/api/graphql`, sent, signal)));
      return readOrThrow({ response: read.response, value: graphqlData(read) }, readData);
    },
    events: async (path, lastEventId, signal) => {
      const { openStream } = settings;
      if (openStream === undefined) return undefined;
      const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const url = `${baseUrl}${path}`;
      return withToken((token) => {
        const headers = { ...headersOf(token), accept: 'text/event-stream', ...resume };
        return openStream({ method: 'GET', url, headers }, signal);
      });
    },
  };
}
