import { randomBytes } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isLoopback } from '../api/transport.ts';
import type { DeviceAuthorization } from '../contract/oauth.ts';
import type { Instance } from '../instances/instances.ts';
import { commands, settings } from '../ids.ts';
import type { SignInDialogs, Way } from './signIn.ts';

/** Returns the URL to open for an approval page; undefined when the user cancelled. */
export type ApprovalPage = (instance: Instance, page: string) => Promise<string | undefined>;

interface WayItem extends vscode.QuickPickItem {
  readonly way: Way;
}

/** Creates the user interface of a sign-in: a dialog with the code, then a cancellable notification with a countdown. */
export function createSignInDialogs(approvalPage: ApprovalPage, choosePersona: SignInDialogs['choosePersona']): SignInDialogs {
  let qrPanel: vscode.WebviewPanel | undefined;

  async function showQrCode(instance: Instance, authorization: DeviceAuthorization): Promise<void> {
    const { user_code: code, verification_uri: page, verification_uri_complete: complete } = authorization;
    const { qrPage } = await import('./qrCode.ts');
    const title = l10n.t('Sign In to {0}', instance.label);
    qrPanel?.dispose();
    const panel = vscode.window.createWebviewPanel('signalbox.qrCode', title, vscode.ViewColumn.Active, {
      enableScripts: false,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => {
      if (qrPanel === panel) qrPanel = undefined;
    });
    qrPanel = panel;
    panel.webview.html = qrPage(
      {
        address: complete ?? page,
        language: vscode.env.language,
        title,
        text: l10n.t('Scan this code with the camera of another device, then approve the code {0} there.', code),
        alternative: l10n.t('Or go to {0} and enter {1}.', page, code),
      },
      randomBytes(16).toString('hex'),
    );
  }

  /** Shows a notification with the remaining time until the work is done or the user cancels. */
  function waitUntil<T>(
    deadline: number,
    title: string,
    message: (left: string) => string,
    work: (signal: AbortSignal) => Promise<T>,
  ): PromiseLike<T> {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return vscode.window.withProgress(options, async (progress, token) => {
      const cancelled = new AbortController();
      const subscription = token.onCancellationRequested(() => cancelled.abort());
      const update = (): void => progress.report({ message: message(minutesUntil(deadline)) });
      update();
      const timer = setInterval(update, 1_000);
      try {
        return await work(cancelled.signal);
      } finally {
        clearInterval(timer);
        subscription.dispose();
        qrPanel?.dispose();
      }
    });
  }

  return {
    async chooseWay(instance, hasRedirects) {
      const code: WayItem = {
        label: l10n.t('Sign in with a code'),
        detail: l10n.t('Approve a code in a browser on this or another device'),
        iconPath: new vscode.ThemeIcon('globe'),
        way: 'code',
      };
      const redirect: WayItem = {
        label: l10n.t('Sign in with the browser'),
        detail: l10n.t('Approve in a browser on this device, which then returns to the editor'),
        iconPath: new vscode.ThemeIcon('link-external'),
        way: 'redirect',
      };
      const token: WayItem = {
        label: l10n.t('Sign in with an access token'),
        detail: l10n.t('Enter a personal access token with the scope api or read_api'),
        iconPath: new vscode.ThemeIcon('key'),
        way: 'token',
      };
      const persona: WayItem = {
        label: l10n.t('Sign in as a demo user'),
        detail: l10n.t('Choose a user of the local server (no password)'),
        iconPath: new vscode.ThemeIcon('account'),
        way: 'persona',
      };
      const items = [code, ...(hasRedirects ? [redirect] : []), ...(instance.kind === 'local' ? [persona] : []), token];
      const title = l10n.t('Sign In to {0}', instance.label);
      return (await vscode.window.showQuickPick(items, { title, placeHolder: l10n.t('Select how to sign in') }))?.way;
    },

    askToken: (instance) =>
      vscode.window.showInputBox({
        title: l10n.t('Sign In to {0}', instance.label),
        prompt: l10n.t("Enter a personal access token. It is kept in the editor's secret storage and never renewed."),
        password: true,
        ignoreFocusOut: true,
      }),

    choosePersona,

    async showCode(instance, authorization) {
      const { user_code: code, verification_uri: page, expires_in: seconds } = authorization;
      const minutes = Math.floor(seconds / 60);
      const open = l10n.t('Copy Code and Open Page');
      const copy = l10n.t('Copy Code');
      const scan = l10n.t('Show QR Code');
      // Other devices cannot reach a page on this machine.
      const buttons = isLoopback(page) ? [open, copy] : [open, copy, scan];
      const response = await vscode.window.showInformationMessage(
        l10n.t('Your code for {0}: {1}', instance.label, code),
        {
          modal: true,
          detail:
            minutes === 1
              ? l10n.t(
                  'Approve it in the browser within 1 minute. The page opens with the code filled in; on another device, go to {0} and enter it.',
                  page,
                )
              : l10n.t(
                  'Approve it in the browser within {0} minutes. The page opens with the code filled in; on another device, go to {1} and enter it.',
                  minutes,
                  page,
                ),
        },
        ...buttons,
      );
      if (response === undefined) return undefined;
      await vscode.env.clipboard.writeText(code);
      if (response === scan) await showQrCode(instance, authorization);
      return response === open ? 'open' : 'copied';
    },

    async openPage(instance, authorization) {
      const { verification_uri: plain, verification_uri_complete: complete } = authorization;
      const page = await approvalPage(instance, complete ?? plain);
      if (page === undefined) return false;
      await vscode.env.openExternal(vscode.Uri.parse(page, true));
      return true;
    },

    wait({ user_code: code, verification_uri: page }, deadline, work) {
      const title = l10n.t('Signalbox: waiting for approval of {0} at {1}', code, page);
      return waitUntil(deadline, title, (left) => l10n.t('{0} left', left), work);
    },

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
        // The built-in application of the local server has the redirect URI; for another instance, only its page shows that.
        (left) =>
          instance.kind === 'local'
            ? l10n.t('{0} left', left)
            : l10n.t(
                '{0} left. If the page shows an error, check that the application has the redirect URI {1}, or sign in with a code.',
                left,
                registered,
              ),
        work,
      );
    },

    async expired(instance, way) {
      const again = way === 'code' ? l10n.t('Get a New Code') : l10n.t('Try Again');
      const text =
        way === 'code'
          ? l10n.t('The code for {0} expired before it was approved.', instance.label)
          : l10n.t('The sign-in to {0} was not approved in the browser within 10 minutes.', instance.label);
      return (await vscode.window.showWarningMessage(text, again)) === again;
    },

    async denied(instance) {
      const again = l10n.t('Try Again');
      const text = l10n.t('The sign-in to {0} was denied in the browser.', instance.label);
      return (await vscode.window.showWarningMessage(text, again)) === again;
    },

    async keepForNow(instance) {
      const keep = l10n.t('Keep for This Session');
      const text = l10n.t("The sign-in to {0} could not be saved in the editor's secret storage.", instance.label);
      const detail = l10n.t(
        'You can keep it in memory until this window closes. Usually, the system keyring is locked or missing. See the log for the reason.',
      );
      return (await vscode.window.showWarningMessage(text, { modal: true, detail }, keep)) === keep;
    },

    failed(text, cause) {
      void showFailed(text, cause === 'unknownClient');
    },
  };
}

async function showFailed(text: string, opensSettings: boolean): Promise<void> {
  const button = opensSettings ? l10n.t('Open Settings') : l10n.t('Show Log');
  if ((await vscode.window.showErrorMessage(l10n.t('Sign-in failed. {0}', text), button)) !== button) return;
  if (opensSettings) await vscode.commands.executeCommand('workbench.action.openSettings', settings.instances);
  else await vscode.commands.executeCommand(commands.logShow);
}

function minutesUntil(deadline: number): string {
  const seconds = Math.max(0, Math.round((deadline - Date.now()) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
