import { isLongerThan } from '../textLength.ts';

/** Longest title of a milestone. */
const MAX_LENGTH = 255;

/** What is wrong with a milestone, by field, in the words of the wire; days are `YYYY-MM-DD`. */
export function milestoneErrors(
  milestone: { readonly title: string; readonly start_date: string | null; readonly due_date: string | null },
  isTaken: boolean,
): Readonly<Record<string, readonly string[]>> {
  const { title, start_date: start, due_date: due } = milestone;
  const titleErrors =
    title.trim() === ''
      ? ["can't be blank"]
      : isLongerThan(title, MAX_LENGTH)
        ? [`is too long (maximum is ${MAX_LENGTH} characters)`]
        : isTaken
          ? ['already being used for another group or project milestone.']
          : [];
  const isBackwards = start !== null && due !== null && due < start;
  return {
    ...(titleErrors.length === 0 ? {} : { title: titleErrors }),
    ...(isBackwards ? { due_date: ['must be greater than start date'] } : {}),
  };
}

/** What lists may ask of the milestone of their items instead of naming one. */
export const milestoneFilters = ['None', 'Any', 'Upcoming', 'Started'] as const;

/** What a list asks of the milestone of its items; undefined: anything. */
export type RequestedMilestone =
  | { readonly title: string }
  | { readonly id: number }
  | (typeof milestoneFilters)[number]
  | undefined;

/** What the parameter `milestone` asks for: a title or, in any case, one of the words. */
export function requestedByTitle(title: string | undefined): RequestedMilestone {
  if (title === undefined || title === '') return undefined;
  return milestoneFilters.find((word) => word.toLowerCase() === title.toLowerCase().replace(/^#/, '')) ?? { title };
}
