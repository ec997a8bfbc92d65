import type { ActivityEvent } from '../contract/activity.ts';
import type { ProjectBasic } from '../contract/projects.ts';
import { type DayWords, groupByDay } from './days.ts';
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
    }
  | { readonly kind: 'more'; readonly id: string };

export interface RowSettings {
  /** Start of every id: the list the rows belong to. */
  readonly prefix: string;
  /** What a row tells besides what happened: in which project, or who did it. The other one is the same in every row. */
  readonly tells: 'project' | 'author';
  readonly project: (id: number) => ProjectBasic | undefined;
  readonly now: Date;
  readonly locale: string;
  readonly words: DayWords;
}

export function rowsOf(state: FeedState, settings: RowSettings): readonly ActivityRow[] {
  if (state.kind !== 'ready') return [];
  const { prefix, now, locale, words } = settings;
  const days = groupByDay(state.events, now, locale, words).map(
    ({ key, label, events }): ActivityRow => ({
      kind: 'day',
      id: `${prefix}/day/${key}`,
      label,
      rows: events.map((event) => rowOf(event, label, settings)),
    }),
  );
  return state.next === undefined ? days : [...days, { kind: 'more', id: `${prefix}/more` }];
}

function rowOf(event: ActivityEvent, day: string, { prefix, tells, project, locale }: RowSettings): ActivityRow {
  const { label, spoken, icon, color } = describeEvent(event);
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date(event.created_at));
  const where = event.project_id === null ? '' : (project(event.project_id)?.path_with_namespace ?? '');
  const who = event.author?.name ?? event.author_username ?? '';
  // Names are long and rows are narrow; the hover and a screen reader give the whole name.
  const username = tells === 'author' ? event.author_username : null;
  return {
    kind: 'event',
    id: `${prefix}/event/${event.id}`,
    event,
    label: username === null ? label : `@${username} ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
    description: [tells === 'project' ? where : '', time].filter(Boolean).join(' · '),
    spoken: [spoken, where === '' ? '' : `in ${where}`, who === '' ? '' : `by ${who}`, `${day} ${time}`]
      .filter(Boolean)
      .join(', '),
    icon,
    color,
  };
}
