import type { Log, Mask } from '../support/log.ts';
import type { PendingRedirect, PendingRedirects } from './pendingRedirects.ts';
import {
  authorizationAddress,
  createRedirectSecrets,
  readRedirect,
  type RedirectResponse,
  type RedirectClient,
  type WayBack,
} from './redirectFlow.ts';
import type { ListenForRedirect, Received } from './redirectListener.ts';

/** Result of waiting for a redirect. `elsewhere`: another window received the redirect and continues the sign-in. */
export type RedirectOutcome =
  | RedirectResponse
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'cancelled' };

export interface RedirectInput extends Omit<RedirectClient, 'redirectUri'> {
  /** Key of the instance. */
  readonly instance: string;
  readonly scope: string;
}

/** A request for a code. Redirects are ignored after it has ended. */
export interface RedirectAttempt extends PendingRedirect {
  /** URL of the authorization page. */
  readonly page: string;
  readonly wait: (signal: AbortSignal) => Promise<RedirectOutcome>;
  /** Never rejects. */
  readonly end: () => Promise<void>;
}

export interface Redirects {
  /** Starts to accept one redirect. Rejects with a `TransportFailure` if that is not possible. */
  readonly begin: (input: RedirectInput) => Promise<RedirectAttempt>;
  /**
   * Handles the parameters of a URI that this window received. A running attempt of this window gets its redirect from here. Otherwise
   * returns the request, made by another window or before a reload, which the caller has to complete.
   */
  readonly receive: (parameters: URLSearchParams) => Promise<PendingRedirect | undefined>;
}

export interface RedirectSettings {
  readonly way: WayBack;
  readonly listen: ListenForRedirect;
  readonly pending: PendingRedirects;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly mask: Mask;
  readonly log: Log;
}

/** Maximum time to wait for a redirect, in milliseconds. */
const LIMIT = 10 * 60_000;

export function createRedirects({ way, listen, pending, now, sleep, mask, log }: RedirectSettings): Redirects {
  /** Attempts of this window without a listener, by state. */
  const running = new Map<string, (parameters: URLSearchParams) => Received>();

  function ignore(): void {
    log.warn('Ignored a redirect: no sign-in is waiting for it.');
  }

  async function begin({ instance, baseUrl, clientId, scope }: RedirectInput): Promise<RedirectAttempt> {
    const secrets = createRedirectSecrets();
    const { state, verifier } = secrets;
    mask.hide(state);
    mask.hide(verifier);
    const deadline = now() + LIMIT;
    const received = Promise.withResolvers<RedirectOutcome>();
    const closed = new AbortController();
    let isOpen = true;

    function receive(parameters: URLSearchParams): Received {
      const response = isOpen && now() < deadline ? readRedirect(parameters, state, baseUrl) : undefined;
      if (response === undefined) {
        ignore();
        return 'stray';
      }
      // A state is valid for one response, whatever its result.
      isOpen = false;
      if (way.kind === 'uri') void pending.forget(state);
      if (response.kind === 'code') mask.hide(response.code);
      received.resolve(response);
      return response.kind === 'code' ? 'accepted' : 'refused';
    }

    const listener = way.kind === 'loopback' ? await listen(receive) : undefined;
    const redirectUri = way.kind === 'uri' ? way.redirectUri : (listener?.redirectUri ?? '');
    const request: PendingRedirect = { instance, clientId, redirectUri, state, verifier, deadline };
    if (listener === undefined) {
      running.set(state, receive);
      await pending.save(request);
    }
    const watch = listener === undefined ? pending.watch(state, () => received.resolve({ kind: 'elsewhere' })) : undefined;

    async function timeout(signal: AbortSignal): Promise<RedirectOutcome> {
      await sleep(Math.max(0, deadline - now()), signal);
      return { kind: signal.aborted ? 'cancelled' : 'expired' };
    }

    return {
      ...request,
      page: authorizationAddress({ baseUrl, clientId, redirectUri }, scope, secrets),
      wait: (signal) => Promise.race([received.promise, timeout(AbortSignal.any([signal, closed.signal]))]),
      end: async () => {
        isOpen = false;
        closed.abort();
        watch?.dispose();
        listener?.close();
        if (running.delete(state)) await pending.forget(state);
      },
    };
  }

  return {
    begin,
    receive: async (parameters) => {
      const [state = '', ...more] = parameters.getAll('state');
      const mine = running.get(state);
      if (mine !== undefined) {
        mine(parameters);
        return undefined;
      }
      const request = more.length === 0 ? await pending.take(state) : undefined;
      if (request === undefined) ignore();
      return request;
    },
  };
}
