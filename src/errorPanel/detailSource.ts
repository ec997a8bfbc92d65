import * as l10n from '@vscode/l10n';
import type { Client, Page } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { type ErrorDetail, type ErrorEvent, readErrorDetail, readErrorEvent } from '../contract/errorDetail.ts';
import { readSentryDetail } from '../contract/sentryDetail.ts';
import { readReportingRelease, type ReportingRelease } from '../contract/appReleases.ts';
import type { ResourceChoice } from '../errorTracking/sources.ts';
import { requireAccess } from '../errorTracking/graphqlErrors.ts';
import type { ProjectAddress } from '../errorTracking/source.ts';
import type { DetailAbilities, DetailSource, EventPage, TimeRange } from './source.ts';

/** Events per page. A page contains the whole data of its events. */
const PAGE = 5;

/** Number of releases that are searched for the one before another. */
const RELEASES = 20;

/** As in the instance's own pages: the integrated backend rejects a query with other fields (docs/interface.md#graphql). */
const DETAIL = `query ($path: ID!, $id: GitlabErrorTrackingDetailedErrorID!) {
  project(fullPath: $path) { sentryErrors {
    detailedError(id: $id) {
      id sentryId title message culprit count userCount status firstSeen lastSeen tags { level logger } externalUrl
      firstReleaseVersion lastReleaseVersion frequency { time count } gitlabCommit gitlabCommitPath gitlabIssuePath integrated
    }
    errorStackTrace(id: $id) {
      dateReceived stackTraceEntries { fileName function line col traceContext { line code } }
    }
  } }
}`;

/** Creates the source of one error: the REST resource of Signalbox servers, else GraphQL. `client` throws if it may not be used. */
export function createDetailSource(
  client: () => Client,
  project: ProjectAddress,
  errorId: string,
  { either }: ResourceChoice,
): DetailSource {
  const path = apiPath`/projects/${project.id}/error_tracking/errors/${errorId}`;

  async function releases(signal: AbortSignal | undefined): Promise<readonly ReportingRelease[]> {
    const address = apiPath`/projects/${project.id}/error_tracking/releases`;
    return (await client().list(address, readReportingRelease, { per_page: RELEASES }, signal)).items;
  }

  return {
    detail: async (signal) =>
      either<{ readonly detail: ErrorDetail; readonly abilities: DetailAbilities }>(
        client(),
        async () => ({
          detail: await client().get(path, readErrorDetail, {}, signal),
          abilities: { listsEvents: true, changesStatus: true },
        }),
        async () => ({
          detail: await graphqlDetail(client(), project, errorId, signal),
          abilities: { listsEvents: false, changesStatus: false },
        }),
      ),
    events: async (range, signal) => eventPage(await client().list(`${path}/events`, readErrorEvent, queryOf(range), signal)),
    followEvents: async (next, signal) => eventPage(await client().follow(next, readErrorEvent, signal)),
    releasesBefore: async (version, signal) => {
      const reporting = await releases(signal);
      const first = reporting.find((one) => one.version === version)?.firstSeen;
      if (first === undefined) return [];
      const before = reporting.filter(({ firstSeen }) => firstSeen < first);
      return before.toSorted((one, other) => other.firstSeen - one.firstSeen).map((one) => one.version);
    },
  };
}

async function graphqlDetail(
  client: Client,
  { path }: ProjectAddress,
  errorId: string,
  signal: AbortSignal | undefined,
): Promise<ErrorDetail> {
  const id = `gid://gitlab/Gitlab::ErrorTracking::DetailedError/${errorId}`;
  const found = requireAccess(await client.query({ query: DETAIL, variables: { path, id } }, readSentryDetail, signal), path);
  if (found === 'noError') throw new Error(l10n.t('The instance no longer has this error.'));
  return found;
}

function eventPage({ items, next }: Page<ErrorEvent>): EventPage {
  // A keyset list may link to an empty page.
  return { items, next: items.length < PAGE ? undefined : next };
}

function queryOf(range: TimeRange | undefined) {
  const time = (at: number | undefined): string | undefined => (at === undefined ? undefined : new Date(at).toISOString());
  return { per_page: PAGE, occurred_after: time(range?.from), occurred_before: time(range?.until) };
}
