import * as l10n from '@vscode/l10n';
import type { ActivityEvent } from '../contract/activity.ts';
import type { ProjectBasic } from '../contract/projects.ts';
import { visible } from '../contract/visibleText.ts';
import { groupByDay } from './days.ts';
import { describeEvent } from './describe.ts';
import type { FeedState } from './model.ts';

/** One row of an activity view, ready to be shown. Ids stay the same while a row stands for the same thing. */
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
  /** Start of every id: the list the rows belong to. */
  readonly prefix: string;
  /** What a row tells besides what happened: in which project, who did it, or both. What is left out is the same in every row. */
  readonly tells: 'project' | 'author' | 'both';
  readonly project: (id: number) => ProjectBasic | undefined;
  readonly isUnread: (event: ActivityEvent) => boolean;
  /** So many events are painted at most; the way on shows more of them. */
  readonly most: number;
  readonly now: Date;
  readonly locale: string;
}

/** Stands before what else the row says, and is said in words to a screen reader. */
const UNREAD = '●';

export function rowsOf(state: FeedState, settings: RowSettings): readonly ActivityRow[] {
  if (state.kind !== 'ready') return [];
  const { prefix, most, now, locale } = settings;
  const time = timeFormatOf(locale);
  const days = groupByDay(state.events.slice(0, most), now, locale).map(
    ({ key, label, events }): ActivityRow => ({
      kind: 'day',
      id: `${prefix}/day/${key}`,
      label,
      rows: events.map((event) => rowOf(event, label, time, settings)),
    }),
  );
  return state.next === undefined && state.events.length <= most ? days : [...days, { kind: 'more', id: `${prefix}/more` }];
}

function timeFormatOf(locale: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
}

/** Does once what the first rows would wait for: a process takes some 40 ms for its first formatter of times. */
export function prepareTimes(locale: string): void {
  timeFormatOf(locale).format(new Date());
}

function rowOf(event: ActivityEvent, day: string, timeFormat: Intl.DateTimeFormat, settings: RowSettings): ActivityRow {
  const { prefix, tells, project, locale } = settings;
  const time = timeFormat.format(new Date(event.created_at));
  const isUnread = settings.isUnread(event);
  const where = event.project_id === null ? '' : visible(project(event.project_id)?.path_with_namespace ?? '');
  const who = visible(event.author?.name ?? event.author_username ?? '');
  // Names are long and rows are narrow; the hover and a screen reader give the whole name.
  const username = tells === 'project' ? undefined : (event.author_username ?? undefined);
  const { label, spoken, icon, color } = describeEvent(event, locale, username);
  return {
    kind: 'event',
    id: `${prefix}/event/${event.id}`,
    event,
    label,
    description: [isUnread ? UNREAD : '', tells === 'author' ? '' : where, time].filter(Boolean).join(' · '),
    spoken: [
      isUnread ? l10n.t('New') : '',
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
