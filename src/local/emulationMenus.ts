import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type Dialect, dialects, type Offering, offerings, type Profile, type Tier, tiers } from '../contract/emulation.ts';
import { pickRelease } from '../deprecations/pickRelease.ts';
import { commands, settings as settingIds, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { messageOf } from '../support/log.ts';
import type { Emulation } from './emulation.ts';

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

/** Menus of the running local server and of the platform that it emulates. */
export function createEmulationMenus(emulation: Emulation, connection: Connection) {
  const isConnected = (): boolean => connection.state().instance.isConnected === true;

  async function showMenu(): Promise<void> {
    await emulation.refresh();
    const profile = emulation.current();
    const separator = (label: string): MenuItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
    const items: readonly MenuItem[] = [
      connection.state().kind === 'signedIn'
        ? item('pulse', l10n.t('Show activity'), `${views.activityMine}.focus`)
        : item('sign-in', l10n.t('Sign in…'), commands.signIn),
      ...(profile === undefined
        ? []
        : [
            separator(l10n.t('Emulated platform')),
            item('versions', l10n.t('Release…'), commands.localEmulateRelease, profile.release),
            item('layers', l10n.t('Tier…'), commands.localEmulateTier, tierName(profile.tier)),
            item('cloud', l10n.t('Offering…'), commands.localEmulateOffering, offeringName(profile.offering)),
            item('symbol-string', l10n.t('Dialect…'), commands.localEmulateDialect, dialectName(profile.dialect)),
          ]),
      item('warning', l10n.t('Show deprecations'), `${views.deprecations}.focus`),
      separator(l10n.t('Server')),
      ...(profile === undefined
        ? []
        : [
            item('save', l10n.t('Take snapshot…'), commands.localTakeSnapshot),
            item('watch', l10n.t('Set clock…'), commands.localSetClock),
            item('file-add', l10n.t('Apply seed file…'), commands.localApplySeedFile),
            item('home', l10n.t('Open home page as…'), commands.localOpenHomePageAs),
          ]),
      ...(isConnected()
        ? [item('debug-disconnect', l10n.t('Disconnect'), commands.localDisconnect)]
        : [
            item('debug-restart', l10n.t('Restart'), commands.localRestart),
            item('debug-stop', l10n.t('Stop'), commands.localStop),
            item('database', l10n.t('Select data profile…'), commands.localSelectProfile),
            item('history', l10n.t('Restore snapshot…'), commands.localRestoreSnapshot),
            item('copy', l10n.t('Copy address'), commands.localCopyAddress),
            item('output', l10n.t('Show log'), commands.localShowLog),
          ]),
    ];
    const picked = await vscode.window.showQuickPick(items, {
      title: l10n.t('Local Server'),
      placeHolder:
        profile === undefined
          ? l10n.t('Another program runs this local server with its own token')
          : l10n.t('The local server emulates release {0}', profile.release),
      matchOnDescription: true,
    });
    if (picked?.command !== undefined) await vscode.commands.executeCommand(picked.command);
  }

  /** Changes the running server first, so that a failure leaves the setting as it is. The setting applies to the next start of the extension's own server. */
  async function change<M extends keyof Profile>(member: M, value: Profile[M] | undefined): Promise<void> {
    if (value === undefined) return;
    try {
      await emulation.change({ [member]: value });
      // The settings are those of the extension's own server.
      if (isConnected()) return;
      await vscode.workspace.getConfiguration().update(settingOfMember[member], value, vscode.ConfigurationTarget.Global);
    } catch (error) {
      void vscode.window.showErrorMessage(l10n.t('The emulated platform was not changed: {0}', messageOf(error)));
    }
  }

  return {
    showMenu,
    emulateRelease: async () =>
      change(
        'release',
        await pickRelease({
          title: l10n.t('Emulate Release'),
          placeholder: l10n.t('Select the release that the local server emulates from now on'),
          current: emulation.current()?.release,
          currentText: l10n.t('current'),
        }),
      ),
    emulateTier: async () =>
      change(
        'tier',
        await pickValue({
          title: l10n.t('Emulate Tier'),
          placeholder: l10n.t('Select the tier that the local server emulates from now on'),
          values: tiers,
          current: emulation.current()?.tier,
          nameOf: tierName,
          detailOf: () => undefined,
        }),
      ),
    emulateOffering: async () =>
      change(
        'offering',
        await pickValue({
          title: l10n.t('Emulate Offering'),
          placeholder: l10n.t('Select the offering that the local server emulates from now on'),
          values: offerings,
          current: emulation.current()?.offering,
          nameOf: offeringName,
          detailOf: offeringDetail,
        }),
      ),
    emulateDialect: async () =>
      change(
        'dialect',
        await pickValue({
          title: l10n.t('Emulate Dialect'),
          placeholder: l10n.t('Select how the local server responds where documentation and observation differ'),
          values: dialects,
          current: emulation.current()?.dialect,
          nameOf: dialectName,
          detailOf: dialectDetail,
        }),
      ),
  };
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
