import type { FlowStep } from '../../../src/contract/oauthFlows.ts';

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

/** Request data that checks depend on. */
export interface CheckedRequest {
  readonly has: (parameter: string) => boolean;
  readonly application: { readonly confidential: 0 | 1 } | undefined;
}

interface Check {
  /** Rules of the refusals of this check. */
  readonly rules: readonly string[];
  /** Parameters whose absence this check reports. */
  readonly needs?: readonly string[];
  /** Condition that is checked. */
  readonly text: string;
  /** Returns the text of a passed check, if it depends on the request. */
  readonly passed?: (request: CheckedRequest) => string;
  /** Returns true if the check applies to the request; all requests by default. */
  readonly applies?: (request: CheckedRequest) => boolean;
}

const READING = ['single', 'body', 'encoding', 'json', 'type', 'multipart'].map((rule) => `parameters.${rule}`);
const readable: Check = { rules: READING, text: 'the parameters are readable and not repeated' };
const formatClient = ({ application }: CheckedRequest): string =>
  application?.confidential === 1 ? 'the application is known and its secret is correct' : 'the application is known and public';
const client: Check = {
  rules: ['client', 'client.single'],
  needs: ['client_id'],
  text: 'the application is known and authenticated',
  passed: formatClient,
};
/** Check of a client that may be omitted. */
const namedClient: Check = { ...client, applies: ({ application }) => application !== undefined };
const user: Check = { rules: ['user'], text: 'the account is active' };
const scope: Check = { rules: ['scope'], text: 'the application may request these scopes' };
/** Condition of a check that not every request goes through. It is only listed if it refused the request. */
const onlyIfRefused = (): boolean => false;
const onlyWith = (parameter: string, check: Check): Check => ({ ...check, applies: ({ has }) => has(parameter) });

/**
 * Checks of each kind of request in the order of the endpoint: all checks before the one that refused have passed. A rule that is checked in
 * several places is listed at the first one, so that no unchecked condition is reported as passed.
 */
