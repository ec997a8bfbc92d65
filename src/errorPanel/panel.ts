import { randomBytes } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ErrorDetail, ErrorEvent, ShownFrame } from '../contract/errorDetail.ts';
import { isJsonObject } from '../contract/json.ts';
import type { TrackedFrame } from '../contract/trackedErrors.ts';
import type { ErrorCode } from '../errorCode/code.ts';
import { releaseOf } from '../errorCode/releaseOf.ts';
import type { ErrorActions } from '../errorActions/actions.ts';
import type { ErrorAction, ErrorSubject } from '../errorActions/subject.ts';
import { commitPage, errorPage } from '../errorTracking/errorPage.ts';
import type { ResourceChoice } from '../errorTracking/sources.ts';
import { commands, ERROR_PANEL } from '../ids.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import { type ErrorChange, isAbout } from '../stream/errorChanges.ts';
import type { ViewPolling, ViewPollingSettings } from '../ui/viewPolling.ts';
import { createDetailSource } from './detailSource.ts';
import { errorMarkdown, stackText } from './exportText.ts';
import { createPanelModel, type PanelModel } from './model.ts';
import { createCodeOfEvent } from './codeOfEvent.ts';
import type { AccountState, FromPage, PanelState, ToPage } from './protocol.ts';
import type { PanelTarget } from './source.ts';

export interface ErrorPanelSettings {
  readonly extensionUri: vscode.Uri;
  readonly bound: (account: string) => BoundAccount;
  readonly choice: ResourceChoice;
  /** Fires when another account is current, or when accounts may be usable that were not, or the other way around. */
  readonly onDidChangeAccounts: vscode.Event<unknown>;
  /** Returns the text that explains a failed request to the user. */
  readonly describeFailure: (error: unknown) => string;
  readonly code: ErrorCode;
  /** Replays an event in the debugger. */
  readonly replay: (target: PanelTarget, detail: ErrorDetail, event: ErrorEvent) => Promise<void>;
  /** Opens a page in the browser, on a local server as the account. */
  readonly openPage: (address: string, account: BoundAccount) => Promise<void>;
  /** Returns the owner of the actions, which is loaded on the first call. */
  readonly actions: () => Promise<ErrorActions>;
  /** Fires when errors may have changed. */
  readonly onDidHappen: vscode.Event<readonly ErrorChange[]>;
  /** Keeps what a panel shows up to date. */
  readonly poll: (settings: Pick<ViewPollingSettings, 'account' | 'isWatched' | 'load' | 'view'>) => ViewPolling;
}

export interface ErrorPanels extends vscode.Disposable {
  /** Shows an error in a panel of its own, or reveals the panel that shows it. */
  readonly show: (target: PanelTarget, title: string) => void;
  /** Shows an error in a panel that VS Code has restored. */
  readonly restore: (panel: vscode.WebviewPanel, state: unknown) => void;
}

/** Time for which the status bar shows that something was copied, in milliseconds. */
const NOTICE_TIME = 3_000;

interface OpenPanel {
  readonly panel: vscode.WebviewPanel;
  readonly model: PanelModel;
}

export function createErrorPanels(settings: ErrorPanelSettings): ErrorPanels {
  const open = new Map<string, OpenPanel>();

  function fill(panel: vscode.WebviewPanel, target: PanelTarget): void {
    const { webview } = panel;
    const account = settings.bound(target.account);
    const project = { ...target.project, account: account.key };
    const source = createDetailSource(account.client, project, target.errorId, settings.choice);
    const model = createPanelModel({
      source,
      describeFailure: settings.describeFailure,
      changed: () => {
        const state = model.state();
        if (state.kind === 'ready') panel.title = titleOf(state.detail.title);
        send({ type: 'state', state });
        codeOfEvent.follow();
      },
    });
    const send = (message: ToPage): void => void webview.postMessage(message);
    const codeOfEvent = createCodeOfEvent({ code: settings.code, project, source, state: model.state, send });
    const ofAccount = createAccountFollower(account, send, model.refresh);
    open.set(keyOf(target), { panel, model });
    const polling = createPanelPolling(settings, panel, account, { target, model });
    const subscriptions = [
      webview.onDidReceiveMessage((message: FromPage) => {
        if (message.type === 'ready') {
          ofAccount.send();
          polling.start();
        } else void react(message, target, model);
      }),
      polling,
      settings.code.onDidChange(() => {
        if (panel.visible) codeOfEvent.refresh();
      }),
      settings.onDidChangeAccounts(ofAccount.follow),
      panel.onDidDispose(() => {
        open.delete(keyOf(target));
        model.dispose();
        codeOfEvent.dispose();
        for (const subscription of subscriptions) subscription.dispose();
      }),
    ];
    webview.options = optionsOf(settings.extensionUri);
    panel.iconPath = new vscode.ThemeIcon('bug');
    webview.html = pageOf(webview, settings.extensionUri, target);
  }

  async function react(
    message: Exclude<FromPage, { readonly type: 'ready' }>,
    target: PanelTarget,
    model: PanelModel,
  ): Promise<void> {
    switch (message.type) {
      case 'refresh':
        await model.refresh();
        break;
      case 'older':
      case 'newer':
      case 'latest':
      case 'range':
        await selectEvent(model, message);
        break;
      case 'action':
        await act(settings, target, model, message.action);
        break;
      case 'undo':
        await undo(target, model);
        break;
      case 'copy':
        await copy(model, message.as);
        break;
      case 'openFrame':
        await openFrameOf(settings, target, model, message);
        break;
      case 'replay':
        await replayShown(settings, target, model.state());
        break;
      case 'openInBrowser':
      case 'openCommit':
        await openPage(settings, target, message);
        break;
      case 'signInAgain':
        await vscode.commands.executeCommand(commands.signInAgain, target.account);
        break;
    }
  }

  /** Shows the error that has the data afterwards: undoing a split ends the error that was split off. */
  async function undo(target: PanelTarget, model: PanelModel): Promise<void> {
    const subject = subjectOf(target, model);
    const errorId = subject && (await (await settings.actions()).undo(subject));
    if (errorId === undefined || errorId === target.errorId) return model.refresh();
    const { panel } = open.get(keyOf(target)) ?? {};
    show({ ...target, errorId }, panel?.title ?? '');
    panel?.dispose();
  }

  function show(target: PanelTarget, title: string): void {
    const shown = open.get(keyOf(target));
    if (shown === undefined) fill(newPanel(titleOf(title), settings.extensionUri), target);
    else shown.panel.reveal();
  }

  return {
    show,
    restore: (panel, state) => {
      const target = readTarget(state);
      if (target === undefined) {
        panel.dispose();
        return;
      }
      fill(panel, target);
    },
    dispose: () => {
      for (const { panel } of open.values()) panel.dispose();
    },
  };
}

