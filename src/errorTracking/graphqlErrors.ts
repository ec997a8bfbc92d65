import * as l10n from '@vscode/l10n';
import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { ApiFailure } from '../api/failures.ts';
import { readErrorTrackingSettings } from '../contract/errorTracking.ts';
import { readSentryErrors, readSentryFrames } from '../contract/trackedErrors.ts';
import { isUnknownAddress } from './failures.ts';
import type { ErrorAbilities, ErrorPage, ProjectAddress, ErrorQuery, ErrorSource } from './source.ts';

const abilities: ErrorAbilities = { filters: false, changesStatus: false };

/**
 * Only the fields that the instance's own pages select. The integrated backend rejects a query with other fields
 * (docs/interface.md#graphql).
 */
const LIST = `query ($path: ID!, $sort: String, $after: String, $search: String) {
  project(fullPath: $path) { sentryErrors { errors(sort: $sort, after: $after, searchTerm: $search) {
    nodes { id sentryId title culprit message count userCount status firstSeen lastSeen frequency { time count } }
    pageInfo { hasNextPage endCursor }
  } } }
}`;

const STACK = `query ($path: ID!, $id: GitlabErrorTrackingDetailedErrorID!) {
  project(fullPath: $path) { sentryErrors { errorStackTrace(id: $id) {
    stackTraceEntries { fileName function line col traceContext { line code } }
  } } }
}`;

/**
 * Pause between two queries in milliseconds. The instance fetches the errors of another backend asynchronously and returns none until it is
 * done. Its own pages use the same interval.
 */
const PAUSE = 2_000;
const MAX_PAUSES = 3;

/** Page of an instance that has no error tracking. */
export const NO_TRACKING: ErrorPage = { items: [], next: undefined, isDisabled: true, isMissing: true, abilities };

/** Creates the source for instances without the REST resource. GraphQL lists unresolved errors only and cannot change them. */
export function graphqlErrors(
  client: Client,
  { id: project, path }: ProjectAddress,
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>,
): ErrorSource {
  async function load({ order, search }: ErrorQuery, after: string | undefined, signal?: AbortSignal): Promise<ErrorPage> {
    const variables = { path, sort: order, after, search };
    for (let pauses = 0; ; pauses += 1) {
      const found = await client.query({ query: LIST, variables }, readSentryErrors, signal).catch(missingOrThrow);
      if (found === 'missing') return NO_TRACKING;
      if (found !== 'notAvailable') return { ...requireAccess(found, path), isDisabled: false, abilities };
      const why = pauses === 0 ? await whyNotAvailable(signal) : 'pending';
      if (why === 'missing') return NO_TRACKING;
      if (pauses === MAX_PAUSES || why === 'off') return { items: [], next: undefined, isDisabled: true, abilities };
      await sleep(PAUSE, signal);
      signal?.throwIfAborted();
    }
  }

  /**
   * Returns `pending` if the instance may still be fetching errors. Only maintainers can read the settings; for others the answer is
   * `pending`. An instance without settings cannot have errors.
   */
  async function whyNotAvailable(signal?: AbortSignal): Promise<'pending' | 'off' | 'missing'> {
    try {
      const settings = await client.get(
        apiPath`/projects/${project}/error_tracking/settings`,
        readErrorTrackingSettings,
        {},
        signal,
      );
      return settings.active && !settings.integrated ? 'pending' : 'off';
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      return isUnknownAddress(error) ? 'missing' : error.kind === 'notFound' ? 'off' : 'pending';
    }
  }

  return {
    list: (query, signal) => load(query, undefined, signal),
    follow: (query, next, signal) => load(query, next, signal),
    // Errors have no environments here, and their first and last release are not fields of lists.
    facet: async () => [],
    frames: async (id, signal) => {
      const variables = { path, id: `gid://gitlab/Gitlab::ErrorTracking::DetailedError/${id}` };
      return requireAccess(await client.query({ query: STACK, variables }, readSentryFrames, signal), path).toReversed();
    },
  };
}

/** Returns `missing` for the failure of an instance that does not have GraphQL or the field. Throws any other one. */
function missingOrThrow(error: unknown): 'missing' {
  const isMissing =
    error instanceof ApiFailure &&
    (isUnknownAddress(error) || (error.kind === 'refused' && error.serverMessage?.includes('sentryErrors') === true));
  if (!isMissing) throw error;
  return 'missing';
}

/** Returns what was found. Throws if the project at the path, or its errors, cannot be read. */
export function requireAccess<T>(found: T | 'noProject' | 'forbidden', path: string): T {
  if (found === 'noProject')
    throw new ApiFailure('notFound', l10n.t("{0} does not exist, or you don't have permission to see it.", path));
  if (found === 'forbidden')
    throw new ApiFailure('forbidden', l10n.t("You don't have permission to see the errors of {0}.", path));
  return found;
}
