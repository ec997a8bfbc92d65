import type { TrackingCore } from '../trackingCore.ts';
import type { GitCore } from '../../../repositories/repositories.ts';
import { isoTime } from '../../../core/clock.ts';
import { type HttpResponse, jsonResponse } from '../../../http/requestContext.ts';
import { notFound } from '../../../core/errors.ts';
import { readRawParameters } from '../../../http/input.ts';
import type { Route } from '../../../http/route.ts';
import { holdsRole, type ProjectRole } from '../../abilities/abilities.ts';
import { type ProjectPageRequest, projectPageRoute } from '../../projectAccess/projectAccess.ts';
import { type PageResponse, signInPath } from '../../../web/route.ts';
import { type ErrorDetail, errorDetail } from '../read/errorDetail.ts';
import {
  type ErrorOrder,
  type ErrorPosition,
  findRemainingError,
  frequencyOf,
  listErrors,
  positionOf,
  readLatest,
  type TrackedError,
} from '../read/readErrors.ts';
import { errorLinks } from '../api/presentError.ts';
import { editStatus } from '../edits/editErrors.ts';
import { shortVersion } from '../releases/releaseOrder.ts';
import { tracksErrors } from '../settings/errorTrackingSettings.ts';
import { stacksOf } from '../event/mainStack.ts';
import type { ErrorStatus } from '../status/statusRules.ts';

const PAGE = 20;

const orders: readonly ErrorOrder[] = ['last_seen', 'first_seen', 'frequency'];
const statuses: readonly ErrorStatus[] = ['unresolved', 'resolved', 'ignored'];

type ErrorCore = GitCore & TrackingCore;

/** Routes with the JSON of GitLab's pages, for signed-in browsers (docs/interface.md#tracked-errors-in-pages). */
export function errorTrackingWebRoutes(core: ErrorCore): Route[] {
  const metadata = { specRef: 'Tracked errors in pages', status: 'inferred', method: 'GET', response: 200 } as const;
  const json = (
    row: Parameters<typeof projectPageRoute>[0],
    role: ProjectRole,
    show: (core: ErrorCore, request: ProjectPageRequest) => Promise<HttpResponse>,
  ) =>
    projectPageRoute(row, async (request): Promise<PageResponse> => {
      if (request.caller === undefined) return { redirectTo: signInPath(request.context) };
      if (!holdsRole(request.access, role)) throw notFound('Page', `the page requires at least the ${role} role in the project`);
      if (!tracksErrors(core, request.project.id)) throw notFound('Page', 'error tracking of the project is off');
      return { file: await show(core, request) };
    });
  return [
    json({ ...metadata, path: '/*full_path/-/error_tracking.json' }, 'reporter', listJson),
    json({ ...metadata, path: '/*full_path/-/error_tracking/:issue_id/details.json' }, 'reporter', detailsJson),
    json({ ...metadata, path: '/*full_path/-/error_tracking/:issue_id/stack_trace.json' }, 'reporter', stackTraceJson),
    json({ ...metadata, method: 'PUT', path: '/*full_path/-/error_tracking/:issue_id.json' }, 'developer', changeStatus),
  ];
}

async function listJson(core: ErrorCore, request: ProjectPageRequest): Promise<HttpResponse> {
  const { project, query, now, baseUrl } = request;
  const status = statuses.find((one) => one === (query.get('issue_status') ?? 'unresolved'));
  if (status === undefined) return refuse(request, 'Bad Request: Invalid issue_status');
  const order = orders.find((one) => one === (query.get('sort') ?? 'last_seen'));
  if (order === undefined) return refuse(request, 'Bad Request: Invalid sort');
  const cursor = query.get('cursor') ?? '';
  const from = positionFrom(cursor);
  if (from === undefined && cursor !== '') return refuse(request, 'Bad Request: Invalid cursor');
  const isBackward = from?.isBackward === true;
  const found = await listErrors(
    core,
    project.id,
    {
      statuses: status === 'resolved' ? ['resolved', 'resolved_in_next_release'] : [status],
      search: query.get('search_term') ?? undefined,
    },
    { order, direction: isBackward ? 'asc' : 'desc', after: from?.location, limit: PAGE + 1 },
  );
  const errors = isBackward ? found.slice(0, PAGE).toReversed() : found.slice(0, PAGE);
  const hasMore = found.length > PAGE;
  const [first, last] = [errors[0], errors.at(-1)];
  const hasPrevious = isBackward ? hasMore : from !== undefined;
  const hasNext = isBackward || hasMore;
  const frequency = frequencyOf(core, errors, now);
  return jsonResponse(200, {
    errors: errors.map((error) => presentRow(error, frequency.get(error.id) ?? [], request)),
    pagination: {
      ...(hasPrevious && first !== undefined ? { previous: { cursor: `p.${cursorText(positionOf(first, order))}` } } : {}),
      ...(hasNext && last !== undefined ? { next: { cursor: `n.${cursorText(positionOf(last, order))}` } } : {}),
    },
    external_url: `${baseUrl}/${project.full_path}/-/error_tracking`,
  });
}

