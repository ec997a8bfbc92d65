import * as l10n from '@vscode/l10n';
import { messageOfErrorBody } from '../contract/failures.ts';
import { isJsonObject, parseJson, stringMember } from '../contract/json.ts';
import { hasBrand } from '../support/brand.ts';
import { messageOf } from '../support/log.ts';
import { missingScope } from './insufficientScope.ts';
import { TransportFailure, type WireResponse } from './transport.ts';
import { withAdviceOnCertificates } from './untrusted.ts';

/** Ways in which an API call can fail. Views choose their state and their welcome text by it. */
export type FailureKind =
  /** No connection, or the connection was lost during the response. */
  | 'unreachable'
  | 'timedOut'
  /** 401 of the instance itself, and renewing the token did not help. */
  | 'signedOut'
  | 'forbidden'
  /** The token lacks a scope. */
  | 'insufficientScope'
  | 'notFound'
  | 'rateLimited'
  /** Any other 4xx. */
  | 'refused'
  /** 5xx. */
  | 'unavailable'
  /** A redirect that is not followed: to another host, or in response to a change. */
  | 'moved'
  /** Not a response of the API: probably another program uses this address. */
  | 'unintelligible';

interface FailureDetails {
  readonly status?: number;
  readonly requestId?: string;
  /** Milliseconds to wait before the next request, as requested by the server. */
  readonly retryAfter?: number;
  readonly location?: string;
  /** Error message from the response body. */
  readonly serverMessage?: string;
  /** True if the instance itself responded, and no gateway in between. */
  readonly isOwnWord?: boolean;
  /** Scope that the token lacks. */
  readonly scope?: string;
  /** Key of the account whose request failed. */
  readonly account?: string;
  readonly cause?: unknown;
}

const BRAND = Symbol.for('signalbox.ApiFailure');

/** Failed API call. `message` is shown to the user and contains no secrets. */
export class ApiFailure extends Error {
  readonly [BRAND] = true;
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly location: string | undefined;
  readonly serverMessage: string | undefined;
  readonly isOwnWord: boolean;
  readonly scope: string | undefined;
  readonly account: string | undefined;

  constructor(kind: FailureKind, text: string, details: FailureDetails = {}) {
    super(text, { cause: details.cause });
    this.name = 'ApiFailure';
    this.kind = kind;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.location = details.location;
    this.serverMessage = details.serverMessage;
    this.isOwnWord = details.isOwnWord === true;
    this.scope = details.scope;
    this.account = details.account;
  }

  /** Recognizes the failures of other bundles, too. */
  static override [Symbol.hasInstance](value: unknown): value is ApiFailure {
    return hasBrand(value, BRAND);
  }
}

const kindByStatus: Readonly<Record<number, FailureKind>> = {
  401: 'signedOut',
  403: 'forbidden',
  404: 'notFound',
  429: 'rateLimited',
};

/** Messages for each kind. `how` is the part in parentheses, such as `status 403` or `403: Forbidden`. */
const messagesByKind: Readonly<Record<FailureKind, (host: string, how: string) => string>> = {
  unreachable: (host, how) => l10n.t('{0} cannot be reached ({1})', host, how),
  timedOut: (host, how) => l10n.t('{0} did not respond in time ({1})', host, how),
  signedOut: (host, how) => l10n.t('{0} no longer accepts this sign-in ({1})', host, how),
  forbidden: (host, how) => l10n.t('{0} does not allow this ({1})', host, how),
  insufficientScope: (host, how) => l10n.t('{0} does not allow this: the sign-in lacks a scope ({1})', host, how),
  notFound: (host, how) => l10n.t("{0}: not found, or you don't have permission to see it ({1})", host, how),
  rateLimited: (host, how) => l10n.t('{0} is limiting your requests ({1})', host, how),
  refused: (host, how) => l10n.t('{0} rejected the request ({1})', host, how),
  unavailable: (host, how) => l10n.t('{0} reported a server error ({1})', host, how),
  moved: (host, how) => l10n.t('{0} redirected to another address ({1})', host, how),
  unintelligible: (host, how) => l10n.t('{0}: the response is not from a GitLab-compatible API ({1})', host, how),
};

/**
 * Returns the failure for a response to a request of an account, if it has one. `now`, in milliseconds since the epoch, is for a Retry-After
 * header that contains a date.
 */
