import { randomBytes } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isLoopback } from '../api/transport.ts';
import type { DeviceAuthorization } from '../contract/oauth.ts';
import type { Instance } from '../instances/instances.ts';
import type { Approval } from './deviceFlow.ts';
import { waitUntil } from './countdown.ts';

/** Returns the URL to open for an approval page; undefined when the user cancelled. */
export type ApprovalPage = (instance: Instance, page: string) => Promise<string | undefined>;

/** User interface of a sign-in with a code. */
export interface CodeDialogs {
  /** Shows the code. `open`: it was copied and the page has to be opened; `copied`: it is for another device. */
  readonly showCode: (instance: Instance, authorization: DeviceAuthorization) => Promise<'open' | 'copied' | undefined>;
  /** Opens the page on which the code is approved. Returns false when the user cancelled. */
  readonly openPage: (instance: Instance, authorization: DeviceAuthorization) => Promise<boolean>;
  /** Shows a cancellable progress notification until `deadline` (milliseconds since the epoch). */
  readonly wait: (
    authorization: DeviceAuthorization,
    deadline: number,
    work: (signal: AbortSignal) => Promise<Approval>,
  ) => PromiseLike<Approval>;
}

/** Creates the user interface of a sign-in with a code: a dialog with the code, then a cancellable notification with a countdown. */
export function createCodeDialogs(approvalPage: ApprovalPage): CodeDialogs {
  const qrPanel = createQrPanel();
  return {
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
      if (response === scan) await qrPanel.show(instance, authorization);
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
      return waitUntil(
        deadline,
        title,
        (left) => l10n.t('{0} left', left),
        (signal) => work(signal).finally(qrPanel.close),
      );
    },
  };
}

/** Owner of the tab with the QR code; there is at most one. */
interface QrPanel {
  readonly show: (instance: Instance, authorization: DeviceAuthorization) => Promise<void>;
  readonly close: () => void;
}

function createQrPanel(): QrPanel {
  let shown: vscode.WebviewPanel | undefined;
  return {
    async show(instance, authorization) {
      const { user_code: code, verification_uri: page, verification_uri_complete: complete } = authorization;
      const { qrPage } = await import('./qrCode.ts');
      const title = l10n.t('Sign In to {0}', instance.label);
      shown?.dispose();
      const panel = vscode.window.createWebviewPanel('signalbox.qrCode', title, vscode.ViewColumn.Active, {
        enableScripts: false,
        localResourceRoots: [],
      });
      panel.onDidDispose(() => {
        if (shown === panel) shown = undefined;
      });
      shown = panel;
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
    },
    close: () => {
      shown?.dispose();
    },
  };
}
