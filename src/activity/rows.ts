import * as l10n from '@vscode/l10n';
import type { ActivityEvent } from '../contract/activity.ts';
import type { ProjectBasic } from '../contract/projects.ts';
import { visible } from '../contract/visibleText.ts';
import { groupByDay } from './days.ts';
import { describeEvent } from './describe.ts';
import type { FeedState } from './model.ts';

/** Row of an activity view. Its id stays the same as long as the row represents the same event or day. */
export type ActivityRow =
  | { readonly kind: 'day'; readonly id: string; readonly label: string; readonly rows: readonly ActivityRow[] }
  | {
      readonly kind: 'event';
      readonly id: string;
      readonly event: ActivityEvent;
      readonly label: string;
      readonly description: string;
      readonly spoken: string;
      readonly icon: string;
      readonly color: string | undefined;
      readonly isUnread: boolean;
    }
  | { readonly kind: 'more'; readonly id: string };

export interface RowSettings {
  /** Prefix of every id: the key of the list. */
  readonly prefix: string;
  /** Details that rows show besides the action. A detail that is the same in all rows is omitted. */
  readonly details: 'project' | 'author' | 'both';
  readonly project: (id: number) => ProjectBasic | undefined;
  readonly isUnread: (event: ActivityEvent) => boolean;
  /** Maximum number of events to show; "Load more" raises it. */
  readonly maxEvents: number;
  readonly now: Date;
  readonly locale: string;
}

/** Mark before the description of an unread event; screen readers get a word instead. */
const UNREAD = '●';

export function rowsOf(state: FeedState, settings: RowSettings): readonly ActivityRow[] {
  if (state.kind !== 'ready') return [];
  const { prefix, maxEvents, now, locale } = settings;
  const time = timeFormatOf(locale);
  const days = groupByDay(state.events.slice(0, maxEvents), now, locale).map(
    ({ key, label, events }): ActivityRow => ({
      kind: 'day',
      id: `${prefix}/day/${key}`,
      label,
      rows: events.map((event) => rowOf(event, label, time, settings)),
    }),
  );
  return state.next === undefined && state.events.length <= maxEvents ? days : [...days, { kind: 'more', id: `${prefix}/more` }];
}

function timeFormatOf(locale: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
}

/** Creates a time formatter in advance, because the first one in a process takes about 40 ms. */
export function prepareTimes(locale: string): void {
  timeFormatOf(locale).format(new Date());
}

function rowOf(event: ActivityEvent, day: string, timeFormat: Intl.DateTimeFormat, settings: RowSettings): ActivityRow {
  const { prefix, details, project, locale } = settings;
  const time = timeFormat.format(new Date(event.created_at));
  const isUnread = settings.isUnread(event);
  const where = event.project_id === null ? '' : visible(project(event.project_id)?.path_with_namespace ?? '');
  const who = visible(event.author?.name ?? event.author_username ?? '');
  // Rows are narrow, so they show the username; hover and screen reader text contain the full name.
  const username = details === 'project' ? undefined : (event.author_username ?? undefined);
  const { label, spoken, icon, color } = describeEvent(event, locale, username);
  return {
    kind: 'event',
    id: `${prefix}/event/${event.id}`,
    event,
    label,
    description: [isUnread ? UNREAD : '', details === 'author' ? '' : where, time].filter(Boolean).join(' · '),
    spoken: [
      isUnread ? l10n.t('Unread') : '',
      spoken,
      where === '' ? '' : l10n.t('in {0}', where),
      who === '' ? '' : l10n.t('by {0}', who),
      `${day} ${time}`,
    ]
      .filter(Boolean)
      .join(', '),
    icon,
    color,
    isUnread,
  };
}
