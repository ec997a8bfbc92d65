import type { OAuthCore } from './oauthCore.ts';
import { AUTHORIZATION_CODE_GRANT, DEVICE_CODE_GRANT, REFRESH_TOKEN_GRANT } from '../../../src/contract/oauth.ts';
import type { FlowGrant, FlowOutcome, FlowStep } from '../../../src/contract/oauthFlows.ts';
import { bearerOf } from '../../http/credentials.ts';
import type { HttpResponse, RequestContext } from '../../http/requestContext.ts';
import { statusOf } from '../../http/refusalStatus.ts';
import { isRefusal, type Refusal, WireFailure } from '../../http/wireFailure.ts';
import type { Route } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { hashSecret } from '../../core/secrets.ts';
import { authorizationParameters } from './authorizationRequest.ts';
import { sentClient } from './checks/client.ts';
import { commonLength, nearestUri } from './checks/redirectUri.ts';
import { isOAuthError } from './failures.ts';
import { type FlowKey, POLL, type SeenStep } from './flows.ts';
import { secretsOf, shownParameters, shownRefusal, shownUnknownClient, shownUri, withoutValues } from './flowParameters.ts';
import { type FlowRows, type FlowTrace, isWaiting, type RecordedRefusal, startTrace } from './flowTrace.ts';
import { CLIENT_CREDENTIALS_GRANT } from './grants/clientCredentials.ts';
import { PASSWORD_GRANT } from './grants/password.ts';
import { isForm } from './parameters.ts';
import {
  applicationById,
  applicationByUid,
  codeByHash,
  deviceGrantByDeviceCode,
  deviceGrantByUserCode,
  tokenByAccessToken,
  tokenByRefreshToken,
  type TokenRow,
} from './store.ts';
import { normalisedUserCode } from './userCode.ts';

/** Kind of a request of a flow. */
export type RequestKind =
  | 'authorizationRequest'
  | 'decision'
  | 'deviceCode'
  | 'devicePage'
  | 'deviceDecision'
  | 'codeExchange'
  | 'poll'
  | 'refresh'
  | 'password'
  | 'clientCredentials'
  | 'otherGrant'
  | 'revocation'
  | 'introspection'
  | 'userInfo'
  | 'tokenInfo';

/** Request kinds by grant type. A map, because the key comes from the client and could be `constructor`. */
const grantKinds: ReadonlyMap<string, RequestKind> = new Map([
  [AUTHORIZATION_CODE_GRANT, 'codeExchange'],
  [REFRESH_TOKEN_GRANT, 'refresh'],
  [DEVICE_CODE_GRANT, 'poll'],
  ['device_code', 'poll'],
  [PASSWORD_GRANT, 'password'],
  [CLIENT_CREDENTIALS_GRANT, 'clientCredentials'],
]);

const titles: Readonly<Record<RequestKind, string>> = {
  authorizationRequest: 'Authorization request',
  decision: 'Decision',
  deviceCode: 'Device authorization request',
  devicePage: 'User code page',
  deviceDecision: 'Decision',
  codeExchange: 'Code exchange',
  poll: POLL,
  refresh: 'Refresh',
  password: 'Password grant',
  clientCredentials: 'Client credentials grant',
  otherGrant: 'Token request',
  revocation: 'Revocation',
  introspection: 'Introspection',
  userInfo: 'User info',
  tokenInfo: 'Token info',
};

/** Request with its outcome. */
interface RecordedRequest {
  readonly context: RequestContext;
  readonly routeKind: RequestKind;
  readonly trace: FlowTrace;
  readonly user: string | undefined;
  readonly refusal: RecordedRefusal | null;
  readonly outcome: HttpResponse | Refusal;
}

