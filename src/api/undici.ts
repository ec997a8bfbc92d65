// The only file that imports undici. It is a separate bundle that is loaded on first use. The modules of undici are imported by path,
// because its main module would replace the dispatcher that the global fetch of all extensions in this host uses.
import { rootCertificates } from 'node:tls';
import { createParser } from 'eventsource-parser';
import type { Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import type { OpenStream, ServerEvent } from './eventStream.ts';
import type { Proxy } from './proxy.ts';
import { RESPONSE_LIMIT, type Send, TransportFailure } from './transport.ts';

/** Creates a sender for loopback addresses: no proxy, no redirects. */
export function createLoopbackSend(): Send {
  // Short, because a keep-alive socket that the local server closes would look like a server that has stopped.
  return sendBy(new Agent({ keepAliveTimeout: 1_000, connections: 16 }));
}

/** Time limit in milliseconds for the first response header of a stream. */
const STREAM_START_LIMIT = 30_000;
/** Longest silence of a stream in milliseconds. The server sends a keep-alive every 15 s. */
const STREAM_SILENCE_LIMIT = 45_000;

/** Opens event streams on a separate agent, so that they never block other requests. */
export function createLoopbackStream(): OpenStream {
  const agent = new Agent({ headersTimeout: STREAM_START_LIMIT, bodyTimeout: STREAM_SILENCE_LIMIT });
  return async ({ url, method, headers }, signal) => {
    const { origin, pathname, search } = new URL(url);
    const path = `${pathname}${search}`;
    const response = await request.call(agent, { origin, path, method, headers: { ...headers }, body: null, signal });
    const isStream = response.statusCode === 200;
    if (!isStream) await response.body.dump();
    return {
      status: response.statusCode,
      headers: joinHeaders(response.headers),
      events: isStream ? eventsOf(response.body) : noEvents(),
    };
  };
}

async function* noEvents(): AsyncGenerator<ServerEvent, void, undefined> {}

async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const parsed: ServerEvent[] = [];
  const parser = createParser({ onEvent: ({ id, event, data }) => parsed.push({ id, event, data }) });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* parsed.splice(0);
  }
}

/**
 * Creates a sender that trusts these certificates (PEM) in addition to the well-known ones. It sends directly or through a tunnel of the
 * proxy, whose certificate is checked in the same way.
 */
export function createTrustingSend(certificates: string, proxy: Proxy | undefined): Send {
  const tls = { ca: [...rootCertificates, certificates] };
  if (proxy === undefined) return sendBy(new Agent({ connections: 16, connect: tls }));
  const { url: uri, authorization: token } = proxy;
  const agent = new ProxyAgent({
    uri,
    requestTls: tls,
    proxyTls: tls,
    connections: 16,
    // The main module, which is not loaded here, adds this method to every dispatcher.
    clientFactory: (origin, options) => Object.assign(new Pool(origin, options), { connect }),
    ...(token === undefined ? {} : { token }),
  });
  return withProxyErrors(sendBy(agent), new URL(uri).host);
}

/** Error codes of failed connections. With a proxy, the proxy is what cannot be reached. */
const connectErrors: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_CONN',
]);

/** Reports failures of the proxy as such, not as failures of the instance. */
function withProxyErrors(send: Send, proxyHost: string): Send {
  return async (request, signal) => {
    try {
      return await send(request, signal);
    } catch (error) {
      const { host } = new URL(request.url);
      const proxyStatus = error instanceof Error ? /^Proxy response \((\d+)\)/.exec(error.message)?.[1] : undefined;
      if (proxyStatus !== undefined) {
        const text = `${host} cannot be reached: the proxy ${proxyHost} responded with status ${proxyStatus}`;
        throw new TransportFailure('unreachable', text, error);
      }
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!connectErrors.has(code)) throw error;
      throw new TransportFailure('unreachable', `${host} cannot be reached: the proxy ${proxyHost} cannot be reached`, error);
    }
  };
}

function sendBy(agent: Dispatcher): Send {
  return async ({ url, method, headers, body }, signal) => {
    const { origin, pathname, search } = new URL(url);
    const response = await request.call(agent, {
      origin,
      path: `${pathname}${search}`,
      method,
      headers: { ...headers },
      body: body ?? null,
      ...(signal === undefined ? {} : { signal }),
    });
    const decoder = new TextDecoder();
    const chunks: AsyncIterable<Uint8Array> = response.body;
    let text = '';
    for await (const chunk of chunks) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > RESPONSE_LIMIT) throw new TransportFailure('tooLarge', 'the response is too large');
    }
    text += decoder.decode();
    return { status: response.statusCode, headers: joinHeaders(response.headers), body: text };
  };
}

function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): ReadonlyMap<string, string> {
  const entries = Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  return new Map(entries.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]));
}
