import { InsufficientScope, Invalid, InvalidParameters, InvalidToken, Refused, Unreadable, Unsupported } from '../core/errors.ts';
import { headersOf, statusOf, textOf } from './refusalStatus.ts';
import { type Refusal, WireFailure } from './wireFailure.ts';

// Errors of the REST API. Other protocols have formats of their own, and only server/http imports this file.

/** Creates an error of the API's own rules: `{"message": …}`. */
function message(status: number, text: string, rule: string, reason: string, headers?: Record<string, string>): WireFailure {
  return new WireFailure(status, { message: text }, { rule, reason, text }, headers);
}

/** Creates an error that is raised before the rules of an endpoint: `{"error": "…"}`. */
function framework(status: number, text: string, rule: string, reason: string): WireFailure {
  return new WireFailure(status, { error: text }, { rule, reason, text });
}

/** Returns the response of the REST API to a refusal. */
export function restFailure(refusal: Refusal): WireFailure {
  if (refusal instanceof WireFailure) return refusal;
  const { rule, reason } = refusal;
  return new WireFailure(statusOf(refusal), bodyOf(refusal), { rule, reason }, headersOf(refusal));
}

function bodyOf(error: Exclude<Refusal, WireFailure>): unknown {
  if (error instanceof InvalidToken) return { error: 'invalid_token', error_description: error.description };
  if (error instanceof InsufficientScope) {
    // With the accepted scopes (RFC 6750 §3.1). GitLab sends no challenge with it.
    return { error: 'insufficient_scope', error_description: textOf(error), scope: error.accepted.join(' ') };
  }
  if (error instanceof Invalid) return { message: error.fields };
  if (error instanceof Refused && error.kind === 'missing') return { message: { error: error.text } };
  if (error instanceof Refused && error.kind !== 'request') return { message: error.text };
  // These are raised before the rules of an endpoint.
  const isEarly = error instanceof InvalidParameters || error instanceof Unreadable || error instanceof Unsupported;
  return isEarly ? { error: textOf(error) } : { message: textOf(error) };
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

export function methodRefused(text: string, reason: string, headers?: Record<string, string>): WireFailure {
  return message(405, text, 'method.allowed', reason, headers);
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

/** 400 for an invalid JSON body. The text, including its line breaks, is that of GitLab. */
export function invalidJson(reason: string): WireFailure {
  const text =
    "\nProblem:\n  message body does not match declared format\nResolution:\n  when specifying application/json as content-type, you must pass valid application/json in the request's 'body' ";
  return framework(400, text, 'body.json', reason);
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

export function serverError(): WireFailure {
  return message(500, '500 Internal Server Error', 'server', 'internal error; see the server log for the cause');
}
