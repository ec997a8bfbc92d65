// Client side of the device authorization grant (RFC 8628). Requests and the processing of their responses are separate functions; clock and
// sleep are parameters. Independent of VS Code.
import { TransportFailure, type Send, type WireResponse, type WireRequest } from '../api/transport.ts';
import { parseJson } from '../contract/json.ts';
import {
  DEVICE_CODE_GRANT,
  type DeviceAuthorization,
  type TokenResponse,
  readDeviceAuthorization,
  readOAuthError,
} from '../contract/oauth.ts';
import { formRequest, oauthFailure, processTokenResponse } from './tokenEndpoint.ts';

/** The OAuth client that requests a code. */
export interface DeviceClient {
  /** Base URL of the instance, without a trailing slash. */
  readonly baseUrl: string;
  readonly clientId: string;
}

/** Result of one poll. */
export type PollResponse =
  | { readonly kind: 'tokens'; readonly tokens: TokenResponse }
  | { readonly kind: 'pending' }
  | { readonly kind: 'slowDown' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'denied' }
  /** The server is busy or failed, or something else has responded; the state of the code is unknown. */
  | { readonly kind: 'unavailable'; readonly retryAfter: number; readonly text?: string };

/** Final result of polling. */
export type Approval =
  | { readonly kind: 'tokens'; readonly tokens: TokenResponse }
  | { readonly kind: 'expired' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'cancelled' };

export interface Waiting {
  readonly send: Send;
  /** Milliseconds; only differences are used. */
  readonly now: () => number;
  /** Resolves after the pause, or immediately when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  /** Called with the reason when a poll gets no response. */
  readonly report?: (text: string) => void;
}

/** Milliseconds that `slow_down` adds to the interval of this and all later polls (RFC 8628 §3.5). */
const SLOWER = 5_000;
/** Maximum pause between two polls while the network is down, in milliseconds, so that an approval is seen soon after it is back. */
const MAX_PAUSE = 30_000;

export function deviceAuthorizationRequest({ baseUrl, clientId }: DeviceClient, scope: string): WireRequest {
  return formRequest(`${baseUrl}/oauth/authorize_device`, { client_id: clientId, scope });
}

/** Returns the authorization. Throws an `OAuthFailure` if the response has no code. */
export function processDeviceAuthorizationResponse(response: WireResponse): DeviceAuthorization {
  const authorization = response.status === 200 ? readDeviceAuthorization(parseJson(response.body)) : undefined;
  if (authorization === undefined) throw oauthFailure(response);
  return authorization;
}

/**
 * Returns true if a response to a request for a code says that the instance does not have the device authorization grant, which GitLab has
 * from release 17.1 on. An instance answers a request for a page that it does not have with 404, with its sign-in page, or by refusing the
 * form.
 */
export function isWithoutDeviceGrant({ status, headers, body }: WireResponse): boolean {
  if (status === 404) return true;
  if (status >= 300 && status < 400) return /\/users\/sign_in(?:[?#]|$)/.test(headers.get('location') ?? '');
  return status === 422 && readOAuthError(parseJson(body)) === undefined;
}

export function deviceTokenRequest({ baseUrl, clientId }: DeviceClient, deviceCode: string): WireRequest {
  return formRequest(`${baseUrl}/oauth/token`, { grant_type: DEVICE_CODE_GRANT, device_code: deviceCode, client_id: clientId });
}

/** Errors of the token endpoint that further polls cannot change (RFC 6749 §5.2). Anything else may come from a gateway in between. */
const FINAL_ERRORS: ReadonlySet<string> = new Set([
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
]);

/** Returns the result of a poll. Throws an `OAuthFailure` for an error that further polls cannot change. */
export function processDeviceTokenResponse(response: WireResponse): PollResponse {
  const { status } = response;
  if (status === 200 && parseJson(response.body) !== undefined) return { kind: 'tokens', tokens: processTokenResponse(response) };
  const failure = oauthFailure(response);
  switch (status === 429 || status >= 500 ? 'unavailable' : failure.code) {
    case 'authorization_pending':
      return { kind: 'pending' };
    case 'slow_down':
      return { kind: 'slowDown' };
    case 'expired_token':
      return { kind: 'expired' };
    case 'access_denied':
      return { kind: 'denied' };
    default:
      if (status < 500 && FINAL_ERRORS.has(failure.code)) throw failure;
      return { kind: 'unavailable', retryAfter: retryAfterOf(response), text: failure.message };
  }
}

function retryAfterOf({ headers }: WireResponse): number {
  const seconds = Number(headers.get('retry-after') ?? '0');
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}

/**
 * Polls until the code is approved, denied or expired, or the signal is aborted. The first poll is sent one interval after the code.
 * A lost network connection only makes the pauses longer. Throws an `OAuthFailure` for every other error response.
 */
export async function awaitApproval(
  client: DeviceClient,
  authorization: DeviceAuthorization,
  waiting: Waiting,
): Promise<Approval> {
  const { now, sleep, signal } = waiting;
  const request = deviceTokenRequest(client, authorization.device_code);
  const deadline = now() + authorization.expires_in * 1000;
  let interval = Math.max(1, authorization.interval) * 1000;
  let pause = interval;
  while (now() < deadline) {
    await sleep(Math.min(pause, deadline - now()), signal);
    if (signal.aborted) return { kind: 'cancelled' };
    const response = await poll(request, waiting);
    switch (response.kind) {
      case 'cancelled':
      case 'tokens':
      case 'expired':
      case 'denied':
        return response;
      case 'slowDown':
        interval += SLOWER;
        pause = interval;
        break;
      case 'pending':
        pause = interval;
        break;
      case 'unavailable':
        if (response.text !== undefined) waiting.report?.(response.text);
        // RFC 8628 §3.5 requires fewer polls after a timeout and suggests doubling the interval.
        pause = Math.max(response.retryAfter, Math.min(pause * 2, Math.max(MAX_PAUSE, interval)));
        break;
    }
  }
  return { kind: 'expired' };
}

async function poll(
  request: WireRequest,
  { send, signal, report }: Waiting,
): Promise<PollResponse | { readonly kind: 'cancelled' }> {
  try {
    return processDeviceTokenResponse(await send(request, signal));
  } catch (error) {
    if (signal.aborted) return { kind: 'cancelled' };
    if (!(error instanceof TransportFailure)) throw error;
    report?.(error.message);
    return { kind: 'unavailable', retryAfter: 0 };
  }
}
