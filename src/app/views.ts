import path from 'node:path';
import type * as vscode from 'vscode';
import type { Send } from '../api/transport.ts';
import { createActivity } from '../activity/activity.ts';
import { createCurrentProject, type CurrentProject } from '../activity/currentProject.ts';
import { createFeedOutcomes, type FeedOutcomes } from '../activity/outcomes.ts';
import type { ActivityRow } from '../activity/rows.ts';
import type { ClientKeyActions } from '../clientKeys/actions.ts';
import type { Deprecations } from '../deprecations/deprecations.ts';
import type { CallRow } from '../deprecations/rows.ts';
import { createCallSource } from '../deprecations/source.ts';
import type { DsnExplainer } from '../dsn/explainer.ts';
import { loadWhenDsnIsShown } from '../dsn/needed.ts';
import type { ErrorCode } from '../errorCode/code.ts';
import type { ErrorMarks } from '../errorMarks/view.ts';
import { loadWhenNeeded } from '../errorMarks/needed.ts';
import { ApiFailure } from '../api/failures.ts';
import type { ErrorActions } from '../errorActions/actions.ts';
import type { ErrorPanels } from '../errorPanel/panel.ts';
import { commitPage, errorPage } from '../errorTracking/errorPage.ts';
import type { ErrorReplay } from '../errorReplay/errorReplay.ts';
import { describePanelFailure } from '../errorTracking/panelFailures.ts';
import { createFrameDocuments } from '../errorTracking/frameDocuments.ts';
import { newErrorMode } from '../errorTracking/newErrorNotice.ts';
import { savedFiltersKey } from '../errorTracking/savedFiltersKey.ts';
import { forgetNewErrors } from '../errorTracking/newErrors.ts';
import type { ErrorRow } from '../errorTracking/rows.ts';
import { createResourceChoice } from '../errorTracking/sources.ts';
import { createTrackedErrors, type TrackedErrors } from '../errorTracking/view.ts';
import { views } from '../ids.ts';
import { clientOfAccount } from '../instances/clientOfAccount.ts';
import { addMailDocuments } from '../mailbox/documents.ts';
import { createMailboxView, type MailboxView } from '../mailbox/view.ts';
import { isLocalServer } from '../instances/instances.ts';
import { forgetNotifications } from '../notifications/forget.ts';
import { createTimedProfiles, type TimedProfiles } from '../notifications/profiles.ts';
import { followProfileTime } from '../notifications/profileStatus.ts';
import { createProfileStore } from '../notifications/profileStore.ts';
import type { NotificationRow } from '../notifications/rows.ts';
import { tickEvent } from '../notifications/setEvents.ts';
import { createNotifications, type Notifications } from '../notifications/view.ts';
import type { FlowRow } from '../oauthFlows/rows.ts';
import type { OAuthFlows } from '../oauthFlows/view.ts';
import type { StorageRow } from '../storages/rows.ts';
import { createStorages, followAdministrator, type Storages } from '../storages/view.ts';
import { createStream, type StreamEvent } from '../stream/stream.ts';
import { createEmitter, type Emitter } from '../support/emitter.ts';
import type { Log } from '../support/log.ts';
import { once } from '../support/once.ts';
import { createLatePart, createLateViewPart, type LatePart } from '../ui/latePart.ts';
import type { LateView } from '../ui/lateView.ts';
import { createExplanations, type Explanations } from '../whyMailed/explanations.ts';
import { createWorkspaceRemotes } from '../workspace/gitRemotes.ts';
import type { Accounts } from './accounts.ts';
import type { LocalServer } from './localServer.ts';

/** Views that activation registers in every window. */
export interface RegisteredViews {
  readonly activityMine: LateView<ActivityRow>;
  readonly activityProject: LateView<ActivityRow>;
  readonly trackedErrors: LateView<ErrorRow>;
  readonly notifications: LateView<NotificationRow>;
}

