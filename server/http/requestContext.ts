import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { DeprecationId } from '../../src/contract/deprecations.ts';
import type { Core } from '../core/core.ts';
import type { Authentication } from './authentication.ts';

export interface BodyStart {
  readonly bytes: Buffer;
  /** True if `bytes` is the whole body. */
  readonly isWhole: boolean;
}

/** Parts of the server that pages show. */
export interface Site {
  /** Folder of static files. */
  readonly mediaDir: string;
  /** Number of unread mails of a user. */
  unreadMails(userId: number): number;
  /** Returns true if a user has this username. */
  hasUser(username: string): boolean;
}

/** Request as seen by the routes. */
export interface RequestContext {
  readonly core: Core;
  readonly authentication: Authentication;
  readonly site: Site;
  readonly method: string;
  /** Path as routed, without query, still percent-encoded. */
  readonly path: string;
  /** Raw query text without the question mark. */
  readonly query: string;
  /** Decoded path parameters by name. */
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** IP address of the client. */
  readonly address: string;
  readonly requestId: string;
  /** Scheme, host and port at which the caller reaches the server, or the configured public URL. */
  readonly baseUrl: string;
  /** Server clock at the start of the request, in milliseconds. */
  readonly now: number;
  /**
   * Reads the body once. The limit of the first call applies.
   * @throws {TooLarge | Overloaded} If the body exceeds the limit, and if there is no memory for it next to the bodies of other requests.
   */
  body(limit?: number): Promise<Buffer>;
  /** Returns the unread body as a stream, as it was sent. Use instead of `body`. */
  bodyStream(): Readable;
  /**
   * Returns a signal that is aborted if the client disconnects before it has received the response. A client that neither sends nor receives
   * anything for `idleLimit` milliseconds is disconnected.
   */
  disconnected(idleLimit: number): AbortSignal;
  /** Returns at least this many bytes from the start of the body, or all of a shorter body. Throws like `body`, which reads the rest. */
  bodyStart(bytes: number, limit: number): Promise<BodyStart>;
  /**
   * Reserves memory for data derived from the body until the response is sent. Waits if there is none left.
   * @throws {Overloaded} After waiting for too long.
   */
  reserveMemory(bytes: number): Promise<void>;
  /** Records the user in the request log, and the administrator who acts as that user. */
  noteUser(username: string, administrator?: string): void;
  /** Records the OAuth application whose token the request was sent with. */
  noteApplication(tokenId: number): void;
  /**
   * Records the user and the scopes of the token, so that a read can be sent again (docs/interface.md#deprecations). `scopes` is undefined for
   * credentials that are no tokens of a user, such as job tokens.
   */
  noteToken(userId: number, scopes: readonly string[] | undefined): void;
  /** Records the body of a GraphQL query that changes nothing. */
  noteQuery(body: string): void;
  /** Records that the request uses a deprecated element. The response then links to its page, and the report counts the call. */
  noteDeprecated(id: DeprecationId): void;
  /** Records the reason of a refusal in the request log if the handler returns a response instead of throwing. */
  noteRefusal(rule: string, reason: string): void;
}

/** HTTP response. A `body` of text or bytes requires a `type`. */
export interface HttpResponse {
  readonly status: number;
  readonly type?: string;
  readonly body?: string | Buffer;
  /** Streamed content in place of `body`. */
  readonly stream?: Readable;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Returns a JSON response. REST responses have no charset, as on GitLab. */
export function jsonResponse(status: number, value: unknown, headers?: HttpResponse['headers']): HttpResponse {
  return { status, type: 'application/json', body: JSON.stringify(value), ...(headers === undefined ? {} : { headers }) };
}
