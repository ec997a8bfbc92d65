import * as l10n from '@vscode/l10n';
import { isJsonObject, listOf, parseJson, stringMember } from '../contract/json.ts';
import { linkTo } from '../contract/pagination.ts';
import { type Query, queryString } from './encode.ts';
import type { OpenedStream, OpenStream } from './eventStream.ts';
import { ApiFailure, failureOfResponse, failureOfError, unintelligible } from './failures.ts';
import type { Send, WireResponse, WireRequest } from './transport.ts';

/** Where bearer tokens come from. */
export interface Credentials {
  /** The token to send; undefined asks without one. */
  readonly token: () => Promise<string | undefined>;
  /** After a 401: another token to try once, or undefined when there is none. Told the token that was refused. */
  readonly renewed: (refused: string) => Promise<string | undefined>;
}

/** One page of a list, and the way to the next one. */
export interface Page<T> {
  readonly items: readonly T[];
  /** URL to hand to `follow`, as the server sent it; absent on the last page. */
  readonly next?: string;
}

export interface Client {
  /** One resource. Rejects with an `ApiFailure`. */
  readonly get: <T>(path: string, read: (body: unknown) => T | undefined, query?: Query, signal?: AbortSignal) => Promise<T>;
  /** The first page of a list. Elements that the reader does not know are left out. Rejects with an `ApiFailure`. */
  readonly list: <T>(
    path: string,
    read: (element: unknown) => T | undefined,
    query?: Query,
    signal?: AbortSignal,
  ) => Promise<Page<T>>;
  /** The page a `Link` header named. */
  readonly follow: <T>(link: string, read: (element: unknown) => T | undefined, signal?: AbortSignal) => Promise<Page<T>>;
  /**
   * Changes something. It is sent once, because an answer that does not come says nothing of whether it was done; after a 401, which says
   * that it was not, once more with a renewed token. Rejects with an `ApiFailure`, also for a redirect.
   */
  readonly change: <T>(change: ChangeRequest, read: (body: unknown) => T | undefined, signal?: AbortSignal) => Promise<T>;
  /** Asks `/api/graphql`; `read` gets the data. Rejects with an `ApiFailure`, also for an answer that names errors. */
  readonly query: <T>(query: GraphqlQuery, read: (data: unknown) => T | undefined, signal?: AbortSignal) => Promise<T>;
  /** Opens a stream of events, after the event with this id where there is one; undefined where nothing can open streams. Rejects. */
  readonly events: (path: string, lastEventId: string | undefined, signal: AbortSignal) => Promise<OpenedStream | undefined>;
}

