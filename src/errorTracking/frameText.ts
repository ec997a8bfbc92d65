import * as l10n from '@vscode/l10n';
import { fenced, joinNonEmpty, oneLine } from '../activity/documentParts.ts';
import type { TrackedFrame } from '../contract/trackedErrors.ts';
import { pathParts } from '../workspace/frames.ts';

/** Matches the start of the line that failed in the document of a frame. */
export const FAILED_LINE = /^> +\d+ │/;

/** Returns true if the event contains code of the frame, which a document can show. */
export function hasCode({ code, codeBefore, codeAfter }: TrackedFrame): boolean {
  return [code, ...codeBefore, ...codeAfter].some((line) => line !== null && line.trim() !== '');
}

/** Returns the location of a frame as sent, such as `app/ship.py:10`. */
export function locationOf({ filename, abs_path: absPath, module, line }: TrackedFrame): string {
  const path = filename ?? absPath ?? module ?? '';
  return line === null || path === '' ? path : `${path}:${line}`;
}

/** Returns a Markdown document with the code of a frame, its line numbers, and a mark at the line that failed. */
export function frameText(frame: TrackedFrame, errorTitle: string): string {
  const heading = frame.function === null || frame.function === '?' ? l10n.t('(anonymous)') : frame.function;
  const path = frame.filename ?? frame.abs_path ?? '';
  const [extension] = /(?<=\.)[a-z0-9]{1,10}$/i.exec(pathParts(path).at(-1) ?? '') ?? [];
  const parts = [
    `# ${oneLine(heading)}`,
    oneLine(locationOf(frame)),
    oneLine(errorTitle),
    l10n.t('This is the code that the application sent with the event. No file in the open folders matches it.'),
    fenced(extension ?? '', numbered(frame)),
  ];
  return `${joinNonEmpty(parts, '\n\n')}\n`;
}

function numbered({ code, codeBefore, codeAfter, line }: TrackedFrame): string {
  const lines = [...codeBefore, code ?? '', ...codeAfter];
  const failed = codeBefore.length;
  // Without the number of the line, the numbers count from the first line of the code.
  const first = line === null ? 1 : line - failed;
  const width = String(first + lines.length - 1).length;
  return lines
    .map((text, index) => {
      const number = String(Math.max(first + index, 1)).padStart(width);
      return `${index === failed ? '>' : ' '} ${number} │ ${text.replace(/[\r\n]+$/, '')}`.trimEnd();
    })
    .join('\n');
}
