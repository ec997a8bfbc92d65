import type { TrackingCore } from '../trackingCore.ts';
import type { GitCore } from '../../../repositories/repositories.ts';
import { isoTime } from '../../../core/clock.ts';
import {
  badCursor,
  connection,
  decodeCursor,
  encodeCursor,
  globalId,
  type GraphqlPart,
  numberOfGlobalId,
  QueryRefusal,
  textArgument,
  timeOf,
  type Arguments,
  type QueryRequest,
} from '../../../graphql/parts.ts';
import { issuesById } from '../../issues/issues.ts';
import type { FoundProject, Project } from '../../projectAccess/projectAccess.ts';
import { holdsRole } from '../../abilities/abilities.ts';
import {
  type ErrorOrder,
  type ErrorPosition,
  findRemainingError,
  frequencyOf,
  latestEventOf,
  listErrors,
  positionOf,
  readLatest,
  type TrackedError,
} from '../read/readErrors.ts';
import type { Frame, TrackedEvent } from '../event/trackedEvent.ts';
import { issuePath } from './presentError.ts';
import { errorTrackingSdl } from './sentryErrorSchema.ts';
import { commitsOfReleases } from '../releases/releaseCommits.ts';
import { shortVersion } from '../releases/releaseOrder.ts';
import { settingsOf } from '../settings/errorTrackingSettings.ts';

type Fields = Readonly<Record<string, unknown>>;

const ERROR = 'Gitlab::ErrorTracking::Error';
/**
 * Type of the ID by which an error is queried. The ID of list entries has another type and is refused, as on GitLab.
 */
const DETAILED_ERROR = 'Gitlab::ErrorTracking::DetailedError';
/** Errors per page, whatever size is requested (docs/interface.md#graphql). */
const PAGE = 20;
/** Limits per request: each list or event is a database read, with a stack or a git lookup. */
const MAX_LISTS = 20;
const MAX_READ = 40;
const orders: readonly ErrorOrder[] = ['last_seen', 'first_seen', 'frequency'];

export const errorTrackingGraphql: GraphqlPart = { sdl: errorTrackingSdl, query: {} };

/** Returns the tracked errors of a project for callers with at least the reporter role, and null for others. */
export function sentryErrorsOf(core: GitCore & TrackingCore): (found: FoundProject) => Fields {
  return ({ project, access, can }) => {
    const mayRead = holdsRole(access, 'reporter');
    const isTracked = (): boolean => settingsOf(core, project.id)?.active === true;

    const find = (id: unknown): TrackedError | undefined => {
      const fingerprint = numberOfGlobalId(DETAILED_ERROR, id);
      return isTracked() ? findRemainingError(core, project.id, fingerprint) : undefined;
    };
    const detailed = ({ id }: Arguments, request: QueryRequest): Fields | null => {
      if (!mayRead) return null;
      const error = find(id);
      return error === undefined ? null : detailedFields(core, { project, can }, error, request);
    };
    const stackTrace = async ({ id }: Arguments, request: QueryRequest): Promise<Fields | null> => {
      const error = find(id);
      if (error === undefined) return null;
      request.spend('errorStackTrace', MAX_READ);
      const latest = await readLatest(core, error);
      if (latest === undefined) return null;
      return {
        dateReceived: isoTime(latest.row.received_at),
        issueId: String(error.fingerprint),
        stackTraceEntries: shownFrames(latest.shown).map(entryOf),
      };
    };
    return {
      sentryDetailedError: detailed,
      sentryErrors: mayRead
        ? {
            detailedError: detailed,
            errorStackTrace: stackTrace,
            errors: (args: Arguments, request: QueryRequest) => (isTracked() ? errorPage(core, project, args, request) : null),
            externalUrl: null,
          }
        : null,
    };
  };
}

/** Lists unresolved errors only, as on GitLab. */
async function errorPage(core: TrackingCore, project: Project, args: Arguments, request: QueryRequest): Promise<Fields> {
  request.spend('errors', MAX_LISTS);
  const order = orderOf(args['sort']);
  const location = placeIn(textArgument(args['after']) ?? textArgument(args['before']), order);
  const isBackward = location?.way === 'previous';
  const read = await listErrors(
    core,
    project.id,
    { statuses: ['unresolved'], search: textArgument(args['searchTerm']) },
    { order, direction: isBackward ? 'asc' : 'desc', after: location?.location, limit: PAGE + 1 },
  );
  const hasMore = read.length > PAGE;
  const page = isBackward ? read.slice(0, PAGE).toReversed() : read.slice(0, PAGE);
  const [first, last] = [page[0], page.at(-1)];
  const previous = first !== undefined && (isBackward ? hasMore : location !== undefined);
  const next = last !== undefined && (isBackward || hasMore);

  let counts: ReturnType<typeof frequencyOf> | undefined;
  const frequency = (error: TrackedError): readonly Fields[] => {
    counts ??= frequencyOf(core, page, request.now);
    return frequencyFields(counts.get(error.id));
  };
  // The page's cursors are those of the next and the previous page, or null if there is none.
  return connection(
    page.map((error) => errorFields(project, error, request, () => frequency(error))),
    (_, index) => {
      const error = page[index];
      return error === undefined ? '' : cursorOf('next', order, error);
    },
    {
      hasNextPage: next,
      hasPreviousPage: previous,
      startCursor: previous ? cursorOf('previous', order, first) : null,
      endCursor: next ? cursorOf('next', order, last) : null,
    },
  );
}

