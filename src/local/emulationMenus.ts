import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type Dialect, dialects, type Offering, offerings, type Profile, type Tier, tiers } from '../contract/emulation.ts';
import { pickRelease } from '../deprecations/pickRelease.ts';
import { commands, settings as settingIds, views } from '../ids.ts';
import type { Connection, ConnectionState } from '../instances/connection.ts';
import type { Instance } from '../instances/instances.ts';
import { messageOf } from '../support/log.ts';
import type { LoadLocalControl } from './control.ts';
import type { Emulation } from './emulation.ts';
import type { PickServer } from './serverPick.ts';

interface MenuItem extends vscode.QuickPickItem {
  readonly command?: string;
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
  readonly pick: PickServer;
}

/** Menus of a running local server and of the platform that it emulates. */
export function createEmulationMenus({ emulation, connection, control: load, pick }: EmulationMenuSettings) {
  /** Returns the emulated platform of a server; undefined if it cannot be read. */
  async function profileOf({ key }: Instance): Promise<Profile | undefined> {
    try {
      return await (await load(key))?.emulated();
    } catch {
      // The menu still offers what works without the server.
      return undefined;
    }
  }

  async function showMenu(key?: unknown): Promise<void> {
    const server = await pick(l10n.t('Server Menu'), key, 'running');
    if (server === undefined) return;
    await emulation.refresh();
    const profile = await profileOf(server);
    const picked = await vscode.window.showQuickPick(menuItems(server, profile, connection.state()), {
      title: server.label,
      placeHolder: placeholderOf(server, profile),
      matchOnDescription: true,
    });
    if (picked?.command !== undefined) await vscode.commands.executeCommand(picked.command, server.key);
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

function placeholderOf({ label, isConnected }: Instance, profile: Profile | undefined): string {
  if (profile !== undefined) return l10n.t('“{0}” emulates release {1}', label, profile.release);
  return isConnected === true
    ? l10n.t('“{0}” does not respond', label)
    : l10n.t('Another program runs the managed server with its own token');
}

/** Returns the items of the menu of a server. Views and accounts are those of the instance on screen. */
function menuItems(server: Instance, profile: Profile | undefined, state: ConnectionState): readonly MenuItem[] {
  const separator = (label: string): MenuItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const onScreen = [
    state.kind === 'signedIn'
      ? item('pulse', l10n.t('Show activity'), `${views.activityMine}.focus`)
      : item('sign-in', l10n.t('Sign in…'), commands.signIn),
  ];
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
  const controlled =
    profile === undefined
      ? []
      : [
          item('save', l10n.t('Take snapshot…'), commands.localTakeSnapshot),
          item('watch', l10n.t('Set clock…'), commands.localSetClock),
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
  return [
    ...(isOnScreen ? onScreen : []),
    ...platform,
    ...(isOnScreen ? [item('warning', l10n.t('Show deprecations'), `${views.deprecations}.focus`)] : []),
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

function tierName(tier: Tier): string {
  switch (tier) {
    case 'free':
      return l10n.t('Free');
    case 'premium':
      return l10n.t('Premium');
    case 'ultimate':
      return l10n.t('Ultimate');
  }
}

function offeringName(offering: Offering): string {
  switch (offering) {
    case 'self-managed':
      return l10n.t('Self-managed');
    case 'multi-tenant':
      return l10n.t('Multi-tenant');
    case 'dedicated':
      return l10n.t('Dedicated');
  }
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

function dialectName(dialect: Dialect): string {
  switch (dialect) {
    case 'documented':
      return l10n.t('Documented');
    case 'observed':
      return l10n.t('Observed');
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
