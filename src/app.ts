import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { createActivity } from './activity/activity.ts';
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
import { createSignIn, type Reached } from './auth/signIn.ts';
import { clientKeyCommands } from './clientKeys/commands.ts';
import { isJsonObject, stringMember } from './contract/json.ts';
import { PRODUCT, REDIRECT_PATH } from './contract/product.ts';
import { createServerHistory, diagnosticsCommands } from './diagnostics/diagnostics.ts';
import { errorTrackingCommands } from './errorTracking/commands.ts';
import type { ErrorRow } from './errorTracking/rows.ts';
import { createTrackedErrors, trackedErrorCommands } from './errorTracking/view.ts';
import { commands, contextKeys, settings, views, walkthroughs } from './ids.ts';
import { instanceCommands } from './instances/commands.ts';
import { createAddresses, createConnection } from './instances/connection.ts';
import { localInstanceKey } from './instances/accountKey.ts';
import { createInstances, type Instance, instanceAt } from './instances/instances.ts';
import { terminalCommands } from './instances/terminal.ts';
import { createApprovalPage } from './local/approvalPage.ts';
import { localCommands, rememberLocalServer, restoreLocalServer, showProgress } from './local/commands.ts';
import { dataCommands, followProfile } from './local/dataCommands.ts';
import { createPersonaPick } from './local/personas.ts';
import { createDataProfiles } from './local/profiles.ts';
import { createSupervisor } from './local/supervisor.ts';
import type { FlowRow } from './oauthFlows/rows.ts';
import { createOAuthFlows, oauthFlowCommands } from './oauthFlows/view.ts';
import { projectCommands } from './projects/commands.ts';
import { createStream } from './stream/stream.ts';
import { createEmitter } from './support/emitter.ts';
import { createLog, createLogTail, createMask } from './support/log.ts';
import { createMachineLock } from './support/machineLock.ts';
import { once } from './support/once.ts';
import { settingOf } from './support/settings.ts';
import { sleep } from './support/sleep.ts';
import { createWindowMemory } from './support/windowMemory.ts';
import type { Handlers } from './ui/handlers.ts';
import { createLateView, type LateView } from './ui/lateView.ts';
import { followInStatusBar } from './ui/statusBar.ts';
import { createUris, type Uris } from './ui/uris.ts';
import { createWorkspaceRemotes } from './workspace/gitRemotes.ts';

/** Milliseconds for one exchange; the slowest answers are long lists of a busy platform. */
const TIMEOUT = 30_000;
/** Milliseconds for another window to renew a sign-in: one exchange, and some more for the secret storage. */
const LOCK_LIMIT = 45_000;

/** Longest wait for the secret storage before the views say that nobody is signed in. */
const SECRETS_LIMIT = 5_000;

/** What stands in a window since activation. */
export interface StartedWindow {
  readonly context: vscode.ExtensionContext;
  readonly channel: vscode.LogOutputChannel;
  readonly statusBarItem: vscode.StatusBarItem;
  readonly activityMine: LateView<ActivityRow>;
  readonly activityProject: LateView<ActivityRow>;
  readonly trackedErrors: LateView<ErrorRow>;
}

/** Everything that is made when it is first needed. */
export interface App {
  readonly commands: Handlers;
  readonly provider: vscode.AuthenticationProvider;
  readonly uris: Uris;
  /** Makes the tree of the view of tracked errors, once. */
  readonly makeTrackedErrors: () => void;
}

