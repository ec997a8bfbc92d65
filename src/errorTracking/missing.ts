import type { Client } from '../api/client.ts';
import { ApiFailure } from '../api/failures.ts';
import { sleep } from '../support/sleep.ts';
import { isUnknownAddress } from './failures.ts';
import { queryOfFilter, USUAL_FILTER } from './filter.ts';
import type { ProjectAddress } from './source.ts';
import { createErrorSources, createResourceChoice } from './sources.ts';

/** Returns true if a request has failed because the instance has no error tracking, which the list of errors decides. */
export async function isWithoutTracking(failure: ApiFailure, client: Client, project: ProjectAddress): Promise<boolean> {
  if (!isUnknownAddress(failure)) return false;
  try {
    const source = createErrorSources(createResourceChoice(), sleep)(client, project);
    return (await source.list({ order: 'last_seen', ...queryOfFilter(USUAL_FILTER) })).isMissing === true;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    return false;
  }
}
