import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { EventData, NamedText, ShownException, ShownFrame } from '../contract/errorDetail.ts';
import type { ExceptionRelation } from '../contract/exceptionTree.ts';
import { highlighted } from './highlight.web.ts';
import type { PlaceOfFrame } from './protocol.ts';

export interface StackSettings {
  readonly data: EventData;
  readonly places: readonly PlaceOfFrame[];
  /** Opens a frame in the editor. `stack` counts the exceptions first, then the threads. */
  readonly openFrame: (stack: number, frame: number) => void;
}

/** Shows the exceptions of an event with their stacks, the one that was reported first, and its threads. */
export function stacks({ data, places, openFrame }: StackSettings): TemplateResult {
  const { exceptions, threads, platform } = data;
  // The first frame of the program is what the reader looks for.
  const isOpenStack = exceptions.findIndex(({ frames }) => frames.length > 0);
  return html`<section aria-label=${l10n.t('Stack traces')}>
    ${tree(exceptions)}
    ${exceptions.map(
      (exception, index) =>
        html`<div class=${depthOf(exception)}>
          <h2 class="exception">
            ${relationOf(exception, index)}<span class="type">${exception.type ?? ''}</span>
            ${exception.handled === false ? html`<span class="badge error">${l10n.t('Unhandled')}</span>` : ''}
          </h2>
          ${exception.value === null ? '' : html`<p class="value">${exception.value}</p>`}
          ${frames(exception.frames, { stack: index, platform, isOpen: index === isOpenStack, places, openFrame })}
        </div>`,
    )}
    ${threads.map(
      ({ name, crashed, frames: list }, index) =>
        html`<h2 class="exception">
            ${name === '' ? l10n.t('Stack') : l10n.t('Thread {0}', name)}
            ${crashed && name !== '' ? html`<span class="badge error">${l10n.t('Crashed')}</span>` : ''}
          </h2>
          ${frames(list, {
            ...{ stack: exceptions.length + index, platform, places, openFrame },
            isOpen: exceptions.length === 0 && index === 0,
          })}`,
    )}
    ${exceptions.length === 0 && data.message !== null ? html`<p class="value">${data.message}</p>` : ''}
  </section>`;
}

/** Deeper exceptions are not indented more. */
const MAX_DEPTH = 5;

function depthOf({ inTree }: ShownException): string {
  return inTree === undefined ? '' : `depth-${Math.min(inTree.depth, MAX_DEPTH)}`;
}

/** Says how an exception relates to the one above it. */
function relationOf({ inTree }: ShownException, index: number): TemplateResult {
  const relation = inTree?.relation ?? (index === 0 ? 'caught' : 'cause');
  const texts: Readonly<Record<ExceptionRelation, string>> = {
    caught: '',
    cause: l10n.t('Caused by'),
    member: l10n.t('Member:'),
    suppressed: l10n.t('Suppressed:'),
  };
  return texts[relation] === '' ? html`` : html`<span class="caused">${texts[relation]}</span> `;
}

/** Shows which exceptions contain or caused which, if they are not a chain. */
function tree(exceptions: readonly ShownException[]): TemplateResult {
  if (exceptions[0]?.inTree === undefined) return html``;
  return html`<ul class="exceptions" aria-label=${l10n.t('Exceptions')}>
    ${exceptions.map(
      (exception, index) =>
        html`<li class=${depthOf(exception)}>
          ${relationOf(exception, index)}<span class="type">${exception.type ?? ''}</span> <span class="quiet">${exception.value ?? ''}</span>
        </li>`,
    )}
  </ul>`;
}

interface FrameSettings {
  readonly stack: number;
  readonly platform: string;
  /** True if the first frame of the program is shown with its code. */
  readonly isOpen: boolean;
  readonly places: readonly PlaceOfFrame[];
  readonly openFrame: StackSettings['openFrame'];
}

/** Successive frames that are all of the program or all of libraries, with the index of the first one. */
interface Run {
  readonly isLibrary: boolean;
  readonly start: number;
  readonly frames: readonly ShownFrame[];
}

