import type * as vscode from 'vscode';
import { activityCommands } from './activity/commands.ts';
import { createAccounts } from './app/accounts.ts';
import { createLocalServer } from './app/localServer.ts';
import { createNetwork } from './app/network.ts';
import { createViews } from './app/views.ts';
import type { RegisteredViews } from './app/viewSettings.ts';
import { resumeWindow } from './app/windowState.ts';
import { authCommands } from './auth/commands.ts';
import { clientKeyCommands } from './clientKeys/commands.ts';
import { createCloneProject } from './cloneProject/commands.ts';
import { isJsonObject, stringMember } from './contract/json.ts';
import { deprecationCommands } from './deprecations/commands.ts';
import { diagnosticsCommands } from './diagnostics/commands.ts';
import { createServerHistory } from './diagnostics/serverHistory.ts';
import { errorMarkCommands } from './errorMarks/commands.ts';
import { errorReplayCommands } from './errorReplay/commands.ts';
import { errorToReplay, errorTrackingCommands } from './errorTracking/commands.ts';
import { instanceCommands } from './instances/commands.ts';
import { instanceAt } from './instances/instances.ts';
import { registerLanguageModelTools } from './languageModelTools/register.ts';
import { localCommands } from './local/commands.ts';
import { followProfile, rememberLocalServer } from './local/lifecycle.ts';
import { showProgress } from './local/progress.ts';
import { mailboxCommands } from './mailbox/commands.ts';
import { notificationCommands } from './notifications/commands.ts';
import { createSavedProfiles } from './notifications/savedProfiles.ts';
import { oauthFlowCommands } from './oauthFlows/commands.ts';
import { projectCommands } from './projects/commands.ts';
import { storageCommands } from './storages/commands.ts';
import { createLog, createLogTail, createMask } from './support/log.ts';
import { useTranslations } from './support/translations.ts';
import type { Handlers } from './ui/handlers.ts';
import type { Uris } from './ui/uris.ts';
import { walkthroughCommands } from './walkthrough/commands.ts';
import { whyMailedCommands } from './whyMailed/commands.ts';

/** Objects that activation creates in every window. */
export interface StartedWindow {
  readonly context: vscode.ExtensionContext;
  readonly channel: vscode.LogOutputChannel;
  readonly statusBarItem: vscode.StatusBarItem;
  readonly views: RegisteredViews;
}

/** Parts of the extension that are created on first use. */
export interface App {
  readonly commands: Handlers;
  readonly provider: vscode.AuthenticationProvider;
  readonly uris: Uris;
  /** Shows an error again in a panel that VS Code has restored. */
  readonly restoreErrorPanel: (panel: vscode.WebviewPanel, state: unknown) => Promise<void>;
  /** Creates the tree of the Tracked Errors view; further calls return the same one. */
  readonly makeTrackedErrors: () => void;
  /** Creates the tree of the Notifications view; further calls return the same one. */
  readonly makeNotifications: () => void;
  /** Revokes what must not outlive the window. */
  readonly end: () => Promise<void>;
}

/** Builds the object graph. Returns before any request is sent and before the user is prompted for anything. */
export function createApp({ context, channel, statusBarItem, views: registered }: StartedWindow): App {
  const { globalState, workspaceState, subscriptions } = context;
  useTranslations();
  const mask = createMask();
  const tail = createLogTail(channel, Date.now);
  const log = createLog(tail, mask);
  const version = versionOf(context);
  const authorityOf = (url: string): string | undefined => instanceAt(accounts.instances.all(), url)?.ca;
  const network = createNetwork({ version, authorityOf, mask });
  const local = createLocalServer({ context, send: network.send, mask, log });
  const accounts = createAccounts({ context, local, network, mask, log });
  const views = createViews({ context, registered, local, accounts, send: network.send, log });
  const { supervisor, profiles } = local;
  const { instances, sessions, refresh, addresses, connection, pages, signIn } = accounts;
  const { activity, trackedErrors, notifications, mailbox, project, deprecations } = views;
  const cloneProject = createCloneProject({ connection, instances, sessions, refresh, addresses });
  const history = createServerHistory(supervisor);
  subscriptions.push(
    cloneProject,
    history,
    rememberLocalServer(supervisor, workspaceState),
    showProgress(supervisor),
    followProfile(supervisor, profiles),
    registerLanguageModelTools({ connection, project, workspaceState, code: views.errorCode.get }),
  );
  void resumeWindow({ context, statusBarItem, local, accounts, send: network.send, mask, log });
  return {
    provider: accounts.provider,
    uris: accounts.uris,
    makeTrackedErrors: trackedErrors.get,
    restoreErrorPanel: async (panel, state) => (await views.errorPanels.get()).restore(panel, state),
    makeNotifications: notifications.get,
    end: accounts.terminalTokens.revokeAll,
    commands: {
      ...activityCommands(activity, pages),
      ...authCommands(signIn, sessions, instances),
      ...clientKeyCommands(views.clientKeys),
      ...cloneProject.commands,
      ...deprecationCommands(async () => (await deprecations.get()).view()),
      ...diagnosticsCommands({
        ...{ version, instances, sessions, refresh, supervisor, history, profiles, outcomes: views.outcomes, tail, mask },
        channel,
      }),
      ...errorMarkCommands(views.errorMarks.get, views.errorCode.get),
      ...errorReplayCommands({
        replay: views.errorReplay.get,
        errorOf: (target) => errorToReplay({ view: trackedErrors.get }, target),
      }),
      ...errorTrackingCommands({
        ...{ view: trackedErrors.get, panels: views.errorPanels.get, actions: views.errorActions, code: views.errorCode.get },
        ...{ connection, project, pages },
      }),
      ...instanceCommands({
        ...{ instances, sessions, refresh, addresses, signIn, send: network.send, forget: accounts.forget },
        tokens: accounts.terminalTokens,
      }),
      ...localCommands({ local, instances, signIn, load: deprecations.get }),
      ...mailboxCommands({ view: mailbox, connection, documents: activity.documents, pages }),
      ...notificationCommands({
        ...{ view: notifications.get, connection, pages, profiles: views.timedProfiles },
        saved: createSavedProfiles(globalState),
      }),
      ...oauthFlowCommands(views.oauthFlows.get),
      ...projectCommands(connection, pages),
      ...storageCommands(views.storages.get),
      ...whyMailedCommands({
        ...{ explanations: views.explanations, connection, project, accountOf: activity.documents.accountOf },
        ...{ notifications: notifications.get, selectedMail: mailbox.selected },
      }),
      ...walkthroughCommands(context.extension.id),
    },
  };
}

function versionOf({ extension }: vscode.ExtensionContext): string {
  const manifest: unknown = extension.packageJSON;
  return (isJsonObject(manifest) ? stringMember(manifest, 'version') : undefined) ?? '?';
}
