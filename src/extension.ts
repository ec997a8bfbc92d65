import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ActivityRow } from './activity/rows.ts';
import type { App } from './app.ts';
import { createLateProvider } from './auth/lateProvider.ts';
import { PRODUCT } from './contract/product.ts';
import type { ErrorRow } from './errorTracking/rows.ts';
import { authenticationProviders, ERROR_PANEL, views } from './ids.ts';
import type { NotificationRow } from './notifications/rows.ts';
import { startCommands } from './startCommands.ts';
import { once } from './support/once.ts';
import { useTranslations } from './support/translations.ts';
import { createLateView } from './ui/lateView.ts';
import { createStatusBarItem } from './ui/statusBar.ts';
import { isUsed, showUnused } from './unused.ts';

let end: App['end'] | undefined;

/** VS Code waits a few seconds for the promise when the window closes. */
export async function deactivate(): Promise<void> {
  await end?.();
}

/**
 * Registers what package.json contributes and does nothing else, because VS Code waits for it when a window opens. `app.ts` is a separate
 * bundle. It is loaded on first use, or after startup if the extension has been used before.
 */
export function activate(context: vscode.ExtensionContext): void {
  const { subscriptions } = context;
  const startIds: ReadonlySet<string> = new Set(Object.values(startCommands));
  useTranslations();

  const statusBarItem = once(() => {
    const item = createStatusBarItem();
    subscriptions.push(item);
    return item;
  });
  const load = once(async (): Promise<App> => {
    const channel = vscode.window.createOutputChannel(PRODUCT, { log: true });
    subscriptions.push(channel);
    try {
      const { createApp } = await import('./app.ts');
      const created = createApp({
        context,
        channel,
        statusBarItem: statusBarItem(),
        views: { activityMine, activityProject, trackedErrors, notifications },
      });
      const others = Object.entries(created.commands).filter(([id]) => !startIds.has(id));
      subscriptions.push(...others.map(([id, run]) => vscode.commands.registerCommand(id, run)));
      provider.provide(created.provider);
      end = created.end;
      return created;
    } catch (error) {
      channel.error('The extension could not be loaded:', error);
      throw error;
    }
  });

  /** Returns undefined if the extension cannot be loaded. An error message is shown each time. */
  async function app(): Promise<App | undefined> {
    try {
      return await load();
    } catch {
      const text = l10n.t(
        'Signalbox could not be loaded. Reload the window or reinstall the extension. See the log for the reason.',
      );
      void vscode.window.showErrorMessage(text);
      return undefined;
    }
  }

  const activityMine = createLateView<ActivityRow>(views.activityMine, app);
  const activityProject = createLateView<ActivityRow>(views.activityProject, app);
  const trackedErrors = createLateView<ErrorRow>(views.errorTracking, async () => (await app())?.makeTrackedErrors(), {
    canSelectMany: true,
  });
  const notifications = createLateView<NotificationRow>(views.notifications, async () => (await app())?.makeNotifications(), {
    manageCheckboxStateManually: true,
  });
  const used = once(() => isUsed(context));
  const provider = createLateProvider(used, load);
  const { signalbox } = authenticationProviders;
  subscriptions.push(
    activityMine,
    activityProject,
    trackedErrors,
    notifications,
    provider,
    vscode.authentication.registerAuthenticationProvider(signalbox, PRODUCT, provider, { supportsMultipleAccounts: true }),
    vscode.window.registerWebviewPanelSerializer(ERROR_PANEL, {
      deserializeWebviewPanel: async (panel, state: unknown) => (await app())?.restoreErrorPanel(panel, state),
    }),
    vscode.window.registerUriHandler({ handleUri: async (uri) => (await app())?.uris.handleUri(uri) }),
  );
  for (const id of Object.values(startCommands)) {
    const run = async (...args: unknown[]): Promise<unknown> => (await app())?.commands[id](...args);
    subscriptions.push(vscode.commands.registerCommand(id, run));
  }

  /** Resumes the state of this window if the extension has been used before; otherwise shows the unused state. */
  async function begin(): Promise<void> {
    if (await used()) {
      // The user has not run anything yet, so a failure is only logged.
      await load().catch(() => undefined);
      return;
    }
    showUnused(statusBarItem());
    // The user may edit the settings, or sign in in another window.
    subscriptions.push(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('signalbox')) void app();
      }),
      context.secrets.onDidChange(() => void app()),
    );
  }
  setImmediate(() => void begin());
}
