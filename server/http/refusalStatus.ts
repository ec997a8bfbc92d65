import {
  Forbidden,
  InsufficientScope,
  Invalid,
  InvalidParameters,
  InvalidToken,
  NotFound,
  Overloaded,
  Refused,
  StorageFailed,
  TooLarge,
  Unauthenticated,
  Unauthorized,
  Unavailable,
  Unreadable,
  Unsupported,
} from '../core/errors.ts';
import { type Refusal, WireFailure } from './wireFailure.ts';

// Status, text and headers of the errors of rules, as far as all protocols over HTTP have them in common. The formats differ.

const statusOfRefused = { change: 400, request: 400, missing: 400, conflict: 409, incomplete: 422, state: 405 } as const;
const statusOfContent = { sent: 415, requested: 406 } as const;
const statusOfStorage = { damaged: 500, unwritable: 503, full: 507 } as const;

/** Returns the HTTP status of a refusal. */
export function statusOf(refusal: Refusal): number {
  if (refusal instanceof WireFailure) return refusal.status;
  if (refusal instanceof NotFound) return 404;
  if (refusal instanceof Unauthenticated || refusal instanceof Unauthorized) return 401;
  if (refusal instanceof InvalidParameters || refusal instanceof Unreadable) return 400;
  if (refusal instanceof Invalid) return refusal.isUnprocessable ? 422 : 400;
  if (refusal instanceof Refused) return statusOfRefused[refusal.kind];
  if (refusal instanceof TooLarge) return 413;
  if (refusal instanceof Unsupported) return statusOfContent[refusal.content];
  if (refusal instanceof Unavailable || refusal instanceof Overloaded) return 503;
  if (refusal instanceof StorageFailed) return statusOfStorage[refusal.kind];
  return 403;
}

/** Returns the text of a refusal for people, in the words of GitLab; undefined if it has several texts, or its protocol has none. */
export function textOf(refusal: Refusal): string | undefined {
  if (refusal instanceof WireFailure) return refusal.text;
  if (refusal instanceof NotFound) return textOfNotFound(refusal);
  if (refusal instanceof InvalidToken) return refusal.description;
  if (refusal instanceof Unauthenticated || refusal instanceof Unauthorized) return '401 Unauthorized';
  if (refusal instanceof InsufficientScope) return 'The request requires higher privileges than provided by the access token.';
  if (refusal instanceof Forbidden) return textOfForbidden(refusal);
  if (refusal instanceof InvalidParameters) return refusal.texts.join(', ');
  if (refusal instanceof Unreadable) return '400 Bad request';
  if (refusal instanceof Invalid) return undefined;
  if (refusal instanceof Refused) return textOfRefused(refusal);
  if (refusal instanceof TooLarge) return '413 Request Entity Too Large';
  if (refusal instanceof Unsupported) {
    const subject = { sent: 'provided content-type', requested: 'requested format' }[refusal.content];
    return `The ${subject} '${refusal.type}' is not supported.`;
  }
  if (refusal instanceof Unavailable) return refusal.text;
  if (refusal instanceof Overloaded) {
    return '503 Service Unavailable - the server is reading too many request bodies; send the request again in a few seconds';
  }
  if (refusal instanceof StorageFailed) return textOfStorage[refusal.kind];
  return 'The repository is temporarily read-only. Please try again later.';
}

function textOfNotFound({ isRecord, resource }: NotFound): string {
  if (isRecord) return '404 Not found';
  return resource === undefined ? '404 Not Found' : `404 ${resource} Not Found`;
}

function textOfForbidden({ detail, isWhole }: Forbidden): string {
  if (detail === undefined) return '403 Forbidden';
  return isWhole ? detail : `403 Forbidden - ${detail}`;
}

function textOfRefused({ kind, text }: Refused): string | undefined {
  if (kind === 'request') return `400 Bad request - ${[text].flat().join(', ')}`;
  return typeof text === 'string' ? text : undefined;
}

/** Texts that say how to fix the storage (RFC 4918 §11.5). */
const textOfStorage = {
  full: '507 Insufficient Storage - The disk of this server is full. Free some space on it and send the request again; the server need not be restarted.',
  unwritable:
    '503 Service Unavailable - This server cannot write to its disk. Make its data folder writable and send the request again; the server need not be restarted.',
  damaged:
    '500 Internal Server Error - The database of this server is damaged (signalbox.sqlite in its data folder). Stop the server and start it with --restore and the name of a snapshot, or with --reset to begin anew; what is there is kept.',
} as const;

/** Returns the headers of a refusal: the challenge of a token that is not valid (RFC 6750 §3), and when to try again. */
export function headersOf(refusal: Refusal): Readonly<Record<string, string>> {
  if (refusal instanceof WireFailure) return refusal.headers;
  if (refusal instanceof InvalidToken) {
    const challenge = `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${refusal.description}"`;
    return { 'WWW-Authenticate': challenge };
  }
  return refusal instanceof Overloaded ? { 'Retry-After': '5' } : {};
}
