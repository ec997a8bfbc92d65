import * as l10n from '@vscode/l10n';
import type { Breadcrumb, ErrorEvent, NamedValue, ShownFrame } from '../contract/errorDetail.ts';

/** Position of a replay: something that happened before the crash, an exception of the chain, or the crash itself. */
export interface Step {
  readonly kind: 'breadcrumb' | 'exception' | 'message';
  /** Text that the debugger shows for the position. */
  readonly title: string;
  /** Type of the exception; null for other steps. */
  readonly type: string | null;
  /** Innermost frame first; empty if the event has no stack for the position. */
  readonly frames: readonly ShownFrame[];
  /** Values of the position that belong to no frame. */
  readonly values: readonly NamedValue[];
}

/**
 * Returns the positions of an event in the order in which they happened: breadcrumbs, causes, and the exception that was reported. There is
 * at least one.
 */
export function stepsOf({ data }: ErrorEvent): readonly Step[] {
  if (data === null) return [messageStep(l10n.t('The instance no longer stores the data of this event.'), [])];
  const before = data.breadcrumbs.map(breadcrumbStep);
  if (data.exceptions.length === 0) {
    const thread = data.threads.find(({ crashed }) => crashed) ?? data.threads[0];
    return [...before, messageStep(data.message ?? l10n.t('The event has no exception.'), thread?.frames ?? [])];
  }
  // The event lists the exception that was reported first and its causes after it.
  const exceptions = data.exceptions.toReversed().map(
    ({ type, value, frames }): Step => ({
      kind: 'exception',
      title: [type, value].filter((part) => part !== null && part !== '').join(': '),
      type,
      frames,
      values: [],
    }),
  );
  return [...before, ...exceptions];
}

/** Returns the values that belong to the whole event, by section. Empty sections are left out. */
export function sectionsOf({ data, release, environment, level, id }: ErrorEvent): readonly Section[] {
  if (data === null) return [];
  const { request } = data;
  const general: readonly (readonly [name: string, value: string | null])[] = [
    [l10n.t('release'), release],
    [l10n.t('environment'), environment],
    [l10n.t('level'), level],
    [l10n.t('server name'), data.serverName],
    [l10n.t('platform'), data.platform],
    [l10n.t('event ID'), id],
  ];
  const sections: readonly Section[] = [
    { name: l10n.t('Event'), values: named(general) },
    { name: l10n.t('Tags'), values: data.tags },
    { name: l10n.t('User'), values: data.user },
    {
      name: l10n.t('Request'),
      values:
        request === null
          ? []
          : [
              ...named([
                ['method', request.method],
                ['url', request.url],
                ['query', request.query],
              ]),
              ...(request.data === null ? [] : [{ name: 'data', value: request.data, kind: 'json' as const }]),
              ...request.headers,
            ],
    },
    { name: l10n.t('Contexts'), values: data.contexts },
    { name: l10n.t('Additional Data'), values: data.extra },
  ];
  return sections.filter(({ values }) => values.length > 0);
}

export interface Section {
  readonly name: string;
  readonly values: readonly NamedValue[];
}

function breadcrumbStep({ at, category, level, message, data }: Breadcrumb): Step {
  const text = [category, message].filter((part) => part !== null && part !== '').join(': ');
  const time = at === null ? null : new Date(at).toISOString();
  return {
    kind: 'breadcrumb',
    title: text === '' ? l10n.t('Breadcrumb') : text,
    type: null,
    frames: [],
    values: [
      ...named([
        ['category', category],
        ['message', message],
        ['level', level],
        ['time', time],
      ]),
      ...data,
    ],
  };
}

function messageStep(title: string, frames: readonly ShownFrame[]): Step {
  return { kind: 'message', title, type: null, frames, values: [] };
}

function named(values: readonly (readonly [name: string, value: string | null])[]): readonly NamedValue[] {
  return values.flatMap(([name, value]) => (value === null ? [] : [{ name, value, kind: 'text' as const }]));
}
