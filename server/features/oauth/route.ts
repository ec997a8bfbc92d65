import * as z from 'zod';
import type { ResponseSchema } from '../../http/responses.ts';
import type { HttpResponse, RequestContext } from '../../http/requestContext.ts';
import { StorageFailed } from '../../core/errors.ts';
import { plainRefusal } from '../../http/refusal.ts';
import { headersOf, statusOf } from '../../http/refusalStatus.ts';
import { type Refusal, WireFailure } from '../../http/wireFailure.ts';
import type { ParameterSet } from '../../http/params.ts';
import type { CrossOriginRule, Method, Route } from '../../http/route.ts';
import type { SpecRef } from '../../http/specRefs.ts';
import type { Core } from '../../core/core.ts';
import type { Availability } from '../../core/profile.ts';
import { invalidRequest, isOAuthError, type OAuthErrorBody, REALM } from './failures.ts';
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
export function oauthRefusal(core: Core): (refusal: Refusal, context: RequestContext) => HttpResponse {
  return (raised, context) => {
    const status = statusOf(raised);
    if (status === 404 || status === 414) return plainRefusal(raised);
    const isOwn = raised instanceof WireFailure;
    if (isOwn && raised.body === undefined) return { status, headers: raised.headers };
    const failure = isOwn && isOAuthError(raised.body) ? raised : asOAuthFailure(raised);
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

function asOAuthFailure(refusal: Refusal): WireFailure {
  const { rule, reason } = refusal;
  const status = statusOf(refusal);
  if (status < 500) {
    const { body } = invalidRequest(`The request could not be read: ${reason}.`, rule);
    return new WireFailure(status, body, { rule, reason });
  }
  if (refusal instanceof StorageFailed) return new WireFailure(status, storageBodies[refusal.kind], { rule, reason });
  // RFC 6749 §4.1.2.1 defines this error for the authorization endpoint; there is no better one for the other endpoints.
  if (status === 503) {
    const body: OAuthErrorBody = {
      error: 'temporarily_unavailable',
      error_description: 'The authorization server is overloaded. Send the request again in a few seconds.',
    };
    return new WireFailure(status, body, { rule, reason }, headersOf(refusal));
  }
  const body: OAuthErrorBody = {
    error: 'server_error',
    error_description:
      'The authorization server encountered an unexpected condition which prevented it from fulfilling the request.',
  };
  return new WireFailure(status, body, { rule, reason });
}

const storageBodies: Readonly<Record<StorageFailed['kind'], OAuthErrorBody>> = {
  full: {
    error: 'temporarily_unavailable',
    error_description: 'The authorization server is currently unable to handle the request because its disk is full.',
  },
  unwritable: {
    error: 'temporarily_unavailable',
    error_description: 'The authorization server is currently unable to handle the request because it cannot write to its disk.',
  },
  damaged: {
    error: 'server_error',
    error_description: 'The authorization server cannot handle the request because its database is damaged.',
  },
};

/** Returns the challenge with the scheme that the client used (RFC 6749 §5.2), or with Bearer, as on GitLab. */
function challengeOf({ body }: WireFailure, { headers }: RequestContext): string {
  const scheme = /^basic /i.test(headers.authorization ?? '') ? 'Basic' : 'Bearer';
  const text = isOAuthError(body)
    ? `, error="${body.error}", error_description="${body.error_description.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '')}"`
    : '';
  return `${scheme} realm="${REALM}"${text}`;
}
