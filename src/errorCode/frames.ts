import type { ErrorDetail, ShownFrame } from '../contract/errorDetail.ts';
import { decodedPath } from '../contract/decodedPath.ts';
import type { FrameLocation } from '../workspace/frames.ts';
import { isLibraryPath, pathParts } from '../workspace/frames.ts';

/** Line of a program in which an error happened or which led there. */
export interface MarkedFrame {
  readonly location: FrameLocation;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number | null;
  /** Code of the line as the event has it; undefined if the event has none. */
  readonly code: string | undefined;
  /** True if the file comes from a source map that may be of another release or build. */
  readonly isMapDoubtful?: boolean;
}

/** Maximum number of frames of an error that get a mark. A recursion has thousands. */
const MAX_FRAMES = 40;

/** Returns the frames of the application in the latest event, each line once; the innermost frames first. */
export function markedFrames({ latestEvent }: Pick<ErrorDetail, 'latestEvent'>): readonly MarkedFrame[] {
  const data = latestEvent?.data;
  if (data === undefined || data === null) return [];
  const ofExceptions = data.exceptions.flatMap(({ frames }) => frames);
  const frames =
    ofExceptions.length > 0 ? ofExceptions : data.threads.filter(({ crashed }) => crashed).flatMap((one) => one.frames);
  const marked = new Map<string, MarkedFrame>();
  for (const frame of frames) {
    const own = markedFrame(frame);
    if (own !== undefined && marked.size < MAX_FRAMES) marked.set(`${keyOfLocation(own.location)} ${own.line}`, own);
  }
  return [...marked.values()];
}

function markedFrame({
  filename,
  absPath,
  module,
  inApp,
  line,
  column,
  code,
  isMapDoubtful,
}: ShownFrame): MarkedFrame | undefined {
  const path = absPath ?? filename ?? '<unknown>';
  if (line === null || !(inApp ?? !isLibraryPath(path))) return undefined;
  const text = code.find((one) => one.line === line)?.text;
  return {
    location: { filename, absPath, module },
    line,
    column,
    code: text === undefined || text.trim() === '' ? undefined : text,
    ...(isMapDoubtful ? { isMapDoubtful } : {}),
  };
}

/** Returns a text that is the same for frames of the same file. */
export function keyOfLocation({ filename, absPath, module = null }: FrameLocation): string {
  return JSON.stringify([filename, absPath, module]);
}

/**
 * Returns true if the frame can be in a file with this name. Tells most frames apart before files are searched. JavaScript can be compiled
 * from a file with another name.
 */
export function hasFileName({ filename, absPath }: FrameLocation, name: string): boolean {
  const names = [filename, absPath]
    .map((path) => pathParts(path ?? '').at(-1) ?? '')
    .flatMap((last) => [last, decodedPath(last)].map((one) => one.toLowerCase()));
  return names.includes(name.toLowerCase().normalize('NFC')) || names.some((one) => /\.[cm]?js$/.test(one));
}
