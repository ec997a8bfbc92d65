import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { Breadcrumb, ErrorDetail, ErrorEvent, ErrorGrouping, NamedText, ValueCount } from '../contract/errorDetail.ts';
import { formatClock, formatNumber } from './formats.web.ts';

/** Shows the breadcrumbs of an event whose category, level or message contains the filter. */
export function breadcrumbs(list: readonly Breadcrumb[], filter: string, setFilter: (filter: string) => void): TemplateResult {
  if (list.length === 0) return html``;
  const wanted = filter.trim().toLowerCase();
  const shown = list.filter(({ category, level, message }) =>
    [category, level, message].some((text) => text?.toLowerCase().includes(wanted) === true || wanted === ''),
  );
  return html`<details class="part" open>
    <summary><h2>${l10n.t('Breadcrumbs')}</h2></summary>
    <label class="filter">
      <span>${l10n.t('Filter')}</span>
      <input type="search" .value=${filter} @input=${(event: InputEvent) => {
        if (event.target instanceof HTMLInputElement) setFilter(event.target.value);
      }}>
    </label>
    ${shown.length === 0 ? html`<p class="quiet">${l10n.t('No breadcrumb matches the filter.')}</p>` : ''}
    <table class="breadcrumbs">
      <thead>
        <tr>
          <th scope="col">${l10n.t('Time')}</th>
          <th scope="col">${l10n.t('Category')}</th>
          <th scope="col">${l10n.t('Message')}</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map(
          ({ at, category, level, message, data }) =>
            html`<tr class=${level ?? ''}>
              <td>${at === null ? '' : formatClock(at)}</td>
              <td>${category ?? ''}${level === null || level === 'info' ? '' : html` <span class="badge ${level}">${level}</span>`}</td>
              <td>
                ${message ?? ''}
                ${data.map(({ name, value }) => html`<span class="datum"><span class="quiet">${name}:</span> ${value}</span> `)}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </details>`;
}

/** Shows how the events of an error are distributed, and the tags of the event. */
export function tags(detail: ErrorDetail, event: ErrorEvent | null): TemplateResult {
  const own = event?.data?.tags ?? [];
  const { environmentCounts: environments, levels, releases } = detail;
  if (own.length + environments.length + levels.length + releases.length === 0) return html``;
  return html`<details class="part" open>
    <summary><h2>${l10n.t('Tags')}</h2></summary>
    <div class="distributions">
      ${distribution(l10n.t('Releases'), releases)} ${distribution(l10n.t('Environments'), environments)}
      ${distribution(l10n.t('Levels'), levels)}
    </div>
    ${own.length === 0 ? '' : namesTable(l10n.t('Tags of this event'), own, true)}
  </details>`;
}

/** Values shown per distribution. */
const SHOWN_VALUES = 8;

function distribution(title: string, values: readonly ValueCount[]): TemplateResult {
  if (values.length === 0) return html``;
  const total = values.reduce((sum, { count }) => sum + count, 0);
  const rest = values.length - SHOWN_VALUES;
  return html`<table class="distribution">
    <caption>${title}</caption>
    <tbody>
      ${values.slice(0, SHOWN_VALUES).map(
        ({ value, count }) =>
          html`<tr>
            <th scope="row">${value}</th>
            <td><progress max=${total} value=${count} aria-label=${value}></progress></td>
            <td class="count">${formatNumber(count)}</td>
          </tr>`,
      )}
      ${rest > 0 ? html`<tr><td colspan="3" class="quiet">${l10n.t('and {0} more', rest)}</td></tr>` : ''}
    </tbody>
  </table>`;
}

/** Shows what else an event contains. */
export function context(event: ErrorEvent): TemplateResult {
  const { data } = event;
  if (data === null) return html`<p class="quiet">${l10n.t('The instance no longer stores the data of this event.')}</p>`;
  const { request, user } = data;
  const requestRows: readonly NamedText[] =
    request === null
      ? []
      : [
          ...(['method', 'url', 'query', 'data'] as const).flatMap((name) => {
            const value = request[name];
            return value === null ? [] : [{ name, value }];
          }),
          ...request.headers,
        ];
  const about: readonly NamedText[] = [
    ...(data.serverName === null ? [] : [{ name: l10n.t('Server'), value: data.serverName }]),
    ...(data.sdk === null || data.sdk === '' ? [] : [{ name: 'SDK', value: data.sdk }]),
    ...(data.platform === '' ? [] : [{ name: l10n.t('Platform'), value: data.platform }]),
  ];
  return html`${part(l10n.t('User'), user)} ${part(l10n.t('Request'), requestRows)} ${part(l10n.t('Program'), about)}
  ${part(l10n.t('Contexts'), data.contexts)} ${part(l10n.t('Extra data'), data.extra)} ${part(l10n.t('Modules'), data.modules)}`;
}

function part(title: string, rows: readonly NamedText[]): TemplateResult {
  if (rows.length === 0) return html``;
  return html`<details class="part">
    <summary><h2>${title}</h2></summary>
    ${namesTable(title, rows)}
  </details>`;
}

function namesTable(title: string, rows: readonly NamedText[], isTitled = false): TemplateResult {
  return html`<table class="names">
    <caption class=${isTitled ? '' : 'hidden'}>${title}</caption>
    <tbody>
      ${rows.map(({ name, value }) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}
    </tbody>
  </table>`;
}

/** Explains why events are in this error. */
export function grouping(value: ErrorGrouping | null): TemplateResult {
  if (value === null) return html``;
  const texts: Readonly<Record<string, string>> = {
    fingerprint: l10n.t('The program sends a fingerprint. Events with the same fingerprint are one error.'),
    exception: l10n.t('Events with the same exception types and the same calls in the program are one error.'),
    exception_group: l10n.t('Events with the same kinds of exceptions in the group are one error.'),
    message: l10n.t('Events with the same message template are one error.'),
    stack: l10n.t('Events with the same calls in the program are one error.'),
    nothing: l10n.t('The event has nothing to compare, so all such events are one error.'),
  };
  return html`<details class="part">
    <summary><h2>${l10n.t('Grouping')}</h2></summary>
    <p>${texts[value.by] ?? ''}</p>
    ${value.text === null ? '' : html`<p class="value">${value.text}</p>`}
    <ol>
      ${value.parts.map(({ name, isUsed }) => html`<li class=${isUsed ? '' : 'quiet'}>${name}${isUsed ? '' : html` <span>${l10n.t('(not compared)')}</span>`}</li>`)}
    </ol>
    ${value.leftOut.map((sentence) => html`<p class="quiet">${sentence}</p>`)}
  </details>`;
}