function orderOf(sent: unknown): ErrorOrder {
  const text = textArgument(sent) ?? 'last_seen';
  const order = orders.find((one) => one === text);
  if (order === undefined) throw new QueryRefusal(`Errors are sorted by ${orders.join(', ')}`);
  return order;
}

type Way = 'next' | 'previous';

function cursorOf(way: Way, order: ErrorOrder, error: TrackedError): string {
  const { value, id } = positionOf(error, order);
  return encodeCursor([way, order, value, id]);
}

/** Cursors contain their direction, because GitLab accepts both as `after`. */
function placeIn(
  cursor: string | undefined,
  wanted: ErrorOrder,
): { readonly way: Way; readonly location: ErrorPosition } | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const [way, order, value, id] = decodeCursor(cursor) ?? [];
  if ((way !== 'next' && way !== 'previous') || order !== wanted) throw badCursor();
  if (typeof value !== 'number' || typeof id !== 'number' || !Number.isSafeInteger(value) || !Number.isSafeInteger(id)) {
    throw badCursor();
  }
  return { way, location: { value, id } };
}

/**
 * Includes members that the integrated backend of GitLab omits although they are not nullable (`type`, `shortId`, name
 * and slug of the project), so that a query for them does not lose the whole error.
 */
function errorFields(project: Project, error: TrackedError, { baseUrl }: QueryRequest, frequency: () => readonly Fields[]) {
  return {
    count: error.event_count,
    culprit: error.culprit,
    externalUrl: `${baseUrl}/${project.full_path}/-/error_tracking/${error.fingerprint}/details`,
    firstSeen: timeOf(error.first_seen_at),
    frequency,
    id: globalId(ERROR, error.fingerprint),
    lastSeen: timeOf(error.last_seen_at),
    message: error.message,
    sentryId: String(error.fingerprint),
    sentryProjectId: globalId('SentryProject', project.id),
    sentryProjectName: project.name,
    sentryProjectSlug: project.path,
    shortId: String(error.fingerprint),
    status: error.status.toUpperCase(),
    title: error.title,
    type: error.type ?? '',
    userCount: error.user_count,
  };
}

function detailedFields(
  core: GitCore,
  { project, can }: Pick<FoundProject, 'project' | 'can'>,
  error: TrackedError,
  request: QueryRequest,
): Fields {
  const { baseUrl } = request;
  const frequency = () => frequencyFields(frequencyOf(core, [error], request.now).get(error.id));
  const { first_release: first, last_release: last } = error;
  let commits: Promise<ReadonlyMap<string, string>> | undefined;
  const commitOf = async (release: string | null): Promise<string | null> => {
    if (release === null) return null;
    if (commits === undefined) {
      request.spend('commits of releases', MAX_READ);
      commits = commitsOfReleases(
        core,
        project,
        [first, last].filter((one) => one !== null),
      );
    }
    return (await commits).get(release) ?? null;
  };
  return {
    ...errorFields(project, error, request, frequency),
    id: globalId(DETAILED_ERROR, error.fingerprint),
    externalBaseUrl: `${baseUrl}/${project.full_path}`,
    firstReleaseLastCommit: () => commitOf(first),
    firstReleaseShortVersion: first === null ? null : shortVersion(first),
    firstReleaseVersion: first,
    gitlabCommit: () => commitOf(first),
    gitlabCommitPath: async () => {
      const id = await commitOf(first);
      return id === null ? null : `/${project.full_path}/-/commit/${id}`;
    },
    gitlabIssuePath: () => {
      const issue =
        error.issue_id === null || !can.readIssues ? undefined : issuesById(core, [error.issue_id]).get(error.issue_id);
      return issue === undefined ? null : issuePath(issue);
    },
    integrated: true,
    lastReleaseLastCommit: () => commitOf(last),
    lastReleaseShortVersion: last === null ? null : shortVersion(last),
    lastReleaseVersion: last,
    tags: {
      level: error.level,
      logger: () => {
        request.spend('logger', MAX_READ);
        return latestEventOf(core, error)?.event.logger ?? null;
      },
    },
  };
}

function frequencyFields(counts: ReturnType<typeof frequencyOf> extends Map<number, infer Hours> ? Hours | undefined : never) {
  return (counts ?? []).map(([seconds, count]) => ({ time: timeOf(seconds * 1000), count }));
}

/** Returns one stack, callers first: of the innermost cause that has one, else of a thread (docs/interface.md#graphql). */
export function shownFrames(event: TrackedEvent): readonly Frame[] {
  const exception = event.exceptions.find(({ frames }) => frames.length > 0);
  const thread = event.threads.find(({ frames }) => frames.length > 0);
  return exception?.frames ?? thread?.frames ?? event.frames;
}

function entryOf(frame: Frame): Fields {
  return {
    // The integrated backend always returns 0. This is used for frames without a column.
    col: String(frame.column ?? 0),
    fileName: frame.filename ?? null,
    function: frame.function ?? null,
    line: frame.line === undefined ? null : String(frame.line),
    traceContext: contextOf(frame),
  };
}

function contextOf({ line, contextLine, preContext, postContext }: Frame): readonly Fields[] {
  if (line === undefined || contextLine === undefined) return [];
  const start = line - preContext.length;
  return [...preContext, contextLine, ...postContext].map((code, index) => ({ line: start + index, code }));
}
