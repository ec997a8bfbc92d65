import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type ClockState, isMovedClock } from '../contract/control.ts';
import { type Dialect, dialects, type Offering, offerings, type Profile, tiers } from '../contract/emulation.ts';
import { pickRelease } from '../deprecations/pickRelease.ts';
import { commands, settings as settingIds, views } from '../ids.ts';
import type { Connection, ConnectionState } from '../instances/connection.ts';
import { formatDetails, formatMovedClock } from '../instances/formatDetails.ts';
import { type Instance, isLocalServer } from '../instances/instances.ts';
import type { ServerDetails } from '../instances/knownServer.ts';
import { messageOf } from '../support/log.ts';
import { sleep } from '../support/sleep.ts';
import type { LoadLocalControl } from './control.ts';
import type { EmulatingServer, Emulation } from './emulation.ts';
import { dialectName, offeringName, tierName } from './emulationNames.ts';
import type { PickServer } from './serverPick.ts';

/** Milliseconds that the menu of a remote instance waits for its release. */
const REFRESH_LIMIT = 1_000;

interface MenuItem extends vscode.QuickPickItem {
  readonly command?: string;
  readonly argument?: unknown;
}

interface ValueItem<T> extends vscode.QuickPickItem {
  readonly value: T;
}

const settingOfMember: Readonly<Record<keyof Profile, string>> = {
  release: settingIds.localRelease,
  tier: settingIds.localTier,
  offering: settingIds.localOffering,
  dialect: settingIds.localDialect,
};

export type EmulationMenus = ReturnType<typeof createEmulationMenus>;

export interface EmulationMenuSettings {
  readonly emulation: Emulation;
  readonly connection: Pick<Connection, 'state'>;
  readonly control: LoadLocalControl;
  readonly details: () => Promise<ServerDetails>;
  readonly pick: PickServer;
}

