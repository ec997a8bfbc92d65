import type * as vscode from 'vscode';
import type { CurrentProject } from '../activity/currentProject.ts';
import type { Documents } from '../activity/documents.ts';
import { ApiFailure } from '../api/failures.ts';
import type { ClientKeyActions } from '../clientKeys/actions.ts';
import type { DsnExplainer } from '../dsn/explainer.ts';
import { loadWhenDsnIsShown } from '../dsn/needed.ts';
import type { ErrorActions } from '../errorActions/actions.ts';
import type { ErrorCode } from '../errorCode/code.ts';
import { loadWhenNeeded } from '../errorMarks/needed.ts';
import type { ErrorMarks, ErrorMarkSettings } from '../errorMarks/view.ts';
import type { ErrorPanels } from '../errorPanel/panel.ts';
import type { ErrorReplay } from '../errorReplay/errorReplay.ts';
import { createFrameDocuments } from '../errorTracking/frameDocuments.ts';
import { newErrorMode } from '../errorTracking/newErrorNotice.ts';
import { forgetNewErrors } from '../errorTracking/newErrors.ts';
import { describePanelFailure } from '../errorTracking/panelFailures.ts';
import { savedFiltersKey } from '../errorTracking/savedFiltersKey.ts';
import { createResourceChoice } from '../errorTracking/sources.ts';
import { createTrackedErrors, type TrackedErrors } from '../errorTracking/view.ts';
import { ANY_ERROR, type ErrorChange } from '../stream/errorChanges.ts';
import type { Emitter } from '../support/emitter.ts';
import type { Log } from '../support/log.ts';
import { once } from '../support/once.ts';
import { createLatePart, type LatePart } from '../ui/latePart.ts';
import { createViewPolling } from '../ui/viewPolling.ts';
import type { WorkspaceRemotes } from '../workspace/gitRemotes.ts';
import type { ViewSettings } from './viewSettings.ts';

/** Parts of the extension for tracked errors and client keys. Each is created, or its bundle loaded, on first use. */
export interface ErrorParts {
  readonly trackedErrors: LatePart<TrackedErrors>;
  readonly errorCode: LatePart<Promise<ErrorCode>>;
  readonly errorPanels: LatePart<Promise<ErrorPanels>>;
  /** Returns the actions on errors, which are loaded on the first call. */
  readonly errorActions: () => Promise<ErrorActions>;
  readonly errorMarks: LatePart<Promise<ErrorMarks>>;
  /** Returns the actions on client keys, which are loaded on the first call. */
  readonly clientKeys: () => Promise<ClientKeyActions>;
  readonly errorReplay: LatePart<Promise<ErrorReplay>>;
}

export interface ErrorPartSettings {
  /** Project whose errors are shown. */
  readonly project: CurrentProject;
  readonly remotes: WorkspaceRemotes;
  readonly documents: Documents;
  /** Fires when errors or client keys may have changed. */
  readonly happened: Emitter<readonly ErrorChange[]>;
}

export function createErrorParts(
  settings: ViewSettings,
  { project, remotes, documents, happened }: ErrorPartSettings,
): ErrorParts {
  const { context, registered, accounts, log } = settings;
  const { globalState, workspaceState, subscriptions } = context;
  const { limits, connection } = accounts;
  const trackedErrors = createLatePart(subscriptions, () => {
    const { trackedErrors: view } = registered;
    return createTrackedErrors({
      ...{ view, connection, project, limits, onDidHappen: happened.event },
      ...{ workspaceState, globalState, log },
    });
  });
  accounts.onDidForget((instance) => {
    void forgetNewErrors(instance, globalState);
    void globalState.update(savedFiltersKey(instance), undefined);
  });
  const frames = createFrameDocuments(documents, connection.bound);
  const projects = createLatePart(subscriptions, async () => {
    const { createWorkspaceProjects } = await import('../errorMarks/errorMarks.ts');
    return createWorkspaceProjects({ connection, remotes, project });
  });
  // A DSN in the open folders selects its project.
  const seek = (): void => {
    if (connection.state().kind === 'signedIn' && !project.isSure() && remotes.areKnown()) start(projects, log);
  };
  subscriptions.push(connection.onDidChange(seek), project.onDidChange(seek));
  seek();
  const errorCode = createLatePart(subscriptions, async () => {
    const { createCode } = await import('../errorMarks/errorMarks.ts');
    return createCode({ connection, documents: frames, workspaceState, projects: await projects.get(), log });
  });
  // Other views create the list only when it is shown, which is too late for a notification.
  subscriptions.push(
    happened.event((changes) => {
      if (newErrorMode() === 'notify' && changes.some(({ kind }) => kind === 'error')) trackedErrors.get().loadNews();
    }),
  );
  const errorActions = createErrorActionsPart(settings, trackedErrors.get, () => happened.fire([ANY_ERROR]));
  const errorReplay = createErrorReplayPart(settings, errorCode.get);
  const errorPanels = createErrorPanelsPart(settings, happened.event, errorCode.get, errorActions, errorReplay.get);
  const errorMarks = createErrorMarksPart(settings, project, async () => ({
    ...{ trackedErrors: trackedErrors.get(), onDidHappen: happened.event },
    ...{ code: await errorCode.get(), projects: await projects.get() },
  }));
  const dsn = createDsnPart(settings, project);
  const clientKeys = once(async () => {
    const { createClientKeyActions } = await import('../clientKeys/clientKeys.ts');
    const changed = (): void => void dsn.made()?.then(({ refresh }) => refresh());
    const { send } = settings;
    return createClientKeyActions({ connection, project, panels: errorPanels.get, send, globalState, changed });
  });
  subscriptions.push(frames);
  return { trackedErrors, errorCode, errorPanels, errorActions, errorMarks, errorReplay, clientKeys };
}

