import { html } from 'hono/html';
import type { Markup } from '../../../web/layout.ts';
import type { Frame, SentLocation } from '../event/trackedEvent.ts';
import { visible } from '../../../../src/contract/visibleText.ts';
import { shortened, shownPairs } from '../../../web/shownText.ts';

/**
 * Frames of a stack trace, the one that failed first. Library frames are collapsed if there are frames of the application. With
 * `isFirst`, the source of the first application frame is expanded.
 */
export function stackMarkup(sent: readonly Frame[], isFirst: boolean): Markup {
  const frames = sent.toReversed();
  const hasOwn = frames.some(({ inApp }) => inApp);
  const expanded = isFirst ? (frames.find(({ inApp }) => inApp) ?? frames[0]) : undefined;
  const runs: { readonly isCollapsed: boolean; readonly frames: Frame[] }[] = [];
  for (const frame of frames) {
    const isCollapsed = hasOwn && !frame.inApp;
    const run = runs.at(-1);
    if (run?.isCollapsed === isCollapsed) run.frames.push(frame);
    else runs.push({ isCollapsed, frames: [frame] });
  }
  return html`<ol class="rows stack">${runs.map(({ isCollapsed, frames: run }) =>
    isCollapsed
      ? html`<li><details><summary>${run.length} library ${run.length === 1 ? 'frame' : 'frames'}</summary>
<ol class="rows stack">${run.map((frame) => html`<li>${frameMarkup(frame, false)}</li>`)}</ol></details></li>`
      : run.map((frame) => html`<li>${frameMarkup(frame, frame === expanded)}</li>`),
  )}</ol>`;
}

function frameMarkup(frame: Frame, isOpen: boolean): Markup {
  const hasMore = frame.contextLine !== undefined || (frame.vars !== undefined && Object.keys(frame.vars).length > 0);
  if (!hasMore) return html`<p class="frame">${frameLocation(frame)}${formatMapping(frame)}</p>`;
  return html`<details ${isOpen ? html`open` : ''}><summary class="frame">${frameLocation(frame)}${formatMapping(frame)}</summary>
${source(frame)}
${frame.vars === undefined ? '' : html`<div class="vars">${shownPairs(Object.entries(frame.vars))}</div>`}</details>`;
}

/** The position before the frame was mapped by a source map, with a doubt about the map, or why the frame could not be mapped. */
function formatMapping({ mapping }: Frame): Markup | string {
  if (mapping === undefined) return '';
  return 'from' in mapping
    ? html`<span class="line small muted">mapped from <code>${locationText(mapping.from)}</code>${mapping.doubt === undefined ? '' : ` · ${shortened(mapping.doubt.text, 600)}`}</span>`
    : html`<span class="line small muted">${shortened(mapping.problem.text, 600)}</span>`;
}

function locationText({ filename, absPath, line, column }: SentLocation, other?: string): string {
  const file = filename ?? other ?? absPath ?? '(unknown file)';
  return [shortened(file, 300), line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':');
}

function frameLocation(frame: Frame): Markup {
  // SDKs send `?` for a function without a name.
  const name = frame.function === '?' ? '(anonymous)' : frame.function;
  return html`<code>${locationText(frame, frame.module ?? (frame.absPath === undefined ? frame.package : undefined))}</code>${name === undefined ? '' : html` <span class="muted">in</span> <code>${shortened(name, 300)}</code>`}${
    frame.line !== undefined || frame.instructionAddress === undefined
      ? ''
      : html` <span class="muted small">at <code>${shortened(frame.instructionAddress, 40)}</code></span>`
  }`;
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