const checks: Readonly<Record<RequestKind, readonly Check[]>> = {
  authorizationRequest: [
    readable,
    { rules: ['client'], needs: ['client_id'], text: 'the application is known' },
    { rules: ['redirect_uri'], text: 'redirect_uri is registered for the application' },
    { rules: ['response_type'], needs: ['response_type'], text: 'response_type is code' },
    { rules: ['response_mode'], text: 'response_mode is supported' },
    scope,
    {
      rules: ['code_challenge', 'code_challenge_method'],
      needs: ['code_challenge'],
      text: 'code_challenge is present if required, and matches the format of its method',
      passed: ({ has }) =>
        has('code_challenge')
          ? 'code_challenge matches the format of its method'
          : 'no code_challenge, which a confidential application does not need',
    },
    {
      rules: ['prompt', 'max_age'],
      text: 'prompt and max_age are valid',
      applies: ({ has }) => has('prompt') || has('max_age'),
    },
  ],
  decision: [],
  deviceCode: [
    readable,
    client,
    scope,
    { rules: ['device.outstanding'], text: 'the application has not reached its limit of pending device codes' },
  ],
  devicePage: [],
  deviceDecision: [],
  codeExchange: [
    readable,
    { rules: [], needs: ['code', 'redirect_uri'], text: 'code and redirect_uri were sent' },
    client,
    { rules: ['code'], text: 'the code was issued by this server' },
    { rules: ['code.client'], text: 'the code was issued to this application' },
    { rules: ['code.single', 'code.replay'], text: 'the code was not used before' },
    { rules: ['code.expiry'], text: 'the code is not older than ten minutes' },
    { rules: ['redirect_uri'], text: 'redirect_uri matches the authorization request' },
    {
      rules: ['code_verifier'],
      needs: ['code_verifier'],
      text: 'code_verifier matches the code_challenge of the authorization request',
      passed: ({ has }) =>
        has('code_verifier')
          ? 'code_verifier matches the code_challenge of the authorization request'
          : 'no code_verifier needed, because no code_challenge was sent',
    },
    user,
  ],
  poll: [
    readable,
    client,
    {
      rules: ['device_code'],
      needs: ['device_code'],
      text: 'the device code was issued to this application and not used before',
    },
    { rules: ['device.expiry'], text: 'the device code has not expired' },
    { rules: ['device.denied'], text: 'the user has not denied the request' },
    { rules: ['device.interval'], text: 'the client waited for the polling interval', applies: onlyIfRefused },
    { rules: ['device.pending'], text: 'the user has approved the request' },
    user,
  ],
  refresh: [
    readable,
    { rules: ['refresh_token'], needs: ['refresh_token'], text: 'the refresh token was issued by this server' },
    namedClient,
    { rules: ['refresh_token.client'], text: 'the refresh token was issued to this client' },
    { rules: ['refresh_token.single', 'refresh_token.replay'], text: 'the refresh token was not used before' },
    { rules: ['refresh_token.alive'], text: 'the refresh token is not revoked' },
    user,
    onlyWith('redirect_uri', { rules: ['redirect_uri'], text: 'redirect_uri matches the authorization request' }),
    onlyWith('code_verifier', { rules: ['code_verifier'], text: 'code_verifier matches the code_challenge, if there was one' }),
    onlyWith('scope', { rules: ['scope'], text: 'the scopes were granted' }),
  ],
  password: [
    readable,
    { rules: [], needs: ['username', 'password'], text: 'username and password were sent' },
    namedClient,
    scope,
    { rules: ['password.attempts', 'password'], text: 'the username and password belong to an active account' },
  ],
  clientCredentials: [readable, client, { rules: ['client.confidential'], text: 'the application is confidential' }, scope],
  otherGrant: [readable, { rules: ['grant_type'], needs: ['grant_type'], text: 'the grant type is known' }],
  revocation: [
    readable,
    namedClient,
    { rules: ['revoke.token'], needs: ['token'], text: 'the token is known' },
    { rules: ['revoke.client'], text: 'the token was issued to this client' },
  ],
  introspection: [
    readable,
    {
      rules: ['introspect.client', 'client', 'client.single', 'credentials.alive'],
      text: 'the application is authenticated',
    },
    { rules: ['introspect.token'], needs: ['token'], text: 'the token is valid and belongs to the application' },
  ],
  userInfo: tokenChecks('the token belongs to an active account'),
  tokenInfo: tokenChecks(),
};

function tokenChecks(person?: string): readonly Check[] {
  return [
    readable,
    { rules: ['credentials.single', 'credentials.present'], text: 'one token was sent' },
    { rules: ['credentials.known'], text: 'the token was issued by this server' },
    { rules: ['credentials.alive'], text: 'the token is not revoked and has not expired' },
    ...(person === undefined
      ? []
      : [
          { rules: ['credentials.person'], text: person },
          { rules: ['scope'], text: 'the token has the scope openid' },
        ]),
  ];
}

/** Returns true if a rule does not refuse the client, but makes it wait. */
export function isWaiting(rule: string): boolean {
  return rule === 'device.pending';
}

/** Returns the checks of a request up to the one that refused it. */
export function checksOf(
  kind: RequestKind,
  request: CheckedRequest,
  refusal: { readonly rule: string; readonly reason: string } | null,
): FlowStep['checks'] {
  const made = checks[kind].filter((check) => isOf(check, refusal) || (check.applies?.(request) ?? true));
  const at = made.findIndex((check) => isOf(check, refusal));
  if (refusal !== null && at < 0) return [{ verdict: 'refused', words: refusal.reason }];
  const passed = (at < 0 ? made : made.slice(0, at)).map((check) => ({
    verdict: 'passed' as const,
    words: check.passed?.(request) ?? check.text,
  }));
  const stopped = made[at];
  if (refusal === null || stopped === undefined) return passed;
  return [...passed, { verdict: isWaiting(refusal.rule) ? 'waiting' : 'refused', words: stopped.text }];
}

function isOf({ rules, needs = [] }: Check, refusal: { readonly rule: string; readonly reason: string } | null): boolean {
  if (refusal === null) return false;
  if (refusal.rule !== 'parameters.required') return rules.includes(refusal.rule);
  return needs.some((name) => refusal.reason === `send the parameter ${name} in the body`);
}
