import * as vscode from 'vscode';
import { apiPath } from '../api/encode.ts';
import { ApiFailure } from '../api/failures.ts';
import { isJsonObject, stringMember } from '../contract/json.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import type { Connection } from '../instances/connection.ts';
import type { GitRepositories } from '../workspace/gitRepositories.ts';
import { changeBetween } from './diffHunks.ts';
import { doubtText } from './doubts.ts';
import { type CommitLines, createCommitLines, type LineNow, type TracedLine, traceLine } from './lines.ts';
import { type FramePlace, placeOf } from './place.ts';
import type { EventRelease } from './releaseCommits.ts';

export interface CodeLinesSettings {
  readonly connection: Connection;
  readonly repositories: GitRepositories;
  readonly warn: (failure: unknown) => void;
}

/** Line of an event. */
export interface EventLine {
  /** 1-based. */
  readonly line: number;
  readonly release: EventRelease | undefined;
}

/** Lines of a file as an editor shows them, and as they are on the disk if that differs. */
interface CodeText {
  readonly shown: readonly string[];
  readonly saved: readonly string[] | undefined;
}

interface FrameLine {
  /** 1-based. */
  readonly line: number;
  readonly code: string | undefined;
}

/** Lines of events in files of the open folders. */
export interface CodeLines {
  /** Returns where lines of a release of a project are in a file now, as an editor shows it. Never rejects. */
  readonly linesIn: (file: vscode.Uri, project: ErrorProject, wanted: readonly EventLine[]) => Promise<readonly TracedLine[]>;
  /** Returns where a line of a frame is in a file. Never rejects. */
  readonly placeIn: (
    file: vscode.Uri,
    project: ErrorProject,
    frame: FrameLine,
    release: EventRelease | undefined,
  ) => Promise<FramePlace>;
  readonly ofProject: (project: ErrorProject) => CommitLines;
  /** Forgets what could not be found, because it may have been fetched since. */
  readonly forgetProblems: () => void;
  /** Cancels what runs and forgets everything. */
  readonly clear: () => void;
}

export function createCodeLines({ connection, repositories, warn }: CodeLinesSettings): CodeLines {
  const projects = new Map<string, CommitLines>();

  function commitLinesOf({ account, id, path: projectPath }: ErrorProject): CommitLines {
    const key = JSON.stringify([account, projectPath]);
    const lines =
      projects.get(key) ??
      createCommitLines({
        git: repositories.git,
        commitOfTag: async (tag, signal) => {
          try {
            const address = apiPath`/projects/${id}/releases/${tag}`;
            return (await connection.bound(account).client().get(address, readCommit, {}, signal)).commit;
          } catch (failure) {
            if (failure instanceof ApiFailure && failure.kind === 'notFound') return undefined;
            throw failure;
          }
        },
        warn,
      });
    projects.set(key, lines);
    return lines;
  }

  /** Returns the lines of a file, in the editor or on the disk. Rejects if it cannot be read. */
  async function textOf(file: vscode.Uri): Promise<CodeText> {
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
    if (document !== undefined && !document.isDirty) return { shown: document.getText().split(LINE_END), saved: undefined };
    const saved = linesOf(await vscode.workspace.fs.readFile(file));
    return document === undefined ? { shown: saved, saved: undefined } : { shown: document.getText().split(LINE_END), saved };
  }

  async function linesNow(
    file: vscode.Uri,
    project: ErrorProject,
    { shown, saved }: CodeText,
    wanted: readonly EventLine[],
  ): Promise<readonly TracedLine[]> {
    const commits = commitLinesOf(project);
    const [inRepository, state] = await Promise.all([repositories.fileIn(file), stateOf(file)]);
    const unsaved = saved === undefined ? [] : changeBetween(saved, shown);
    return Promise.all(
      wanted.map(async ({ line, release }) => traceLine(await commits.changeSince(inRepository, release, state), line, unsaved)),
    );
  }

  async function placeIn(
    file: vscode.Uri,
    project: ErrorProject,
    frame: FrameLine,
    release: EventRelease | undefined,
  ): Promise<FramePlace> {
    try {
      const text = await textOf(file);
      const [traced] = await linesNow(file, project, text, [{ line: frame.line, release }]);
      const lines = { lineCount: text.shown.length, textOf: (line: number) => text.shown[line] ?? '' };
      const { line, doubt } = placeOf(lines, traced?.now ?? failedAt(frame.line), frame.code, traced?.isNew);
      return { line: line + 1, doubt: doubt === null ? null : doubtText(doubt, release?.version) };
    } catch (failure) {
      warn(failure);
      return { line: frame.line, doubt: doubtText('failed', release?.version) };
    }
  }

  return {
    linesIn: async (file, project, wanted) => {
      try {
        return await linesNow(file, project, await textOf(file), wanted);
      } catch (failure) {
        warn(failure);
        return wanted.map(({ line }) => ({ now: failedAt(line) }));
      }
    },
    placeIn,
    ofProject: commitLinesOf,
    forgetProblems: () => {
      for (const lines of projects.values()) lines.forgetProblems();
    },
    clear: () => {
      for (const lines of projects.values()) lines.clear();
      projects.clear();
    },
  };
}

function failedAt(line: number): LineNow {
  return { kind: 'unknown', line, why: 'failed' };
}

async function stateOf(file: vscode.Uri): Promise<string> {
  const { mtime, size } = await vscode.workspace.fs.stat(file);
  return `${mtime} ${size}`;
}

const LINE_END = /\r?\n/;

function linesOf(bytes: Uint8Array): readonly string[] {
  return new TextDecoder().decode(bytes).split(LINE_END);
}

/** Reads the hash of the commit of a release of a project. Releases of tags that were deleted have none. */
function readCommit(release: unknown): { readonly commit: string | undefined } | undefined {
  if (!isJsonObject(release)) return undefined;
  return { commit: isJsonObject(release.commit) ? stringMember(release.commit, 'id') : undefined };
}
