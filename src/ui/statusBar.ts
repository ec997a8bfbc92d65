import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { views } from '../ids.ts';
import type { Connection, ConnectionState } from '../instances/connection.ts';
import { type Instance, isLocalServer } from '../instances/instances.ts';
import { sentences } from '../local/failures.ts';
import { defaultProfile, type Profile } from '../contract/emulation.ts';
import type { Emulation } from '../local/emulation.ts';
import type { DataProfiles } from '../local/profiles.ts';
import { startCommands as commands } from '../startCommands.ts';
import { escapeMarkdown } from '../support/markdown.ts';

interface Shown {
  readonly text: string;
  readonly spoken: string;
  readonly command: string;
  /** Description of the click action. */
  readonly click: string;
  readonly isFailure?: boolean;
}

/** Creates the status bar item, which shows the state of the current instance. A click runs the most useful command for that state. */
export function createStatusBarItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('signalbox.status', vscode.StatusBarAlignment.Left);
  item.name = 'Signalbox';
  return item;
}

export interface StatusBarSettings {
  readonly item: vscode.StatusBarItem;
  readonly connection: Connection;
  readonly profiles: DataProfiles;
  readonly emulation: Emulation;
}

/** Updates the item when the connection, the data profile or the emulated platform changes. */
export function followInStatusBar({ item, connection, profiles, emulation }: StatusBarSettings): vscode.Disposable {
  const paint = (): void => showInStatusBar(item, connection.state(), profiles.current().name, emulation.current());
  const subscriptions = [connection.onDidChange(paint), profiles.onDidChangeCurrent(paint), emulation.onDidChange(paint)];
  paint();
  return vscode.Disposable.from(...subscriptions);
}

/** Shows a state in the item. `data` is the name of the local server's data profile, `emulated` the platform that it emulates. */
export function showInStatusBar(item: vscode.StatusBarItem, state: ConnectionState, data: string, emulated?: Profile): void {
  const { text, spoken: stateText, command, click, isFailure } = shown(state);
  const release = isLocalServer(state.instance) ? emulated?.release : undefined;
  const spoken = release === undefined ? stateText : l10n.t('{0}. The server emulates release {1}', stateText, release);
  item.text = release === undefined || release === defaultProfile.release ? text : `${text} · ${release}`;
  item.accessibilityInformation = { label: `Signalbox, ${state.instance.label}: ${spoken}`, role: 'button' };
  item.command = command;
  item.backgroundColor = isFailure === true ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  const dataText = state.instance.kind === 'local' ? ` · ${l10n.t('data profile {0}', data)}` : '';
  item.tooltip = new vscode.MarkdownString(
    `**Signalbox** · ${escapeMarkdown(`${state.instance.label}${dataText}`)}\n\n${escapeMarkdown(spoken)}\n\n_${escapeMarkdown(click)}_`,
  );
  item.show();
}

function shown(state: ConnectionState): Shown {
  switch (state.kind) {
    case 'serverStopped':
      return {
        text: `$(signalbox-mark) ${l10n.t('Signalbox: stopped')}`,
        spoken: l10n.t('The server is stopped'),
        command: commands.localStart,
        click: l10n.t('Click to start the server'),
      };
    case 'serverStarting':
      return {
        text: `$(loading~spin) ${l10n.t('Signalbox: starting')}`,
        spoken: l10n.t('The server is starting'),
        command: commands.localShowLog,
        click: l10n.t('Click to show the server log'),
      };
    case 'serverStopping':
      return {
        text: `$(loading~spin) ${l10n.t('Signalbox: stopping')}`,
        spoken: l10n.t('The server is stopping'),
        command: commands.localShowLog,
        click: l10n.t('Click to show the server log'),
      };
    case 'serverFailed': {
      const spoken = sentences(state.text, state.hint);
      return {
        text: `$(error) ${l10n.t('Signalbox: failed')}`,
        spoken,
        command: commands.localShowLog,
        click: l10n.t('Click to show the server log'),
        isFailure: true,
      };
    }
    case 'signedOut': {
      if (state.isUnreadable === true) {
        const spoken = l10n.t("The editor's secret storage can't be read, so you are signed out. See the log for details");
        const text = `$(warning) ${l10n.t('Signalbox: secret storage unavailable')}`;
        return { text, spoken, command: commands.logShow, click: l10n.t('Click to show the log'), isFailure: true };
      }
      if (state.ended !== undefined) {
        const spoken = l10n.t('The sign-in of @{0} is no longer valid', state.ended.username);
        const text = `$(warning) ${l10n.t('Signalbox: sign in again')}`;
        return { text, spoken, command: commands.signIn, click: l10n.t('Click to sign in'), isFailure: true };
      }
      const isOwn = state.instance.kind === 'local';
      const spoken = isOwn ? l10n.t('The server is running, but you are not signed in') : l10n.t('You are not signed in');
      const text = `$(signalbox-mark) ${l10n.t('Signalbox: signed out')}`;
      return {
        text: `${text}${whereOf(state.instance)}`,
        spoken,
        ...(isLocalServer(state.instance) ? localMenu() : { command: commands.signIn, click: l10n.t('Click to sign in') }),
      };
    }
    case 'signedIn': {
      const { name, username } = state.account;
      // The same username may belong to different users on different instances.
      const text = `$(signalbox-mark) @${username.replaceAll('$(', '')}${whereOf(state.instance)}`;
      if (state.isRefused === true || state.isFailing === true) {
        return {
          text: text.replace('signalbox-mark', 'warning'),
          spoken:
            state.isRefused === true
              ? l10n.t('The instance no longer accepts the sign-in of @{0}', username)
              : l10n.t('The sign-in of @{0} cannot be renewed at present', username),
          command: commands.signIn,
          click: l10n.t('Click to sign in again'),
          isFailure: true,
        };
      }
      return {
        text,
        spoken: l10n.t('Signed in as {0} (@{1})', name, username),
        ...(isLocalServer(state.instance)
          ? localMenu()
          : { command: `${views.activityMine}.focus`, click: l10n.t('Click to show your activity') }),
      };
    }
  }
}

/** Returns the name of the instance as an addition to a text. That of the managed server is in the tooltip only. */
function whereOf({ kind, label }: Instance): string {
  return kind === 'local' ? '' : ` · ${label.replaceAll('$(', '')}`;
}

function localMenu(): Pick<Shown, 'command' | 'click'> {
  return { command: commands.localShowMenu, click: l10n.t('Click to show the menu of the server') };
}
