import path from 'node:path';
import { createActivity } from '../activity/activity.ts';
import { createCurrentProject, type CurrentProject } from '../activity/currentProject.ts';
import { createFeedOutcomes, type FeedOutcomes } from '../activity/outcomes.ts';
import { failureOfAny } from '../api/failures.ts';
import type { Deprecations } from '../deprecations/deprecations.ts';
import type { CallRow } from '../deprecations/rows.ts';
import { createCallSource } from '../deprecations/source.ts';
import { views } from '../ids.ts';
import { addMailDocuments } from '../mailbox/documents.ts';
import { createMailboxView, type MailboxView } from '../mailbox/view.ts';
import { isLocalServer } from '../instances/instances.ts';
import { forgetNotifications } from '../notifications/forget.ts';
import { createTimedProfiles, type TimedProfiles } from '../notifications/profiles.ts';
import { followProfileTime } from '../notifications/profileStatus.ts';
import { createProfileStore } from '../notifications/profileStore.ts';
import { tickEvent } from '../notifications/setEvents.ts';
import { forgetUndoableChanges } from '../notifications/undoableChanges.ts';
import { createNotifications, type Notifications } from '../notifications/view.ts';
import type { FlowRow } from '../oauthFlows/rows.ts';
import type { OAuthFlows } from '../oauthFlows/view.ts';
import type { StorageRow } from '../storages/rows.ts';
import { createStorages, followAdministrator, type Storages } from '../storages/view.ts';
import { ANYTHING, type ErrorChange } from '../stream/errorChanges.ts';
import { createEmitter } from '../support/emitter.ts';
import { createLatePart, createLateViewPart, type LatePart } from '../ui/latePart.ts';
import { createExplanations, type Explanations } from '../whyMailed/explanations.ts';
import { createWorkspaceRemotes } from '../workspace/gitRemotes.ts';
import { createErrorParts, type ErrorParts } from './errorParts.ts';
import type { ViewSettings } from './viewSettings.ts';

export interface Views extends ErrorParts {
  readonly activity: ReturnType<typeof createActivity>;
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

/** Creates the views, or what makes them on first use. They end with the window. */
export function createViews(settings: ViewSettings): Views {
  const { context, registered, local, accounts, log } = settings;
  const { globalState, workspaceState, subscriptions } = context;
  const { instances, addresses, limits, connection, pages, uris, onDidForget } = accounts;
  const happened = followStream(settings);
  const outcomes = createFeedOutcomes(Date.now);
  const remotes = createWorkspaceRemotes(async (folder) => (await import('../errorMarks/errorMarks.ts')).remotesOfFolder(folder));
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
  const errors = createErrorParts(settings, { project, remotes, documents, happened: happened.error });
  addMailDocuments(documents);
  const mailbox = createMailboxView({ connection, limits, onDidHappen: happened.mail.event, log });
  const { notifications, timedProfiles } = createNotificationParts(settings);
  const explanations = createExplanations(connection, documents);
  const oauthFlows = createLateViewPart<FlowRow, Promise<OAuthFlows>>(subscriptions, views.oauthFlows, async (view) => {
    const { createOAuthFlowsView } = await import('../oauthFlows/oauthFlows.ts');
    return createOAuthFlowsView({ view, connection, supervisor: local.supervisor, control: local.control, pages, log });
  });
  const storages = createLateViewPart<StorageRow, Storages>(subscriptions, views.storages, (view) =>
    createStorages({
      view,
      connection,
      local: async (instance) => (await local.control(instance))?.storages() ?? new Map(),
      log,
    }),
  );
  const deprecations = createDeprecationsPart(settings);
  local.emulation.onDidChange(() => {
    // Another release, tier or dialect has other responses.
    activity.update();
    happened.activity.fire();
    happened.mail.fire();
    happened.error.fire(ANYTHING);
    refreshShown(notifications.made());
  });
  subscriptions.push(activity, mailbox, explanations, followAdministrator(connection, globalState, log));
  return {
    ...errors,
    ...{ activity, notifications, mailbox, timedProfiles, explanations, oauthFlows, storages, deprecations, project, outcomes },
  };
}

/** Returns an emitter for each kind of live updates. Their stream is loaded when somebody is signed in to the local server. */
function followStream({ context, accounts: { connection }, log }: ViewSettings) {
  const happened = {
    activity: createEmitter<void>(),
    error: createEmitter<readonly ErrorChange[]>(),
    mail: createEmitter<void>(),
  };
  const { activity, error, mail } = happened;
  const stream = createLatePart(context.subscriptions, async () => {
    const { createStream } = await import('../stream/stream.ts');
    return createStream(connection, log, { activity: activity.fire, error: error.fire, mail: mail.fire });
  });
  const load = (): void => {
    if (isLocalServer(connection.state().instance) && connection.client() !== undefined)
      stream.get().catch((failure: unknown) => log.warn(`live updates: ${String(failure)}`));
  };
  load();
  context.subscriptions.push(connection.onDidChange(load));
  return happened;
}

function createNotificationParts(settings: ViewSettings): Pick<Views, 'notifications' | 'timedProfiles'> {
  const { context, registered, accounts, log } = settings;
  const { globalState, workspaceState, subscriptions } = context;
  const { connection, lock, onDidForget } = accounts;
  const notifications = createLatePart(subscriptions, () => {
    const created = createNotifications({ view: registered.notifications, connection, globalState, workspaceState, log });
    created.onDidTick(({ row, isOn }) => void tickEvent(created, row, isOn));
    return created;
  });
  const store = createProfileStore(path.join(context.globalStorageUri.fsPath, 'notificationProfiles'));
  onDidForget((instance) => {
    void forgetNotifications(instance, globalState, store);
    void forgetUndoableChanges(instance, workspaceState);
  });
  const timedProfiles = createTimedProfiles({ store, lock, now: Date.now });
  // Another window may have started or ended the profile.
  timedProfiles.onDidChange(() => refreshShown(notifications.made()));
  subscriptions.push(
    followProfileTime({
      connection,
      profiles: timedProfiles,
      restored: ({ made }, account) => {
        if (notifications.made()?.model.sourceKey() !== account) return;
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

function createDeprecationsPart({ context, local, accounts, send, log }: ViewSettings): Views['deprecations'] {
  const { connection, pages, serverDetails } = accounts;
  const { emulation, control } = local;

  async function openPage(path: string, isOfAll: boolean): Promise<void> {
    const account = connection.current();
    if (isOfAll) await pages.openAsAdministrator(path);
    else if (account !== undefined) await pages.open(`${account.address() ?? ''}${path}`, account);
  }

  return createLateViewPart<CallRow, Promise<Deprecations>>(
    context.subscriptions,
    views.deprecations,
    async (view) => {
      const { createDeprecations } = await import('../deprecations/deprecations.ts');
      const source = createCallSource({ connection, emulation, control });
      return createDeprecations({
        ...{ view, connection, emulation, control, local, source, openPage, send, log },
        details: serverDetails.get,
        reasonOf: (error) => failureOfAny(error).message,
        memory: context.globalState,
      });
    },
    (deprecations) => deprecations.view(),
  );
}
