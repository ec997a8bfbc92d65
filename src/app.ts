import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { createActivity } from './activity/activity.ts';
import { activityCommands } from './activity/commands.ts';
import { createCurrentProject } from './activity/currentProject.ts';
import type { ActivityRow } from './activity/rows.ts';
import { createFeedOutcomes } from './activity/outcomes.ts';
import { createAuthorities } from './api/authorities.ts';
import type { OpenStream } from './api/eventStream.ts';
import { sendByFetch } from './api/fetch.ts';
import { type Proxy, proxyFor } from './api/proxy.ts';
import { createRateLimits } from './api/rateLimits.ts';
import { createTransport } from './api/transport.ts';
import { authCommands } from './auth/commands.ts';
import { createSignInDialogs } from './auth/dialogs.ts';
import { createProvider } from './auth/provider.ts';
import { createPendingCodes } from './auth/pendingCodes.ts';
import { createPendingRedirects } from './auth/pendingRedirects.ts';
import { parametersOfUri, wayBack } from './auth/redirectFlow.ts';
import { createRedirectListener } from './auth/redirectListener.ts';
import { createRedirects } from './auth/redirects.ts';
import { createRefresh } from './auth/refresh.ts';
import { createSessions } from './auth/sessions.ts';
import { createSignIn } from './auth/signIn.ts';
import { clientKeyCommands } from './clientKeys/commands.ts';
import { createCloneProject } from './cloneProject/commands.ts';
import { isJsonObject, stringMember } from './contract/json.ts';
import { PRODUCT, REDIRECT_PATH } from './contract/product.ts';
import { deprecationCommands } from './deprecations/commands.ts';
import type { Deprecations } from './deprecations/deprecations.ts';
import type { CallRow } from './deprecations/rows.ts';
import { createCallSource } from './deprecations/source.ts';
import { createServerHistory, diagnosticsCommands } from './diagnostics/diagnostics.ts';
import { errorTrackingCommands } from './errorTracking/commands.ts';
import type { ErrorRow } from './errorTracking/rows.ts';
import { createTrackedErrors } from './errorTracking/view.ts';
import { commands, contextKeys, settings, views, walkthroughs } from './ids.ts';
import { instanceCommands } from './instances/commands.ts';
import { createAddresses, createConnection } from './instances/connection.ts';
import { localInstanceKey } from './instances/accountKey.ts';
import { createInstances, type Instance, instanceAt, type Reached } from './instances/instances.ts';
import { terminalCommands } from './instances/terminal.ts';
import { createApprovalPage } from './local/approvalPage.ts';
import { localCommands, rememberLocalServer, restoreLocalServer, showProgress } from './local/commands.ts';
import { dataCommands, followProfile } from './local/dataCommands.ts';
import { createLocalControl, type LocalControl } from './local/control.ts';
import { createEmulation } from './local/emulation.ts';
import { changedEmulation, emulatedBySettings } from './local/emulationSettings.ts';
import { createPersonaPick } from './local/personas.ts';
import { createDataProfiles } from './local/profiles.ts';
import { createSupervisor } from './local/supervisor.ts';
import { mailboxCommands } from './mailbox/commands.ts';
import { addMailDocuments } from './mailbox/documents.ts';
import { createMailboxView } from './mailbox/view.ts';
import { notificationCommands } from './notifications/commands.ts';
import type { NotificationRow } from './notifications/rows.ts';
import { forgetNotifications } from './notifications/forget.ts';
import { createSavedProfiles } from './notifications/savedProfiles.ts';
import { createTimedProfiles } from './notifications/profiles.ts';
import { followProfileTime } from './notifications/profileStatus.ts';
import { createProfileStore } from './notifications/profileStore.ts';
import { tickEvent } from './notifications/setEvents.ts';
import { createNotifications, type Notifications } from './notifications/view.ts';
import { oauthFlowCommands } from './oauthFlows/commands.ts';
import type { FlowRow } from './oauthFlows/rows.ts';
import type { OAuthFlows } from './oauthFlows/view.ts';
import { projectCommands } from './projects/commands.ts';
import { storageCommands } from './storages/commands.ts';
import type { LocalStorages } from './storages/requests.ts';
import type { StorageRow } from './storages/rows.ts';
import { createStorages, followAdministrator } from './storages/view.ts';
import { createStream, type StreamEvent } from './stream/stream.ts';
import { createEmitter, type Emitter } from './support/emitter.ts';
import { createLog, createLogTail, createMask } from './support/log.ts';
import { createMachineLock } from './support/machineLock.ts';
import { once } from './support/once.ts';
import { settingOf } from './support/settings.ts';
import { sleep } from './support/sleep.ts';
import { useTranslations } from './support/translations.ts';
import { createWindowMemory } from './support/windowMemory.ts';
import type { Handlers } from './ui/handlers.ts';
import { createLateView, type LateView } from './ui/lateView.ts';
import { followInStatusBar } from './ui/statusBar.ts';
import { createUris, type Uris } from './ui/uris.ts';
import { whyMailedCommands } from './whyMailed/commands.ts';
import { createExplanations } from './whyMailed/explanations.ts';
import { createWorkspaceRemotes } from './workspace/gitRemotes.ts';

