import type { ErrorDetail, ShownFrame } from './errorDetail.ts';
import { integerMember, isJsonObject, type JsonObject, listOf, stringMember, timeMember } from './json.ts';
import { readSentryError, sentryErrorsOf } from './trackedErrors.ts';

/**
 * Reads the data of a query for `project.sentryErrors.detailedError` and `errorStackTrace` (docs/interface.md#graphql). `noError`: the
 * instance does not have the error.
 */
export function readSentryDetail(data: unknown): ErrorDetail | 'noProject' | 'forbidden' | 'noError' | undefined {
  const found = sentryErrorsOf(data);
  if (typeof found !== 'object') return found;
  const { detailedError: value, errorStackTrace: stack } = found;
  if (value === null) return 'noError';
  const error = readSentryError(value);
  if (error === undefined || !isJsonObject(value)) return undefined;
  const tags = isJsonObject(value.tags) ? value.tags : {};
  const commit = stringMember(value, 'gitlabCommit');
  const first = stringMember(value, 'firstReleaseVersion');
  const last = stringMember(value, 'lastReleaseVersion');
  return {
    ...error,
    level: stringMember(tags, 'level') ?? null,
    type: null,
    fixedIn: null,
    firstRelease: first === undefined ? null : { version: first, commit: commitOf(commit, value) },
    lastRelease: last === undefined ? null : { version: last, commit: null },
    daily: [],
    environmentCounts: [],
    levels: [],
    releases: [],
    webUrl: stringMember(value, 'externalUrl') ?? null,
    latestEvent: isJsonObject(stack) ? eventOf(stack, error.title, error.last_seen) : null,
    grouping: null,
    groupings: [],
  };
}

function commitOf(id: string | undefined, value: JsonObject) {
  return id === undefined ? null : { id, title: '', url: stringMember(value, 'gitlabCommitPath') ?? null };
}

/** The stack trace has the frames of one exception only, without saying which. */
function eventOf(stack: JsonObject, title: string, lastSeen: number): ErrorDetail['latestEvent'] {
  const received = timeMember(stack, 'dateReceived');
  const frames = listOf(stack.stackTraceEntries, readEntry).toReversed();
  return {
    id: '',
    occurredAt: received === null ? lastSeen : Date.parse(received),
    release: null,
    environment: null,
    level: null,
    data: {
      ...{ platform: '', exceptions: [{ type: null, value: title, handled: null, frames }], threads: [], message: null },
      ...{ breadcrumbs: [], tags: [], user: [], request: null, contexts: [], extra: [], modules: [] },
      ...{ serverName: null, sdk: null },
    },
  };
}

function readEntry(value: unknown): ShownFrame | undefined {
  if (!isJsonObject(value)) return undefined;
  const code = listOf(value.traceContext, (context) => {
    if (!isJsonObject(context)) return undefined;
    const [line, text] = [integerMember(context, 'line'), stringMember(context, 'code')];
    return line === undefined || text === undefined ? undefined : { line, text };
  });
  return {
    filename: stringMember(value, 'fileName') ?? null,
    absPath: null,
    module: null,
    function: stringMember(value, 'function') ?? null,
    line: numberIn(stringMember(value, 'line')),
    // The integrated backend always sends 0.
    column: numberIn(stringMember(value, 'col')),
    inApp: null,
    code,
    variables: [],
    mapProblem: null,
    isMapDoubtful: false,
  };
}

function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
