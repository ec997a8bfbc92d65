import type { Reached } from '../instances/instances.ts';
import type { Log } from '../support/log.ts';
import type { Attempt, AttemptControl } from './attempts.ts';
import type { KeepSession } from './keepSession.ts';
import { EXTENSION_SCOPE } from '../contract/scopes.ts';
import { sessionOfTokens, type TokenRequests } from './newSession.ts';
import type { PendingRedirect } from './pendingRedirects.ts';
import type { RedirectDialogs } from './redirectDialogs.ts';
import { codeTokenRequest, readRedirect, type RedirectResponse } from './redirectFlow.ts';
import type { Redirects } from './redirects.ts';
import { processTokenResponse } from './tokenEndpoint.ts';

export interface RedirectSignInSettings {
  /** Undefined if the browser cannot redirect back to this editor. */
  readonly redirects: Redirects | undefined;
  readonly requests: TokenRequests;
  readonly dialogs: RedirectDialogs;
  readonly keep: KeepSession;
  readonly log: Log;
}

/** Signs a user in on a page that redirects back to the editor (RFC 8252). Attempts reject if the instance or the network fails. */
export interface RedirectSignIn {
  /** Shows the page and waits for the redirect. */
  readonly attempt: (reached: Reached, control: AttemptControl) => Promise<Attempt>;
  /** Continues with the parameters of a redirect whose request was made by another window or before a reload. */
  readonly resume: (reached: Reached, request: PendingRedirect, parameters: URLSearchParams) => Promise<Attempt>;
}

export function createRedirectSignIn({ redirects, requests, dialogs, keep, log }: RedirectSignInSettings): RedirectSignIn {
  async function attempt({ instance, baseUrl }: Reached, { stop, setPage }: AttemptControl): Promise<Attempt> {
    if (redirects === undefined) throw new Error('the browser cannot redirect back to this editor');
    const { key, clientId } = instance;
    const request = await redirects.begin({ instance: key, baseUrl, clientId, scope: EXTENSION_SCOPE });
    try {
      const show = (): Promise<boolean> => dialogs.showPage(instance, request);
      if (!(await show())) return 'cancelled';
      setPage(show);
      const outcome = await dialogs.waitForRedirect(instance, request, (cancelled) =>
        request.wait(AbortSignal.any([cancelled, stop])),
      );
      log.info(`Sign-in to ${instance.label}: ${outcome.kind === 'code' ? 'approved' : outcome.kind}`);
      if (outcome.kind === 'expired') return 'expired';
      if (outcome.kind === 'cancelled' || outcome.kind === 'elsewhere') return 'cancelled';
      return await outcomeOf({ instance, baseUrl }, request, outcome);
    } finally {
      setPage(undefined);
      await request.end();
    }
  }

  async function outcomeOf(
    reached: Reached,
    { clientId, redirectUri, verifier }: PendingRedirect,
    response: RedirectResponse,
  ): Promise<Attempt> {
    if (response.kind === 'denied') return 'denied';
    if (response.kind === 'refused') throw response.failure;
    const { instance, baseUrl } = reached;
    // Sent only once: using a code a second time revokes the tokens of the first exchange (RFC 6749 §4.1.2).
    const tokens = processTokenResponse(
      await requests.send(codeTokenRequest({ baseUrl, clientId, redirectUri }, response.code, verifier)),
    );
    return (await keep(instance, await sessionOfTokens(requests, reached, clientId, tokens))) ?? 'cancelled';
  }

  async function resume(reached: Reached, request: PendingRedirect, parameters: URLSearchParams): Promise<Attempt> {
    const response = readRedirect(parameters, request.state, reached.baseUrl);
    if (response === undefined) throw new Error('the redirect belongs to another request');
    if (response.kind === 'code') requests.mask.hide(response.code);
    return outcomeOf(reached, request, response);
  }

  return { attempt, resume };
}
