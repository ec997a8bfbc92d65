import type { ActivityEvent } from '../contract/activity.ts';
import { describeEvent } from './describe.ts';
import type { FeedState } from './model.ts';

/** Returns the state with the events that contain a text: in the row, the comment, the title, or the names of author and project. */
export function stateWithText(
  state: FeedState,
  text: string | undefined,
  { locale, pathOf }: { readonly locale: string; readonly pathOf: (project: number) => string | undefined },
): FeedState {
  if (state.kind !== 'ready' || text === undefined) return state;
  const needle = text.toLowerCase();
  const events = state.events.filter((event) =>
    textsOf(event, locale, pathOf).some((one) => one?.toLowerCase().includes(needle) === true),
  );
  return { ...state, events };
}

function textsOf(
  event: ActivityEvent,
  locale: string,
  pathOf: (project: number) => string | undefined,
): readonly (string | null | undefined)[] {
  return [
    describeEvent(event, locale).label,
    event.target_title,
    event.note?.body,
    event.push_data?.commit_title,
    event.push_data?.ref,
    event.author?.name,
    event.author_username,
    event.project_id === null ? undefined : pathOf(event.project_id),
  ];
}