/** Menus of a running local server and of the platform that it emulates, and the menu of a remote instance. */
export function createEmulationMenus({ emulation, connection, control: load, details, pick }: EmulationMenuSettings) {
  /** Returns the emulated platform of a server; undefined if it cannot be read. */
  async function profileOf({ key }: Instance): Promise<Profile | undefined> {
    try {
      return await (await load(key))?.emulated();
    } catch {
      // The menu still offers what works without the server.
      return undefined;
    }
  }

  async function clockOf({ key }: Instance): Promise<ClockState | undefined> {
    try {
      const clock = await (await load(key))?.clock();
      return clock !== undefined && isMovedClock(clock) ? clock : undefined;
    } catch {
      return undefined;
    }
  }

  /** Shows the menu of the server with the key, or of the remote instance if it has the key and is on screen. */
  async function showMenu(key?: unknown): Promise<void> {
    const { instance } = connection.state();
    if (key === instance.key && !isLocalServer(instance)) return showRemoteMenu(instance);
    const server = await pick(l10n.t('Server Menu'), key, 'running');
    if (server === undefined) return;
    await emulation.refresh();
    const [profile, movedClock] = [await profileOf(server), await clockOf(server)];
    const known: EmulatingServer = { ...(profile === undefined ? {} : { profile }), movedClock };
    await runItem(menuItems(server, known, connection.state()), server, placeholderOf(server, known));
  }

  async function showRemoteMenu(instance: Instance): Promise<void> {
    const known = await details();
    // The menu does not wait for an instance that does not respond.
    await Promise.race([known.refresh(), sleep(REFRESH_LIMIT)]);
    await runItem(screenItems(connection.state()), instance, known.lines().join(' · '));
  }

  /**
   * Lets the user select a value, and changes the running server first, so that a failure leaves the setting as it is. The setting applies to the
   * next start of the extension's own server.
   */
  async function change<M extends keyof Profile>(
    title: string,
    key: unknown,
    member: M,
    select: (current: Profile[M] | undefined, server: string) => Promise<Profile[M] | undefined>,
  ): Promise<void> {
    const server = await pick(title, key, 'running');
    if (server === undefined) return;
    const value = await select((await profileOf(server))?.[member], server.label);
    if (value === undefined) return;
    try {
      await emulation.change({ [member]: value }, server.key);
      // The settings are those of the extension's own server.
      if (server.isConnected === true) return;
      await vscode.workspace.getConfiguration().update(settingOfMember[member], value, vscode.ConfigurationTarget.Global);
    } catch (error) {
      void vscode.window.showErrorMessage(
        l10n.t('The emulated platform of “{0}” was not changed: {1}', server.label, messageOf(error)),
      );
    }
  }

  return {
    showMenu,
    emulateRelease: (key?: unknown) =>
      change(l10n.t('Emulate Release'), key, 'release', (current, server) =>
        pickRelease({
          title: l10n.t('Emulate Release'),
          placeholder: l10n.t('Select the release that “{0}” emulates from now on', server),
          current,
          currentText: l10n.t('current'),
        }),
      ),
    emulateTier: (key?: unknown) =>
      change(l10n.t('Emulate Tier'), key, 'tier', (current, server) =>
        pickValue({
          title: l10n.t('Emulate Tier'),
          placeholder: l10n.t('Select the tier that “{0}” emulates from now on', server),
          values: tiers,
          current,
          nameOf: tierName,
          detailOf: () => undefined,
        }),
      ),
    emulateOffering: (key?: unknown) =>
      change(l10n.t('Emulate Offering'), key, 'offering', (current, server) =>
        pickValue({
          title: l10n.t('Emulate Offering'),
          placeholder: l10n.t('Select the offering that “{0}” emulates from now on', server),
          values: offerings,
          current,
          nameOf: offeringName,
          detailOf: offeringDetail,
        }),
      ),
    emulateDialect: (key?: unknown) =>
      change(l10n.t('Emulate Dialect'), key, 'dialect', (current, server) =>
        pickValue({
          title: l10n.t('Emulate Dialect'),
          placeholder: l10n.t('Select how “{0}” responds where documentation and observation differ', server),
          values: dialects,
          current,
          nameOf: dialectName,
          detailOf: dialectDetail,
        }),
      ),
  };
}

async function runItem(items: readonly MenuItem[], { key, label }: Instance, placeHolder: string): Promise<void> {
  const picked = await vscode.window.showQuickPick(items, { title: label, placeHolder, matchOnDescription: true });
  if (picked?.command !== undefined) await vscode.commands.executeCommand(picked.command, key, picked.argument);
}

function placeholderOf({ label, isConnected }: Instance, known: EmulatingServer): string {
  if (known.profile !== undefined) return formatDetails(known, vscode.env.language).join(' · ');
  return isConnected === true
    ? l10n.t('“{0}” does not respond', label)
    : l10n.t('Another program runs the managed server with its own token');
}

function separator(label: string): MenuItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** Returns the items about the views and the account, which are those of the instance on screen. */
function screenItems(state: ConnectionState, ...others: readonly MenuItem[]): readonly MenuItem[] {
  const { label } = state.instance;
  return [
    state.kind === 'signedIn'
      ? item('pulse', l10n.t('Show activity'), `${views.activityMine}.focus`)
      : item('sign-in', l10n.t('Sign in…'), commands.signIn),
    ...others,
    separator(l10n.t('Account and instance')),
    ...(state.kind === 'signedIn'
      ? [item('account', l10n.t('Account…'), commands.instanceSelect, `@${state.account.username}`)]
      : []),
    item('globe', l10n.t('Instance…'), commands.instanceSelect, label),
  ];
}

