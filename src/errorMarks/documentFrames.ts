import path from 'node:path';
import type * as vscode from 'vscode';
import type { TrackedError } from '../contract/trackedErrors.ts';
import type { ErrorCode } from '../errorCode/code.ts';
import { releaseOf } from '../errorCode/releaseOf.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import type { ErrorDetails } from './details.ts';
import { hasFileName, markedFrames } from '../errorCode/frames.ts';
import type { FrameOfError } from './marks.ts';

export interface FrameSearchSettings {
  readonly code: ErrorCode;
  /** Returns the project of the errors. */
  readonly project: () => ErrorProject | undefined;
  readonly details: ErrorDetails;
}

/** Frames in a document, with the version of the document that their lines belong to. */
export interface FramesInDocument {
  readonly version: number;
  readonly found: readonly FrameOfError[];
}

/** Returns a function that searches the frames of errors that are in a document. */
export function createFrameSearch({ code, project, details }: FrameSearchSettings) {
  return async (document: vscode.TextDocument, errors: readonly TrackedError[]): Promise<FramesInDocument> => {
    const name = path.posix.basename(document.uri.path);
    const candidates = errors.flatMap((error) => {
      const detail = details.get(error.id);
      if (detail === undefined) return [];
      return markedFrames(detail).flatMap((frame) => (hasFileName(frame.location, name) ? [{ error, detail, frame }] : []));
    });
    const { version } = document;
    const current = project();
    if (current === undefined) return { version, found: [] };
    const searched = await Promise.all(candidates.map(async ({ frame }) => code.files.locate(current.path, frame)));
    const frames = candidates.flatMap((candidate, index) => {
      const match = searched[index];
      if (match?.kind !== 'file' || match.file.uri.toString() !== document.uri.toString()) return [];
      const { line, isOriginal } = match.file;
      const { frame } = candidate;
      return [{ ...candidate, project: current, frame: isOriginal ? { ...frame, line, code: undefined } : frame }];
    });
    if (frames.length === 0) return { version, found: [] };
    const wanted = frames.map(({ detail, frame: { line } }) => ({ line, release: releaseOf(detail) }));
    const lines = await code.linesIn(document, current, wanted);
    return {
      version,
      found: frames.flatMap((frame, index) => {
        const traced = lines[index];
        return traced === undefined ? [] : [{ ...frame, ...traced }];
      }),
    };
  };
}
