import type { ErrorDetail, ErrorEvent } from '../contract/errorDetail.ts';
import type { EventRelease } from './releaseCommits.ts';

/** Returns the release of an event of an error, or of its latest event. Instances that do not name it name the last release of the error. */
export function releaseOf(
  { firstRelease, lastRelease, latestEvent }: Pick<ErrorDetail, 'firstRelease' | 'lastRelease' | 'latestEvent'>,
  event: Pick<ErrorEvent, 'release'> | null = latestEvent,
): EventRelease | undefined {
  const version = event?.release ?? lastRelease?.version;
  if (version === undefined) return undefined;
  const known = [lastRelease, firstRelease].find((one) => one?.version === version && one.commit !== null);
  return { version, commit: known?.commit?.id };
}
