import type { Store } from '../../../store/open.ts';
import type { GitCore } from '../../../repositories/repositories.ts';
import { findCommit } from '../../git/git.ts';
import type { CommitObject } from '../../../repositories/objects.ts';
import type { Project } from '../../projectAccess/projectAccess.ts';
import {
  dailyOf,
  type EventRow,
  type Frequency,
  frequencyOf,
  latestStored,
  type ReadEvent,
  readLatest,
  type TrackedError,
} from './readErrors.ts';
import { stateOf } from '../status/errorStatus.ts';
import type { TrackedEvent } from '../event/trackedEvent.ts';
import { titleOf } from '../grouping/errorTitles.ts';
import { explainGrouping, type GroupingExplanation } from '../grouping/explainGrouping.ts';
import { hashesBy } from '../grouping/grouping.ts';
import { facetRows, type FacetRow, type GroupingOfError, groupingRows } from './errorReadStore.ts';
import { commitsOfReleases } from '../releases/releaseCommits.ts';
import { releaseWithFix } from '../status/releaseWithFix.ts';
import { type Stack, stacksOf } from '../event/mainStack.ts';
import type { ErrorState } from '../status/statusRules.ts';

/** Details of one error, independent of any wire format. Times are in milliseconds. */
export interface ErrorDetail {
  readonly error: TrackedError;
  /** Status with its details, such as until when the error is ignored. */
  readonly state: ErrorState;
  /** Release of the oldest event. */
  readonly firstRelease: ReleaseDetail | undefined;
  readonly lastRelease: ReleaseDetail | undefined;
  /** Release that shows that the error is fixed. Undefined if there is none. */
  readonly fixedIn: string | undefined;
  /**
   * Pairs of the start of an hour, in seconds since 1970, and its number of events. Covers the last 24 hours, the current hour
   * last.
   */
  readonly frequency: Frequency;
  /** Pairs of the start of a day (UTC), in seconds since 1970, and its number of events. Covers 28 days, the current day last. */
  readonly daily: readonly (readonly [seconds: number, count: number])[];
  /** Values of all stored events, the most frequent first. */
  readonly facets: Readonly<Record<FacetRow['kind'], readonly ValueCount[]>>;
  /** Groupings of the error, those with events first. Each can be split off. */
  readonly groupings: readonly TitledGrouping[];
  /** Undefined if no payload is stored. */
  readonly latest: EventDetail | undefined;
}

export interface TitledGrouping extends GroupingOfError {
  /** Title of its latest event. Undefined if the payload of the event is no longer stored, and after the first 20 groupings. */
  readonly title: string | undefined;
}

export interface ReleaseDetail {
  readonly version: string;
  /** Commit in the repository of the project. Undefined if no commit matches the version, or if git is not available. */
  readonly commit: CommitObject | undefined;
}

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

export interface EventDetail {
  readonly row: EventRow;
  readonly event: TrackedEvent;
  /** The stack to show first, in the order in which it was sent: the frame that failed is last. Undefined if there is none. */
  readonly stack: Stack | undefined;
  /** Explains why the event belongs to its error. */
  readonly grouping: GroupingExplanation;
}

/** Returns the details of an error. The caller checks access. */
export async function errorDetail(
  core: GitCore,
  project: Pick<Project, 'id' | 'default_branch'>,
  error: TrackedError,
): Promise<ErrorDetail> {
  const { store, clock } = core;
  const latest = await readLatest(core, error);
  const facets: Record<FacetRow['kind'], ValueCount[]> = { environment: [], level: [], release: [] };
  for (const { kind, value, count } of facetRows(store, error.id)) facets[kind].push({ value, count });
  const errorGroupings = groupingRows(store, error.id);
  const storedDetail = {
    error,
    state: stateOf(error),
    frequency: frequencyOf(core, [error], clock.now()).get(error.id) ?? [],
    daily: dailyOf(core, error, clock.now()),
    facets,
    groupings: titled(store, error, errorGroupings),
    latest: latest && eventDetail(latest, error.project_id, errorGroupings),
  };
  // All database reads are done at this point, so that the data is consistent.
  const firstRelease = await releaseDetail(core, project, error.first_release);
  const lastRelease =
    error.last_release === error.first_release ? firstRelease : await releaseDetail(core, project, error.last_release);
  const fixedIn = await ofRepository(core, () => releaseWithFix(core, project, storedDetail.state));
  return { ...storedDetail, firstRelease, lastRelease, fixedIn };
}

/** Maximum number of groupings whose latest event is read for its title. */
const MAX_TITLED = 20;

function titled(store: Store, error: TrackedError, groupings: readonly GroupingOfError[]): TitledGrouping[] {
  const filled = groupings.filter((one) => one.event_count > 0);
  const titleIn = (one: GroupingOfError): string | undefined => {
    // The error has the title of its latest event.
    if (filled.length === 1) return error.title;
    const event = latestStored(store, one);
    return event && titleOf(event);
  };
  return groupings.map((one, index) => ({
    ...one,
    title: one.event_count > 0 && index < MAX_TITLED ? titleIn(one) : undefined,
  }));
}

/** Returns the details of an event of an error. */
export function eventDetail(
  { row, shown, event, sent }: ReadEvent,
  projectId: number,
  groupings: readonly GroupingOfError[],
): EventDetail {
  const [stack] = stacksOf(shown);
  const grouping = groupings.find(({ id }) => id === row.grouping_id);
  // Source maps that were uploaded later did not affect the grouping.
  const isGroupedUnmapped =
    event !== sent && grouping !== undefined && hashesBy(grouping.algorithm, sent, projectId).app.equals(grouping.hash);
  return { row, event: shown, stack, grouping: explainGrouping(isGroupedUnmapped ? sent : event, grouping?.algorithm) };
}

async function releaseDetail(
  core: GitCore,
  project: Pick<Project, 'id' | 'default_branch'>,
  version: string | null,
): Promise<ReleaseDetail | undefined> {
  if (version === null) return undefined;
  return { version, commit: await ofRepository(core, () => commitOfRelease(core, project, version)) };
}

async function commitOfRelease(
  core: GitCore,
  project: Pick<Project, 'id' | 'default_branch'>,
  version: string,
): Promise<CommitObject | undefined> {
  const id = (await commitsOfReleases(core, project, [version])).get(version);
  return id === undefined ? undefined : findCommit(core, project, id);
}

/**
 * Returns what the repository says about a release. A failure is logged, because an error is shown without its commits rather than not at
 * all.
 */
async function ofRepository<T>(core: GitCore, look: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    core.log.error('a release could not be looked up in the repository', error);
    return undefined;
  }
}
