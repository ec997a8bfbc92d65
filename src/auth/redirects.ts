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

/** How the waiting for a redirect ended. `elsewhere`: another window has the answer and goes on with it. */
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

/** A request for a code. No redirect is listened to once it has ended. */
export interface RedirectAttempt extends PendingRedirect {
  /** Address of the page on which the person decides. */
  readonly page: string;
  readonly wait: (signal: AbortSignal) => Promise<RedirectOutcome>;
  /** Never rejects. */
  readonly end: () => Promise<void>;
}

export interface Redirects {
  /** Opens a way back for one answer. Rejects with a `TransportFailure` when there is none. */
  readonly begin: (input: RedirectInput) => Promise<RedirectAttempt>;
  /**
   * To be called with the parameters of an address that this window was handed. An attempt of this window hears of its answer itself; the
   * result is a request that another window made, or this one before it was reloaded, and that is now for the caller to go on with.
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

/** Milliseconds until nobody waits for the redirect any more. */
const LIMIT = 10 * 60_000;

export function createRedirects({ way, listen, pending, now, sleep, mask, log }: RedirectSettings): Redirects {
  /** Attempts of this window that have no listener of their own, by their state. */
  const running = new Map<string, (parameters: URLSearchParams) => Received>();

  function ignore(): void {
    log.warn('A redirect was ignored: no sign-in of this editor waits for it.');
  }

  async function begin({ instance, baseUrl, clientId, scope }: RedirectInput): Promise<RedirectAttempt> {
    const secrets = createRedirectSecrets();
    const { state, verifier } = secrets;
    mask.hide(state);
    mask.hide(verifier);
    const deadline = now() + LIMIT;
    const answered = Promise.withResolvers<RedirectOutcome>();
    const over = new AbortController();
    let isOpen = true;

    function receive(parameters: URLSearchParams): Received {
      const response = isOpen && now() < deadline ? readRedirect(parameters, state, baseUrl) : undefined;
      if (response === undefined) {
        ignore();
        return 'stray';
      }
      // Whatever it says, a state is good for one answer.
      isOpen = false;
      if (way.kind === 'uri') void pending.forget(state);
      if (response.kind === 'code') mask.hide(response.code);
      answered.resolve(response);
      return response.kind === 'code' ? 'accepted' : 'refused';
    }

    const listener = way.kind === 'loopback' ? await listen(receive) : undefined;
    const redirectUri = way.kind === 'uri' ? way.redirectUri : (listener?.redirectUri ?? '');
    const request: PendingRedirect = { instance, clientId, redirectUri, state, verifier, deadline };
    if (listener === undefined) {
      running.set(state, receive);
      await pending.save(request);
    }
    const watch = listener === undefined ? pending.watch(state, () => answered.resolve({ kind: 'elsewhere' })) : undefined;

    async function ended(signal: AbortSignal): Promise<RedirectOutcome> {
      await sleep(Math.max(0, deadline - now()), signal);
      return { kind: signal.aborted ? 'cancelled' : 'expired' };
    }

    return {
      ...request,
      page: authorizationAddress({ baseUrl, clientId, redirectUri }, scope, secrets),
      wait: (signal) => Promise.race([answered.promise, ended(AbortSignal.any([signal, over.signal]))]),
      end: async () => {
        isOpen = false;
        over.abort();
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
