import { isLongerThan } from '../../support/textLength.ts';

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

/** Filters of GraphQL since release 18.0 by the dates of a milestone: it has begun and is not over, or has not begun. */
const datedFilters = ['Current', 'Future'] as const;

/** Values of `MilestoneWildcardId`. */
export const milestoneWildcards = ['NONE', 'ANY', 'STARTED', 'UPCOMING'] as const;

export type MilestoneWildcard = (typeof milestoneWildcards)[number];

/**
 * Returns the filter for a wildcard of GraphQL. `isByDates` is true since release 18.0, where `STARTED` and `UPCOMING` compare the dates of a
 * milestone with today. Before, they match as `Started` and `Upcoming` of the REST API.
 */
export function requestedByWildcard(wildcard: MilestoneWildcard, isByDates: boolean): RequestedMilestone {
  const filters = {
    NONE: 'None',
    ANY: 'Any',
    STARTED: isByDates ? 'Current' : 'Started',
    UPCOMING: isByDates ? 'Future' : 'Upcoming',
  } as const;
  return filters[wildcard];
}

/** Milestone filter of a list. Undefined matches everything. */
export type RequestedMilestone =
  | { readonly title: string }
  | { readonly id: number }
  | (typeof milestoneFilters)[number]
  | (typeof datedFilters)[number]
  | undefined;

/** Returns the filter for the parameter `milestone`: a title, or one of {@link milestoneFilters} in upper or lower case. */
export function requestedByTitle(title: string | undefined): RequestedMilestone {
  if (title === undefined || title === '') return undefined;
  return milestoneFilters.find((word) => word.toLowerCase() === title.toLowerCase().replace(/^#/, '')) ?? { title };
}