function createErrorPanelsPart(
  { context, accounts }: ViewSettings,
  onDidHappen: vscode.Event<readonly ErrorChange[]>,
  code: () => Promise<ErrorCode>,
  actions: () => Promise<ErrorActions>,
  replay: () => Promise<ErrorReplay>,
): ErrorParts['errorPanels'] {
  const { connection, limits, pages } = accounts;
  return createLatePart(context.subscriptions, async () => {
    const { createErrorPanel } = await import('../errorPanel/errorPanel.ts');
    return createErrorPanel({
      extensionUri: context.extensionUri,
      bound: connection.bound,
      poll: (settings) => createViewPolling({ ...settings, connection, limits }),
      choice: createResourceChoice(),
      onDidChangeAccounts: connection.onDidChangeAccounts,
      describeFailure: describePanelFailure,
      code: await code(),
      replay: async (target, detail, event) => (await replay()).replay(target, detail, event),
      openPage: pages.open,
      onDidHappen,
      actions,
    });
  });
}

function createErrorActionsPart(
  { context, accounts }: ViewSettings,
  trackedErrors: () => TrackedErrors,
  changed: () => void,
): ErrorParts['errorActions'] {
  const { connection, pages } = accounts;
  return once(async () => {
    const { createErrorActions } = await import('../errorActions/errorActions.ts');
    return createErrorActions({
      bound: connection.bound,
      choice: createResourceChoice(),
      describeFailure: (error) => (error instanceof ApiFailure ? describePanelFailure(error) : undefined),
      openPage: async (page, account) => pages.open(page.startsWith('/') ? `${account.address() ?? ''}${page}` : page, account),
      memory: context.globalState,
      withProgress: (work) => trackedErrors().withProgressBar(work),
      markOpened: ({ project, errors }) => {
        for (const error of errors) trackedErrors().markOpened({ project, error });
      },
      changed: async () => {
        // Panels load again, too.
        changed();
        await trackedErrors().refreshAfterChange();
      },
    });
  });
}

function createErrorReplayPart({ context, accounts }: ViewSettings, code: () => Promise<ErrorCode>): ErrorParts['errorReplay'] {
  const { connection } = accounts;
  return createLatePart(context.subscriptions, async () => {
    const { createErrorReplay } = await import('../errorReplay/errorReplay.ts');
    return createErrorReplay({
      bound: connection.bound,
      describeFailure: describePanelFailure,
      code,
    });
  });
}

/** Makes a part that nobody has asked for. */
function start(part: LatePart<Promise<unknown>>, log: Log): void {
  part.get().catch((error: unknown) => log.warn(`errors: ${String(error)}`));
}

/** The marks are made when there is an editor to mark. */
function createErrorMarksPart(
  { context, accounts, log }: ViewSettings,
  project: CurrentProject,
  parts: () => Promise<Pick<ErrorMarkSettings, 'trackedErrors' | 'code' | 'projects' | 'onDidHappen'>>,
): ErrorParts['errorMarks'] {
  const { connection } = accounts;
  const part = createLatePart(context.subscriptions, async () => {
    const { createErrorMarks } = await import('../errorMarks/errorMarks.ts');
    return createErrorMarks({ ...(await parts()), extensionUri: context.extensionUri, connection, project, log });
  });
  context.subscriptions.push(loadWhenNeeded({ connection, project }, () => start(part, log)));
  return part;
}

/** The explanations of DSNs are loaded when an editor shows one. */
function createDsnPart({ context, accounts, log }: ViewSettings, project: CurrentProject): LatePart<Promise<DsnExplainer>> {
  const { connection } = accounts;
  const part = createLatePart(context.subscriptions, async () => {
    const { createDsnExplainer } = await import('../dsn/dsn.ts');
    return createDsnExplainer({ connection, project, log });
  });
  context.subscriptions.push(loadWhenDsnIsShown(() => start(part, log)));
  return part;
}
