import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CodeLine, ErrorDetail, ErrorEvent, ShownFrame } from '../contract/errorDetail.ts';
import { createDetailSource } from '../errorPanel/detailSource.ts';
import type { ErrorFrame, FrameDocuments } from '../errorTracking/frameDocuments.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import { createResourceChoice } from '../errorTracking/sources.ts';
import type { Connection } from '../instances/connection.ts';
import type { Log } from '../support/log.ts';
import { createGitRepositories } from '../workspace/gitRepositories.ts';
import type { RunGit } from '../workspace/runGit.ts';
import type { WorkspaceProjects } from '../workspaceProjects/workspaceProjects.ts';
import { createCodeLines, type EventLine } from './codeLines.ts';
import { doubtText } from './doubts.ts';
import { createFrameFiles, type FileLine, type FrameFiles } from './files.ts';
import { forgetFolders } from './forgetFolders.ts';
import { markedFrames } from './frames.ts';
import type { TracedLine } from './lines.ts';
import { openFrame } from './openFrame.ts';
import type { FramePlace } from './place.ts';
import type { EventRelease } from './releaseCommits.ts';
import { releaseOf } from './releaseOf.ts';
import { codeToShare, type SharedFrame } from './sharedCode.ts';
import type { Suspect } from './suspectCommit.ts';
import { type StackLine, suspectOf } from './suspectOf.ts';

export interface ErrorCodeSettings {
  readonly connection: Connection;
  /** Documents for frames whose files are not in the workspace. */
  readonly documents: FrameDocuments;
  readonly workspaceState: vscode.Memento;
  /** Projects to which the open folders belong. */
  readonly projects: WorkspaceProjects;
  readonly log: Log;
}

/** The code in the workspace that errors happened in. */
export interface ErrorCode extends vscode.Disposable {
  readonly files: FrameFiles;
  /** Returns where lines (1-based) of a release of a project are in a document now. Never rejects. */
  readonly linesIn: (
    document: vscode.TextDocument,
    project: ErrorProject,
    lines: readonly EventLine[],
  ) => Promise<readonly TracedLine[]>;
  /** Returns where a frame is in the open folders; undefined if no file matches it best, or if it has no line. Never rejects. */
  readonly placeOf: (
    project: ErrorProject,
    frame: ShownFrame,
    release: EventRelease | undefined,
  ) => Promise<FramePlace | undefined>;
  /**
   * Returns the commit that has probably caused an error, or why there is none. `releasesBefore` returns the releases that reported before
   * one, the newest first. Never rejects.
   */
  readonly suspectOf: (
    project: ErrorProject,
    detail: ErrorDetail,
    event: ErrorEvent,
    releasesBefore: (version: string) => Promise<readonly string[]>,
  ) => Promise<Suspect>;
  /**
   * Returns the code around a frame for a text that leaves the machine, or why it is left out; undefined if no file matches the frame best,
   * or if it has no line.
   */
  readonly codeToShare: (project: ErrorProject, frame: ShownFrame) => Promise<SharedFrame | undefined>;
  /** Opens a frame in the editor, at the line where its code is now. */
  readonly open: (opened: ErrorFrame) => Promise<void>;
  /** Lets the user select folders that were chosen for stack frames, and forgets them. */
  readonly forgetFolders: () => Promise<void>;
  /** Fires when lines may be known that were not, or the other way around. */
  readonly onDidChange: vscode.Event<void>;
}