export interface Views {
  readonly activity: ReturnType<typeof createActivity>;
  readonly trackedErrors: LatePart<TrackedErrors>;
  readonly errorCode: LatePart<Promise<ErrorCode>>;
  readonly errorPanels: LatePart<Promise<ErrorPanels>>;
  readonly errorActions: LatePart<Promise<ErrorActions>>;
  readonly errorMarks: LatePart<Promise<ErrorMarks>>;
  /** Returns the actions on client keys, which are loaded on the first call. */
  readonly clientKeys: () => Promise<ClientKeyActions>;
  readonly errorReplay: LatePart<Promise<ErrorReplay>>;
  readonly notifications: LatePart<Notifications>;
  readonly timedProfiles: TimedProfiles;
  readonly mailbox: MailboxView;
  readonly explanations: Explanations;
  readonly oauthFlows: LatePart<Promise<OAuthFlows>>;
  readonly storages: LatePart<Storages>;
  readonly deprecations: LatePart<Promise<Deprecations>>;
  /** Project whose activity and errors are shown. */
  readonly project: CurrentProject;
  readonly outcomes: FeedOutcomes;
}

export interface ViewSettings {
  readonly context: vscode.ExtensionContext;
  readonly registered: RegisteredViews;
  readonly local: LocalServer;
  readonly accounts: Accounts;
  readonly send: Send;
  readonly log: Log;
}

/** Creates the views, or what makes them on first use. They end with the window. */
export function createViews(settings: ViewSettings): Views {
  const { context, registered, local, accounts, log } = settings;
  const { globalState, workspaceState, subscriptions } = context;
  const { instances, addresses, limits, connection, pages, uris, onDidForget } = accounts;
  const happened = followStream(settings);
  const outcomes = createFeedOutcomes(Date.now);
  const remotes = createWorkspaceRemotes();
  const project = createCurrentProject({ connection, addresses, workspaceState, globalState, remotes });
  const activity = createActivity({
    uris,
    views: { mine: registered.activityMine, project: registered.activityProject },
    connection,
    instances,
    project,
    limits,
    isWithoutMergeRequests: () =>
      isLocalServer(connection.state().instance) && local.emulation.current()?.dialect === 'documented',
    extensionId: context.extension.id,
    onDidHappen: happened.activity.event,
    onDidForget,
    workspaceState,
    globalState,
    cacheFolder: path.join(context.globalStorageUri.fsPath, 'cache'),
    openPage: pages.open,
    outcomes,
    log,
  });
  const { documents } = activity;
  const trackedErrors = createLatePart(subscriptions, () => {
    const { trackedErrors: view } = registered;
    const onDidHappen = happened.error.event;
    return createTrackedErrors({
      ...{ view, connection, project, addresses, limits, onDidHappen },
      ...{ workspaceState, globalState, log },
    });
  });
  onDidForget((instance) => {
    void forgetNewErrors(instance, globalState);
    void globalState.update(savedFiltersKey(instance), undefined);
  });
  const frames = createFrameDocuments(documents);
  const errorCode = createLatePart(subscriptions, async () => {
    const { createCode } = await import('../errorMarks/errorMarks.ts');
    return createCode({ connection, documents: frames, workspaceState, log });
  });
  // Other views create the list only when it is shown, which is too late for a notification.
  subscriptions.push(
    happened.error.event(() => {
      if (newErrorMode() === 'notify') trackedErrors.get().loadNews();
    }),
  );
  const errorActions = createErrorActionsPart(settings, trackedErrors.get, happened.error.fire);
  const errorReplay = createErrorReplayPart(settings, errorCode.get);
  const errorPanels = createErrorPanelsPart(settings, happened.error.event, errorCode.get, errorActions.get, errorReplay.get);
  const errorMarks = createErrorMarksPart(settings, project, trackedErrors.get, errorCode.get);
  const dsn = createDsnPart(settings, project);
  const clientKeys = once(async () => {
    const { createClientKeyActions } = await import('../clientKeys/clientKeys.ts');
    const changed = (): void => void dsn.made()?.then(({ refresh }) => refresh());
    const { send } = settings;
    return createClientKeyActions({ connection, project, panels: errorPanels.get, send, globalState, changed });
  });
  addMailDocuments(documents);
  const mailbox = createMailboxView({ connection, limits, onDidHappen: happened.mail.event, log });
  const { notifications, timedProfiles } = createNotificationParts(settings);
  const explanations = createExplanations(connection, documents);
  const oauthFlows = createLateViewPart<FlowRow, Promise<OAuthFlows>>(subscriptions, views.oauthFlows, async (view) => {
    const { createOAuthFlowsView } = await import('../oauthFlows/oauthFlows.ts');
    return createOAuthFlowsView({ view, connection, supervisor: local.supervisor, control: local.control, pages, log });
  });
  const storages = createLateViewPart<StorageRow, Storages>(subscriptions, views.storages, (view) =>
    createStorages({ view, connection, local: async () => (await local.control())?.storages() ?? new Map(), log }),
  );
  const deprecations = createDeprecationsPart(settings);
  local.emulation.onDidChange(() => {
    // Another release, tier or dialect has other responses.
    activity.update();
    for (const { fire } of Object.values(happened)) fire();
    refreshShown(notifications.made());
  });
  subscriptions.push(activity, frames, mailbox, explanations, followAdministrator(connection, globalState, log));
  return {
    ...{ activity, trackedErrors, errorActions, errorPanels, errorMarks, errorCode, errorReplay, notifications, mailbox },
    ...{ timedProfiles, explanations, oauthFlows, storages, deprecations, project, outcomes, clientKeys },
  };
}