export function failureOfResponse(host: string, response: WireResponse, now: number, account?: string): ApiFailure {
  const { status } = response;
  const isOwn = isOwnWord(response);
  const scope = missingScope(response);
  const kind = scope === undefined ? kindOf(response, isOwn) : 'insufficientScope';
  const location = response.headers.get('location');
  const requestId = response.headers.get('x-request-id');
  const retryAfter = retryAfterOf(response, now);
  const serverMessage = messageOfErrorBody(parseJson(response.body));
  const how = serverMessage === undefined ? l10n.t('status {0}', status) : `${status}: ${serverMessage}`;
  const text =
    scope !== undefined
      ? scopeText(host, scope, how)
      : kind === 'moved' && location !== undefined
        ? l10n.t('{0} redirected to another address: {1} ({2})', host, location, how)
        : messagesByKind[kind](host, how);
  return new ApiFailure(kind, text, {
    status,
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(location === undefined ? {} : { location }),
    ...(serverMessage === undefined ? {} : { serverMessage }),
    ...(scope === undefined ? {} : { scope }),
    ...(account === undefined ? {} : { account }),
    isOwnWord: isOwn,
  });
}

function kindOf({ status, body }: WireResponse, isOwn: boolean): FailureKind {
  const kind = kindByStatus[status];
  // Proxies, gateways and sign-in portals answer with pages, and refuse requests of their own accord.
  const isForeign = kind === 'signedOut' ? !isOwn : status !== 429 && !isJsonObject(parseJson(body));
  if (kind !== undefined) return isForeign ? 'unintelligible' : kind;
  return status >= 500 ? 'unavailable' : status >= 400 ? 'refused' : status >= 300 ? 'moved' : 'unintelligible';
}

/** Error codes with which the API refuses a token (RFC 6750 §3.1). */
const TOKEN_ERRORS: ReadonlySet<string | undefined> = new Set(['invalid_token', 'insufficient_scope']);

/**
 * Returns true if the instance itself refuses a request: in the format of its API, whose messages begin with the status. What is stored
 * here is deleted only then, because a gateway in between can answer with any status.
 */
export function isOwnWord({ status, headers, body }: WireResponse): boolean {
  const value = parseJson(body);
  if (!isJsonObject(value) || status < 400) return false;
  if (headers.has('x-gitlab-meta') || TOKEN_ERRORS.has(stringMember(value, 'error'))) return true;
  if (status === 401 && Array.isArray(value.errors)) return value.errors.some(isInvalidToken);
  const text = messageOfErrorBody(value);
  return text !== undefined && text.replace(/^error /, '').startsWith(`${status} `);
}

/** Returns true for the error with which GraphQL refuses a token. */
function isInvalidToken(error: unknown): boolean {
  return isJsonObject(error) && error.message === 'Invalid token';
}

function scopeText(host: string, scope: string, how: string): string {
  return l10n.t('{0} does not allow this: the sign-in lacks the scope {1} ({2})', host, scope, how);
}

/** Returns the failure of a GraphQL request for which the sign-in of an account lacks a scope. */
export function lacksScope(host: string, scope: string, account: string | undefined): ApiFailure {
  const text = scopeText(host, scope, 'insufficient_scope');
  return new ApiFailure('insufficientScope', text, { scope, ...(account === undefined ? {} : { account }) });
}

/** Returns the failure for the error of a call, or undefined for anything else, such as an aborted call. */
export function failureOfError(error: unknown): ApiFailure | undefined {
  if (error instanceof ApiFailure) return error;
  if (!(error instanceof TransportFailure)) return undefined;
  const kind = error.kind === 'tooLarge' ? 'unintelligible' : error.kind === 'interrupted' ? 'unreachable' : error.kind;
  return new ApiFailure(kind, withAdviceOnCertificates(error.message, error), { cause: error });
}

/** Returns the failure for any error. An unknown error comes from a response that could not be read. */
export function failureOfAny(error: unknown): ApiFailure {
  return failureOfError(error) ?? new ApiFailure('unintelligible', messageOf(error), { cause: error });
}

/** Returns the failure for a response that is not what was requested. */
export function unintelligible(text: string, { status }: WireResponse): ApiFailure {
  return new ApiFailure('unintelligible', text, { status });
}

/**
 * Returns the milliseconds to wait according to `Retry-After`, which contains seconds or a date (RFC 9110 §10.2.3). A 429 without that
 * header gives the time until its limit resets.
 */
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

/** Smallest value of `RateLimit-Reset` that is a Unix time (2001). A smaller value is a number of seconds from now. */
const SMALLEST_UNIX_TIME = 1_000_000_000;

/** Returns the time in milliseconds since the epoch at which the limit resets, according to `RateLimit-Reset`. */
export function timeOfReset({ headers }: WireResponse, now: number): number | undefined {
  const text = headers.get('ratelimit-reset');
  if (text === undefined || !/^\d{1,12}$/.test(text)) return undefined;
  const seconds = Number(text);
  return seconds < SMALLEST_UNIX_TIME ? now + seconds * 1000 : seconds * 1000;
}