/** Time limit of a request in milliseconds. The slowest responses are long lists from a busy instance. */
const TIMEOUT = 30_000;
/** Maximum wait in milliseconds while another window refreshes a token: one request, plus time for the secret storage. */
const LOCK_LIMIT = 45_000;

/** Maximum wait in milliseconds for the secret storage. After it, the views show the user as signed out. */
const SECRETS_LIMIT = 5_000;

/** Objects that activation creates in every window. */
export interface StartedWindow {
  readonly context: vscode.ExtensionContext;
  readonly channel: vscode.LogOutputChannel;
  readonly statusBarItem: vscode.StatusBarItem;
  readonly activityMine: LateView<ActivityRow>;
  readonly activityProject: LateView<ActivityRow>;
  readonly trackedErrors: LateView<ErrorRow>;
  readonly notifications: LateView<NotificationRow>;
}

/** Parts of the extension that are created on first use. */
export interface App {
  readonly commands: Handlers;
  readonly provider: vscode.AuthenticationProvider;
  readonly uris: Uris;
  /** Creates the tree of the Tracked Errors view; further calls return the same one. */
  readonly makeTrackedErrors: () => void;
  /** Creates the tree of the Notifications view; further calls return the same one. */
  readonly makeNotifications: () => void;
}

/** Builds the object graph. Returns before any request is sent and before the user is prompted for anything. */
export function createApp(window: StartedWindow): App {
  const { context, channel } = window;
  const { globalState, workspaceState, secrets, subscriptions } = context;
  useTranslations();
  const serverLog = vscode.window.createOutputChannel(l10n.t('Signalbox Local Server'), { log: true });
  const mask = createMask();
  const tail = createLogTail(channel, Date.now);
  const log = createLog(tail, mask);

  /** Returns the proxy for requests that are not sent by VS Code's own fetch, which finds its proxy itself. */
  function proxyOf(url: string): Proxy | undefined {
    const http = vscode.workspace.getConfiguration('http');
    const [proxy, proxySupport, noProxy] = [http.get('proxy'), http.get('proxySupport'), http.get('noProxy')];
    const proxyAuthorization = http.get('proxyAuthorization');
    const found = proxyFor(url, { proxy, proxySupport, noProxy, proxyAuthorization }, process.env);
    for (const secret of found === undefined ? [] : [new URL(found.url).password, found.authorization ?? '']) mask.hide(secret);
    return found;
  }

  const manifest: unknown = context.extension.packageJSON;
  const version = isJsonObject(manifest) ? stringMember(manifest, 'version') : undefined;
  const send = createTransport({
    userAgent: `${PRODUCT}/${version ?? '?'} (VS Code ${vscode.version})`,
    timeout: TIMEOUT,
    loadLoopback: async () => (await import('./api/undici.ts')).createLoopbackSend(),
    sendTrusting: createAuthorities(
      (url) => instanceAt(instances.all(), url)?.ca,
      proxyOf,
      async (certificates, proxy) => (await import('./api/undici.ts')).createTrustingSend(certificates, proxy),
    ),
    sendByHost: sendByFetch,
  });

  const profiles = createDataProfiles({
    root: path.join(context.globalStorageUri.fsPath, 'local'),
    chosen: () => settingOf(settings.localProfile),
    memory: globalState,
    secrets,
    mask,
    log,
  });
  const supervisor = createSupervisor({
    executable: process.execPath,
    serverFile: path.join(import.meta.dirname, 'server.js'),
    profile: profiles.current,
    environment: process.env,
    seed: () => (settingOf(settings.localSeed) === 'none' ? 'none' : 'demo'),
    emulated: emulatedBySettings,
    send,
    log,
    now: Date.now,
    sleep,
    report: (line) => serverLog.info(mask.apply(line)),
  });
  const localInstanceId = (): string | undefined => {
    const state = supervisor.state();
    return 'instanceId' in state ? state.instanceId : profiles.current().data.get();
  };
  const instances = createInstances(
    () => settingOf(settings.instances),
    createWindowMemory(workspaceState, globalState),
    localInstanceId,
  );
  supervisor.onDidChange(instances.reread);
  profiles.onDidChangeCurrent(instances.reread);
  const addresses = createAddresses(supervisor);
  const sessions = createSessions({ secrets, memory: globalState, window: workspaceState, mask, log, sleep });
  const lock = createMachineLock({
    folder: path.join(context.globalStorageUri.fsPath, 'locks'),
    limit: LOCK_LIMIT,
    report: (text) => log.error(`Could not lock out other windows: ${text}`),
  });
  const refresh = createRefresh({ sessions, send, addresses, lock, now: Date.now, sleep, log });
  const limits = createRateLimits(Date.now);
  const forgotten = createEmitter<string>();
  profiles.onDidForget((instanceId) => forgotten.fire(localInstanceKey(instanceId)));
  forgotten.event((instance) => void sessions.forget(instance));
  let loopbackStream: Promise<OpenStream> | undefined;
  const openStream: OpenStream = async (request, signal) => {
    loopbackStream ??= import('./api/undici.ts').then(({ createLoopbackStream }) => createLoopbackStream());
    return (await loopbackStream)(request, signal);
  };
  const connection = createConnection({ instances, supervisor, sessions, refresh, addresses, limits, send, openStream, log });

  async function reach(target: Instance): Promise<Reached | undefined> {
    if (target.kind === 'local' && supervisor.origin() === undefined) await vscode.commands.executeCommand(commands.localStart);
    const instance = target.kind === 'local' ? instances.local() : target;
    const baseUrl = addresses(instance.key);
    return baseUrl === undefined ? undefined : { instance, baseUrl };
  }
  const adminToken = (): Promise<string> => profiles.current().adminToken();
  const emulation = createEmulation({ supervisor, adminToken, send, log });
  const dialogs = createSignInDialogs(
    createApprovalPage(supervisor, adminToken, send, log),
    createPersonaPick(supervisor, adminToken, send),
  );
  const pendingCodes = createPendingCodes({ secrets, window: workspaceState, mask, log, now: Date.now });
  const { uiKind, uriScheme, remoteName, language } = vscode.env;
  const isDesktop = uiKind === vscode.UIKind.Desktop;
  const way = wayBack({ isDesktop, scheme: uriScheme, extensionId: context.extension.id, remoteName });
  const redirects =
    way === undefined
      ? undefined
      : createRedirects({
          way,
          listen: createRedirectListener(language),
          pending: createPendingRedirects({ secrets, mask, log, now: Date.now }),
          now: Date.now,
          sleep,
          mask,
          log,
        });
  const signIn = createSignIn({
    sessions,
    pendingCodes,
    redirects,
    send,
    dialogs,
    reach,
    addresses,
    now: Date.now,
    sleep,
    mask,
    log,
  });
  const uris = createUris(() => void vscode.window.showInformationMessage(l10n.t("Signalbox can't open this link.")));
  uris.register('oauth', async ({ path: address, query }) => {
    if (address === REDIRECT_PATH) await signIn.redirected(parametersOfUri(query), instances.all());
    else uris.unknown();
  });
  const outcomes = createFeedOutcomes(Date.now);
  const remotes = createWorkspaceRemotes();
  const project = createCurrentProject({ connection, addresses, workspaceState, globalState, remotes });
  const stream = createStream(connection, log);
  const happened: Readonly<Record<StreamEvent, Emitter<void>>> = {
    activity: createEmitter(),
    error: createEmitter(),
    mail: createEmitter(),
  };
  stream.onDidHappen((event) => happened[event].fire());
  const provider = createProvider({ sessions, refresh, signIn, instances });

  const followState = (): void => {
    const server = supervisor.state();
    void vscode.commands.executeCommand('setContext', contextKeys.state, connection.state().kind);
    void vscode.commands.executeCommand('setContext', contextKeys.instanceKind, instances.current().kind);
    void vscode.commands.executeCommand('setContext', contextKeys.serverState, server.kind);
    void vscode.commands.executeCommand('setContext', contextKeys.emulatedRelease, emulation.current()?.release);
    void vscode.commands.executeCommand(
      'setContext',
      contextKeys.serverFailure,
      server.kind === 'failed' ? server.code : undefined,
    );
  };
  /** Shows the state once the stored sessions have been read, then resumes the server and a pending sign-in. */
  async function show(): Promise<void> {
    await Promise.race([sessions.load(), sleep(SECRETS_LIMIT)]);
    followState();
    subscriptions.push(
      connection.onDidChange(followState),
      supervisor.onDidChange(followState),
      emulation.onDidChange(followState),
      followInStatusBar({ item: window.statusBarItem, connection, profiles, emulation }),
    );
    await restoreLocalServer(supervisor, workspaceState);
    await signIn.resume(instances.all());
  }

  const history = createServerHistory(supervisor);
  const activity = createActivity({
    uris,
    views: { mine: window.activityMine, project: window.activityProject },
    connection,
    instances,
    project,
    limits,
    extensionId: context.extension.id,
    onDidHappen: happened.activity.event,
    onDidForget: forgotten.event,
    workspaceState,
    globalState,
    cacheFolder: path.join(context.globalStorageUri.fsPath, 'cache'),
    outcomes,
    log,
  });
  const trackedErrors = once(() => {
    const { trackedErrors: view } = window;
    const onDidHappen = happened.error.event;
    const created = createTrackedErrors({ view, connection, project, addresses, limits, onDidHappen, workspaceState, log });
    subscriptions.push(created);
    return created;
  });
  const { documents } = activity;
  addMailDocuments(documents);
  const mailbox = createMailboxView({ connection, limits, onDidHappen: happened.mail.event, log });
  let shownNotifications: Notifications | undefined;
  const notifications = once(() => {
    const created = createNotifications({ view: window.notifications, connection, globalState, log });
    shownNotifications = created;
    created.onDidTick(({ row, isOn }) => void tickEvent(created, row, isOn));
    subscriptions.push(created);
    return created;
  });
  const profileStore = createProfileStore(path.join(context.globalStorageUri.fsPath, 'notificationProfiles'));
  forgotten.event((instance) => void forgetNotifications(instance, globalState, profileStore));
  const timedProfiles = createTimedProfiles({ store: profileStore, lock, now: Date.now });
  timedProfiles.onDidChange(() => {
    // Another window may have started or ended the profile.
    if (shownNotifications?.view.visible === true) void shownNotifications.model.refresh();
  });
  const explanations = createExplanations(connection, documents);
  const flowsView = createLateView<FlowRow>(views.oauthFlows, async () => oauthFlows());
  const oauthFlows = once(async (): Promise<OAuthFlows> => {
    const { createOAuthFlowsView } = await import('./oauthFlows/oauthFlows.ts');
    const created = createOAuthFlowsView({ view: flowsView, connection, supervisor, adminToken, send, log });
    subscriptions.push(created);
    return created;
  });

  const cloneProject = createCloneProject({ connection, instances, sessions, refresh, addresses });
  const storagesView = createLateView<StorageRow>(views.storages, async () => storages());
  const storages = once(() => {
    const local: LocalStorages = async () => {
      const origin = supervisor.origin();
      if (origin === undefined) return new Map();
      return createLocalControl(origin, await adminToken(), send, Date.now).storages();
    };
    const created = createStorages({ view: storagesView, connection, local, log });
    subscriptions.push(created);
    return created;
  });

  const control = async (): Promise<LocalControl | undefined> => {
    const origin = supervisor.origin();
    return origin === undefined ? undefined : createLocalControl(origin, await adminToken(), send, Date.now);
  };
  const deprecationsView = createLateView<CallRow>(views.deprecations, async () => (await deprecations()).view());
  const deprecations = once(async (): Promise<Deprecations> => {
    const { createDeprecations } = await import('./deprecations/deprecations.ts');
    const created = createDeprecations({
      view: deprecationsView,
      connection,
      emulation,
      source: createCallSource({ connection, emulation, control }),
      addressOf: async (page) => {
        const { instance } = connection.state();
        const local = instance.kind === 'local' ? await control() : undefined;
        if (local !== undefined) return local.signInLink(await local.administrator(), page);
        const baseUrl = addresses(instance.key);
        return baseUrl === undefined ? undefined : `${baseUrl}${page}`;
      },
      memory: globalState,
      log,
    });
    subscriptions.push(created);
    return created;
  });
  emulation.onDidChange(() => {
    // Another release, tier or dialect has other responses.
    for (const { fire } of Object.values(happened)) fire();
    if (shownNotifications?.view.visible === true) void shownNotifications.model.refresh();
  });

  subscriptions.push(
    serverLog,
    sessions,
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settings.instances)) instances.reread();
      if (change.affectsConfiguration(settings.localProfile)) profiles.reread();
      void emulation.apply(changedEmulation(change));
    }),
    // Another program may have changed the platform meanwhile.
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) void emulation.refresh();
    }),
    activity,
    stream,
    mailbox,
    explanations,
    flowsView,
    storagesView,
    deprecationsView,
    cloneProject,
    followAdministrator(connection, globalState, log),
    history,
    rememberLocalServer(supervisor, workspaceState),
    showProgress(supervisor),
    followProfile(supervisor, profiles),
    followProfileTime({
      connection,
      profiles: timedProfiles,
      restored: ({ made }) => {
        for (const { scope, after } of made) shownNotifications?.model.put(scope, after);
      },
      log,
    }),
    { dispose: supervisor.release },
  );
  void show();
  return {
    provider,
    uris,
    makeTrackedErrors: trackedErrors,
    makeNotifications: notifications,
    commands: {
      ...activityCommands(activity),
      ...mailboxCommands({ view: mailbox, connection, documents }),
      ...whyMailedCommands({ explanations, connection, project, notifications, selectedMail: mailbox.selected }),
      ...notificationCommands({
        view: notifications,
        connection,
        addresses,
        profiles: timedProfiles,
        saved: createSavedProfiles(globalState),
      }),
      ...oauthFlowCommands(oauthFlows),
      ...projectCommands(connection),
      ...cloneProject.commands,
      ...storageCommands(storages),
      ...errorTrackingCommands({ view: trackedErrors, connection, project, addresses }),
      ...clientKeyCommands(connection, project),
      ...authCommands(signIn, sessions, instances),
      ...instanceCommands(instances, sessions),
      ...terminalCommands({ instances, sessions, refresh, addresses }),
      ...localCommands({ supervisor, instances, serverLog }),
      ...deprecationCommands(deprecations),
      ...dataCommands(supervisor, profiles, serverLog),
      ...diagnosticsCommands({
        version: version ?? '?',
        instances,
        sessions,
        refresh,
        supervisor,
        history,
        profiles,
        outcomes,
        tail,
        mask,
      }),
      [commands.logShow]: () => channel.show(),
      [commands.walkthroughOpen]: () =>
        vscode.commands.executeCommand('workbench.action.openWalkthrough', `${context.extension.id}#${walkthroughs.start}`),
    },
  };
}