function runsOf(list: readonly ShownFrame[]): readonly Run[] {
  const runs: { isLibrary: boolean; start: number; frames: ShownFrame[] }[] = [];
  for (const [index, frame] of list.entries()) {
    const isLibrary = frame.inApp === false;
    const last = runs.at(-1);
    if (last?.isLibrary === isLibrary) last.frames.push(frame);
    else runs.push({ isLibrary, start: index, frames: [frame] });
  }
  return runs;
}

function frames(list: readonly ShownFrame[], settings: FrameSettings): TemplateResult {
  if (list.length === 0) return html`<p class="quiet">${l10n.t('This event has no stack trace.')}</p>`;
  const first = list.findIndex(({ inApp }) => inApp !== false);
  return html`<ol class="frames">
    ${runsOf(list).map((run) => {
      const items = run.frames.map((frame, index) => frameRow(frame, run.start + index, run.start + index === first, settings));
      // A stack with frames of libraries only is shown whole.
      if (!run.isLibrary || first === -1) return items;
      const text = run.frames.length === 1 ? l10n.t('1 library frame') : l10n.t('{0} library frames', run.frames.length);
      return html`<li class="libraries">
        <details>
          <summary>${text}</summary>
          <ol class="frames">${items}</ol>
        </details>
      </li>`;
    })}
  </ol>`;
}

function frameRow(frame: ShownFrame, index: number, isFirst: boolean, settings: FrameSettings): TemplateResult {
  const { filename, absPath, module, line, column } = frame;
  const path = filename ?? absPath ?? module ?? frame.package;
  const place = [path ?? '?', line, column].filter((part) => part !== null).join(':');
  const name = frame.function ?? frame.address ?? l10n.t('(anonymous)');
  const open = html`<button
    type="button"
    class="link place"
    title=${absPath ?? path ?? ''}
    @click=${() => settings.openFrame(settings.stack, index)}
  >
    ${place}
  </button> ${moved(
    frame,
    settings.places.find((one) => one.stack === settings.stack && one.frame === index),
  )} ${doubtfulMap(frame)}`;
  if (frame.code.length === 0 && frame.variables.length === 0 && frame.mapProblem === null)
    return html`<li class="frame"><span class="function">${name}</span> ${open}</li>`;
  return html`<li class="frame">
    <details ?open=${isFirst && settings.isOpen}>
      <summary><span class="function">${name}</span></summary>
      ${code(frame, settings.platform)} ${variables(frame.variables)}
      ${frame.mapProblem === null ? '' : html`<p class="quiet">${frame.mapProblem}</p>`}
    </details>
    ${open}
  </li>`;
}

/** Says where the line is now, or that it may be another one. */
function moved({ line }: ShownFrame, place: PlaceOfFrame | undefined): TemplateResult {
  if (place === undefined) return html``;
  const now = place.line === line ? '' : l10n.t('now line {0}', place.line);
  const doubt = place.doubt === null ? '' : l10n.t('line may be another one');
  const text = [now, doubt].filter((part) => part !== '').join(', ');
  return html`<span class="quiet moved" title=${place.doubt ?? ''}>${text}</span>`;
}

/** Says that the place may be wrong, because the source map may be of another release or build. */
function doubtfulMap({ isMapDoubtful, mapProblem }: ShownFrame): TemplateResult {
  if (!isMapDoubtful) return html``;
  return html`<span class="quiet moved" title=${mapProblem ?? ''}>${l10n.t('source map may be another one')}</span>`;
}

function code(frame: ShownFrame, platform: string): TemplateResult {
  if (frame.code.length === 0) return html``;
  const path = frame.filename ?? frame.absPath;
  return html`<pre class="code" tabindex="0" aria-label=${l10n.t('Code')}>${frame.code.map(
    ({ line, text }) =>
      html`<span class=${line === frame.line ? 'line failed' : 'line'}><span class="number">${line}</span>${highlighted(text, path, platform)}
</span>`,
  )}</pre>`;
}

function variables(list: readonly NamedText[]): TemplateResult {
  if (list.length === 0) return html``;
  return html`<table class="names">
    <caption>${l10n.t('Variables')}</caption>
    <tbody>
      ${list.map(({ name, value }) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}
    </tbody>
  </table>`;
}
