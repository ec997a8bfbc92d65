import * as l10n from '@vscode/l10n';
import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { ApiFailure } from '../api/failures.ts';
import { readErrorTrackingSettings } from '../contract/errorTracking.ts';
import { readSentryErrors, readSentryFrames, type SentryErrorPage } from '../contract/trackedErrors.ts';
import type { ErrorAbilities, ErrorPage, ErrorProject, ErrorQuery, ErrorSource } from './source.ts';

const abilities: ErrorAbilities = { listsByStatus: false, changesStatus: false };

/**
 * Only what the platform's own pages select: the integrated backend leaves others out, and the whole answer with them
 * (docs/interface.md#graphql).
 */
const LIST = `query ($path: ID!, $sort: String, $after: String) {
  project(fullPath: $path) { sentryErrors { errors(sort: $sort, after: $after) {
    nodes { id sentryId title culprit message count userCount status firstSeen lastSeen }
    pageInfo { hasNextPage endCursor }
  } } }
}`;

const STACK = `query ($path: ID!, $id: GitlabErrorTrackingDetailedErrorID!) {
  project(fullPath: $path) { sentryErrors { errorStackTrace(id: $id) {
    stackTraceEntries { fileName function line col traceContext { line code } }
  } } }
}`;

/** The platform fetches errors of another backend by itself, and has none until it is done; its own pages ask again so often. */
const PAUSE = 2_000;
const MAX_PAUSES = 3;

/** Errors by GraphQL, which every platform of the family has: unresolved ones only, and nothing changes them. */
export function graphqlErrors(
  client: Client,
  { id: project, path }: ErrorProject,
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>,
): ErrorSource {
  async function ask({ order }: ErrorQuery, after: string | undefined, signal?: AbortSignal): Promise<ErrorPage> {
    for (let pauses = 0; ; pauses += 1) {
      const found = await client.query({ query: LIST, variables: { path, sort: order, after } }, readSentryErrors, signal);
      if (found !== 'notThere') return { ...demand(found), isOff: false, abilities };
      if (pauses === MAX_PAUSES || (pauses === 0 && !(await mayCome(signal))))
        return { items: [], next: undefined, isOff: true, abilities };
      await sleep(PAUSE, signal);
      signal?.throwIfAborted();
    }
  }

  /** Whether errors may be on their way: not where the settings say that there are none, which only maintainers may read. */
  async function mayCome(signal?: AbortSignal): Promise<boolean> {
    try {
      const settings = await client.get(
        apiPath`/projects/${project}/error_tracking/settings`,
        readErrorTrackingSettings,
        {},
        signal,
      );
      return settings.active && !settings.integrated;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      return error.kind !== 'notFound';
    }
  }

  function demand<T extends SentryErrorPage | readonly unknown[]>(found: T | 'noProject' | 'forbidden'): T {
    if (found === 'noProject')
      throw new ApiFailure('notFound', l10n.t("{0} does not exist, or you don't have permission to see it.", path));
    if (found === 'forbidden')
      throw new ApiFailure('forbidden', l10n.t("You don't have permission to see the errors of {0}.", path));
    return found;
  }

  return {
    list: (query, signal) => ask(query, undefined, signal),
    follow: (query, next, signal) => ask(query, next, signal),
    frames: async (id, signal) => {
      const variables = { path, id: `gid://gitlab/Gitlab::ErrorTracking::DetailedError/${id}` };
      return demand(await client.query({ query: STACK, variables }, readSentryFrames, signal)).toReversed();
    },
    changeStatus: async () => {
      throw new ApiFailure('refused', l10n.t('On this instance, the status of errors can only be changed in the browser.'));
    },
  };
}
