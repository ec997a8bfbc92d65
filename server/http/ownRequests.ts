import { request, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { randomSecret } from '../core/secrets.ts';
import { connectTo } from '../support/inProcess.ts';

/** Maximum size of a response, in bytes. The rest is not read. */
const MAX_RESPONSE = 262_144;
/** Time for a response, in milliseconds. */
const TIMEOUT = 30_000;
/** Time after which a stream of events, which has no end, is left. */
const STREAM_TIME = 2_000;

/** A request that a page sends to its own server. */
export interface OwnRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Who sends a request, and how they reach the server. */
export interface OwnSender {
  /** Undefined for an anonymous request, and for one with its own credentials. */
  readonly userId: number | undefined;
  readonly address: string;
  readonly baseUrl: string;
}

export interface OwnResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** False if the response is longer than what was read. */
  readonly isComplete: boolean;
}

/**
 * Requests that pages send to their own server on behalf of a user. They pass all checks of requests from elsewhere. The session of the
 * browser stands behind a token that is known to this process only while the request runs, and that is never sent to the browser.
 */
export interface OwnRequests {
  /** Sets the server that receives the requests. */
  attach(server: Server): void;
  /** Sends a request. Returns undefined if there is no response in time. */
  send(sent: OwnRequest, sender: OwnSender): Promise<OwnResponse | undefined>;
  /** Returns the ID of the user whose request in progress has this token. */
  userOf(token: string): number | undefined;
}

export function createOwnRequests(): OwnRequests {
  const users = new Map<string, number>();
  let server: Server | undefined;
  return {
    attach: (attached) => {
      server = attached;
    },
    userOf: (token) => users.get(token),
    send: async (sent, { userId, address, baseUrl }) => {
      if (server === undefined) throw new Error('no server is attached');
      const token = randomSecret();
      if (userId !== undefined) users.set(token, userId);
      const { host, hostname, port } = new URL(baseUrl);
      const connection = connectTo(server, {
        remoteAddress: address,
        localAddress: hostname.replaceAll(/[[\]]/g, ''),
        localPort: Number(port === '' ? 80 : port),
      });
      try {
        const authorization = userId === undefined ? {} : { Authorization: `Bearer ${token}` };
        return await sendOver(connection, sent, { ...authorization, ...sent.headers, Host: host });
      } finally {
        users.delete(token);
        connection.destroy();
      }
    },
  };
}

function sendOver(
  connection: Duplex,
  { method, path, body }: OwnRequest,
  headers: Readonly<Record<string, string>>,
): Promise<OwnResponse | undefined> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(body.length) };
    const sent = request({
      createConnection: () => connection,
      method,
      path,
      headers: { ...headers, ...length, Connection: 'close' },
    });
    const timeout = setTimeout(() => resolve(undefined), TIMEOUT);
    sent.once('close', () => clearTimeout(timeout));
    sent.once('error', reject);
    sent.once('response', (response) => {
      readResponse(response).then(resolve, reject);
    });
    sent.end(body);
  });
}

function readResponse(response: IncomingMessage): Promise<OwnResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (isComplete: boolean): void => {
      clearTimeout(leaving);
      resolve({
        status: response.statusCode ?? 0,
        statusText: response.statusMessage ?? '',
        headers: headersOf(response),
        body: Buffer.concat(chunks).subarray(0, MAX_RESPONSE),
        isComplete,
      });
      response.destroy();
    };
    const isStream = (response.headers['content-type'] ?? '').startsWith('text/event-stream');
    const leaving = setTimeout(() => finish(false), isStream ? STREAM_TIME : TIMEOUT);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_RESPONSE) finish(false);
    });
    response.once('error', (error) => {
      clearTimeout(leaving);
      reject(error);
    });
    response.once('end', () => finish(true));
  });
}

function headersOf({ rawHeaders }: IncomingMessage): OwnResponse['headers'] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : []));
}
