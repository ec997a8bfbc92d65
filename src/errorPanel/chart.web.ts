import * as l10n from '@vscode/l10n';
import { html, svg, type TemplateResult } from 'lit';
import type { ErrorDetail, EventCount } from '../contract/errorDetail.ts';
import { formatDay, formatHour, formatNumber } from './formats.web.ts';
import type { ReadyState } from './protocol.ts';
import type { TimeRange } from './source.ts';

export type ChartScale = 'hours' | 'days';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Height of the tallest bar in units of the drawing. */
const HEIGHT = 60;
const STEP = 20;
const GAP = 4;

export interface ChartSettings {
  readonly state: ReadyState;
  readonly scale: ChartScale;
  readonly selectScale: (scale: ChartScale) => void;
  /** Null shows all events again. */
  readonly selectRange: (range: TimeRange | null) => void;
}

/** Shows events per hour or per day. A bar shows the events of its time when it is clicked, if the instance lists events. */
export function chart(settings: ChartSettings): TemplateResult {
  const { state, selectScale, selectRange } = settings;
  const { range, detail } = state;
  const scale = scaleOf(detail, settings.scale);
  const counts = scale === 'hours' ? detail.hourly : detail.daily;
  if (counts.length === 0) return html``;
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const title =
    scale === 'hours'
      ? total === 1
        ? l10n.t('1 event in the last 24 hours')
        : l10n.t('{0} events in the last 24 hours', formatNumber(total))
      : total === 1
        ? l10n.t('1 event in the last 28 days')
        : l10n.t('{0} events in the last 28 days', formatNumber(total));
  return html`<section class="chart" aria-label=${l10n.t('Frequency')}>
    <div class="row">
      <h2>${title}</h2>
      ${
        detail.daily.length === 0
          ? ''
          : html`<span class="segments" role="group" aria-label=${l10n.t('Time shown')}>
              ${segment(l10n.t('24 hours'), scale === 'hours', () => selectScale('hours'))}
              ${segment(l10n.t('28 days'), scale === 'days', () => selectScale('days'))}
            </span>`
      }
      ${range === null ? '' : html`<button type="button" class="link" @click=${() => selectRange(null)}>${l10n.t('Show events of all times')}</button>`}
    </div>
    ${bars(counts, scale, settings)}
  </section>`;
}

function scaleOf(detail: ErrorDetail, wanted: ChartScale): ChartScale {
  return detail.daily.length === 0 ? 'hours' : wanted;
}

function segment(text: string, isSelected: boolean, select: () => void): TemplateResult {
  return html`<button type="button" class="segment" aria-pressed=${isSelected} @click=${select}>${text}</button>`;
}

function bars(counts: readonly EventCount[], scale: ChartScale, { state, selectRange }: ChartSettings): TemplateResult {
  const most = Math.max(1, ...counts.map(({ count }) => count));
  const length = scale === 'hours' ? HOUR : DAY;
  const format = scale === 'hours' ? formatHour : formatDay;
  const { abilities, range } = state;
  const width = counts.length * STEP;
  const drawn = counts.map(({ from, count }, index) => {
    const height = count === 0 ? 1 : Math.max(3, (count / most) * HEIGHT);
    const label = `${format(from)}: ${l10n.t('{0} events', formatNumber(count))}`;
    const isSelected = range !== null && range.from === from;
    const shape = svg`<rect class="hit" x=${index * STEP} y="0" width=${STEP} height=${HEIGHT + 4}></rect>
      <rect class="bar" x=${index * STEP + GAP / 2} y=${HEIGHT - height + 2} width=${STEP - GAP} height=${height}></rect>`;
    if (!abilities.listsEvents || count === 0) return svg`<g><title>${label}</title>${shape}</g>`;
    const show = (): void => selectRange(isSelected ? null : { from, until: from + length });
    return svg`<g role="button" tabindex="0" aria-label=${label} aria-pressed=${isSelected} class="choice" @click=${show}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        show();
      }}><title>${label}</title>${shape}</g>`;
  });
  const [first, last] = [counts[0], counts.at(-1)];
  return html`<svg class="bars" viewBox=${`0 0 ${width} ${HEIGHT + 4}`} preserveAspectRatio="none">${drawn}</svg>
    <div class="row ends">
      <span>${first === undefined ? '' : format(first.from)}</span><span>${last === undefined ? '' : format(last.from)}</span>
    </div>`;
}
