import { isLongerThan } from '../textLength.ts';

/** Maximum length of a title, in characters. */
const MAX_TITLE_LENGTH = 255;

/** Returns the validation errors of a milestone by field, as sent in responses. Days are `YYYY-MM-DD`. */
export function milestoneErrors(
  milestone: { readonly title: string; readonly start_date: string | null; readonly due_date: string | null },
  isTaken: boolean,
): Readonly<Record<string, readonly string[]>> {
  const { title, start_date: start, due_date: due } = milestone;
  const titleErrors =
    title.trim() === ''
      ? ["can't be blank"]
      : isLongerThan(title, MAX_TITLE_LENGTH)
        ? [`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`]
        : isTaken
          ? ['already being used for another group or project milestone.']
          : [];
  const isBackwards = start !== null && due !== null && due < start;
  return {
    ...(titleErrors.length === 0 ? {} : { title: titleErrors }),
    ...(isBackwards ? { due_date: ['must be greater than start date'] } : {}),
  };
}

/** Milestone filters of lists that do not name a milestone. */
export const milestoneFilters = ['None', 'Any', 'Upcoming', 'Started'] as const;

/** Milestone filter of a list. Undefined matches everything. */
export type RequestedMilestone =
  | { readonly title: string }
  | { readonly id: number }
  | (typeof milestoneFilters)[number]
  | undefined;

/** Returns the filter for the parameter `milestone`: a title, or one of {@link milestoneFilters} in upper or lower case. */
export function requestedByTitle(title: string | undefined): RequestedMilestone {
  if (title === undefined || title === '') return undefined;
  return milestoneFilters.find((word) => word.toLowerCase() === title.toLowerCase().replace(/^#/, '')) ?? { title };
}