async function selectEvent(
  model: PanelModel,
  message: Extract<FromPage, { readonly type: 'older' | 'newer' | 'latest' | 'range' }>,
): Promise<void> {
  if (message.type === 'range') await model.limitTo(message.range);
  else if (message.type === 'older') await model.showOlder();
  else if (message.type === 'newer') model.showNewer();
  else await model.showLatest();
}

/** Returns true if changes may be about the error of a panel. Only the local server reports single ones. */
function concern(changes: readonly ErrorChange[], { project, errorId }: PanelTarget, account: BoundAccount): boolean {
  return changes.some((change) => {
    if (change.kind === 'key' || !isAbout(change, project)) return false;
    if (change.projectId !== undefined && !account.isOnLocalServer()) return false;
    return change.kind === 'error' || String(change.id) === errorId;
  });
}

/** Keeps the error of a panel up to date while the panel is visible. `start` must be called when its page is ready. */
function createPanelPolling(
  { poll, onDidHappen }: ErrorPanelSettings,
  panel: vscode.WebviewPanel,
  account: BoundAccount,
  { target, model }: { readonly target: PanelTarget; readonly model: PanelModel },
): vscode.Disposable & { readonly start: () => void } {
  let isReady = false;
  const polling = poll({
    view: {
      get visible() {
        return panel.visible;
      },
      onDidChangeVisibility: (listener) => panel.onDidChangeViewState(() => void listener({ visible: panel.visible })),
    },
    account: () => account.key,
    isWatched: () => isReady && panel.visible,
    load: async () => ({ ok: await model.update(), retryAfter: undefined }),
  });
  const following = onDidHappen((changes) => {
    if (concern(changes, target, account)) polling.expire();
  });
  return {
    start: () => {
      isReady = true;
      void polling.loadNow();
      polling.updateWatching();
    },
    dispose: () => {
      following.dispose();
      polling.dispose();
    },
  };
}

/** Returns a key for the error of a panel. */
function keyOf({ account, project, errorId }: PanelTarget): string {
  return JSON.stringify([account, project.path, errorId]);
}

/** Opens the page of the error, or of a commit, in the browser. */
async function openPage(
  settings: ErrorPanelSettings,
  { account: key, project, errorId }: PanelTarget,
  message: Extract<FromPage, { readonly type: 'openInBrowser' | 'openCommit' }>,
): Promise<void> {
  const account = settings.bound(key);
  const address = account.address();
  if (address === undefined) return;
  const page =
    message.type === 'openCommit' ? commitPage(address, project.path, message.hash) : errorPage(address, project.path, errorId);
  await settings.openPage(page, account);
}

function accountState(account: BoundAccount): AccountState {
  const problem = account.problem();
  if (problem !== undefined) return { notice: problem, isDisabled: true, readOnly: null };
  return {
    notice: account.isCurrent() ? null : l10n.t('This panel acts as {0}. The views show another account.', account.name()),
    isDisabled: false,
    readOnly: account.readOnly()?.message ?? null,
  };
}

