import * as l10n from '@vscode/l10n';
import { messageOfErrorBody } from '../contract/failures.ts';
import { parseJson } from '../contract/json.ts';
import { messageOf } from '../support/log.ts';
import { TransportFailure, type WireResponse } from './transport.ts';
import { withAdviceOnCertificates } from './untrusted.ts';

/** Every way a call of the API can fail; views and welcome texts are chosen by it. */
export type FailureKind =
  /** No connection, or the answer broke off. */
  | 'unreachable'
  | 'timedOut'
  /** 401, and renewing the token did not help. */
  | 'signedOut'
  | 'forbidden'
  | 'notFound'
  | 'rateLimited'
  /** Any other 4xx. */
  | 'refused'
  /** 5xx. */
  | 'unavailable'
  /** A redirect that is not followed: to another host, or of a request that changes something. */
  | 'moved'
  /** Not what the API says it sends: another program answers at this address. */
  | 'unintelligible';

interface FailureDetails {
  readonly status?: number;
  readonly requestId?: string;
  /** Milliseconds the server wants left alone. */
  readonly retryAfter?: number;
  readonly location?: string;
  /** The platform's own words. */
  readonly said?: string;
  readonly cause?: unknown;
}

/** A failed call. `message` says in words what happened, for people; it holds no secret. */
export class ApiFailure extends Error {
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly location: string | undefined;
  readonly said: string | undefined;

  constructor(kind: FailureKind, text: string, details: FailureDetails = {}) {
    super(text, { cause: details.cause });
    this.name = 'ApiFailure';
    this.kind = kind;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.location = details.location;
    this.said = details.said;
  }
}

const kindByStatus: Readonly<Record<number, FailureKind>> = {
  401: 'signedOut',
  403: 'forbidden',
  404: 'notFound',
  429: 'rateLimited',
};

/** What an answer of each kind says: who said it, and in brackets how, as `status 403` or `403: Forbidden`. */
const messagesByKind: Readonly<Record<FailureKind, (host: string, how: string) => string>> = {
  unreachable: (host, how) => l10n.t('{0} cannot be reached ({1})', host, how),
  timedOut: (host, how) => l10n.t('{0} did not respond in time ({1})', host, how),
  signedOut: (host, how) => l10n.t('{0} no longer accepts this sign-in ({1})', host, how),
  forbidden: (host, how) => l10n.t('{0} does not allow this ({1})', host, how),
  notFound: (host, how) => l10n.t("{0}: not found, or you don't have permission to see it ({1})", host, how),
  rateLimited: (host, how) => l10n.t('{0} is limiting your requests ({1})', host, how),
  refused: (host, how) => l10n.t('{0} rejected the request ({1})', host, how),
  unavailable: (host, how) => l10n.t('{0} reported a server error ({1})', host, how),
  moved: (host, how) => l10n.t('{0} redirected to another address ({1})', host, how),
  unintelligible: (host, how) => l10n.t('{0}: the response is not from a GitLab-compatible API ({1})', host, how),
};

/** The failure an answer with this status stands for; `now` is milliseconds since the epoch, for a Retry-After that is a date. */
export function failureOfResponse(host: string, response: WireResponse, now: number): ApiFailure {
  const { status } = response;
  const kind =
    kindByStatus[status] ??
    (status >= 500 ? 'unavailable' : status >= 400 ? 'refused' : status >= 300 ? 'moved' : 'unintelligible');
  const location = response.headers.get('location');
  const requestId = response.headers.get('x-request-id');
  const retryAfter = retryAfterOf(response, now);
  const said = messageOfErrorBody(parseJson(response.body));
  const how = said === undefined ? l10n.t('status {0}', status) : `${status}: ${said}`;
  const text =
    kind === 'moved' && location !== undefined
      ? l10n.t('{0} redirected to another address: {1} ({2})', host, location, how)
      : messagesByKind[kind](host, how);
  return new ApiFailure(kind, text, {
    status,
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(location === undefined ? {} : { location }),
    ...(said === undefined ? {} : { said }),
  });
}

/** What a rejected call is in the closed set; undefined for anything that is no failure of a call, such as giving up. */
export function failureOfError(error: unknown): ApiFailure | undefined {
  if (error instanceof ApiFailure) return error;
  if (!(error instanceof TransportFailure)) return undefined;
  const kind = error.kind === 'tooLarge' ? 'unintelligible' : error.kind === 'interrupted' ? 'unreachable' : error.kind;
  return new ApiFailure(kind, withAdviceOnCertificates(error.message, error), { cause: error });
}

/** The same for whatever a call was rejected with: what is none of the failures has come of an answer that was not understood. */
export function failureOfAny(error: unknown): ApiFailure {
  return failureOfError(error) ?? new ApiFailure('unintelligible', messageOf(error), { cause: error });
}

/** An answer that is not what was asked for, as the words say. */
export function unintelligible(text: string, { status }: WireResponse): ApiFailure {
  return new ApiFailure('unintelligible', text, { status });
}

/** Milliseconds of `Retry-After`, which is seconds or a date (RFC 9110 §10.2.3), else of a 429 until its limit is reset. */
export function retryAfterOf(response: WireResponse, now: number): number | undefined {
  const value = response.headers.get('retry-after');
  if (value !== undefined) {
    if (/^\d+$/.test(value)) return Number(value) * 1000;
    const date = Date.parse(value);
    if (!Number.isNaN(date)) return Math.max(0, date - now);
  }
  const reset = response.status === 429 ? timeOfReset(response, now) : undefined;
  return reset === undefined ? undefined : Math.max(0, reset - now);
}

/** No platform of this family is so old, and no limit lasts so long: a smaller `RateLimit-Reset` counts from now on. */
const FIRST_TIME = 1_000_000_000;

/** When `RateLimit-Reset` says that the limit is reset, in milliseconds since the epoch: seconds since the epoch there, or from now on. */
export function timeOfReset({ headers }: WireResponse, now: number): number | undefined {
  const text = headers.get('ratelimit-reset');
  if (text === undefined || !/^\d{1,12}$/.test(text)) return undefined;
  const seconds = Number(text);
  return seconds < FIRST_TIME ? now + seconds * 1000 : seconds * 1000;
}
