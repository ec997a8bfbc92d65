import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Addresses, Connection, ConnectionState } from '../instances/connection.ts';
import type { Instance } from '../instances/instances.ts';
import { sentences } from '../local/failures.ts';
import { defaultProfile } from '../contract/emulation.ts';
import type { ServerDetails } from '../instances/knownServer.ts';
import type { Emulation } from '../local/emulation.ts';
import type { DataProfiles } from '../local/profiles.ts';
import { startCommands as commands } from '../startCommands.ts';
import type { Log } from '../support/log.ts';
import { escapeMarkdown } from '../support/markdown.ts';

interface Shown {
  readonly text: string;
  readonly spoken: string;
  readonly command: string | vscode.Command;
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
  readonly addresses: Addresses;
  readonly details: () => Promise<ServerDetails>;
  readonly log: Log;
}

/** Milliseconds after which the details are loaded, so that they do not delay the first rows of the views. */
const DETAILS_DELAY = 1_000;

/** Updates the item when the connection, the data profile or what is known of the server changes. */
export function followInStatusBar({
  item,
  connection,
  profiles,
  emulation,
  addresses,
  details,
  log,
}: StatusBarSettings): vscode.Disposable {
  let made: ServerDetails | undefined;
  let timer: NodeJS.Timeout | undefined;
  const paint = (): void => {
    const state = connection.state();
    showInStatusBar(item, state, profiles.current().name, {
      release: emulation.at(addresses(state.instance.key)).profile?.release,
      details: made?.lines() ?? [],
    });
    if (state.kind === 'signedIn' || state.kind === 'signedOut') timer ??= setTimeout(() => void loadDetails(), DETAILS_DELAY);
  };
  const loadDetails = async (): Promise<void> => {
    try {
      made = await details();
      subscriptions.push(made.onDidChange(paint));
      paint();
    } catch (error) {
      log.warn(`details of the server: ${String(error)}`);
    }
  };
  const subscriptions: vscode.Disposable[] = [
    connection.onDidChange(paint),
    profiles.onDidChangeCurrent(paint),
    emulation.onDidChange(paint),
    { dispose: () => clearTimeout(timer) },
  ];
  paint();
  return {
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

interface ShownServer {
  /** Release that a local server emulates. */
  readonly release?: string | undefined;
  /** Lines about the server, such as its release. */
  readonly details: readonly string[];
}

/** Shows a state in the item. `data` is the name of the local server's data profile. */
export function showInStatusBar(
  item: vscode.StatusBarItem,
  state: ConnectionState,
  data: string,
  { release, details }: ShownServer = { details: [] },
): void {
  const { text, spoken, command, click, isFailure } = shown(state);
  item.text = release === undefined || release === defaultProfile.release ? text : `${text} · ${release}`;
  item.accessibilityInformation = {
    label: `Signalbox, ${state.instance.label}: ${[spoken, ...details].join('. ')}`,
    role: 'button',
  };
  item.command = command;
  item.backgroundColor = isFailure === true ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  const dataText = state.instance.kind === 'local' ? ` · ${l10n.t('data profile {0}', data)}` : '';
  const about = [`${state.instance.label}${dataText}`, spoken, details.join('\n')].filter(Boolean).map(escapeMarkdown);
  item.tooltip = new vscode.MarkdownString(`**Signalbox** · ${about.join('\n\n')}\n\n_${escapeMarkdown(click)}_`);
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
        ...menuOf(state.instance),
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
        ...menuOf(state.instance),
      };
    }
  }
}

/** Returns the name of the instance as an addition to a text. That of the managed server is in the tooltip only. */
function whereOf({ kind, label }: Instance): string {
  return kind === 'local' ? '' : ` · ${label.replaceAll('$(', '')}`;
}

function menuOf({ key }: Instance): Pick<Shown, 'command' | 'click'> {
  return {
    command: { command: commands.localShowMenu, title: '', arguments: [key] },
    click: l10n.t('Click to show the menu of the server'),
  };
}
