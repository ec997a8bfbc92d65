import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { createRateLimits, type RateLimits } from '../api/rateLimits.ts';
import { createSignInDialogs } from '../auth/dialogs.ts';
import { createPendingCodes } from '../auth/pendingCodes.ts';
import { createPendingRedirects } from '../auth/pendingRedirects.ts';
import { createProvider } from '../auth/provider.ts';
import { parametersOfUri, wayBack } from '../auth/redirectFlow.ts';
import { createRedirectListener } from '../auth/redirectListener.ts';
import { createRedirects, type Redirects } from '../auth/redirects.ts';
import { createRefresh, type Refresh } from '../auth/refresh.ts';
import { createSessions, type Sessions } from '../auth/sessions.ts';
import { createSignIn, type SignIn } from '../auth/signIn.ts';
import { REDIRECT_PATH } from '../contract/product.ts';
import { commands } from '../ids.ts';
import { localInstanceKey } from '../instances/accountKey.ts';
import { type Addresses, type Connection, createAddresses, createConnection } from '../instances/connection.ts';
import type { Instance, Instances, Reached } from '../instances/instances.ts';
import type { ServerDetails } from '../instances/knownServer.ts';
import { createTerminalTokenRecords } from '../instances/terminalTokenRecords.ts';
import { createTerminalTokens, isProcessAlive, type TerminalTokens } from '../instances/terminalTokens.ts';
import { createApprovalPage } from '../local/approvalPage.ts';
import { createPageLinks } from '../local/pageLinks.ts';
import { createPersonaPick } from '../local/personas.ts';
import { createEmitter } from '../support/emitter.ts';
import type { Log, Mask } from '../support/log.ts';
import { createMachineLock, type MachineLock } from '../support/machineLock.ts';
import { sleep } from '../support/sleep.ts';
import { createLatePart, type LatePart } from '../ui/latePart.ts';
import { createPages, type Pages } from '../ui/openPage.ts';
import { createUris, type Uris } from '../ui/uris.ts';
import type { LocalServer } from './localServer.ts';
import type { Network } from './network.ts';

/** Maximum wait in milliseconds while another window refreshes a token: one request, plus time for the secret storage. */
const LOCK_LIMIT = 45_000;

/** Instances and the accounts on them. */
export interface Accounts {
  readonly instances: Instances;
  readonly addresses: Addresses;
  readonly sessions: Sessions;
  /** Lock between all processes of this machine. */
  readonly lock: MachineLock;
  readonly refresh: Refresh;
  readonly limits: RateLimits;
  readonly connection: Connection;
  readonly serverDetails: LatePart<Promise<ServerDetails>>;
  readonly pages: Pages;
  readonly signIn: SignIn;
  readonly provider: vscode.AuthenticationProvider;
  readonly uris: Uris;
  readonly terminalTokens: TerminalTokens;
  /** Fires with the key of an instance whose data no longer exists. */
  readonly onDidForget: vscode.Event<string>;
  /** Deletes what is stored about the instance with this key. */
  readonly forget: (instance: string) => void;
}

export interface AccountSettings {
  readonly context: vscode.ExtensionContext;
  readonly local: LocalServer;
  readonly network: Network;
  readonly mask: Mask;
  readonly log: Log;
}

export function createAccounts(settingsOfAccounts: AccountSettings): Accounts {
  const { context, local, network, mask, log } = settingsOfAccounts;
  const { globalState, workspaceState, secrets, subscriptions } = context;
  const { supervisor, profiles, instances, emulation } = local;
  const { send, openStream } = network;
  const addresses = createAddresses(supervisor);
  const sessions = createSessions({ secrets, memory: globalState, window: workspaceState, mask, log, sleep });
  const lock = createMachineLock({
    folder: path.join(context.globalStorageUri.fsPath, 'locks'),
    limit: LOCK_LIMIT,
    report: (text) => log.error(`Could not lock out other windows: ${text}`),
  });
  const refresh = createRefresh({ sessions, send, addresses, lock, now: Date.now, sleep, log });
  const limits = createRateLimits(Date.now);
  const connection = createConnection({ instances, supervisor, sessions, refresh, addresses, limits, send, openStream, log });
  const serverDetails = createLatePart(subscriptions, async () => {
    const { createServerDetails } = await import('../instances/serverDetails.ts');
    return createServerDetails({ connection, emulation, addresses });
  });
  const pages = createPages(createPageLinks({ state: connection.state, addresses, control: local.control, log }));
  const signIn = createSignIn({
    sessions,
    pendingCodes: createPendingCodes({ secrets, window: workspaceState, mask, log, now: Date.now }),
    redirects: createRedirectsToEditor(settingsOfAccounts),
    send,
    dialogs: createSignInDialogs(createApprovalPage(local.control, log), createPersonaPick(local.control)),
    reach: (target) => reach(target, { supervisor, instances, addresses }),
    addresses,
    now: Date.now,
    sleep,
    mask,
    log,
  });
  const terminalTokens = createTerminalTokens({
    ...{ sessions, refresh, addresses, control: local.control, send, now: Date.now, mask, log },
    records: createTerminalTokenRecords(path.join(context.globalStorageUri.fsPath, 'terminalTokens')),
    process: process.pid,
    isAlive: isProcessAlive,
  });
  const uris = createUris(() => void vscode.window.showInformationMessage(l10n.t("Signalbox can't open this link.")));
  uris.register('oauth', async ({ path: address, query }) => {
    if (address === REDIRECT_PATH) await signIn.redirected(parametersOfUri(query), instances.all());
    else uris.unknown();
  });
  const forgotten = createEmitter<string>();
  profiles.onDidForget((instanceId) => forgotten.fire(localInstanceKey(instanceId)));
  forgotten.event((instance) => void sessions.forget(instance));
  subscriptions.push(sessions);
  const provider = createProvider({ sessions, refresh, signIn, instances });
  const onDidForget = forgotten.event;
  return {
    ...{ instances, addresses, sessions, lock, refresh, limits, connection, pages, signIn, provider, uris, terminalTokens },
    serverDetails,
    onDidForget,
    forget: forgotten.fire,
  };
}

/** Returns undefined if the browser cannot redirect back to this editor. */
function createRedirectsToEditor({ context, mask, log }: AccountSettings): Redirects | undefined {
  const { uiKind, uriScheme, remoteName, language } = vscode.env;
  const isDesktop = uiKind === vscode.UIKind.Desktop;
  const way = wayBack({ isDesktop, scheme: uriScheme, extensionId: context.extension.id, remoteName });
  if (way === undefined) return undefined;
  const listen = createRedirectListener(language, context.asAbsolutePath(path.join('media', 'pages')));
  const pending = createPendingRedirects({ secrets: context.secrets, mask, log, now: Date.now });
  return createRedirects({ way, listen, pending, now: Date.now, sleep, mask, log });
}

/** Returns the instance with its address and starts it if it is the local server; undefined when that failed, which was shown. */
async function reach(
  target: Instance,
  { supervisor, instances, addresses }: Pick<LocalServer, 'supervisor'> & Pick<Accounts, 'instances' | 'addresses'>,
): Promise<Reached | undefined> {
  if (target.kind === 'local' && supervisor.origin() === undefined) await vscode.commands.executeCommand(commands.localStart);
  const instance = target.kind === 'local' ? instances.local() : target;
  const baseUrl = addresses(instance.key);
  return baseUrl === undefined ? undefined : { instance, baseUrl };
}
