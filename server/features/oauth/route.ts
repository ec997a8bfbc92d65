import * as z from 'zod';
import type { ResponseSchema } from '../../http/responses.ts';
import type { HttpResponse, RequestContext } from '../../http/requestContext.ts';
import { jsonResponse } from '../../http/requestContext.ts';
import { DATABASE_DAMAGED, STORAGE_FULL, STORAGE_UNWRITABLE, WireFailure } from '../../http/failures.ts';
import type { ParameterSet } from '../../http/params.ts';
import type { CrossOriginRule, Method, Route } from '../../http/route.ts';
import type { SpecRef } from '../../http/specRefs.ts';
import type { Core } from '../../core/core.ts';
import type { Availability } from '../../core/profile.ts';
import { invalidRequest, isOAuthError, REALM } from './failures.ts';
import { type OAuthParameters, readOAuthParameters } from './parameters.ts';

/** Headers of public documents that rarely change. */
const CACHED = { 'Cache-Control': 'max-age=86400, public, must-revalidate, no-transform' } as const;

/** Definition of an OAuth endpoint. */
export interface OAuthRow extends Availability {
  readonly method: Method;
  readonly path: string;
  readonly specRef: SpecRef;
  readonly status: Route['status'];
  /** Required role: `client` for an application, `token` for an access token, or `anyone`. */
  readonly role: 'client' | 'token' | 'anyone';
  readonly crossOrigin?: CrossOriginRule;
  /** True if the response may be cached publicly for a day. */
  readonly stored?: boolean;
  /** Parameters for the OpenAPI document. Each is a single string, read by `readOAuthParameters`. */
  readonly params: () => ParameterSet;
  readonly body: ResponseSchema;
}

/** Request of an OAuth endpoint. */
export interface OAuthRequest {
  readonly context: RequestContext;
  readonly params: OAuthParameters;
  readonly now: number;
}

/** Creates the route of an OAuth endpoint with JSON responses, OAuth errors and no caching. The handler returns the body. */
export function oauthRoute(row: OAuthRow, handle: (request: OAuthRequest) => unknown): Route {
  const { params, stored = false, ...metadata } = row;
  return {
    ...metadata,
    area: 'oauth',
    scopes: [],
    successStatus: 200,
    schema: () => z.object(params()),
    handle: async (context) => {
      const parameters = await readOAuthParameters(context);
      return oauthResponse(200, await handle({ context, params: parameters, now: context.now }), stored ? CACHED : {});
    },
  };
}

/** Returns a function that renders refusals of OAuth endpoints. Errors of other layers are converted to OAuth errors. */
export function oauthRefusal(core: Core): (failure: WireFailure, context: RequestContext) => HttpResponse {
  return (raised, context) => {
    if (raised.status === 404 || raised.status === 414) return jsonResponse(raised.status, raised.body, raised.headers);
    if (raised.body === undefined) return { status: raised.status, headers: raised.headers };
    const failure = isOAuthError(raised.body) ? raised : asOAuthFailure(raised);
    const challenge =
      failure.status === 401 || (failure.status === 400 && core.dialect.challengeOnBadRequest)
        ? { 'WWW-Authenticate': challengeOf(failure, context) }
        : {};
    return oauthResponse(failure.status, failure.body, { ...failure.headers, ...challenge });
  };
}

function oauthResponse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body), headers };
}

function asOAuthFailure({ status, rule, reason, headers }: WireFailure): WireFailure {
  if (status < 500) {
    const { body } = invalidRequest(`The request could not be read: ${reason}.`, rule);
    return new WireFailure(status, body, { rule, reason });
  }
  if (rule === STORAGE_FULL || rule === STORAGE_UNWRITABLE) {
    const cause = rule === STORAGE_FULL ? 'its disk is full' : 'it cannot write to its disk';
    const body = {
      error: 'temporarily_unavailable',
      error_description: `The authorization server is currently unable to handle the request because ${cause}.`,
    };
    return new WireFailure(status, body, { rule, reason });
  }
  // RFC 6749 §4.1.2.1 defines this error for the authorization endpoint; there is no better one for the other endpoints.
  if (status === 503) {
    const body = {
      error: 'temporarily_unavailable',
      error_description: 'The authorization server is overloaded. Send the request again in a few seconds.',
    };
    return new WireFailure(status, body, { rule, reason }, headers);
  }
  if (rule === DATABASE_DAMAGED) {
    const description = 'The authorization server cannot handle the request because its database is damaged.';
    return new WireFailure(status, { error: 'server_error', error_description: description }, { rule, reason });
  }
  const body = {
    error: 'server_error',
    error_description:
      'The authorization server encountered an unexpected condition which prevented it from fulfilling the request.',
  };
  return new WireFailure(status, body, { rule, reason });
}

/** Returns the challenge with the scheme that the client used (RFC 6749 §5.2), or with Bearer, as on GitLab. */
function challengeOf({ body }: WireFailure, { headers }: RequestContext): string {
  const scheme = /^basic /i.test(headers.authorization ?? '') ? 'Basic' : 'Bearer';
  const text = isOAuthError(body)
    ? `, error="${body.error}", error_description="${body.error_description.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '')}"`
    : '';
  return `${scheme} realm="${REALM}"${text}`;
}
