// The only file that names undici, and a bundle of its own that is loaded on first use. Its parts are imported by path: the package's
// main file would replace the dispatcher that the global fetch of every extension in this host goes through.
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

/** Sends by an agent of our own, straight to the socket: no proxy, no redirects. */
export function createLoopbackSend(): Send {
  // The server on the other side is ours and near; a dropped keep-alive socket would look like a server that has gone.
  return sendBy(new Agent({ keepAliveTimeout: 1_000, connections: 16 }));
}

/** Milliseconds in which a stream begins, and in which something comes of it: the server says every 15 s that it is there. */
const STREAM_BEGINS = 30_000;
const STREAM_SILENT = 45_000;

/** Opens streams of events by an agent of its own, so that no request ever waits for one to end. */
export function createLoopbackStream(): OpenStream {
  const agent = new Agent({ headersTimeout: STREAM_BEGINS, bodyTimeout: STREAM_SILENT });
  return async ({ url, method, headers }, signal) => {
    const { origin, pathname, search } = new URL(url);
    const path = `${pathname}${search}`;
    const response = await request.call(agent, { origin, path, method, headers: { ...headers }, body: null, signal });
    const isStream = response.statusCode === 200;
    if (!isStream) await response.body.dump();
    return {
      status: response.statusCode,
      headers: joined(response.headers),
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
 * Sends to an instance of whose host only these certificates (PEM), beside the well-known ones, can tell that it is the right one:
 * directly, or through a tunnel of the proxy, which the same certificates may prove.
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
    // The main file, which is not loaded here, gives every dispatcher this method.
    clientFactory: (origin, options) => Object.assign(new Pool(origin, options), { connect }),
    ...(token === undefined ? {} : { token }),
  });
  return wordingProxy(sendBy(agent), new URL(uri).host);
}

/** Failures to reach anything at all, which behind a proxy means the proxy. */
const ofConnecting: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_CONN',
]);

/** Tells failures of the proxy from those of the instance behind it. */
function wordingProxy(send: Send, proxyHost: string): Send {
  return async (request, signal) => {
    try {
      return await send(request, signal);
    } catch (error) {
      const { host } = new URL(request.url);
      const answered = error instanceof Error ? /^Proxy response \((\d+)\)/.exec(error.message)?.[1] : undefined;
      if (answered !== undefined) {
        const text = `${host} cannot be reached: the proxy ${proxyHost} responded with status ${answered}`;
        throw new TransportFailure('unreachable', text, error);
      }
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!ofConnecting.has(code)) throw error;
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
    return { status: response.statusCode, headers: joined(response.headers), body: text };
  };
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): ReadonlyMap<string, string> {
  const entries = Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  return new Map(entries.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]));
}