/** Sends the page what it shows of its account, and loads the error again when the account can be used again. */
function createAccountFollower(account: BoundAccount, send: (message: ToPage) => void, refresh: () => Promise<void>) {
  let shown = accountState(account);
  return {
    send: (): void => send({ type: 'account', account: shown }),
    follow: (): void => {
      const before = shown;
      shown = accountState(account);
      if (JSON.stringify(shown) === JSON.stringify(before)) return;
      send({ type: 'account', account: shown });
      const isBetter = (before.isDisabled && !shown.isDisabled) || (before.readOnly !== null && shown.readOnly === null);
      if (isBetter) void refresh();
    },
  };
}

async function copy(model: PanelModel, as: 'markdown' | 'stack' | 'json'): Promise<void> {
  const state = model.state();
  if (state.kind !== 'ready' || state.event === null) return;
  const { detail, event } = state;
  const texts = {
    markdown: () => errorMarkdown(detail, event),
    stack: () => stackText(event),
    json: () => JSON.stringify(event, null, 2),
  };
  await vscode.env.clipboard.writeText(texts[as]());
  vscode.window.setStatusBarMessage(l10n.t('Copied to the clipboard'), NOTICE_TIME);
}

/** Runs an action on the error of a panel, and loads it again. */
async function act(settings: ErrorPanelSettings, target: PanelTarget, model: PanelModel, action: ErrorAction): Promise<void> {
  const subject = subjectOf(target, model);
  if (subject === undefined) return;
  await (await settings.actions()).run(action, [subject]);
  await model.refresh();
}

function newPanel(title: string, extensionUri: vscode.Uri): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(ERROR_PANEL, title, vscode.ViewColumn.Active, optionsOf(extensionUri));
}

function subjectOf({ account, project }: PanelTarget, model: PanelModel): ErrorSubject | undefined {
  const state = model.state();
  if (state.kind !== 'ready') return undefined;
  return { project: { ...project, account }, errors: [state.detail], canChange: state.abilities.changesStatus };
}

function frameAt(model: PanelModel, stack: number, frame: number): ShownFrame | undefined {
  const state = model.state();
  if (state.kind !== 'ready' || !state.event?.data) return undefined;
  const { exceptions, threads } = state.event.data;
  return [...exceptions, ...threads][stack]?.frames[frame];
}

/** Returns the frame as in the view of errors. */
function trackedFrame({ code, ...frame }: ShownFrame): TrackedFrame {
  const at = code.findIndex(({ line }) => line === frame.line);
  const texts = code.map(({ text }) => text);
  return {
    ...{ filename: frame.filename, abs_path: frame.absPath, module: frame.module, function: frame.function },
    ...{ line: frame.line, column: frame.column, in_app: frame.inApp },
    code: texts[at] ?? null,
    codeBefore: at < 0 ? [] : texts.slice(0, at),
    codeAfter: at < 0 ? [] : texts.slice(at + 1),
  };
}

function titleOf(title: string): string {
  return title.length > 40 ? `${title.slice(0, 39)}…` : title;
}

function optionsOf(extensionUri: vscode.Uri): vscode.WebviewPanelOptions & vscode.WebviewOptions {
  return { enableScripts: true, enableFindWidget: true, localResourceRoots: [extensionUri] };
}

function pageOf(webview: vscode.Webview, extensionUri: vscode.Uri, target: PanelTarget): string {
  const nonce = randomBytes(16).toString('hex');
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, name)).toString();
  const data = JSON.stringify({ target, texts: vscode.l10n.bundle ?? {} }).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="${vscode.env.language.replace(/[^\w-]/g, '')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src ${webview.cspSource} 'nonce-${nonce}'; script-src 'nonce-${nonce}'; font-src ${webview.cspSource}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${l10n.t('Error')}</title>
<link rel="stylesheet" href="${file('media/panels/errorPanel.css')}">
</head>
<body>
<script type="application/json" id="data">${data}</script>
<main id="root"></main>
<script nonce="${nonce}" src="${file('errorPanelPage.js')}"></script>
</body>
</html>`;
}

/** Reads the target that the page has stored. */
function readTarget(value: unknown): PanelTarget | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.project)) return undefined;
  const { account, errorId, project } = value;
  const { id, path } = project;
  if (typeof account !== 'string' || typeof errorId !== 'string' || typeof path !== 'string') return undefined;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  return { account, errorId, project: { id, path } };
}

async function replayShown({ replay }: ErrorPanelSettings, target: PanelTarget, state: PanelState): Promise<void> {
  if (state.kind === 'ready' && state.event !== null) await replay(target, state.detail, state.event);
}

async function openFrameOf(
  { code }: ErrorPanelSettings,
  target: PanelTarget,
  model: PanelModel,
  { stack, frame: index }: { readonly stack: number; readonly frame: number },
): Promise<void> {
  const state = model.state();
  const frame = frameAt(model, stack, index);
  if (state.kind !== 'ready' || frame === undefined) return;
  const release = releaseOf(state.detail, state.event) ?? null;
  await code.open({
    project: { ...target.project, account: target.account },
    error: state.detail,
    frame: trackedFrame(frame),
    release,
  });
}
