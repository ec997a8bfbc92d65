import { html } from 'hono/html';
import type { Project } from '../projectAccess/projectAccess.ts';
import type { Markup } from '../../web/layout.ts';
import { codeAddress } from './codePage.ts';
import { MAX_CHANGED_PATHS } from '../../repositories/changedPaths.ts';
import type { FileChange } from '../../repositories/objects.ts';

/** Maximum number of changed files shown on a page. */
export const SHOWN_FILES = 100;
const SHOWN_LINES_OF_FILE = 1000;
const SHOWN_LINES = 5000;
/** Maximum number of characters shown per line. */
const SHOWN_CHARACTERS = 2000;

/** The changed files as cards; `ref` is the commit that links to files use. */
export function diffMarkup(
  project: Project,
  ref: string,
  { changes, count }: { readonly changes: readonly FileChange[]; readonly count: number | undefined },
): Markup {
  const shown = changes.slice(0, SHOWN_FILES);
  let left = SHOWN_LINES;
  const cards = shown.map((change, index) => {
    const card = fileCard(project, ref, change, index + 1, left);
    left -= card.lines;
    return card.markup;
  });
  const all = count ?? `more than ${MAX_CHANGED_PATHS}`;
  return html`<h2 class="apart">${all} changed file${count === 1 ? '' : 's'}</h2>
${cards}
${count === shown.length ? '' : html`<p class="muted small">Showing the first ${shown.length} of ${all} files.</p>`}`;
}

function fileCard(
  project: Project,
  ref: string,
  change: FileChange,
  number: number,
  left: number,
): { markup: Markup; lines: number } {
  const { kind, newPath, oldPath, patch } = change;
  const all = patch === '' ? [] : patch.replace(/\n$/, '').split('\n');
  const shown = all.slice(0, Math.max(Math.min(SHOWN_LINES_OF_FILE, left), 0));
  const mark = { A: 'new', D: 'deleted', R: 'renamed', T: 'type changed' }[kind] ?? 'changed';
  const isModeChanged = kind !== 'A' && kind !== 'D' && change.oldMode !== change.newMode;
  const isLink = kind !== 'D' && change.newMode !== '160000';
  const markup = html`<section class="card" aria-labelledby="file-${number}">
<h3 id="file-${number}">${isLink ? html`<a href="${codeAddress(project, 'blob', ref, newPath)}">${newPath}</a>` : newPath}</h3>
<p class="marks"><span class="badge">${mark}</span>${
    isModeChanged ? html`<span class="badge">mode ${change.oldMode} → ${change.newMode}</span>` : ''
  }</p>
${kind === 'R' ? html`<p class="muted small">Renamed from ${oldPath}.</p>` : ''}
${
  all.length === 0
    ? html`<p class="muted">${change.isCollapsed === true ? 'Not shown: too many files have changed.' : 'No lines to show: the file is empty or binary, or its content did not change.'}</p>`
    : shown.length === 0
      ? ''
      : html`<pre class="diff" translate="no">${shown.map(lineMarkup)}</pre>`
}
${shown.length === all.length ? '' : html`<p class="muted small">${formatCut(shown.length, all.length)}</p>`}
</section>`;
  return { markup, lines: shown.length };
}

function formatCut(shown: number, all: number): string {
  return shown === 0 ? `${all} lines not shown: the diff is too large.` : `Showing the first ${shown} of ${all} lines.`;
}

function lineMarkup(line: string): Markup {
  const sign = line.charAt(0);
  const kind = sign === '+' ? 'added' : sign === '-' ? 'removed' : sign === '@' ? 'place' : 'same';
  return html`<span class="${kind}">${line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line}
</span>`;
}
