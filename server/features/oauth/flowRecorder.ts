import { AUTHORIZATION_CODE_GRANT, DEVICE_CODE_GRANT, REFRESH_TOKEN_GRANT } from '../../../src/contract/oauth.ts';
import type { FlowGrant, FlowOutcome, FlowStep } from '../../../src/contract/oauthFlows.ts';
import { isJsonObject, type JsonObject, parseJson, stringMember } from '../../../src/contract/json.ts';
import { bearerOf } from '../../http/credentials.ts';
import type { HttpResponse, RequestContext } from '../../http/requestContext.ts';
import { WireFailure } from '../../http/failures.ts';
import type { Route } from '../../http/route.ts';
import { findUser } from '../identity/identity.ts';
import type { Platform } from '../../platform.ts';
import { hashSecret } from '../../core/secrets.ts';
import { authorizationParameters, type ResponseMode } from './authorizationRequest.ts';
import { sentClient } from './checks/client.ts';
import { commonLength, isOutOfBand, nearestUri } from './checks/redirectUri.ts';
import { isOAuthError } from './failures.ts';
import { checksOf, isWaiting, type RequestKind } from './flowChecks.ts';
import { type FlowKey, POLL, type Seen } from './flows.ts';
import { sentPairs, shownParameters, shownUnknownClient, shownUri, withoutLongWords } from './flowParameters.ts';
import { CLIENT_CREDENTIALS_GRANT } from './grants/clientCredentials.ts';
import { PASSWORD_GRANT } from './grants/password.ts';
import {
  applicationById,
  applicationByUid,
  type ApplicationRow,
  codeByHash,
  type CodeRow,
  deviceGrantByDeviceCode,
  deviceGrantByUserCode,
  type DeviceGrantRow,
  tokenByAccessToken,
  tokenByRefreshToken,
  type TokenRow,
} from './store.ts';
import { normalisedUserCode } from './userCode.ts';

const kinds: Readonly<Record<string, RequestKind>> = {
  'GET /oauth/authorize': 'authorizationRequest',
  'POST /oauth/authorize': 'decision',
  'DELETE /oauth/authorize': 'decision',
  'POST /oauth/authorize_device': 'deviceCode',
  'GET /oauth/device': 'devicePage',
  'POST /oauth/device': 'devicePage',
  'POST /oauth/device/confirm': 'deviceDecision',
  'POST /oauth/token': 'otherGrant',
  'POST /oauth/revoke': 'revocation',
  'POST /oauth/introspect': 'introspection',
  'GET /oauth/userinfo': 'userInfo',
  'POST /oauth/userinfo': 'userInfo',
  'GET /oauth/token/info': 'tokenInfo',
};

/** Request kinds by grant type. A map, because the key comes from the client and could be `constructor`. */
const grantKinds: ReadonlyMap<string, RequestKind> = new Map([
  [AUTHORIZATION_CODE_GRANT, 'codeExchange'],
  [REFRESH_TOKEN_GRANT, 'refresh'],
  [DEVICE_CODE_GRANT, 'poll'],
  ['device_code', 'poll'],
  [PASSWORD_GRANT, 'password'],
  [CLIENT_CREDENTIALS_GRANT, 'clientCredentials'],
]);

const tokenKinds: ReadonlySet<RequestKind> = new Set(grantKinds.values());

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

/** Event on a page of the authorization endpoint that its response does not reveal. */
export type FlowEvent =
  | { readonly kind: 'signInAsked' }
  | {
      readonly kind: 'sentBack';
      readonly mode: ResponseMode;
      readonly redirectUri: string;
      readonly members: readonly (readonly [name: string, value: string])[];
    };

const notes = new WeakMap<RequestContext, FlowEvent>();

/** Records an event of a request. Must be called before the response. */
export function recordFlowEvent(context: RequestContext, note: FlowEvent): void {
  notes.set(context, note);
}

type Refusal = { readonly rule: string; readonly reason: string };

/** Request with its outcome. */
interface RecordedRequest {
  readonly context: RequestContext;
  readonly routeKind: RequestKind;
  readonly body: Buffer | undefined;
  readonly user: string | undefined;
  readonly refusal: Refusal | null;
  readonly outcome: HttpResponse | WireFailure;
}

