import { type DomainError, Forbidden, Invalid, isDomainError, NotFound, Refused, Unavailable } from '../core/errors.ts';
import type { StorageFailure } from '../store/storageFailure.ts';

/**
 * An error response. `rule` is the ID of the check that refused the request and `reason` explains what was expected; both go to the request
 * log only.
 */
export class WireFailure extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly rule: string;
  readonly reason: string;

  constructor(
    status: number,
    body: unknown,
    note: { readonly rule: string; readonly reason: string },
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(`${status} ${note.rule}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
    this.rule = note.rule;
    this.reason = note.reason;
  }
}

/** Creates an error of the API's own rules: `{"message": …}`. */
function message(status: number, text: unknown, rule: string, reason: string, headers?: Record<string, string>): WireFailure {
  return new WireFailure(status, { message: text }, { rule, reason }, headers);
}

/** Creates an error that is raised before the rules of an endpoint: `{"error": "…"}`. */
function framework(status: number, text: string, rule: string, reason: string): WireFailure {
  return new WireFailure(status, { error: text }, { rule, reason });
}

const statusOfRefusal = { change: 400, request: 400, conflict: 409, incomplete: 422, state: 405 } as const;

/** Returns the response of the REST API to an error of the rules of a feature. */
function responseOf(error: DomainError): { readonly status: number; readonly message: unknown } {
  if (error instanceof NotFound) {
    if (error.isRecord) return { status: 404, message: '404 Not found' };
    return { status: 404, message: error.resource === undefined ? '404 Not Found' : `404 ${error.resource} Not Found` };
  }
  if (error instanceof Forbidden) {
    if (error.detail === undefined) return { status: 403, message: '403 Forbidden' };
    return { status: 403, message: error.isWhole ? error.detail : `403 Forbidden - ${error.detail}` };
  }
  if (error instanceof Invalid) return { status: 400, message: error.fields };
  if (error instanceof Refused) {
    const { kind, text } = error;
    return {
      status: statusOfRefusal[kind],
      message: kind === 'request' ? `400 Bad request - ${[text].flat().join(', ')}` : text,
    };
  }
  if (error instanceof Unavailable) return { status: 503, message: error.text };
  return { status: 403, message: 'The repository is temporarily read-only. Please try again later.' };
}

/** Returns the failure of the REST API for an error of the rules of a feature, and other failures unchanged; undefined for other errors. */
export function asWireFailure(error: unknown): WireFailure | undefined {
  if (error instanceof WireFailure) return error;
  if (!isDomainError(error)) return undefined;
  const { status, message } = responseOf(error);
  return new WireFailure(status, { message }, error);
}

/** 404 for the user that an administrator wants to act as. */
export function sudoTargetNotFound(target: string): WireFailure {
  return message(404, `404 User with ID or username '${target}' Not Found`, 'sudo.target', 'no user has this ID or username');
}

/** 405 for a path where SDKs send errors. `allowed` is the value of the header `Allow`. */
export function wrongMethod(allowed: string): WireFailure {
  const note = { rule: 'route.method', reason: `the path supports ${allowed}` };
  return new WireFailure(405, { error: '405 Not Allowed' }, note, { Allow: allowed });
}

/** 404 for a path that no route matches, or that matches with another method only. */
export function unknownRoute(reason: string): WireFailure {
  return framework(404, '404 Not Found', 'route.known', reason);
}

/**
 * Failure for every path of Sentry's own API, which `sentry-cli` calls. It is 404, but 501 where `sentry-cli` asks how to upload
 * files: after a 404 it would try another way, and report that the project does not exist. It prints `detail`.
 */
export function foreignApi(path: string): WireFailure {
  const detail =
    'This server receives events of Sentry SDKs, but does not have the API of Sentry. Upload source maps with POST /api/v4/projects/:id/error_tracking/source_maps.';
  return new WireFailure(/\/chunk-upload\/?$/.test(path) ? 501 : 404, { detail }, { rule: 'route.known', reason: detail });
}

export function unauthorized(reason: string, rule = 'credentials.present'): WireFailure {
  return message(401, '401 Unauthorized', rule, reason);
}

/** 401 for an expired or revoked token, with the challenge of RFC 6750 §3. */
export function invalidToken(description: string, reason: string): WireFailure {
  return new WireFailure(
    401,
    { error: 'invalid_token', error_description: description },
    { rule: 'credentials.alive', reason },
    {
      'WWW-Authenticate': `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`,
    },
  );
}

/** 403 with the accepted scopes (RFC 6750 §3.1). GitLab sends no challenge with it. */
export function insufficientScope(accepted: readonly string[], held: readonly string[]): WireFailure {
  return new WireFailure(
    403,
    {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: accepted.join(' '),
    },
    {
      rule: 'scope',
      reason: `the token has the scopes "${held.join(' ')}", but one of "${accepted.join(' ')}" is required`,
    },
  );
}

/** 400 for invalid parameters: all validation errors in the order of declaration, joined with a comma. */
export function invalidParameters(validationErrors: readonly string[]): WireFailure {
  const text = [...new Set(validationErrors)].join(', ');
  return framework(400, text, 'parameters', text);
}

/** 400 for an unreadable request, such as one with malformed percent-encoding. */
export function unreadableRequest(reason: string): WireFailure {
  return framework(400, '400 Bad request', 'request.readable', reason);
}

export function methodRefused(text: string, reason: string, headers?: Record<string, string>): WireFailure {
  return message(405, text, 'method.allowed', reason, headers);
}

/** 405 for a list that does not support keyset pagination. */
export function keysetUnavailable(reason: string): WireFailure {
  return framework(405, 'Keyset pagination is not yet available for this type of request', 'pagination.keyset', reason);
}

/** 405 for an offset that is too large for offset pagination. */
export function offsetTooDeep(type: string, limit: number): WireFailure {
  return framework(
    405,
    `Offset pagination has a maximum allowed offset of ${limit} for requests that return objects of type ${type}. Remaining records can be retrieved using keyset pagination.`,
    'pagination.offset',
    `page times per_page is greater than ${limit}`,
  );
}

/** 410 for every path below `/api/v3`. */
export function endedVersion(): WireFailure {
  return framework(410, 'API V3 is no longer supported. Use API V4 instead.', 'version', 'API version 3 is no longer supported');
}

/** 410 for a route that was removed in the emulated release or an earlier one. */
export function gone(reason: string): WireFailure {
  return new WireFailure(410, { message: '410 Gone' }, { rule: 'deprecation', reason });
}

/** 400 for too many or too deeply nested parameters. The text names the limit. */
export function tooManyParameters(text: string): WireFailure {
  return framework(400, text, 'request.limits', text);
}

export function unsupportedFormat(format: string): WireFailure {
  return framework(406, `The requested format '${format}' is not supported.`, 'format', 'only JSON is supported');
}

export function unsupportedContentType(type: string): WireFailure {
  return framework(
    415,
    `The provided content-type '${type}' is not supported.`,
    'content-type',
    'send application/json, application/x-www-form-urlencoded or multipart/form-data',
  );
}

/** 400 for an invalid JSON body. The text, including its line breaks, is that of GitLab. */
export function invalidJson(reason: string): WireFailure {
  const text =
    "\nProblem:\n  message body does not match declared format\nResolution:\n  when specifying application/json as content-type, you must pass valid application/json in the request's 'body' ";
  return framework(400, text, 'body.json', reason);
}

export function entityTooLarge(limit: number): WireFailure {
  return message(413, '413 Request Entity Too Large', 'body.size', `the body is larger than ${limit} bytes`);
}

/** 408 for a body that does not arrive in time. Closes the connection, because the rest of the body might never come. */
export function bodyTooSlow(timeLimit: number): WireFailure {
  const reason = `the body did not arrive within ${timeLimit} ms`;
  return message(408, '408 Request Timeout', 'body.time', reason, { Connection: 'close' });
}

export function queryTooLong(limit: number): WireFailure {
  return framework(
    414,
    '414 URI Too Long',
    'query.length',
    `the request line is longer than ${limit} bytes; send a body instead`,
  );
}

/** 414 for a list whose link to the next page would exceed the limits of clients. */
export function nextPageTooLong(limit: number): WireFailure {
  return framework(
    414,
    '414 URI Too Long',
    'query.length',
    `the URL of the next page would be longer than ${limit} bytes, because it repeats all parameters; send fewer of them, or a larger per_page`,
  );
}

/** 507 or 503 for a failed write. The text says how to fix it (RFC 4918 §11.5). */
export function storageFailed(failure: StorageFailure): WireFailure {
  return failure === 'full'
    ? message(
        507,
        '507 Insufficient Storage - The disk of this server is full. Free some space on it and send the request again; the server need not be restarted.',
        STORAGE_FULL,
        'the disk of the server is full, and the request needs to write to it',
      )
    : message(
        503,
        '503 Service Unavailable - This server cannot write to its disk. Make its data folder writable and send the request again; the server need not be restarted.',
        STORAGE_UNWRITABLE,
        'the data folder is not writable, and the request needs to write to it; see the server log for the cause',
      );
}

/** 500 for a damaged database file. The text says how to fix it. */
export function databaseDamaged(): WireFailure {
  return message(
    500,
    '500 Internal Server Error - The database of this server is damaged (signalbox.sqlite in its data folder). Stop the server and start it with --restore and the name of a snapshot, or with --reset to begin anew; what is there is kept.',
    DATABASE_DAMAGED,
    'the database file is damaged; see the server log for the cause',
  );
}

export const DATABASE_DAMAGED = 'storage.damaged';
export const STORAGE_FULL = 'storage.full';
export const STORAGE_UNWRITABLE = 'storage.writable';

/** 503 for a request whose body does not fit in memory next to those of other requests. */
export function bodiesBusy(reason: string): WireFailure {
  const text = '503 Service Unavailable - the server is reading too many request bodies; send the request again in a few seconds';
  return message(503, text, 'body.budget', reason, { 'Retry-After': '5' });
}

export function serverError(): WireFailure {
  return message(500, '500 Internal Server Error', 'server', 'internal error; see the server log for the cause');
}