/** A question to `/api/graphql`; nothing is changed by it. */
export interface GraphqlQuery {
  readonly query: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export interface ChangeRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v4`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface ClientSettings {
  /** Address of the instance, without `/api/v4` and without a slash at its end. */
  readonly baseUrl: string;
  readonly send: Send;
  readonly openStream?: OpenStream;
  readonly credentials: Credentials;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Told of every answer. */
  readonly answered?: (response: WireResponse) => void;
  /** Told of every exchange; nothing in it is secret. */
  readonly report?: (line: string) => void;
}

type RequestContext =
  | { readonly response: WireResponse; readonly failure?: undefined }
  | { readonly response?: undefined; readonly failure: ApiFailure };

/** Answers after which the same read may be sent again; 429 with a Retry-After is one, too. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const pauses = [500, 2_000];
/** Longest Retry-After that is waited out; a longer one is shown to the person. */
const longestPause = 15_000;
/** A resource that has moved is followed once; a chain of moves is a fault of the instance. */
const maxRedirects = 1;
/** Moved resources that are remembered at most. */
const mostMoved = 200;

/** Client of the REST API of one instance. What reads may be repeated, and is while that may help. */
export function createClient(settings: ClientSettings): Client {
  const { baseUrl, send, credentials, now, sleep, answered, report } = settings;
  const base = new URL(baseUrl);
  /** Paths of resources that have moved for good (RFC 9110 §15.4.2), as long as this client lives. */
  const moved = new Map<string, string>();

  /** Asks with the token, and where that is refused once more with the one that takes its place. */
  async function withToken<T extends { readonly status: number }>(ask: (token: string | undefined) => Promise<T>): Promise<T> {
    const token = await credentials.token();
    const response = await ask(token);
    if (response.status !== 401 || token === undefined) return response;
    const renewed = await credentials.renewed(token);
    return renewed === undefined ? response : ask(renewed);
  }

  const headersOf = (token: string | undefined): Readonly<Record<string, string>> => ({
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  });

  async function changeAs(token: string | undefined, change: ChangeRequest, signal?: AbortSignal): Promise<WireResponse> {
    const { method, path, body: sent } = change;
    const request: WireRequest = {
      method,
      url: whereItIs(`${baseUrl}/api/v4${path}`),
      headers: { ...headersOf(token), ...(sent === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    };
    const { response, failure } = await context(request, signal);
    if (response === undefined) throw failure;
    return response;
  }

  /** `sent`: a question that stands in the body of a POST. */
  async function readAs(token: string | undefined, url: string, sent?: string, signal?: AbortSignal): Promise<WireResponse> {
    const headers = headersOf(token);
    let request: WireRequest =
      sent === undefined
        ? { method: 'GET', url: whereItIs(url), headers }
        : { method: 'POST', url, headers: { ...headers, 'content-type': 'application/json' }, body: sent };
    let redirects = 0;
    for (let attempt = 0; ; ) {
      const { response, failure } = await context(request, signal);
      const location = response === undefined || sent !== undefined ? undefined : redirectOf(request.url, response);
      if (location !== undefined && redirects < maxRedirects) {
        redirects += 1;
        if (response?.status === 301 || response?.status === 308) learnMove(request.url, location);
        request = { ...request, url: location };
        continue;
      }
      const pause = attempt < pauses.length ? pauseBefore(attempt, response, failure) : undefined;
      if (pause === undefined) {
        if (response === undefined) throw failure;
        // Moved again, or back: the next question goes to where the resource was asked for.
        if (response.status === 404) moved.delete(new URL(url).pathname);
        return response;
      }
      attempt += 1;
      await sleep(pause, signal);
    }
  }

  async function context(request: WireRequest, signal?: AbortSignal): Promise<RequestContext> {
    const started = now();
    const path = request.url.slice(base.origin.length);
    try {
      const response = await send(request, signal);
      answered?.(response);
      report?.(`${request.method} ${path} → ${response.status} in ${now() - started} ms`);
      return { response };
    } catch (error) {
      const failure = failureOfError(error);
      if (failure === undefined) throw error;
      report?.(`${request.method} ${path} → ${failure.message}`);
      return { failure };
    }
  }

  /** Milliseconds to wait before sending again, or undefined when that would not help or would take too long. */
  function pauseBefore(attempt: number, response: WireResponse | undefined, failure: ApiFailure | undefined): number | undefined {
    const pause = pauses[attempt];
    if (response === undefined) return failure?.kind === 'unreachable' ? pause : undefined;
    if (!passing.has(response.status)) return undefined;
    const { retryAfter } = failureOfResponse(base.host, response, now());
    if (retryAfter === undefined) return response.status === 429 ? undefined : pause;
    return retryAfter <= longestPause ? retryAfter : undefined;
  }

  /** Where a moved resource is now, when that is on the same instance: the token is for no other host. */
  function redirectOf(from: string, response: WireResponse): string | undefined {
    const location = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined || !URL.canParse(location, from))
      return undefined;
    const target = new URL(location, from);
    return target.origin === base.origin ? target.href : undefined;
  }

  /** A move that keeps the question is one of the path alone. */
  function learnMove(from: string, to: string): void {
    const [before, after] = [new URL(from), new URL(to)];
    if (before.search !== after.search && after.search !== '') return;
    const oldest = moved.keys().next();
    if (moved.size >= mostMoved && oldest.done !== true) moved.delete(oldest.value);
    moved.set(before.pathname, after.pathname);
  }

  function whereItIs(url: string): string {
    const target = new URL(url);
    const path = moved.get(target.pathname);
    if (path === undefined) return url;
    target.pathname = path;
    return target.href;
  }

  async function body(url: string, signal?: AbortSignal): Promise<{ response: WireResponse; value: unknown }> {
    return checked(await withToken((token) => readAs(token, url, undefined, signal)));
  }

  function checked(response: WireResponse): { response: WireResponse; value: unknown } {
    if (response.status < 200 || response.status > 299) throw failureOfResponse(base.host, response, now());
    return { response, value: parseJson(response.body) };
  }

  function known<T>(
    { response, value }: { readonly response: WireResponse; readonly value: unknown },
    readBody: (body: unknown) => T | undefined,
  ): T {
    const result = readBody(value);
    if (result !== undefined) return result;
    throw unintelligible(l10n.t('{0}: unexpected response. Is another program using this address?', base.host), response);
  }

  /** What a GraphQL answer holds. One that names errors may lack any part of it. */
  function dataOf({ response, value }: { readonly response: WireResponse; readonly value: unknown }): unknown {
    if (!isJsonObject(value)) return undefined;
    const [said] = listOf(value.errors, (error) => (isJsonObject(error) ? stringMember(error, 'message') : undefined));
    if (said === undefined) return value.data;
    throw new ApiFailure('refused', l10n.t('{0} rejected the request ({1})', base.host, said), {
      status: response.status,
      said,
    });
  }

  async function page<T>(url: string, readElement: (element: unknown) => T | undefined, signal?: AbortSignal): Promise<Page<T>> {
    const { response, value } = await body(url, signal);
    if (!Array.isArray(value))
      throw unintelligible(
        l10n.t('{0}: the response is not a list. Is another program using this address?', base.host),
        response,
      );
    const items = value.map(readElement).filter((item) => item !== undefined);
    const next = linkTo(response.headers.get('link'), 'next');
    return next === undefined ? { items } : { items, next };
  }

  /** A server that does not know its public address names another one in its links; the page is the same at ours. */
  function atOurAddress(link: string): string {
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
      known(await body(`${baseUrl}/api/v4${path}${queryString(query)}`, signal), readBody),
    list: (path, readElement, query = {}, signal) => page(`${baseUrl}/api/v4${path}${queryString(query)}`, readElement, signal),
    follow: async (link, readElement, signal) => page(atOurAddress(link), readElement, signal),
    change: async (change, readBody, signal) =>
      known(checked(await withToken((token) => changeAs(token, change, signal))), readBody),
    query: async ({ query, variables }, readData, signal) => {
      const sent = JSON.stringify({ query, variables });
      const read = checked(await withToken((token) => readAs(token, `${baseUrl}/api/graphql`, sent, signal)));
      return known({ response: read.response, value: dataOf(read) }, readData);
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
