import path from 'node:path';
import type * as vscode from 'vscode';
import type { ErrorCode } from '../errorCode/code.ts';
import { hasFileName, markedFrames } from '../errorCode/frames.ts';
import { releaseOf } from '../errorCode/releaseOf.ts';
import { keyOfProject } from '../errorTracking/source.ts';
import type { DetailedError } from './markedProjects.ts';
import type { FrameOfError } from './marks.ts';

/** Frames in a document, with the version of the document that their lines belong to. */
export interface FramesInDocument {
  readonly version: number;
  readonly found: readonly FrameOfError[];
}

type FoundFrame = Omit<FrameOfError, 'now' | 'isNew'>;

/** Searches the frames of errors that are in a document. */
export async function framesIn(
  code: ErrorCode,
  document: vscode.TextDocument,
  errors: readonly DetailedError[],
): Promise<FramesInDocument> {
  const name = path.posix.basename(document.uri.path);
  const candidates = errors.flatMap((error) =>
    markedFrames(error.detail).flatMap((frame) => (hasFileName(frame.location, name) ? [{ ...error, frame }] : [])),
  );
  const { version } = document;
  const searched = await Promise.all(candidates.map(async ({ project, frame }) => code.files.locate(project, frame)));
  const frames = candidates.flatMap((candidate, index): readonly FoundFrame[] => {
    const match = searched[index];
    if (match?.kind !== 'file' || match.file.uri.toString() !== document.uri.toString()) return [];
    const { line, isOriginal } = match.file;
    const { frame } = candidate;
    return [{ ...candidate, frame: isOriginal ? { ...frame, line, code: undefined } : frame }];
  });
  const ofProjects = [...Map.groupBy(frames, ({ project }) => keyOfProject(project)).values()];
  const found = await Promise.all(ofProjects.map(async (all) => traced(code, document, all)));
  return { version, found: found.flat() };
}

/** Returns the frames of a project with the lines where they are now. */
async function traced(
  code: ErrorCode,
  document: vscode.TextDocument,
  frames: readonly FoundFrame[],
): Promise<readonly FrameOfError[]> {
  const [first] = frames;
  if (first === undefined) return [];
  const wanted = frames.map(({ detail, frame: { line } }) => ({ line, release: releaseOf(detail) }));
  const lines = await code.linesIn(document, first.project, wanted);
  return frames.flatMap((frame, index) => {
    const line = lines[index];
    return line === undefined ? [] : [{ ...frame, ...line }];
  });
}