/** Returns a route that records its requests as steps of flows, which administrators can view (`platform.flows`). */
export function recordedRoute(core: OAuthCore, routeKind: RequestKind, route: Route): Route {
  return {
    ...route,
    handle: async (context) => {
      // Link previews are not part of a flow.
      if (context.method === 'HEAD') return route.handle(context);
      let user: string | undefined;
      let refusal: RecordedRefusal | null = null;
      const watched: RequestContext = {
        ...context,
        body: async (limit) => {
          const body = await context.body(limit);
          if (isForm(context)) trace.parameters = [...query, ...new URLSearchParams(body.toString('utf8'))];
          return body;
        },
        noteUser: (username) => {
          user = username;
          context.noteUser(username);
        },
        noteRefusal: (rule, reason) => {
          refusal = { rule, reason };
          context.noteRefusal(rule, reason);
        },
      };
      const trace = startTrace(watched);
      const query = [...new URLSearchParams(context.query)];
      trace.parameters = query;
      const write = (outcome: HttpResponse | Refusal): void => {
        try {
          record(core, { context: watched, routeKind, trace, user, refusal, outcome });
        } catch (error) {
          // An error of the recorder must not affect the response.
          core.log.error(`request ${context.requestId} could not be added to an OAuth flow`, error);
        }
      };
      try {
        const response = await route.handle(watched);
        write(response);
        return response;
      } catch (error) {
        if (isRefusal(error)) {
          // Refusals of other layers, such as a large body, belong to no check.
          const isOwn = error instanceof WireFailure && (error.body === undefined || isOAuthError(error.body));
          if (!isOwn) trace.withdrawChecks();
          refusal = { rule: error.rule, reason: error.reason };
          write(error);
        }
        throw error;
      }
    },
  };
}

function record(core: OAuthCore, request: RecordedRequest): void {
  const { context, routeKind, trace, outcome, user } = request;
  const { store, flows } = core;
  const sent = new Map(trace.parameters.filter(([, value]) => value !== ''));
  const isToken = routeKind === 'otherGrant';
  const kind = isToken ? (grantKinds.get(sent.get('grant_type') ?? '') ?? 'otherGrant') : routeKind;
  const page = kind === 'authorizationRequest' || kind === 'decision' ? authorizationOf(context, sent) : undefined;
  const requestParameters = page ?? sent;

  const namedRows = rowsOf(core, kind, sent, bearerOf(context.headers.authorization));
  // A user code without a pending request is not part of a client's flow.
  if ((kind === 'devicePage' || kind === 'deviceDecision') && namedRows.device === undefined) return;
  const isPending = kind === 'poll' && isWaiting(request.refusal?.rule ?? '');
  if (isPending && namedRows.device !== undefined && flows.recordWait(`device:${namedRows.device.id}`, context.now)) return;
  // Renewed tokens are of the same family, so the flow has its tokens already.
  const issued = namedRows.token === undefined ? trace.issued : {};
  const { code = issued.code, device = issued.device, token = issued.token } = namedRows;

  const uid = page?.get('client_id') ?? clientSent(context, sent);
  const named = uid === undefined ? undefined : applicationByUid(store, uid);
  const applicationId = code?.application_id ?? device?.application_id ?? token?.application_id ?? undefined;
  const application = named ?? (applicationId === undefined ? undefined : applicationById(store, applicationId));
  const clientId = uid === undefined ? null : named === undefined ? shownUnknownClient(uid) : uid;

  const refusal = request.refusal === null ? null : shownRefusal(request.refusal, trace, requestParameters.get('redirect_uri'));
  const rule = refusal?.rule ?? '';
  const keys: FlowKey[] = [
    ...(code === undefined ? [] : [`code:${code.id}` as const]),
    ...(device === undefined ? [] : [`device:${device.id}` as const]),
    ...[token?.family, issued.token?.family, code?.family].flatMap((family) =>
      family === undefined || family === null ? [] : [`family:${family}` as const],
    ),
  ];
  const pageKeys = page === undefined || application === undefined ? undefined : keysOfRequest(page, user);
  const known = flows.find(pageKeys === undefined ? keys : [...keys, ...pageKeys.all]);

  const person = user ?? known?.person ?? personOf(core, issued.token ?? token ?? code ?? device);
  const isDecision = kind === 'decision' || kind === 'deviceDecision';
  // The request of a decision was listed with its checks when the page was shown.
  if (isDecision) trace.withdrawChecks();
  const step: SeenStep = {
    title: titles[kind],
    method: context.method,
    path: context.path,
    status: isRefusal(outcome) ? statusOf(outcome) : outcome.status,
    verdict: refusal === null ? 'passed' : isWaiting(rule) ? 'waiting' : 'refused',
    result: resultOf(request),
    parameters: isDecision
      ? []
      : shownParameters(trace.parameters, context.headers.authorization, named === undefined ? clientId : named.uid),
    checks: trace.checks(refusal),
    refusal: refusal === null || isWaiting(rule) ? null : refusal,
    difference: rule === 'redirect_uri' ? differenceOf(trace) : null,
    warnings: kind === 'authorizationRequest' && application !== undefined ? warningsAbout(sent) : [],
  };
  flows.add({
    at: context.now,
    keys: trace.isSentBack || pageKeys === undefined ? keys : [...keys, pageKeys.own],
    formerKeys: pageKeys === undefined ? [] : trace.isSentBack ? pageKeys.all : pageKeys.former,
    application: application === undefined ? null : { name: application.name, client_id: application.uid },
    clientId,
    grant: grantOf(kind, requestParameters, { code, token }),
    person,
    outcome: flowOutcome(kind, rule, known !== undefined, trace),
    expiresAt: (issued.code ?? issued.device)?.expires_at,
    tokenId: issued.token?.id,
    step: withoutValues(step, secretsOf(trace.parameters)),
  });
}