/** Builds the object graph. Nothing here asks a host or the person for anything, and nothing here is waited for. */
export function createApp(window: StartedWindow): App {
  const { context, channel } = window;
  const { globalState, workspaceState, secrets, subscriptions } = context;
  // Words are made by @vscode/l10n, which modules without the editor can use, too.
  if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
  const serverLog = vscode.window.createOutputChannel(l10n.t('Signalbox Local Server'), { log: true });
  const mask = createMask();
  const tail = createLogTail(channel, Date.now);
  const log = createLog(tail, mask);

  /** For what the editor's own fetch, which knows the proxy itself, cannot send. */
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
    send,
    log,
    now: Date.now,
    sleep,
    report: (line) => serverLog.info(mask.apply(line)),
  });
  const localData = (): string | undefined => {
    const state = supervisor.state();
    return 'instanceId' in state ? state.instanceId : profiles.current().data.get();
  };
  const instances = createInstances(
    () => settingOf(settings.instances),
    createWindowMemory(workspaceState, globalState),
    localData,
  );
  supervisor.onDidChange(instances.reread);
  profiles.onDidChangeCurrent(instances.reread);
  const addresses = createAddresses(supervisor);
  const sessions = createSessions({ secrets, memory: globalState, window: workspaceState, mask, log, sleep });
  const lock = createMachineLock({
    folder: path.join(context.globalStorageUri.fsPath, 'locks'),
    limit: LOCK_LIMIT,
    report: (text) => log.error(`Sign-ins are renewed without regard to other windows: ${text}`),
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

  async function reach(wanted: Instance): Promise<Reached | undefined> {
    if (wanted.kind === 'local' && supervisor.origin() === undefined) await vscode.commands.executeCommand(commands.localStart);
    const instance = wanted.kind === 'local' ? instances.local() : wanted;
    const baseUrl = addresses(instance.key);
    return baseUrl === undefined ? undefined : { instance, baseUrl };
  }
  const adminToken = (): Promise<string> => profiles.current().adminToken();
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
  const activityHappened = createEmitter<void>();
  const errorHappened = createEmitter<void>();
  stream.onDidHappen((happened) => (happened === 'activity' ? activityHappened : errorHappened).fire());
  const provider = createProvider({ sessions, refresh, signIn, instances });

  const followState = (): void => {
    const server = supervisor.state();
    void vscode.commands.executeCommand('setContext', contextKeys.state, connection.state().kind);
    void vscode.commands.executeCommand('setContext', contextKeys.instanceKind, instances.current().kind);
    void vscode.commands.executeCommand('setContext', contextKeys.serverState, server.kind);
    void vscode.commands.executeCommand(
      'setContext',
      contextKeys.serverFailure,
      server.kind === 'failed' ? server.code : undefined,
    );
  };
  /** Only what is known is shown: who is signed in takes a moment to read. */
  async function show(): Promise<void> {
    await Promise.race([sessions.load(), sleep(SECRETS_LIMIT)]);
    followState();
    subscriptions.push(
      connection.onDidChange(followState),
      supervisor.onDidChange(followState),
      followInStatusBar(window.statusBarItem, connection, profiles),
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
    onDidHappen: activityHappened.event,
    onDidForget: forgotten.event,
    workspaceState,
    globalState,
    cacheFolder: path.join(context.globalStorageUri.fsPath, 'cache'),
    outcomes,
    log,
  });
  const trackedErrors = once(() => {
    const { trackedErrors: view } = window;
    const onDidHappen = errorHappened.event;
    const made = createTrackedErrors({ view, connection, project, addresses, limits, onDidHappen, workspaceState, log });
    subscriptions.push(made);
    return made;
  });
  const flowsView = createLateView<FlowRow>(views.oauthFlows, async () => oauthFlows());
  const oauthFlows = once(() => {
    const made = createOAuthFlows({ view: flowsView, connection, supervisor, adminToken, send, log });
    subscriptions.push(made);
    return made;
  });

  subscriptions.push(
    serverLog,
    sessions,
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settings.instances)) instances.reread();
      if (change.affectsConfiguration(settings.localProfile)) profiles.reread();
    }),
    activity,
    stream,
    flowsView,
    history,
    rememberLocalServer(supervisor, workspaceState),
    showProgress(supervisor),
    followProfile(supervisor, profiles),
    { dispose: supervisor.release },
  );
  void show();
  return {
    provider,
    uris,
    makeTrackedErrors: trackedErrors,
    commands: {
      ...activity.commands,
      ...trackedErrorCommands(trackedErrors),
      ...oauthFlowCommands(oauthFlows),
      ...projectCommands(connection),
      ...errorTrackingCommands(connection, project),
      ...clientKeyCommands(connection, project),
      ...authCommands(signIn, sessions, instances),
      ...instanceCommands(instances, sessions),
      ...terminalCommands({ instances, sessions, refresh, addresses }),
      ...localCommands({ supervisor, instances, serverLog }),
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
