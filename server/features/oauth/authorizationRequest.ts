import type { OAuthCore } from './oauthCore.ts';
import { WireFailure } from '../../http/wireFailure.ts';
import { challengeOf, VERIFIER } from './checks/codeVerifier.ts';
import { isPossibleRedirect, isRegisteredRedirect, redirectDifference } from './checks/redirectUri.ts';
import { checkScope } from './checks/scope.ts';
import {
  invalidChallengeMethod,
  invalidClient,
  invalidRedirectUri,
  invalidRequest,
  isOAuthError,
  missingParameter,
  unsupportedResponseMode,
  unsupportedResponseType,
} from './failures.ts';
import type { FlowTrace } from './flowTrace.ts';
import { READABLE } from './parameters.ts';
import { type ApplicationRow, applicationByUid } from './store.ts';

/** Known parameters of an authorization request. Others are ignored (RFC 6749 §3.1). */
export const authorizationParameters = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'prompt',
  'max_age',
  'root_namespace_id',
] as const;

type AuthorizationParameter = (typeof authorizationParameters)[number];

const responseModes = ['query', 'fragment', 'form_post'] as const;
export type ResponseMode = (typeof responseModes)[number];

/** Target of the response. Client and redirect URI are verified. */
export interface ReturnAddress {
  readonly redirectUri: string;
  readonly mode: ResponseMode;
  readonly state: string | undefined;
}

export interface AuthorizationRequest extends ReturnAddress {
  readonly application: ApplicationRow;
  readonly scopes: readonly string[];
  /** S256 challenge, regardless of the client's method. */
  readonly codeChallenge: string | undefined;
  readonly nonce: string | undefined;
  readonly prompts: readonly string[];
  /** Maximum age of the sign-in, in seconds. */
  readonly maxAge: number | undefined;
  readonly rootNamespaceId: number | undefined;
  /** Sent parameters, for the forms of the page. */
  readonly sent: ReadonlyMap<AuthorizationParameter, string>;
}

/** Refusal that is reported to the client at its redirect URI (RFC 6749 §4.1.2.1). */
export interface ReturnedRefusal {
  readonly failure: WireFailure;
  readonly to: ReturnAddress;
}

/** Condition on `prompt` and `max_age`, for recorded flows. */
export const PROMPT_CHECK = 'prompt and max_age are valid';

/** S256 challenge: 43 characters encode the 32 bytes of SHA-256 (RFC 7636 §4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads an authorization request. Errors after the verification of client and redirect URI are returned, to be reported to the client.
 * @throws {WireFailure} If the client or redirect URI is invalid, in which case the browser must not be redirected.
 */
export function readAuthorizationRequest(
  core: OAuthCore,
  trace: FlowTrace,
  values: URLSearchParams,
): AuthorizationRequest | ReturnedRefusal {
  const sent = new Map<AuthorizationParameter, string>();
  for (const name of authorizationParameters) {
    const value = values.get(name);
    if (value !== null && value !== '') sent.set(name, value);
  }
  // `scope[]=api` must not be treated like an omitted parameter.
  const repeated = [...new Set(values.keys())]
    .filter((name) => name.includes('[') || values.getAll(name).length > 1)
    .map((name) => name.split('[', 1)[0] ?? '');
  const once = (name: AuthorizationParameter): string | undefined => {
    if (repeated.includes(name)) {
      trace.check(READABLE);
      throw notOnce(name);
    }
    return sent.get(name);
  };

  trace.check(READABLE);
  trace.check('the application is known');
  const uid = once('client_id');
  if (uid === undefined) throw missingParameter('client_id');
  const application = applicationByUid(core.store, uid);
  if (application === undefined) throw invalidClient('no application has this client_id');
  trace.check('redirect_uri is registered for the application');
  const redirectUri = once('redirect_uri');
  const registered = application.redirect_uris.split(/\s+/).filter((uri) => uri !== '');
  if (redirectUri === undefined) {
    throw invalidRedirectUri(`send redirect_uri; registered for the application: ${registered.join(', ') || 'none'}`);
  }
  trace.refusedRedirect = { uri: redirectUri, expected: registered };
  if (!isRegisteredRedirect(redirectUri, registered)) throw invalidRedirectUri(redirectDifference(redirectUri, registered));
  if (!isPossibleRedirect(redirectUri)) {
    throw invalidRedirectUri('redirect_uri must be an absolute URI without a fragment, and its scheme must not run code');
  }

  const state = repeated.includes('state') ? undefined : sent.get('state');
  const mode = sent.get('response_mode') ?? 'query';
  const to: ReturnAddress = {
    redirectUri,
    state,
    mode: isResponseMode(mode) && !repeated.includes('response_mode') ? mode : 'query',
  };
  try {
    const [again] = repeated.filter((name) => authorizationParameters.some((known) => known === name));
    if (again !== undefined) {
      trace.check(READABLE);
      throw notOnce(again);
    }
    if (values.has('client_secret')) {
      trace.check(READABLE);
      throw invalidRequest('The parameter client_secret must not be sent to this endpoint.', 'parameters.body');
    }
    return { ...to, application, sent, ...readRest(core, trace, application, sent, mode) };
  } catch (error) {
    if (error instanceof WireFailure && isOAuthError(error.body)) return { failure: error, to };
    throw error;
  }
}

