import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

export interface BodyStart {
  readonly bytes: Buffer;
  /** Whether these are all bytes of the body. */
  readonly isWhole: boolean;
}

/** One request as the routes see it. */
export interface RequestContext {
  readonly method: string;
  /** Path as routed, without query, still percent-encoded. */
  readonly path: string;
  /** Raw query text without the question mark. */
  readonly query: string;
  /** Decoded path parameters by name. */
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** Address of the peer. */
  readonly address: string;
  readonly requestId: string;
  /** Scheme, host and port under which the caller reaches the server; the configured public URL where there is one. */
  readonly baseUrl: string;
  /** The platform's time when the request came in, milliseconds. */
  readonly now: number;
  /**
   * Reads the body once. Throws 413 above the limit, and 503 where there is no room for it beside the bodies of other requests. The limit
   * is that of the first call.
   */
  body(limit?: number): Promise<Buffer>;
  /** The first bytes of the body: at least this many, or all of a shorter one. Throws as `body` does, which reads the rest. */
  bodyStart(bytes: number, limit: number): Promise<BodyStart>;
  /**
   * Counts memory that is needed for what is made of the body, until the request is answered. Waits where there is no room, and throws 503
   * when there is none for too long.
   */
  reserveMemory(bytes: number): Promise<void>;
  /** Names the user in the journal, and the administrator who acts as them. */
  noteUser(username: string, administrator?: string): void;
  /** Records in the journal why an answer that is no WireFailure still is a refusal. */
  noteRefusal(rule: string, reason: string): void;
}

/** What goes back. A `body` of text or bytes needs a `type`. */
export interface HttpResponse {
  readonly status: number;
  readonly type?: string;
  readonly body?: string | Buffer;
  /** In place of a body: what is written as it comes. */
  readonly stream?: Readable;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** A JSON answer; REST answers carry no charset, as on the real platform. */
export function jsonResponse(status: number, value: unknown, headers?: HttpResponse['headers']): HttpResponse {
  return { status, type: 'application/json', body: JSON.stringify(value), ...(headers === undefined ? {} : { headers }) };
}
