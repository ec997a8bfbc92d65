// The only file that names undici, and a bundle of its own that is loaded on first use. Its parts are imported by path: the package's
// main file would replace the dispatcher that the global fetch of every extension in this host goes through.
import { rootCertificates } from 'node:tls';
import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { ANSWER_LIMIT, type Send, TransportFailure } from './transport.ts';

/** Sends by an agent of our own, straight to the socket: no proxy, no redirects. */
export function createLoopbackSend(): Send {
  // The server on the other side is ours and near; a dropped keep-alive socket would look like a server that has gone.
  return sendBy(new Agent({ keepAliveTimeout: 1_000, connections: 16 }));
}

/** The same for an instance of whose host only these certificates (PEM), beside the well-known ones, can tell that it is the right one. */
export function createTrustingSend(certificates: string): Send {
  return sendBy(new Agent({ connections: 16, connect: { ca: [...rootCertificates, certificates] } }));
}

function sendBy(agent: Agent): Send {
  return async ({ url, method, headers, body }, signal) => {
    const { origin, pathname, search } = new URL(url);
    const answer = await request.call(agent, {
      origin,
      path: `${pathname}${search}`,
      method,
      headers: { ...headers },
      body: body ?? null,
      ...(signal === undefined ? {} : { signal }),
    });
    const decoder = new TextDecoder();
    const chunks: AsyncIterable<Uint8Array> = answer.body;
    let text = '';
    for await (const chunk of chunks) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > ANSWER_LIMIT) throw new TransportFailure('tooLarge', 'the answer is larger than any page of the API');
    }
    text += decoder.decode();
    return { status: answer.statusCode, headers: joined(answer.headers), body: text };
  };
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): ReadonlyMap<string, string> {
  const entries = Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  return new Map(entries.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]));
}