async function detailsJson(core: ErrorCore, request: ProjectPageRequest): Promise<HttpResponse> {
  return jsonResponse(200, {
    error: presentDetailed(core, await errorDetail(core, request.project, mustFind(core, request)), request),
  });
}

async function stackTraceJson(core: ErrorCore, request: ProjectPageRequest): Promise<HttpResponse> {
  const error = mustFind(core, request);
  const latest = await readLatest(core, error);
  const [stack] = latest === undefined ? [] : stacksOf(latest.shown);
  return jsonResponse(200, {
    error: {
      issue_id: String(error.fingerprint),
      date_received: isoTime(latest?.row.received_at ?? error.last_seen_at),
      stack_trace_entries: (stack?.frames ?? []).map((frame) => ({
        lineNo: frame.line ?? null,
        context: contextOf(frame),
        filename: frame.filename ?? null,
        abs_path: frame.absPath ?? null,
        function: frame.function ?? null,
        colNo: frame.column ?? 0,
      })),
    },
  });
}

async function changeStatus(core: ErrorCore, request: ProjectPageRequest): Promise<HttpResponse> {
  const error = mustFind(core, request);
  const sent = await readRawParameters(request.context);
  const status = statuses.find((one) => one === sent['status']);
  if (status === undefined) return refuse(request, 'Bad Request: Invalid status');
  const { caller } = request;
  if (caller === undefined) throw notFound('Page', 'nobody is signed in');
  const [closed = null] = editStatus(core, { found: request, caller }, error, { status });
  return jsonResponse(200, { result: { updated: true, closed_issue_iid: closed, status: 'success' } });
}

/** Returns the error of the path. Throws `NotFound` if there is none. */
function mustFind(core: ErrorCore, { project, rest }: ProjectPageRequest): TrackedError {
  const number = /^(\d{1,15})(?:\/|\.json$)/.exec(rest)?.[1];
  const error = number === undefined ? undefined : findRemainingError(core, project.id, Number(number));
  if (error === undefined) throw notFound('Page', 'the project has no error with this ID');
  return error;
}

function refuse({ context }: ProjectPageRequest, message: string): HttpResponse {
  context.noteRefusal('request.valid', message);
  return jsonResponse(400, { message });
}

type Frequency = readonly (readonly [number, number])[];

function presentRow(error: TrackedError, frequency: Frequency, { project, baseUrl }: ProjectPageRequest) {
  return {
    id: String(error.fingerprint),
    title: error.title,
    type: error.type,
    user_count: error.user_count,
    count: error.event_count,
    first_seen: isoTime(error.first_seen_at),
    last_seen: isoTime(error.last_seen_at),
    message: error.message,
    culprit: error.culprit,
    external_url: `${baseUrl}/${project.full_path}/-/error_tracking/${error.fingerprint}/details`,
    project_id: project.id,
    project_name: project.name,
    project_slug: project.path,
    short_id: String(error.fingerprint),
    status: error.status,
    frequency,
  };
}

function presentDetailed(core: ErrorCore, detail: ErrorDetail, request: ProjectPageRequest) {
  const { error, frequency, firstRelease, lastRelease, latest } = detail;
  const { project, baseUrl } = request;
  const commit = firstRelease?.commit?.id;
  const links = errorLinks(core, [error], request);
  return {
    ...presentRow(error, frequency, request),
    external_base_url: baseUrl,
    first_release_last_commit: commit ?? null,
    first_release_short_version: firstRelease === undefined ? null : shortVersion(firstRelease.version),
    first_release_version: firstRelease?.version ?? null,
    last_release_last_commit: lastRelease?.commit?.id ?? null,
    last_release_short_version: lastRelease === undefined ? null : shortVersion(lastRelease.version),
    last_release_version: lastRelease?.version ?? null,
    gitlab_commit: commit ?? null,
    gitlab_commit_path: commit === undefined ? null : `/${project.full_path}/-/commit/${commit}`,
    gitlab_issue: links.issue(error.issue_id)?.web_url ?? null,
    integrated: true,
    tags: { level: error.level, logger: latest?.event.logger ?? null },
  };
}

/** Returns pairs of line number and code. */
function contextOf(frame: {
  readonly line: number | undefined;
  readonly contextLine: string | undefined;
  readonly preContext: readonly string[];
  readonly postContext: readonly string[];
}): (readonly [number, string])[] {
  const { line, contextLine, preContext, postContext } = frame;
  if (line === undefined || contextLine === undefined) return [];
  const first = line - preContext.length;
  return [...preContext, contextLine, ...postContext].map((code, index) => [first + index, code] as const);
}

function cursorText({ value, id }: ErrorPosition): string {
  return `${value}.${id}`;
}

function positionFrom(text: string): { readonly location: ErrorPosition; readonly isBackward: boolean } | undefined {
  const [, way, value, id] = /^([np])\.(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  return way === undefined ? undefined : { location: { value: Number(value), id: Number(id) }, isBackward: way === 'p' };
}