function notOnce(name: string): WireFailure {
  return invalidRequest(`The parameter ${name} must be a single text, sent once.`, 'parameters.single');
}

function readRest(
  core: OAuthCore,
  trace: FlowTrace,
  application: ApplicationRow,
  sent: ReadonlyMap<AuthorizationParameter, string>,
  mode: string,
) {
  trace.check('response_type is code');
  const type = sent.get('response_type');
  if (type === undefined) throw missingParameter('response_type');
  if (type !== 'code') throw unsupportedResponseType('only response_type=code is supported; the implicit grant is not available');
  trace.check('response_mode is supported');
  if (!isResponseMode(mode)) throw unsupportedResponseMode(`response_mode must be one of ${responseModes.join(', ')}`);
  const scopes = checkScope(trace, sent.get('scope'), application.scopes.split(' '));
  trace.check('code_challenge is present if required, and matches the format of its method');
  const codeChallenge = readChallenge(core, application, sent.get('code_challenge'), sent.get('code_challenge_method'));
  trace.passed(
    codeChallenge === undefined
      ? 'no code_challenge, which a confidential application does not need'
      : 'code_challenge matches the format of its method',
  );
  if (sent.has('prompt') || sent.has('max_age')) trace.check(PROMPT_CHECK);
  // OpenID Connect Core §3.1.2.1; without the scope openid GitLab does not look at these either.
  const isOpenId = scopes.includes('openid');
  const rootNamespaceId = sent.get('root_namespace_id');
  return {
    scopes,
    codeChallenge,
    nonce: sent.get('nonce'),
    prompts: isOpenId ? readPrompts(sent.get('prompt')) : [],
    maxAge: isOpenId ? readMaxAge(sent.get('max_age')) : undefined,
    rootNamespaceId: rootNamespaceId !== undefined && /^\d{1,15}$/.test(rootNamespaceId) ? Number(rootNamespaceId) : undefined,
  };
}

function readChallenge(
  { allowPlainPkce }: OAuthCore,
  application: ApplicationRow,
  challenge: string | undefined,
  method: string | undefined,
): string | undefined {
  if (challenge === undefined) {
    if (application.confidential === 1 && method === undefined) return undefined;
    throw invalidRequest(
      'Missing required parameter: code_challenge.',
      'code_challenge',
      'the application is public: send code_challenge and code_challenge_method=S256 (RFC 7636)',
    );
  }
  if (method === 'plain' && allowPlainPkce) {
    if (!VERIFIER.test(challenge)) {
      throw invalidRequest(
        'The code_challenge must be a code_verifier.',
        'code_challenge',
        `with the method plain, code_challenge is the code_verifier: 43 to 128 characters of A-Z a-z 0-9 - . _ ~, but ${challenge.length} were sent`,
      );
    }
    // Hashed here like an S256 challenge, so that it is not stored in plain text.
    return challengeOf(challenge);
  }
  if (method !== 'S256') {
    throw invalidChallengeMethod(
      allowPlainPkce ? 'plain, S256' : 'S256',
      method === undefined
        ? 'code_challenge was sent without a method, which would mean plain: send code_challenge_method=S256'
        : 'send code_challenge_method=S256; a plain challenge reveals the verifier to anyone who sees the request',
    );
  }
  if (!CHALLENGE.test(challenge)) {
    throw invalidRequest(
      'The code_challenge must be the unpadded base64url text of a SHA-256 hash.',
      'code_challenge',
      `code_challenge must be 43 characters of A-Z a-z 0-9 - _, but ${challenge.length} were sent`,
    );
  }
  return challenge;
}

const prompts = ['none', 'login', 'consent', 'select_account'];

function readPrompts(text: string | undefined): readonly string[] {
  const sent = (text ?? '').split(' ').filter((prompt) => prompt !== '' && prompt !== 'create');
  const unknown = sent.find((prompt) => !prompts.includes(prompt));
  if (unknown !== undefined) throw invalidRequest(`The parameter prompt is one of ${prompts.join(', ')}.`, 'prompt');
  if (sent.includes('none') && sent.length > 1) throw invalidRequest('prompt=none stands alone.', 'prompt');
  return sent;
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw invalidRequest('The parameter max_age is a number of seconds.', 'max_age');
  return Math.max(Number(text), 1);
}

function isResponseMode(text: string): text is ResponseMode {
  return responseModes.some((mode) => mode === text);
}