function createErrorPanelsPart(
  { context, accounts }: ViewSettings,
  onDidHappen: vscode.Event<void>,
  code: () => Promise<ErrorCode>,
  actions: () => Promise<ErrorActions>,
  replay: () => Promise<ErrorReplay>,
): Views['errorPanels'] {
  const { connection, addresses, pages } = accounts;
  return createLatePart(context.subscriptions, async () => {
    const { createErrorPanel } = await import('../errorPanel/errorPanel.ts');
    return createErrorPanel({
      extensionUri: context.extensionUri,
      clientOf: (account) => clientOfAccount(connection, account),
      choice: createResourceChoice(),
      onDidChangeConnection: connection.onDidChange,
      describeFailure: describePanelFailure,
      code: await code(),
      replay: async (target, detail, event) => (await replay()).replay(target, detail, event),
      openInBrowser: async ({ project, errorId }) => {
        const address = addresses(connection.state().instance.key);
        if (address !== undefined) await pages.open(errorPage(address, project.path, errorId));
      },
      openCommit: async ({ project }, hash) => {
        const address = addresses(connection.state().instance.key);
        if (address !== undefined) await pages.open(commitPage(address, project.path, hash));
      },
      onDidHappen,
      actions,
    });
  });
}

function createErrorActionsPart(
  { context, accounts }: ViewSettings,
  trackedErrors: () => TrackedErrors,
  changed: () => void,
): Views['errorActions'] {
  const { connection, addresses, pages } = accounts;
  const address = (): string | undefined => addresses(connection.state().instance.key);
  return createLatePart(context.subscriptions, async () => {
    const { createErrorActions } = await import('../errorActions/errorActions.ts');
    return createErrorActions({
      clientOf: (account) => clientOfAccount(connection, account),
      currentUser: () => {
        const state = connection.state();
        return state.kind === 'signedIn' ? state.account.id : undefined;
      },
      choice: createResourceChoice(),
      describeFailure: (error) => (error instanceof ApiFailure ? describePanelFailure(error) : undefined),
      openError: async ({ path: projectPath }, errorId) => {
        const base = address();
        if (base !== undefined) await pages.open(errorPage(base, projectPath, errorId));
      },
      openPage: async (page) => pages.open(page.startsWith('/') ? `${address() ?? ''}${page}` : page),
      memory: context.globalState,
      withProgress: (work) => trackedErrors().withProgressBar(work),
      changed: async () => {
        // Panels load again, too.
        changed();
        await trackedErrors().refreshAfterChange();
      },
    });
  });
}

function createErrorReplayPart({ context, accounts }: ViewSettings, code: () => Promise<ErrorCode>): Views['errorReplay'] {
  const { connection } = accounts;
  return createLatePart(context.subscriptions, async () => {
    const { createErrorReplay } = await import('../errorReplay/errorReplay.ts');
    return createErrorReplay({
      clientOf: (account) => clientOfAccount(connection, account),
      describeFailure: describePanelFailure,
      code,
    });
  });
}