export function createErrorCode({ connection, documents, workspaceState, projects, log }: ErrorCodeSettings): ErrorCode {
  const repositories = createGitRepositories();
  const files = createFrameFiles(workspaceState, projects);
  const changes = new vscode.EventEmitter<void>();
  const warn = (failure: unknown): void =>
    log.warn(`lines of errors: ${failure instanceof Error ? failure.message : String(failure)}`);
  const lines = createCodeLines({ connection, repositories, warn });

  /** Requests the release of the latest event, which lists of errors do not have. */
  async function releaseOfError({ project, error }: ErrorFrame): Promise<EventRelease | undefined> {
    const { client } = connection.bound(project.account);
    const { detail } = await createDetailSource(client, project, error.id, createResourceChoice()).detail();
    return releaseOf(detail);
  }

  /** Returns the lines of the program in the stack of an event that are in a repository, the innermost one first. */
  async function linesInRepositories(project: ErrorProject, event: ErrorEvent): Promise<readonly StackLine[]> {
    const found = await Promise.all(
      markedFrames({ latestEvent: event }).map(async (frame) => {
        const match = await files.locate(project, frame);
        if (match.kind !== 'file') return [];
        const file = await repositories.fileIn(match.file.uri);
        const { line, isOriginal } = match.file;
        return file === undefined ? [] : [{ file, line, code: isOriginal ? undefined : frame.code }];
      }),
    );
    return found.flat();
  }

  async function placeOfOpened({ uri, line, isOriginal }: FileLine, opened: ErrorFrame): Promise<FramePlace> {
    const { project, frame } = opened;
    let { release = null } = opened;
    try {
      if (opened.release === undefined) release = (await releaseOfError(opened)) ?? null;
    } catch (failure) {
      warn(failure);
      return { line, doubt: doubtText('failed') };
    }
    const code = isOriginal ? undefined : (frame.code ?? undefined);
    return lines.placeIn(uri, project, { line, code }, release ?? undefined);
  }

  const refreshFiles = (): void => {
    files.refresh();
    changes.fire();
  };
  const subscriptions = [
    repositories.onDidChange(() => {
      lines.forgetProblems();
      changes.fire();
    }),
    vscode.workspace.onDidCreateFiles(refreshFiles),
    vscode.workspace.onDidDeleteFiles(refreshFiles),
    vscode.workspace.onDidRenameFiles(refreshFiles),
    vscode.workspace.onDidChangeWorkspaceFolders(refreshFiles),
    projects.onDidChange(() => changes.fire()),
    // A file that another program has created is searched when it is opened.
    vscode.workspace.onDidOpenTextDocument(({ uri }) => files.refresh(path.posix.basename(uri.path))),
  ];
  return {
    files,
    linesIn: ({ uri }, project, wanted) => lines.linesIn(uri, project, wanted),
    placeOf: async (project, frame, release) => {
      const { filename, absPath, module, line, column } = frame;
      if (line === null) return undefined;
      const match = await files.locate(project, { location: { filename, absPath, module }, line, column });
      if (match.kind !== 'file') return undefined;
      const { uri, line: at, isOriginal } = match.file;
      return lines.placeIn(uri, project, { line: at, code: isOriginal ? undefined : codeAt(frame.code, line) }, release);
    },
    suspectOf: async (project, detail, event, releasesBefore) => {
      const { commitOf, signal } = lines.ofProject(project);
      try {
        const stack = await linesInRepositories(project, event);
        return await suspectOf({ git: repositories.git, commitOf, releasesBefore }, detail, event, stack, signal());
      } catch (failure) {
        warn(failure);
        return { commit: null, text: l10n.t('No suspect commit: it could not be searched. The log has the reason.') };
      }
    },
    codeToShare: (project, frame) => sharedFrame({ projects, files, git: repositories.git }, project, frame),
    open: async (opened) => {
      await openFrame({ documents, files, placeIn: placeOfOpened }, opened);
      // The user may have chosen a folder.
      changes.fire();
    },
    forgetFolders: async () => {
      await forgetFolders(files);
      changes.fire();
    },
    onDidChange: changes.event,
    dispose: () => {
      changes.dispose();
      for (const subscription of subscriptions) subscription.dispose();
      lines.clear();
      repositories.dispose();
    },
  };
}

interface Workspace {
  readonly projects: WorkspaceProjects;
  readonly files: FrameFiles;
  readonly git: RunGit;
}

async function sharedFrame(
  { projects, files, git }: Workspace,
  project: ErrorProject,
  frame: ShownFrame,
): Promise<SharedFrame | undefined> {
  const { filename, absPath, module, line, column } = frame;
  if (line === null) return undefined;
  await projects.searched();
  const match = await files.locate(project, { location: { filename, absPath, module }, line, column });
  if (match.kind !== 'file') return undefined;
  const { uri, line: at, isOriginal } = match.file;
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri;
  const isOfProject = projects.isOf(project, uri);
  if (folder === undefined || uri.scheme !== 'file' || isOfProject === false) return undefined;
  const inFile = { folder: folder.fsPath, file: uri.fsPath, line: at, isOfProject: isOfProject === true };
  // A source map leads to other code than that of the event.
  const code = isOriginal ? undefined : codeAt(frame.code, line);
  return {
    ...{ file: vscode.workspace.asRelativePath(uri), line: at },
    code: await codeToShare({ ...inFile, code, function: frame.function, module }, git),
  };
}

function codeAt(code: readonly CodeLine[], line: number): string | undefined {
  const text = code.find((one) => one.line === line)?.text;
  return text === undefined || text.trim() === '' ? undefined : text;
}
