import type { RequestContext } from '../../../http/requestContext.ts';
import type { Core } from '../../../core/core.ts';
import { equalSecrets, hashSecret } from '../../../core/secrets.ts';
import { invalidClient, invalidRequest } from '../failures.ts';
import { traceOf } from '../flowTrace.ts';
import type { OAuthParameters } from '../parameters.ts';
import { type ApplicationRow, applicationByUid } from '../store.ts';

/** Condition of the client authentication, for recorded flows. */
export const CLIENT_CHECK = 'the application is known and authenticated';

interface SentClient {
  readonly uid: string;
  readonly secret: string | undefined;
}

/**
 * Returns the application that a request names, by HTTP Basic or in the body, or undefined.
 * @throws {WireFailure} invalid_request if both ways are used.
 */
export function sentClient(context: RequestContext, params: OAuthParameters): SentClient | undefined {
  const uid = params.get('client_id');
  const secret = params.get('client_secret');
  const basic = basicOf(context.headers.authorization);
  if (basic === undefined) return uid === undefined ? undefined : { uid, secret };
  if (secret !== undefined) {
    throw invalidRequest(
      'The client authenticated in two ways at once: send either HTTP Basic or client_secret.',
      'client.single',
    );
  }
  if (uid !== undefined && uid !== basic.uid) {
    throw invalidRequest('The parameter client_id names another client than HTTP Basic.', 'client.single');
  }
  return basic;
}

const named = new WeakMap<OAuthParameters, ApplicationRow | undefined>();

/** Returns the application that a request names, authenticated or not. It is looked up once per request. */
export function namedApplication(core: Core, context: RequestContext, params: OAuthParameters): ApplicationRow | undefined {
  if (named.has(params)) return named.get(params);
  const sent = sentClient(context, params);
  const application = sent === undefined ? undefined : applicationByUid(core.store, sent.uid);
  named.set(params, application);
  return application;
}

/**
 * Authenticates the application that sent a request, and records the check.
 * @throws {WireFailure} invalid_client if the authentication fails.
 */
export function authenticateClient(core: Core, context: RequestContext, params: OAuthParameters): ApplicationRow {
  const trace = traceOf(context);
  trace.check(CLIENT_CHECK);
  const application = verifiedClient(core, context, params);
  trace.passed(
    application.confidential === 1 ? 'the application is known and its secret is correct' : 'the application is known and public',
  );
  return application;
}

/** Authenticates the application if the request names one. Throws like `authenticateClient`. */
export function authenticateNamedClient(
  core: Core,
  context: RequestContext,
  params: OAuthParameters,
): ApplicationRow | undefined {
  const trace = traceOf(context);
  trace.check(CLIENT_CHECK);
  if (sentClient(context, params) !== undefined) return authenticateClient(core, context, params);
  trace.skipCheck();
  return undefined;
}

/**
 * Returns the application that sent a request. A confidential application needs its secret; a public one has none and only sends its
 * ID.
 * @throws {WireFailure} invalid_client if the authentication fails.
 */
export function verifiedClient(core: Core, context: RequestContext, params: OAuthParameters): ApplicationRow {
  const sent = sentClient(context, params);
  if (sent === undefined) throw invalidClient('the request names no application: send client_id, or HTTP Basic');
  const application = namedApplication(core, context, params);
  if (application === undefined) throw invalidClient('no application has this client_id');
  const { secret } = sent;
  const sendsNone = secret === undefined || secret === '';
  if (application.confidential === 0) {
    if (sendsNone) return application;
    throw invalidClient('the application is public and has no secret: leave client_secret out');
  }
  if (sendsNone) throw invalidClient('the application is confidential: send its secret by HTTP Basic or as client_secret');
  if (application.secret_hash === null || !equalSecrets(hashSecret(secret), application.secret_hash)) {
    throw invalidClient('the client secret is wrong');
  }
  return application;
}

/** Reads HTTP Basic credentials. Both parts are form-encoded (RFC 6749 §2.3.1), and the scheme is case-insensitive. */
function basicOf(authorization: string | undefined): SentClient | undefined {
  const match = /^basic +([A-Za-z0-9+/_-]+=*)\s*$/i.exec(authorization ?? '');
  if (match === null) {
    if (/^basic\b/i.test(authorization ?? '')) throw invalidClient('the Basic credentials are not base64');
    return undefined;
  }
  const text = Buffer.from(match[1] ?? '', 'base64').toString('utf8');
  const at = text.indexOf(':');
  if (at < 0) throw invalidClient('the Basic credentials do not contain a colon');
  try {
    const [uid, secret] = [text.slice(0, at), text.slice(at + 1)].map((half) => decodeURIComponent(half.replaceAll('+', ' ')));
    return { uid: uid ?? '', secret };
  } catch {
    throw invalidClient('the Basic credentials are not validly form-encoded');
  }
}
