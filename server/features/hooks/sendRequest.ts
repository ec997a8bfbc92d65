import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { loopbackLookup } from './hookUrl.ts';

/** Time that a delivery may take, in milliseconds. */
const TIME_LIMIT = 10_000;
/** Maximum number of bytes of a response body that are read. The receiver is disconnected after that. */
const MAX_READ = 1024 * 1024;
/** Maximum number of bytes of a response body that are stored. */
const MAX_STORED = 8192;

export interface OutgoingRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly verifiesCertificates: boolean;
  readonly signal: AbortSignal;
}

export type Outcome =
  | {
      readonly kind: 'responded';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: 'failed'; readonly error: string };

/** Sends a request to a receiver on this machine. Redirects are not followed. Never rejects. */
export async function sendRequest(outgoing: OutgoingRequest): Promise<Outcome> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), TIME_LIMIT);
  try {
    const response = await responseTo(outgoing, AbortSignal.any([outgoing.signal, limit.signal]));
    const body = await storedBody(response);
    return { kind: 'responded', status: response.statusCode ?? 0, headers: headersOf(response), body };
  } catch (error) {
    if (limit.signal.aborted) return { kind: 'failed', error: `no response within ${TIME_LIMIT / 1000} seconds` };
    return { kind: 'failed', error: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

function responseTo(
  { url, headers, body, verifiesCertificates }: OutgoingRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: { ...headers, 'Content-Length': String(body.length), Connection: 'close' },
      agent: false,
      lookup: loopbackLookup(),
      signal,
    } as const;
    const send =
      url.protocol === 'https:'
        ? requestHttps(url, { ...options, rejectUnauthorized: verifiesCertificates })
        : requestHttp(url, options);
    send.once('response', resolve);
    // The request can fail again while the response is read, which then rejects.
    send.on('error', reject);
    send.end(body);
  });
}

/** Reads the body of a response and returns its beginning. */
async function storedBody(response: IncomingMessage): Promise<string> {
  const stored: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    const bytes: Buffer<ArrayBufferLike> = chunk;
    if (size < MAX_STORED) stored.push(bytes.subarray(0, MAX_STORED - size));
    size += bytes.length;
    // Leaving the loop closes the connection.
    if (size > MAX_READ) break;
  }
  return Buffer.concat(stored).toString('utf8').replaceAll('\0', '');
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const values = Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  return Object.fromEntries(values.map(([name, value]) => [canonicalName(name), [value].flat().join(', ')]));
}

/** Returns the name of a header as GitLab shows it, such as `Content-Type`. */
function canonicalName(name: string): string {
  return name.replace(/(?:^|-)[a-z]/g, (part) => part.toUpperCase());
}
