import { html } from 'hono/html';
import type { Markup } from '../../web/layout.ts';
import type { Frame, SentPlace } from '../event/event.ts';
import { visible } from '../../../src/contract/visibleText.ts';
import { shortened, shownPairs } from '../../web/shownText.ts';

/**
 * The frames of a stack, the one that failed first. Frames of libraries are folded where there are others; of the first frame of the
 * program itself the lines of source are shown when `isFirst`.
 */
export function stackMarkup(sent: readonly Frame[], isFirst: boolean): Markup {
  const frames = sent.toReversed();
  const hasOwn = frames.some(({ inApp }) => inApp);
  const opened = isFirst ? (frames.find(({ inApp }) => inApp) ?? frames[0]) : undefined;
  const runs: { readonly isFolded: boolean; readonly frames: Frame[] }[] = [];
  for (const frame of frames) {
    const isFolded = hasOwn && !frame.inApp;
    const run = runs.at(-1);
    if (run?.isFolded === isFolded) run.frames.push(frame);
    else runs.push({ isFolded, frames: [frame] });
  }
  return html`<ol class="rows stack">${runs.map(({ isFolded, frames: run }) =>
    isFolded
      ? html`<li><details><summary>${run.length} ${run.length === 1 ? 'frame' : 'frames'} of libraries</summary>
<ol class="rows stack">${run.map((frame) => html`<li>${frameMarkup(frame, false)}</li>`)}</ol></details></li>`
      : run.map((frame) => html`<li>${frameMarkup(frame, frame === opened)}</li>`),
  )}</ol>`;
}

function frameMarkup(frame: Frame, isOpen: boolean): Markup {
  const hasMore = frame.contextLine !== undefined || (frame.vars !== undefined && Object.keys(frame.vars).length > 0);
  if (!hasMore) return html`<p class="frame">${placeOf(frame)}${formatMapping(frame)}</p>`;
  return html`<details ${isOpen ? html`open` : ''}><summary class="frame">${placeOf(frame)}${formatMapping(frame)}</summary>
${source(frame)}
${frame.vars === undefined ? '' : html`<div class="vars">${shownPairs(Object.entries(frame.vars))}</div>`}</details>`;
}

/** What source maps have to say about it. */
function formatMapping({ mapping }: Frame): Markup | string {
  if (mapping === undefined) return '';
  return 'from' in mapping
    ? html`<span class="line small muted">mapped from <code>${placeText(mapping.from)}</code></span>`
    : html`<span class="line small muted">${shortened(mapping.problem.text, 600)}</span>`;
}

function placeText({ filename, absPath, line, column }: SentPlace, module?: string): string {
  const file = filename ?? module ?? absPath ?? '?';
  return [shortened(file, 300), line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':');
}

function placeOf(frame: Frame): Markup {
  const { function: name } = frame;
  return html`<code>${placeText(frame, frame.module)}</code>${name === undefined ? '' : html` <span class="muted">in</span> <code>${shortened(name, 300)}</code>`}`;
}

function source({ preContext, contextLine, postContext, line }: Frame): Markup | string {
  if (contextLine === undefined) return '';
  const first = line === undefined ? undefined : line - preContext.length;
  const lines = [...preContext, contextLine, ...postContext];
  return html`<pre class="lines source">${lines.map((text, index) => {
    const isFailed = index === preContext.length;
    const number = first === undefined ? '' : String(first + index);
    return html`<span class="${isFailed ? 'failed' : ''}"><span class="number">${number}</span><span class="text">${visible(text)}${isFailed ? html`<span class="hidden"> (failed here)</span>` : ''}</span></span>`;
  })}</pre>`;
}