/** Returns the warnings about an authorization request, which is accepted without the parameter `state` (RFC 6749 §4.1.1). */
function warningsAbout(sent: ReadonlyMap<string, string>): readonly string[] {
  if (sent.has('state')) return [];
  if (sent.has('code_challenge')) {
    return [
      'The request has no state. PKCE keeps others from signing the user in with a code of theirs, but the client cannot tell which request a response belongs to (RFC 9700 §2.1.1).',
    ];
  }
  return [
    'The request has neither state nor PKCE. Another site can send the browser to the client with a code of its own, and the user is then signed in to a foreign account (RFC 6749 §10.12). Send a random state and compare it with the one of the response.',
  ];
}

/** Returns the parameters of an authorization request. The form of the page sends them as a query string. */
function authorizationOf({ method }: RequestContext, sent: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return method === 'POST' ? new Map(new URLSearchParams(sent.get('authorization_request') ?? '')) : sent;
}

/**
 * Returns the keys of a request that has no code yet: all its parameters including `state`, and the signed-in user. `prompt` is not part of
 * the key, because it may be fulfilled in between.
 */
function keysOfRequest(
  page: ReadonlyMap<string, string>,
  user: string | undefined,
): { readonly own: FlowKey; readonly former: readonly FlowKey[]; readonly all: readonly FlowKey[] } {
  const text = authorizationParameters
    .filter((name) => name !== 'prompt' && page.has(name))
    .map((name) => `${name}=${encodeURIComponent((page.get(name) ?? '').toWellFormed())}`)
    .join('&');
  const anonymous: FlowKey = `request:${text}`;
  if (user === undefined) return { own: anonymous, former: [], all: [anonymous] };
  const own: FlowKey = `request:${text} ${user}`;
  return { own, former: [anonymous], all: [own, anonymous] };
}

function clientSent(context: RequestContext, sent: ReadonlyMap<string, string>): string | undefined {
  try {
    return sentClient(context, sent)?.uid;
  } catch (error) {
    if (error instanceof WireFailure) return sent.get('client_id');
    throw error;
  }
}

function rowsOf({ store }: Core, kind: RequestKind, sent: ReadonlyMap<string, string>, bearer: string | undefined): FlowRows {
  const found = <Row>(secret: string | undefined, find: (hash: string) => Row | undefined): Row | undefined =>
    secret === undefined ? undefined : find(hashSecret(secret));
  const byAccess = (token: string | undefined): TokenRow | undefined =>
    token === undefined ? undefined : tokenByAccessToken(store, token);
  const byRefresh = (token: string | undefined): TokenRow | undefined =>
    token === undefined ? undefined : tokenByRefreshToken(store, token);
  switch (kind) {
    case 'codeExchange':
      return { code: found(sent.get('code'), (hash) => codeByHash(store, hash)) };
    case 'poll':
      return { device: found(sent.get('device_code'), (hash) => deviceGrantByDeviceCode(store, hash)) };
    case 'devicePage':
    case 'deviceDecision': {
      const typed = sent.get('user_code');
      const userCode = typed === undefined ? undefined : normalisedUserCode(typed);
      return { device: found(userCode, (hash) => deviceGrantByUserCode(store, hash)) };
    }
    case 'refresh':
      return { token: byRefresh(sent.get('refresh_token')) };
    case 'revocation':
    case 'introspection':
      return { token: byRefresh(sent.get('token')) ?? byAccess(sent.get('token')) };
    case 'userInfo':
      return { token: byAccess(sent.get('access_token') ?? sent.get('bearer_token') ?? bearer) };
    case 'tokenInfo':
      return { token: byAccess(sent.get('access_token') ?? bearer) };
    case 'authorizationRequest':
    case 'decision':
    case 'deviceCode':
    case 'password':
    case 'clientCredentials':
    case 'otherGrant':
      return {};
  }
}

