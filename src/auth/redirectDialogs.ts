import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type Instance, isLocalServer } from '../instances/instances.ts';
import type { ApprovalPage } from './codeDialogs.ts';
import { waitUntil } from './countdown.ts';
import type { RedirectAttempt, RedirectOutcome } from './redirects.ts';

/** User interface of a sign-in on a page that redirects back to the editor. */
export interface RedirectDialogs {
  /** Opens the page that redirects back, or copies its URL. Returns false when the user cancelled. */
  readonly showPage: (instance: Instance, attempt: RedirectAttempt) => Promise<boolean>;
  /** Shows a cancellable progress notification with a hint on what can prevent the redirect. */
  readonly waitForRedirect: (
    instance: Instance,
    attempt: RedirectAttempt,
    work: (signal: AbortSignal) => Promise<RedirectOutcome>,
  ) => PromiseLike<RedirectOutcome>;
}

export function createRedirectDialogs(approvalPage: ApprovalPage): RedirectDialogs {
  return {
    async showPage(instance, { page: plain }) {
      const open = l10n.t('Open Page');
      const copy = l10n.t('Copy Link');
      const response = await vscode.window.showInformationMessage(
        l10n.t('Sign in to {0} with the browser', instance.label),
        {
          modal: true,
          detail: l10n.t(
            'Approve the sign-in on the page that opens. The page then returns to the editor. To use another browser on this device, copy the link. To use another device, sign in with a code.',
          ),
        },
        open,
        copy,
      );
      if (response === undefined) return false;
      const page = await approvalPage(instance, plain);
      if (page === undefined) return false;
      if (response === open) await vscode.env.openExternal(vscode.Uri.parse(page, true));
      else await vscode.env.clipboard.writeText(page);
      return true;
    },

    waitForRedirect(instance, { redirectUri, deadline }, work) {
      const title = l10n.t('Signalbox: waiting for approval on {0} in the browser', instance.label);
      // The registered redirect URI has no port (RFC 8252 §7.3).
      const registered = redirectUri.replace(/^(http:\/\/[^/]+):\d+\//, '$1/');
      return waitUntil(
        deadline,
        title,
        // The built-in application of a local server has the redirect URI; for another instance, only its page shows that.
        (left) =>
          isLocalServer(instance)
            ? l10n.t('{0} left', left)
            : l10n.t(
                '{0} left. If the page shows an error, check that the application has the redirect URI {1}, or sign in with a code.',
                left,
                registered,
              ),
        work,
      );
    },
  };
}
