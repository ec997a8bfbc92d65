// Replays of errors in the debugger. A separate bundle, loaded on first use.
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ErrorDetail, ErrorEvent, ShownFrame } from '../contract/errorDetail.ts';
import type { ErrorCode } from '../errorCode/code.ts';
import { releaseOf } from '../errorCode/releaseOf.ts';
import type { EventRelease } from '../errorCode/releaseCommits.ts';
import { createDetailSource } from '../errorPanel/detailSource.ts';
import type { PanelTarget } from '../errorPanel/source.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import { createResourceChoice } from '../errorTracking/sources.ts';
import { DEBUG_TYPE } from '../ids.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import { useTranslations } from '../support/translations.ts';
import { type FileLine, ReplaySession } from './session.ts';
import { showFailure } from '../ui/showFailure.ts';
import { ApiFailure } from '../api/failures.ts';

export interface ErrorReplaySettings {
  readonly bound: (account: string) => BoundAccount;
  /** Returns the text that explains a failed request to the user. */
  readonly describeFailure: (error: unknown) => string;
  /** Returns the code of the workspace, which is loaded on the first call. */
  readonly code: () => Promise<ErrorCode>;
}

/** Event that can be replayed. */
interface Replayable {
  readonly title: string;
  readonly event: ErrorEvent;
  readonly project: ErrorProject;
  readonly release: EventRelease | undefined;
}

export interface ErrorReplay extends vscode.Disposable {
  /** Loads the latest event of an error and replays it in the debugger. */
  readonly start: (target: PanelTarget) => Promise<void>;
  /** Replays an event of an error. */
  readonly replay: (target: PanelTarget, detail: ErrorDetail, event: ErrorEvent) => Promise<void>;
}

/** Number of events that are remembered, so that a replay can be restarted. */
const MAX_EVENTS = 20;

/** Registers the debug adapter. */
export function createErrorReplay({ bound, describeFailure, code }: ErrorReplaySettings): ErrorReplay {
  useTranslations();
  const choice = createResourceChoice();
  const events = new Map<string, Replayable>();
  const factory = vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, {
    createDebugAdapterDescriptor: ({ configuration }) => {
      const replayed = events.get(String(configuration['event']));
      if (replayed === undefined) throw new Error(l10n.t('Start the replay with the command Replay Error in Debugger.'));
      return new vscode.DebugAdapterInlineImplementation(
        new ReplaySession({ ...replayed, fileOf: (frame) => fileOf(replayed, frame) }),
      );
    },
  });

  /** Returns the file of a frame and the line where its code is now; undefined if no file of the workspace matches it best. */
  async function fileOf({ project, release }: Replayable, frame: ShownFrame): Promise<FileLine | undefined> {
    const { filename, absPath, module, line, column } = frame;
    if (line === null) return undefined;
    const { files, placeOf } = await code();
    const match = await files.locate(project, { location: { filename, absPath, module }, line, column });
    if (match.kind !== 'file') return undefined;
    const place = await placeOf(project, frame, release);
    return { path: match.file.uri.fsPath, line: place?.line ?? match.file.line };
  }

  async function load({ account, project, errorId }: PanelTarget) {
    const source = createDetailSource(bound(account).client, project, errorId, choice);
    const options = { location: vscode.ProgressLocation.Window, title: l10n.t('Loading the error') };
    return (await vscode.window.withProgress(options, () => source.detail())).detail;
  }

  async function replay({ account, errorId, project }: PanelTarget, detail: ErrorDetail, event: ErrorEvent): Promise<void> {
    const key = JSON.stringify([account, errorId, event.id]);
    events.delete(key);
    events.set(key, { title: detail.title, event, project: { ...project, account }, release: releaseOf(detail, event) });
    for (const oldest of [...events.keys()].slice(0, -MAX_EVENTS)) events.delete(oldest);
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const configuration = {
      ...{ type: DEBUG_TYPE, request: 'launch', name: nameOf(detail.title), event: key },
      // Nothing is printed and little can be evaluated.
      internalConsoleOptions: 'neverOpen',
    };
    const isStarted = await vscode.debug.startDebugging(folder, configuration, { suppressSaveBeforeStart: true });
    // VS Code opens the view for programs that it starts itself.
    const isToBeOpened = vscode.workspace.getConfiguration('debug').get('openDebug') !== 'neverOpen';
    if (isStarted && isToBeOpened) await vscode.commands.executeCommand('workbench.view.debug');
  }

  return {
    replay,
    start: async (target) => {
      const detail = await load(target).catch((error: unknown) => {
        if (error instanceof ApiFailure) void showFailure(error, describeFailure(error));
        else void vscode.window.showErrorMessage(describeFailure(error));
      });
      if (detail === undefined) return;
      const { latestEvent: event } = detail;
      if (event === null || event.data === null)
        void vscode.window.showInformationMessage(l10n.t('The instance no longer stores an event of this error.'));
      else await replay(target, detail, event);
    },
    dispose: () => {
      factory.dispose();
    },
  };
}

/** Maximum length of the name of a debug session, which the toolbar shows. */
const MAX_NAME = 60;

function nameOf(title: string): string {
  return title.length <= MAX_NAME ? title : `${title.slice(0, MAX_NAME - 1)}…`;
}
