import { findCommit, type CommitObject } from '../git/git.ts';
import type { Platform } from '../platform.ts';
import type { Project } from '../projects/projects.ts';
import { type EventRow, frequencyOf, type ReadEvent, readLatest, type TrackedError } from './errors.ts';
import { stateOf } from './errorStates.ts';
import type { TrackedEvent } from './event/event.ts';
import { explainGrouping, type GroupingExplanation, groupingOf } from './grouping/grouping.ts';
import { facetRows, type FacetRow, type GroupingOfError, groupingRows } from './readStore.ts';
import { commitsOfReleases } from './releases/releaseCommits.ts';
import { type Stack, stacksOf } from './event/stacks.ts';
import type { ErrorState } from './states.ts';

/** Everything that is known of one error, for whoever shows it: nothing of it is in the form of any wire. Times are milliseconds. */
export interface ErrorDetail {
  readonly error: TrackedError;
  /** Its status with what belongs to that, such as until when it is ignored. */
  readonly state: ErrorState;
  /** Of its oldest and its newest event. */
  readonly firstRelease: ReleasePlace | undefined;
  readonly lastRelease: ReleasePlace | undefined;
  /** Of the last 24 hours, the running one last: seconds since 1970 at which the hour begins, and events. */
  readonly frequency: readonly (readonly [seconds: number, count: number])[];
  /** Of all events that are kept, the most frequent values first. */
  readonly facets: Readonly<Record<FacetRow['kind'], readonly ValueCount[]>>;
  /** What its events are compared by, those with events first: each can be split off. */
  readonly groupings: readonly GroupingOfError[];
  /** Undefined when nothing is kept of what was received. */
  readonly latest: EventDetail | undefined;
}

export interface ReleasePlace {
  readonly version: string;
  /** Of the project's repository; undefined where none answers to the version, or where there is no git. */
  readonly commit: CommitObject | undefined;
}

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

export interface EventDetail {
  readonly row: EventRow;
  readonly event: TrackedEvent;
  /** The one to show first, as sent: the frame that failed is the last. Undefined: there is none. */
  readonly stack: Stack | undefined;
  /** Why the event is in its error. */
  readonly grouping: GroupingExplanation;
}

/** What is known of an error of a project. Whether the caller may see it is the caller's to know. */
export async function errorDetail(
  platform: Platform,
  project: Pick<Project, 'id' | 'default_branch'>,
  error: TrackedError,
): Promise<ErrorDetail> {
  const { store, clock } = platform;
  const latest = await readLatest(platform, error);
  const facets: Record<FacetRow['kind'], ValueCount[]> = { environment: [], level: [], release: [] };
  for (const { kind, value, count } of facetRows(store, error.id)) facets[kind].push({ value, count });
  const ofError = groupingRows(store, error.id);
  const plain = {
    error,
    state: stateOf(error),
    frequency: frequencyOf(platform, [error], clock.now()).get(error.id) ?? [],
    facets,
    groupings: ofError,
    latest: latest && eventDetail(latest, error.project_id, ofError),
  };
  // Everything of the database is read by now, so that it is of one moment.
  const firstRelease = await releasePlace(platform, project, error.first_release);
  const lastRelease =
    error.last_release === error.first_release ? firstRelease : await releasePlace(platform, project, error.last_release);
  return { ...plain, firstRelease, lastRelease };
}

/** What there is to show of an event of an error, beside what was received. */
export function eventDetail(
  { row, event, sent }: ReadEvent,
  projectId: number,
  groupings: readonly GroupingOfError[],
): EventDetail {
  const [stack] = stacksOf(event);
  const hash = groupings.find(({ id }) => id === row.grouping_id)?.hash;
  // Source maps that came later have not grouped it.
  const isOfSent = event !== sent && hash !== undefined && groupingOf(sent, projectId).app.equals(hash);
  return { row, event, stack, grouping: explainGrouping(isOfSent ? sent : event) };
}

async function releasePlace(
  platform: Platform,
  project: Pick<Project, 'id' | 'default_branch'>,
  version: string | null,
): Promise<ReleasePlace | undefined> {
  return version === null ? undefined : { version, commit: await commitOfRelease(platform, project, version) };
}

/** An error is shown without its commit rather than not at all. */
async function commitOfRelease(
  platform: Platform,
  project: Pick<Project, 'id' | 'default_branch'>,
  version: string,
): Promise<CommitObject | undefined> {
  try {
    const id = (await commitsOfReleases(platform, project, [version])).get(version);
    return id === undefined ? undefined : await findCommit(platform, project, id);
  } catch (error) {
    platform.log.error('the commit of a release could not be looked up', error);
    return undefined;
  }
}
