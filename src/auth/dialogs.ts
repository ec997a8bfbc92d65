import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type Instance, isLocalServer, type Reached } from '../instances/instances.ts';
import { commands, settings } from '../ids.ts';
import type { BrowserWay } from './attempts.ts';
import { askToken } from './askToken.ts';
import { type ApprovalPage, type CodeDialogs, createCodeDialogs } from './codeDialogs.ts';
import { createRedirectDialogs, type RedirectDialogs } from './redirectDialogs.ts';

/** Ways to sign in. `persona`: as a user of the local server, without approval. */
export type Way = BrowserWay | 'token' | 'persona';

/** A user of the local server for whom a token can be created. */
export interface Persona {
  readonly id: number;
  readonly token: () => Promise<string>;
}

/** User interface of a sign-in. */
export interface SignInDialogs extends CodeDialogs, RedirectDialogs {
  /** Returns how to sign in; undefined when the user cancelled. `hasRedirects`: the browser can redirect back to this editor. */
  readonly chooseWay: (instance: Instance, hasRedirects: boolean) => PromiseLike<Way | undefined>;
  /** Says that the instance has no sign-in with a code, and returns another way; undefined when the user cancelled. */
  readonly chooseOtherWay: (instance: Instance, hasRedirects: boolean) => PromiseLike<Way | undefined>;
  /**
   * Asks for a personal access token until `check` accepts one or the user cancels. `check` returns why the token cannot be used. Rejects as
   * `check` does.
   */
  readonly askToken: (reached: Reached, check: (token: string) => Promise<string | undefined>) => Promise<void>;
  /**
   * Returns the user of a local server to sign in as, or `code` to sign in with a code instead. Rejects with an `ApiFailure` or a
   * `TransportFailure`.
   */
  readonly choosePersona: (instance: Instance) => Promise<Persona | 'code' | undefined>;
  /** Returns true if the user wants to try again. */
  readonly expired: (instance: Instance, way: BrowserWay) => Promise<boolean>;
  readonly denied: (instance: Instance) => Promise<boolean>;
  /** Returns true if a session that the secret storage rejected has to be kept until the window closes. */
  readonly keepForNow: (instance: Instance) => PromiseLike<boolean>;
  /** Shows why the sign-in failed, without waiting for the user. */
  readonly failed: (text: string, cause: 'unknownClient' | 'other', instance: Instance) => void;
}

interface WayItem extends vscode.QuickPickItem {
  readonly way: Way;
}

export function createSignInDialogs(approvalPage: ApprovalPage, choosePersona: SignInDialogs['choosePersona']): SignInDialogs {
  return {
    chooseWay,
    chooseOtherWay,
    askToken,
    choosePersona,
    ...createCodeDialogs(approvalPage),
    ...createRedirectDialogs(approvalPage),
    expired: askAfterExpiry,
    denied: askAfterDenial,
    keepForNow: askToKeepForNow,
    failed: (text, cause, instance) =>
      void (cause === 'unknownClient' && instance.kind === 'remote' ? showUnknownClient(text, instance) : showFailed(text)),
  };
}

async function chooseWay(instance: Instance, hasRedirects: boolean): Promise<Way | undefined> {
  const code: WayItem = {
    label: l10n.t('Sign in with a code'),
    detail: l10n.t('Approve a code in a browser on this or another device'),
    iconPath: new vscode.ThemeIcon('globe'),
    way: 'code',
  };
  const title = l10n.t('Sign In to {0}', instance.label);
  const items = [code, ...otherWays(instance, hasRedirects)];
  return (await vscode.window.showQuickPick(items, { title, placeHolder: l10n.t('Select how to sign in') }))?.way;
}

async function chooseOtherWay(instance: Instance, hasRedirects: boolean): Promise<Way | undefined> {
  const title = l10n.t('Sign In to {0}', instance.label);
  const prompt = l10n.t('This instance has no sign-in with a code. GitLab has it from release 17.1 on.');
  const options = { title, prompt, placeHolder: l10n.t('Select another way to sign in'), ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(otherWays(instance, hasRedirects), options))?.way;
}

/** Returns the ways to sign in without a code. */
function otherWays(instance: Instance, hasRedirects: boolean): readonly WayItem[] {
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
  return [...(hasRedirects ? [redirect] : []), ...(isLocalServer(instance) ? [persona] : []), token];
}

async function askAfterExpiry(instance: Instance, way: BrowserWay): Promise<boolean> {
  const again = way === 'code' ? l10n.t('Get a New Code') : l10n.t('Try Again');
  const text =
    way === 'code'
      ? l10n.t('The code for {0} expired before it was approved.', instance.label)
      : l10n.t('The sign-in to {0} was not approved in the browser within 10 minutes.', instance.label);
  return (await vscode.window.showWarningMessage(text, again)) === again;
}

async function askAfterDenial(instance: Instance): Promise<boolean> {
  const again = l10n.t('Try Again');
  const text = l10n.t('The sign-in to {0} was denied in the browser.', instance.label);
  return (await vscode.window.showWarningMessage(text, again)) === again;
}

async function askToKeepForNow(instance: Instance): Promise<boolean> {
  const keep = l10n.t('Keep for This Session');
  const text = l10n.t("The sign-in to {0} could not be saved in the editor's secret storage.", instance.label);
  const detail = l10n.t(
    'You can keep it in memory until this window closes. Usually, the system keyring is locked or missing. See the log for the reason.',
  );
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, keep)) === keep;
}

async function showFailed(text: string): Promise<void> {
  const button = l10n.t('Show Log');
  if ((await vscode.window.showErrorMessage(l10n.t('Sign-in failed. {0}', text), button)) === button)
    await vscode.commands.executeCommand(commands.logShow);
}

/** Shows that the instance does not know the application, and lets the user enter the application ID and sign in again. */
async function showUnknownClient(text: string, instance: Instance): Promise<void> {
  const [enter, open] = [l10n.t('Enter Application ID…'), l10n.t('Open Settings')];
  const button = await vscode.window.showErrorMessage(l10n.t('Sign-in failed. {0}', text), enter, open);
  if (button === open) await vscode.commands.executeCommand('workbench.action.openSettings', settings.instances);
  if (button !== enter) return;
  const { instanceActions } = await import('../instances/instanceActions.ts');
  if (await instanceActions().addApplicationId(instance.key)) await vscode.commands.executeCommand(commands.signIn);
}