function personOf(core: Core, row: { readonly user_id: number | null } | undefined): string | undefined {
  return row === undefined || row.user_id === null ? undefined : findUser(core, row.user_id)?.username;
}

function grantOf(kind: RequestKind, sent: ReadonlyMap<string, string>, { code, token }: FlowRows): FlowGrant {
  switch (kind) {
    case 'authorizationRequest':
    case 'decision':
      return sent.has('code_challenge') ? 'authorization_code_pkce' : 'authorization_code';
    case 'codeExchange': {
      const isPkce = code === undefined ? sent.has('code_verifier') : code.code_challenge !== null;
      return isPkce ? 'authorization_code_pkce' : 'authorization_code';
    }
    case 'deviceCode':
    case 'devicePage':
    case 'deviceDecision':
    case 'poll':
      return 'device_code';
    case 'password':
      return 'password';
    case 'clientCredentials':
      return 'client_credentials';
    case 'refresh':
      return 'refresh_token';
    case 'revocation':
    case 'introspection':
    case 'userInfo':
    case 'tokenInfo':
      return token === undefined ? 'unknown' : 'refresh_token';
    case 'otherGrant':
      return 'unknown';
  }
}

/** Returns the outcome of a flow after a request, or undefined if the request does not change it. */
function flowOutcome(kind: RequestKind, rule: string, isKnown: boolean, { isDenied }: FlowTrace): FlowOutcome | undefined {
  if (isDenied || rule === 'denied' || rule === 'device.denied') return 'denied';
  if (rule === 'device.expiry' || rule === 'code.expiry') return 'expired';
  if (isWaiting(rule) || rule === 'device.interval') return undefined;
  switch (kind) {
    case 'authorizationRequest':
    case 'deviceCode':
      return rule === '' ? 'waiting' : 'refused';
    case 'decision':
      return rule === '' ? 'waiting' : undefined;
    case 'devicePage':
    case 'deviceDecision':
      return undefined;
    case 'codeExchange':
    case 'poll':
    case 'refresh':
    case 'password':
    case 'clientCredentials':
    case 'otherGrant':
      return rule === '' ? 'completed' : 'refused';
    case 'revocation':
      return rule === '' ? 'revoked' : isKnown ? undefined : 'refused';
    case 'introspection':
    case 'userInfo':
    case 'tokenInfo':
      if (isKnown) return undefined;
      return rule === '' ? 'completed' : 'refused';
  }
}

function resultOf({ outcome, refusal, trace }: RecordedRequest): string {
  if (!isRefusal(outcome)) return trace.result;
  if (isWaiting(refusal?.rule ?? '')) return 'The user has not decided yet; the client should keep polling.';
  const error = outcome instanceof WireFailure && isOAuthError(outcome.body) ? ` ${outcome.body.error}` : '';
  return `Refused with ${statusOf(outcome)}${error}.`;
}

function differenceOf({ refusedRedirect }: FlowTrace): FlowStep['difference'] {
  if (refusedRedirect === undefined) return null;
  const { uri, expected } = refusedRedirect;
  const nearest = nearestUri(uri, expected);
  if (nearest === undefined || uri === nearest) return null;
  const [a, b] = [shownUri(uri), shownUri(nearest)];
  return { sent: a, expected: b, at: commonLength(a, b) + 1 };
}