/** Returns the items of the menu of a local server. */
function menuItems(server: Instance, { profile, movedClock }: EmulatingServer, state: ConnectionState): readonly MenuItem[] {
  const platform =
    profile === undefined
      ? []
      : [
          separator(l10n.t('Emulated platform')),
          item('versions', l10n.t('Release…'), commands.localEmulateRelease, profile.release),
          item('layers', l10n.t('Tier…'), commands.localEmulateTier, tierName(profile.tier)),
          item('cloud', l10n.t('Offering…'), commands.localEmulateOffering, offeringName(profile.offering)),
          item('symbol-string', l10n.t('Dialect…'), commands.localEmulateDialect, dialectName(profile.dialect)),
        ];
  const clockText = movedClock === undefined ? '' : formatMovedClock(movedClock, vscode.env.language);
  const controlled =
    profile === undefined
      ? []
      : [
          item('save', l10n.t('Take snapshot…'), commands.localTakeSnapshot),
          item('watch', l10n.t('Set clock…'), commands.localSetClock, clockText),
          ...(movedClock === undefined
            ? []
            : [{ ...item('discard', l10n.t('Use the time of this machine'), commands.localSetClock), argument: true }]),
          item('file-add', l10n.t('Apply seed file…'), commands.localApplySeedFile),
          item('home', l10n.t('Open home page as…'), commands.localOpenHomePageAs),
        ];
  const isOnScreen = state.instance.key === server.key;
  const process =
    server.isConnected === true
      ? isOnScreen
        ? [item('debug-disconnect', l10n.t('Disconnect'), commands.localDisconnect)]
        : []
      : [
          item('debug-restart', l10n.t('Restart'), commands.localRestart),
          item('debug-stop', l10n.t('Stop'), commands.localStop),
          item('database', l10n.t('Select data profile…'), commands.localSelectProfile),
        ];
  const deprecations = item('warning', l10n.t('Show deprecations'), `${views.deprecations}.focus`);
  return [
    ...(isOnScreen ? screenItems(state, ...platform, deprecations) : platform),
    separator(l10n.t('Server')),
    ...controlled,
    ...process,
    ...(profile === undefined && server.isConnected === true
      ? []
      : [
          item('history', l10n.t('Restore snapshot…'), commands.localRestoreSnapshot),
          item('discard', l10n.t('Reset…'), commands.localReset),
          item('folder-opened', l10n.t('Open data folder'), commands.localOpenDataFolder),
        ]),
    item('copy', l10n.t('Copy address'), commands.localCopyAddress),
    item('output', l10n.t('Show log'), commands.localShowLog),
  ];
}

function item(icon: string, label: string, command: string, description = ''): MenuItem {
  return { label, description, iconPath: new vscode.ThemeIcon(icon), command };
}

interface ValuePick<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly values: readonly T[];
  readonly current: T | undefined;
  readonly nameOf: (value: T) => string;
  readonly detailOf: (value: T) => string | undefined;
}

async function pickValue<T>({ title, placeholder, values, current, nameOf, detailOf }: ValuePick<T>): Promise<T | undefined> {
  const items = values.map((value): ValueItem<T> => {
    const detail = detailOf(value);
    return {
      label: nameOf(value),
      description: value === current ? l10n.t('current') : '',
      ...(detail === undefined ? {} : { detail }),
      iconPath: new vscode.ThemeIcon(value === current ? 'check' : 'circle-large-outline'),
      value,
    };
  });
  return (await vscode.window.showQuickPick(items, { title, placeHolder: placeholder }))?.value;
}

function offeringDetail(offering: Offering): string {
  switch (offering) {
    case 'self-managed':
      return l10n.t('An instance on your own machines');
    case 'multi-tenant':
      return l10n.t('The hosted instance that many customers share');
    case 'dedicated':
      return l10n.t('A hosted instance for one customer');
  }
}

function dialectDetail(dialect: Dialect): string {
  switch (dialect) {
    case 'documented':
      return l10n.t('Responses as the documentation describes them');
    case 'observed':
      return l10n.t('Responses as instances were observed to send them');
  }
}
