import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CurrentProject } from '../activity/currentProject.ts';
import { PRODUCT } from '../contract/product.ts';
import { commands, settings as settingIds } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import type { Log } from '../support/log.ts';
import { createDsnActions } from './codeActions.ts';
import { findDsns, type FoundDsn } from './find.ts';
import { hoverLines } from './hover.ts';
import { editableDocuments, searchedText, showsDsnProblems } from './needed.ts';
import { type ExplainedDsn, problemsOf } from './problems.ts';
import { createDsnStates, type DsnState } from './states.ts';
import { isTrackedByGit } from './trackedFiles.ts';

export interface DsnExplainerSettings {
  readonly connection: Connection;
  readonly project: CurrentProject;
  readonly log: Log;
}

export interface DsnExplainer extends vscode.Disposable {
  /** Must be called when client keys have changed. */
  readonly refresh: () => void;
}

/** Milliseconds after the last key until a document is searched again. */
const PAUSE = 500;

/** Explains the DSNs of open documents until it is disposed. */
export function createExplainer(settings: DsnExplainerSettings): DsnExplainer {
  const { connection, project, log } = settings;
  const states = createDsnStates({
    account: () => {
      const account = connection.current();
      const address = account?.address();
      return account === undefined || address === undefined ? undefined : { key: account.key, client: account.client(), address };
    },
    now: Date.now,
  });
  const diagnostics = vscode.languages.createDiagnosticCollection('signalbox.dsn');
  const timers = new Map<vscode.TextDocument, NodeJS.Timeout>();
  let isDisposed = false;

  async function explain(document: vscode.TextDocument, found: FoundDsn): Promise<ExplainedDsn> {
    const [state, isTracked] = await Promise.all([states.of(found.dsn), isTrackedByGit(document.uri)]);
    const instance = connection.state().instance.label;
    const problems = problemsOf(state, { workspaceProject: project.ofWorkspace(document.uri)?.path, instance, isTracked });
    return { found, range: rangeOf(document, found), state, problems };
  }

  async function explainAt(document: vscode.TextDocument, range: vscode.Range): Promise<ExplainedDsn | undefined> {
    const found = findDsns(searchedText(document) ?? '').find((one) => rangeOf(document, one).intersection(range) !== undefined);
    return found === undefined ? undefined : explain(document, found);
  }

  async function check(document: vscode.TextDocument): Promise<void> {
    const found = showsDsnProblems() ? findDsns(searchedText(document) ?? '') : [];
    const { version } = document;
    const explained = await Promise.all(found.map((one) => explain(document, one)));
    if (isDisposed || document.isClosed || document.version !== version) return;
    diagnostics.set(document.uri, explained.flatMap(diagnosticsOf));
  }

  function checkSafely(document: vscode.TextDocument): void {
    check(document).catch((error: unknown) => log.warn(`DSNs: ${String(error)}`));
  }

  function checkVisible(): void {
    for (const { document } of vscode.window.visibleTextEditors) checkSafely(document);
  }

  function checkLater(document: vscode.TextDocument): void {
    clearTimeout(timers.get(document));
    timers.set(
      document,
      setTimeout(() => {
        timers.delete(document);
        checkSafely(document);
      }, PAUSE),
    );
  }

  function refresh(): void {
    states.forget();
    checkVisible();
  }

  async function hover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    const explained = await explainAt(document, new vscode.Range(position, position));
    if (explained === undefined) return undefined;
    const { state, problems, range } = explained;
    const use = state.kind === 'key' ? await states.use(state.project.id, state.key.id) : undefined;
    const instance = connection.state().instance.label;
    // The editor shows the problems itself.
    const shown = showsDsnProblems() ? [] : problems;
    const lines = hoverLines({ state, use, problems: shown, now: Date.now(), locale: vscode.env.language, instance });
    const text = new vscode.MarkdownString([...lines, linksOf(state)].filter((line) => line !== '').join('\n\n'), true);
    text.isTrusted = { enabledCommands: [...linked] };
    return text.value === '' ? undefined : new vscode.Hover(text, range);
  }

  const subscriptions = [
    diagnostics,
    vscode.languages.registerHoverProvider(editableDocuments, { provideHover: hover }),
    createDsnActions({
      explainAt,
      activeKeys: states.activeKeys,
      account: () => connection.current()?.key,
      workspaceProject: project.ofWorkspace,
    }),
    vscode.window.onDidChangeVisibleTextEditors(checkVisible),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) checkVisible();
    }),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0) checkLater(document);
    }),
    vscode.workspace.onDidSaveTextDocument(checkSafely),
    vscode.workspace.onDidCloseTextDocument((document) => {
      clearTimeout(timers.get(document));
      timers.delete(document);
      diagnostics.delete(document.uri);
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settingIds.dsnDiagnostics)) checkVisible();
    }),
    connection.onDidChange(refresh),
    project.onDidChange(checkVisible),
  ];
  checkVisible();
  return {
    refresh,
    dispose: () => {
      isDisposed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function rangeOf(document: vscode.TextDocument, { start, end }: FoundDsn): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}

function diagnosticsOf({ range, problems }: ExplainedDsn): readonly vscode.Diagnostic[] {
  const { Warning, Information } = vscode.DiagnosticSeverity;
  return problems.map(({ kind, text, isBroken }) => {
    const diagnostic = new vscode.Diagnostic(range, text, isBroken ? Warning : Information);
    diagnostic.source = PRODUCT;
    diagnostic.code = `dsn.${kind}`;
    return diagnostic;
  });
}

const linked = [commands.clientKeysCopyDsn, commands.clientKeysRotate, commands.clientKeysSendTestError] as const;

/** Returns links to the commands for the key of a DSN, as Markdown. */
function linksOf(state: DsnState): string {
  if (state.kind !== 'key') return '';
  const { account, project, key } = state;
  const target = encodeURIComponent(
    JSON.stringify([{ project: { account, id: project.id, path: project.path }, clientKey: key }]),
  );
  const titles = [l10n.t('Copy DSN'), l10n.t('Rotate Client Key…'), l10n.t('Send Test Error…')];
  return linked.map((command, index) => `[${titles[index] ?? ''}](command:${command}?${target})`).join(' | ');
}
