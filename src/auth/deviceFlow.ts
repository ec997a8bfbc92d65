// The client side of the device authorization grant (RFC 8628): every request apart from the reading of its answer, and the waiting
// between them with clock and sleep handed in. Nothing here knows the editor.
import { TransportFailure, type Send, type WireResponse, type WireRequest } from '../api/transport.ts';
import { parseJson } from '../contract/json.ts';
import { DEVICE_CODE_GRANT, type DeviceAuthorization, type TokenResponse, readDeviceAuthorization } from '../contract/oauth.ts';
import { formRequest, oauthFailure, processTokenResponse } from './tokenEndpoint.ts';

/** Whom the code is for. */
export interface DeviceClient {
  /** Address of the instance, without a slash at its end. */
  readonly baseUrl: string;
  readonly clientId: string;
}

/** What one poll was answered. */
export type PollResponse =
  | { readonly kind: 'tokens'; readonly tokens: TokenResponse }
  | { readonly kind: 'pending' }
  | { readonly kind: 'slowDown' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'denied' }
  /** The server had no time or a fault of its own; it says nothing of the code. */
  | { readonly kind: 'unavailable'; readonly retryAfter: number };

/** How the waiting ended. */
export type Approval =
  | { readonly kind: 'tokens'; readonly tokens: TokenResponse }
  | { readonly kind: 'expired' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'cancelled' };

export interface Waiting {
  readonly send: Send;
  /** Milliseconds; only differences are used. */
  readonly now: () => number;
  /** Resolves after the pause, or at once when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  /** Told, now and then, why a poll got no answer. */
  readonly report?: (text: string) => void;
}

/** RFC 8628 §3.5: `slow_down` lengthens the interval by 5 seconds for this and all later polls. */
const SLOWER = 5_000;
/** Longest pause between two attempts while the network is away, so that an approval is seen soon after it is back. */
const MAX_PAUSE = 30_000;

export function deviceAuthorizationRequest({ baseUrl, clientId }: DeviceClient, scope: string): WireRequest {
  return formRequest(`${baseUrl}/oauth/authorize_device`, { client_id: clientId, scope });
}

/** Throws an `OAuthFailure` when the server gives no code. */
export function processDeviceAuthorizationResponse(response: WireResponse): DeviceAuthorization {
  const authorization = response.status === 200 ? readDeviceAuthorization(parseJson(response.body)) : undefined;
  if (authorization === undefined) throw oauthFailure(response);
  return authorization;
}

export function deviceTokenRequest({ baseUrl, clientId }: DeviceClient, deviceCode: string): WireRequest {
  return formRequest(`${baseUrl}/oauth/token`, { grant_type: DEVICE_CODE_GRANT, device_code: deviceCode, client_id: clientId });
}

/** Throws an `OAuthFailure` for an error that no further poll can change. */
export function processDeviceTokenResponse(response: WireResponse): PollResponse {
  if (response.status === 200) return { kind: 'tokens', tokens: processTokenResponse(response) };
  if (response.status === 429 || response.status >= 500) {
    const seconds = Number(response.headers.get('retry-after') ?? '0');
    return { kind: 'unavailable', retryAfter: Number.isFinite(seconds) ? seconds * 1000 : 0 };
  }
  const failure = oauthFailure(response);
  switch (failure.code) {
    case 'authorization_pending':
      return { kind: 'pending' };
    case 'slow_down':
      return { kind: 'slowDown' };
    case 'expired_token':
      return { kind: 'expired' };
    case 'access_denied':
      return { kind: 'denied' };
    default:
      throw failure;
  }
}

/**
 * Polls until the code is approved, denied or expired, or the signal is aborted. The first poll comes one interval after the code.
 * Losing the network between polls only makes the pauses longer. Throws an `OAuthFailure` for every other error answer.
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
        // RFC 8628 §3.5 asks for fewer polls after a timeout and names doubling.
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