/** The marks are made when there is an editor to mark. */
function createErrorMarksPart(
  { context, accounts, log }: ViewSettings,
  project: CurrentProject,
  trackedErrors: () => TrackedErrors,
  code: () => Promise<ErrorCode>,
): Views['errorMarks'] {
  const { connection } = accounts;
  const part = createLatePart(context.subscriptions, async () => {
    const { createErrorMarks } = await import('../errorMarks/errorMarks.ts');
    return createErrorMarks({
      ...{ extensionUri: context.extensionUri, trackedErrors: trackedErrors(), code: await code(), connection, project, log },
    });
  });
  const load = (): void => {
    part.get().catch((error: unknown) => log.warn(`error marks: ${String(error)}`));
  };
  context.subscriptions.push(loadWhenNeeded({ connection, project }, load));
  return part;
}

/** The explanations of DSNs are loaded when an editor shows one. */
function createDsnPart({ context, accounts, log }: ViewSettings, project: CurrentProject): LatePart<Promise<DsnExplainer>> {
  const { connection, addresses } = accounts;
  const part = createLatePart(context.subscriptions, async () => {
    const { createDsnExplainer } = await import('../dsn/dsn.ts');
    return createDsnExplainer({ connection, project, addresses, log });
  });
  const load = (): void => {
    part.get().catch((error: unknown) => log.warn(`DSNs: ${String(error)}`));
  };
  context.subscriptions.push(loadWhenDsnIsShown(load));
  return part;
}

/** Returns an emitter for each kind of event of the live updates. */
function followStream({ context, accounts, log }: ViewSettings): Readonly<Record<StreamEvent, Emitter<void>>> {
  const stream = createStream(accounts.connection, log);
  const happened = { activity: createEmitter<void>(), error: createEmitter<void>(), mail: createEmitter<void>() };
  stream.onDidHappen((event) => happened[event].fire());
  context.subscriptions.push(stream);
  return happened;
}

function createNotificationParts(settings: ViewSettings): Pick<Views, 'notifications' | 'timedProfiles'> {
  const { context, registered, accounts, log } = settings;
  const { globalState, subscriptions } = context;
  const { connection, lock, onDidForget } = accounts;
  const notifications = createLatePart(subscriptions, () => {
    const created = createNotifications({ view: registered.notifications, connection, globalState, log });
    created.onDidTick(({ row, isOn }) => void tickEvent(created, row, isOn));
    return created;
  });
  const store = createProfileStore(path.join(context.globalStorageUri.fsPath, 'notificationProfiles'));
  onDidForget((instance) => void forgetNotifications(instance, globalState, store));
  const timedProfiles = createTimedProfiles({ store, lock, now: Date.now });
  // Another window may have started or ended the profile.
  timedProfiles.onDidChange(() => refreshShown(notifications.made()));
  subscriptions.push(
    followProfileTime({
      connection,
      profiles: timedProfiles,
      restored: ({ made }) => {
        for (const { scope, after } of made) notifications.made()?.model.put(scope, after);
      },
      log,
    }),
  );
  return { notifications, timedProfiles };
}

function refreshShown(notifications: Notifications | undefined): void {
  if (notifications?.view.visible === true) void notifications.model.refresh();
}

function createDeprecationsPart({ context, local, accounts, log }: ViewSettings): Views['deprecations'] {
  const { connection, addresses, pages } = accounts;
  const { emulation, control } = local;

  async function openPage(path: string, isOfAll: boolean): Promise<void> {
    const baseUrl = addresses(connection.state().instance.key);
    if (isOfAll) await pages.openAsAdministrator(path);
    else if (baseUrl !== undefined) await pages.open(`${baseUrl}${path}`);
  }

  return createLateViewPart<CallRow, Promise<Deprecations>>(
    context.subscriptions,
    views.deprecations,
    async (view) => {
      const { createDeprecations } = await import('../deprecations/deprecations.ts');
      const source = createCallSource({ connection, emulation, control });
      return createDeprecations({
        ...{ view, connection, emulation, control, local, source, openPage, log },
        memory: context.globalState,
      });
    },
    (deprecations) => deprecations.view(),
  );
}