/** Returns a route that records its requests as steps of flows, which administrators can view (`platform.flows`). */
export function withFlowRecorder(platform: Platform, route: Route): Route {
  const routeKind = kinds[`${route.method} ${route.path}`];
  if (routeKind === undefined) return route;
  return {
    ...route,
    handle: async (context) => {
      // Link previews are not part of a flow.
      if (context.method === 'HEAD') return route.handle(context);
      let user: string | undefined;
      let refusal: Refusal | null = null;
      let body: Promise<Buffer> | undefined;
      const watched: RequestContext = {
        ...context,
        body: (limit) => {
          body = context.body(limit);
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
      const write = async (outcome: HttpResponse | WireFailure): Promise<void> => {
        try {
          const read = await body?.catch(() => undefined);
          await record(platform, { context: watched, routeKind, body: read, user, refusal, outcome });
        } catch (error) {
          // An error of the recorder must not affect the response.
          platform.log.error(`request ${context.requestId} could not be added to an OAuth flow`, error);
        }
      };
      try {
        const response = await route.handle(watched);
        await write(response);
        return response;
      } catch (error) {
        if (error instanceof WireFailure) {
          refusal = { rule: error.rule, reason: error.reason };
          await write(error);
        }
        throw error;
      }
    },
  };
}

/** Database rows that a request identifies by its secrets. */
interface Rows {
  readonly code?: CodeRow | undefined;
  readonly device?: DeviceGrantRow | undefined;
  readonly token?: TokenRow | undefined;
}

async function record(platform: Platform, request: RecordedRequest): Promise<void> {
  const { context, routeKind, outcome, user } = request;
  const { store, flows } = platform;
  const pairs = await sentPairs(context, request.body);
  const sent = new Map(pairs.filter(([, value]) => value !== ''));
  const isToken = routeKind === 'otherGrant';
  const kind = isToken ? (grantKinds.get(sent.get('grant_type') ?? '') ?? 'otherGrant') : routeKind;
  const note = notes.get(context);
  const page = kind === 'authorizationRequest' || kind === 'decision' ? authorizationOf(context, sent) : undefined;
  const requestParameters = page ?? sent;

  const namedRows = rowsOf(platform, kind, sent, bearerOf(context.headers.authorization));
  // A user code without a pending request is not part of a client's flow.
  if ((kind === 'devicePage' || kind === 'deviceDecision') && namedRows.device === undefined) return;
  const isPending = kind === 'poll' && isWaiting(request.refusal?.rule ?? '');
  if (isPending && namedRows.device !== undefined && flows.recordWait(`device:${namedRows.device.id}`, context.now)) return;
  const issuing = kind === 'deviceCode' || tokenKinds.has(kind);
  const answered =
    issuing && !(outcome instanceof WireFailure) && typeof outcome.body === 'string' ? parseJson(outcome.body) : undefined;
  const members = isJsonObject(answered) ? answered : {};
  // Renewed tokens are of the same family, so no lookup is needed.
  const issued = namedRows.token === undefined ? issuedRows(platform, members, note) : {};
  const { code = issued.code, device = issued.device, token = issued.token } = namedRows;

  const uid = page?.get('client_id') ?? clientSent(context, sent);
  const named = uid === undefined ? undefined : applicationByUid(store, uid);
  const applicationId = code?.application_id ?? device?.application_id ?? token?.application_id ?? undefined;
  const application = named ?? (applicationId === undefined ? undefined : applicationById(store, applicationId));
  const clientId = uid === undefined ? null : named === undefined ? shownUnknownClient(uid) : uid;

  const refusal = shownRefusal(request.refusal, requestParameters);
  const rule = refusal?.rule ?? '';
  const keys: FlowKey[] = [
    ...(code === undefined ? [] : [`code:${code.id}` as const]),
    ...(device === undefined ? [] : [`device:${device.id}` as const]),
    ...[token?.family, issued.token?.family, code?.family].flatMap((family) =>
      family === undefined || family === null ? [] : [`family:${family}` as const],
    ),
  ];
  const pageKeys = page === undefined || application === undefined ? undefined : keysOfRequest(page, user);
  const isOver = note?.kind === 'sentBack';
  const known = flows.find(pageKeys === undefined ? keys : [...keys, ...pageKeys.all]);

  const redirectUri = requestParameters.get('redirect_uri');
  const person = user ?? known?.person ?? personOf(platform, issued.token ?? token ?? code ?? device);
  const step: Seen['step'] = {
    title: titles[kind],
    method: context.method,
    path: context.path,
    status: outcome.status,
    verdict: refusal === null ? 'passed' : isWaiting(rule) ? 'waiting' : 'refused',
    result: resultOf(kind, request, note, members, redirectUri),
    parameters:
      kind === 'decision' || kind === 'deviceDecision'
        ? []
        : shownParameters(pairs, context.headers.authorization, named === undefined ? clientId : named.uid),
    checks: checksOf(kind, { has: (name) => requestParameters.has(name), application: named }, refusal),
    refusal: refusal === null || isWaiting(rule) ? null : refusal,
    difference: rule === 'redirect_uri' ? differenceOf(redirectUri, expectedUris(kind, named, code, token)) : null,
  };
  flows.add({
    at: context.now,
    keys: isOver || pageKeys === undefined ? keys : [...keys, pageKeys.own],
    formerKeys: pageKeys === undefined ? [] : isOver ? pageKeys.all : pageKeys.former,
    application: application === undefined ? null : { name: application.name, client_id: application.uid },
    clientId,
    grant: grantOf(kind, requestParameters, { code, token }),
    person,
    outcome: flowOutcome(kind, rule, known !== undefined, outcome),
    expiresAt: (issued.code ?? issued.device)?.expires_at,
    tokenId: issued.token?.id,
    step: withoutValues(step, secretsOf(pairs)),
  });
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

function rowsOf({ store }: Platform, kind: RequestKind, sent: ReadonlyMap<string, string>, bearer: string | undefined): Rows {
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

/** Returns the rows that the response created. */
function issuedRows({ store }: Platform, members: JsonObject, note: FlowEvent | undefined): Rows {
  if (note?.kind === 'sentBack') {
    const code = note.members.find(([name]) => name === 'code')?.[1];
    return code === undefined ? {} : { code: codeByHash(store, hashSecret(code)) };
  }
  const deviceCode = stringMember(members, 'device_code');
  const accessToken = stringMember(members, 'access_token');
  return {
    device: deviceCode === undefined ? undefined : deviceGrantByDeviceCode(store, hashSecret(deviceCode)),
    token: accessToken === undefined ? undefined : tokenByAccessToken(store, accessToken),
  };
}

function personOf(platform: Platform, row: { readonly user_id: number | null } | undefined): string | undefined {
  return row === undefined || row.user_id === null ? undefined : findUser(platform, row.user_id)?.username;
}

function grantOf(kind: RequestKind, sent: ReadonlyMap<string, string>, { code, token }: Rows): FlowGrant {
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
function flowOutcome(
  kind: RequestKind,
  rule: string,
  isKnown: boolean,
  outcome: HttpResponse | WireFailure,
): FlowOutcome | undefined {
  if (rule === 'denied' || rule === 'device.denied') return 'denied';
  if (rule === 'device.expiry' || rule === 'code.expiry') return 'expired';
  if (isWaiting(rule) || rule === 'device.interval') return undefined;
  switch (kind) {
    case 'authorizationRequest':
    case 'deviceCode':
      return rule === '' ? 'waiting' : 'refused';
    case 'decision':
      return rule === '' ? 'waiting' : undefined;
    case 'devicePage':
      return undefined;
    case 'deviceDecision':
      return rule === '' && !(outcome instanceof WireFailure) && outcome.headers?.['Location'] === '/oauth/device/denied'
        ? 'denied'
        : undefined;
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

function resultOf(
  kind: RequestKind,
  { outcome, user, refusal, context }: RecordedRequest,
  note: FlowEvent | undefined,
  members: JsonObject,
  redirectUri: string | undefined,
): string {
  if (note?.kind === 'signInAsked') return 'The sign-in page was shown.';
  if (note?.kind === 'sentBack') return formatSentBack(kind, user, note);
  if (outcome instanceof WireFailure) {
    const error = isOAuthError(outcome.body) ? ` ${outcome.body.error}` : '';
    return isWaiting(refusal?.rule ?? '')
      ? 'The user has not decided yet; the client should keep polling.'
      : `Refused with ${outcome.status}${error}.`;
  }
  const isSignIn = user === undefined;
  switch (kind) {
    case 'authorizationRequest':
      if (refusal === null) return `The consent page was shown to @${user}.`;
      return redirectUri === undefined
        ? 'Refused with an error page.'
        : 'Refused with an error page, because the browser is only redirected if the client and redirect URI are verified.';
    case 'decision':
      return isSignIn ? 'The user was no longer signed in; the sign-in page was shown.' : 'Refused with an error page.';
    case 'deviceCode':
      return 'A device code and a user code were issued.';
    case 'devicePage':
      if (refusal !== null) return 'The user code was rejected.';
      if (isSignIn) return 'The sign-in page was shown.';
      return context.method === 'GET' ? 'The user code page was shown.' : `The consent page was shown to @${user}.`;
    case 'deviceDecision':
      if (refusal !== null) return 'The user code was rejected.';
      if (isSignIn) return 'The user was no longer signed in; the sign-in page was shown.';
      return outcome.headers?.['Location'] === '/oauth/device/denied'
        ? `@${user} denied the request.`
        : `@${user} approved the request.`;
    case 'codeExchange':
    case 'poll':
    case 'refresh':
    case 'password':
    case 'clientCredentials':
    case 'otherGrant':
      return formatIssued(members);
    case 'revocation':
      return refusal === null
        ? 'All tokens of this sign-in were revoked.'
        : 'No token was revoked; the response is the same as for a revoked token.';
    case 'introspection':
      return refusal === null ? 'The token is active.' : 'The token is not active for this application.';
    case 'userInfo':
      return `The claims of @${user} were returned.`;
    case 'tokenInfo':
      return 'The scopes and lifetime of the token were returned.';
  }
}

function formatIssued(members: JsonObject): string {
  const names = Object.keys(members).filter((name) => name.endsWith('_token'));
  const scopes = stringMember(members, 'scope');
  return `Issued: ${names.join(', ')}${scopes === undefined ? '' : `, with the scopes "${scopes}"`}.`;
}

function formatSentBack(kind: RequestKind, user: string | undefined, note: FlowEvent & { readonly kind: 'sentBack' }): string {
  const isCode = note.members.some(([name]) => name === 'code');
  const names = note.members.map(([name, value]) => (name === 'error' ? `error=${value}` : name)).join(', ');
  const how = { query: 'in the query', fragment: 'in the fragment', form_post: 'in a form post' }[note.mode];
  const who =
    kind === 'decision'
      ? `@${user} ${isCode ? 'approved' : 'denied'} the request. `
      : isCode
        ? `No consent from @${user} was needed. `
        : '';
  if (isOutOfBand(note.redirectUri)) {
    return `${who}${isCode ? 'The code was shown on a page, to be copied into the application.' : `An error page was shown (${names}); the application was not notified.`}`;
  }
  return `${who}The browser was redirected to ${shownUri(note.redirectUri)} with ${names} ${how}.`;
}

/** Returns the refusal of the request log without anything that could be a secret or its hash. */
function shownRefusal(refusal: Refusal | null, sent: ReadonlyMap<string, string>): Refusal | null {
  if (refusal === null) return null;
  const rule = refusal.rule.replace(/^authorize\./, '');
  const uri = sent.get('redirect_uri');
  if (rule === 'redirect_uri')
    return { rule, reason: uri === undefined ? refusal.reason : refusal.reason.replaceAll(uri, () => shownUri(uri)) };
  const reason = refusal.reason.replace(
    /its S256 challenge is \S+, but the authorization request had \S+$/,
    'its SHA-256, as base64url without padding, is not the code_challenge of the authorization request',
  );
  return { rule, reason: withoutLongWords(reason) };
}

function expectedUris(
  kind: RequestKind,
  application: ApplicationRow | undefined,
  code: CodeRow | undefined,
  token: TokenRow | undefined,
): readonly string[] {
  if (kind === 'codeExchange') return code === undefined ? [] : [code.redirect_uri];
  if (kind === 'refresh') return token === undefined || token.redirect_uri === null ? [] : [token.redirect_uri];
  return application?.redirect_uris.split(/\s+/).filter((uri) => uri !== '') ?? [];
}

function differenceOf(sent: string | undefined, expected: readonly string[]): FlowStep['difference'] {
  const nearest = sent === undefined ? undefined : nearestUri(sent, expected);
  if (sent === undefined || nearest === undefined || sent === nearest) return null;
  const [a, b] = [shownUri(sent), shownUri(nearest)];
  return { sent: a, expected: b, at: commonLength(a, b) + 1 };
}

/** Returns the values of secret parameters. Short values are omitted, because they could be ordinary words. */
function secretsOf(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const secret = new Set([
    'code',
    'code_challenge',
    'code_verifier',
    'client_secret',
    'device_code',
    'user_code',
    'refresh_token',
    'access_token',
    'token',
    'password',
  ]);
  return pairs.filter(([name, value]) => secret.has(name) && value.length >= 8).map(([, value]) => value);
}

/** Masks the given secrets wherever they appear in a step, as a safety net. */
function withoutValues(step: Seen['step'], secrets: readonly string[]): Seen['step'] {
  const shown = step.refusal === null ? step.parameters.map(({ value }) => value).join(' ') : undefined;
  // Fast path for nearly all steps.
  if (shown !== undefined && !secrets.some((secret) => shown.includes(secret))) return step;
  const masked = (text: string): string => secrets.reduce((left, secret) => left.replaceAll(secret, '[masked]'), text);
  const { refusal, difference } = step;
  return {
    ...step,
    parameters: step.parameters.map(({ name, value }) => ({ name: masked(name), value: masked(value) })),
    checks: step.checks.map(({ verdict, words }) => ({ verdict, words: masked(words) })),
    refusal: refusal === null ? null : { rule: refusal.rule, reason: masked(refusal.reason) },
    difference:
      difference === null ? null : { ...difference, sent: masked(difference.sent), expected: masked(difference.expected) },
  };
}
