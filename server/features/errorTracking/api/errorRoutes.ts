import type { TrackingCore } from '../trackingCore.ts';
import type { GitCore } from '../../../repositories/repositories.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HOUR } from '../../../core/clock.ts';
import { invalidParameters, invalidRecord, notFound, recordNotFound } from '../../../core/errors.ts';
import { demandOneOf } from '../../../http/combinations.ts';
import { keysetResponse, keysetSize, pageParameters, readCursor } from '../../../http/pagination.ts';
import {
  checked,
  fallback,
  integer,
  integers,
  oneOf,
  opaque,
  type ParametersOf,
  required,
  someOf,
  string,
  time,
} from '../../../http/params.ts';
import { movedResponse } from '../../../http/moved.ts';
import { RawResponse, type Route } from '../../../http/route.ts';
import { type ProjectRequest, projectRoute } from '../../projectAccess/projectAccess.ts';
import type { ResponseOf } from '../../../http/responses.ts';
import { trackedError, trackedErrorDetail, trackedErrors, type trackedEvent, trackedEvents } from './errorResponses.ts';
import { errorDetail } from '../read/errorDetail.ts';
import {
  type ErrorOrder,
  type ErrorPosition,
  eventsBetween,
  eventsOf,
  findError,
  frequencyOf,
  listErrors,
  positionOf,
  readEvent,
  type TrackedError,
} from '../read/readErrors.ts';
import { assignError, editStatus, linkIssue, mergeAsUser, splitAsUser } from '../edits/editErrors.ts';
import { errorsOfUndo, undoEdit } from '../edits/undoEdit.ts';
import { readAssignee } from '../../issues/issues.ts';
import { remainingFingerprint } from '../merge/mergedErrorStore.ts';
import { mappedLatest } from '../merge/mergeErrors.ts';
import { errorLinks, presentDetail, presentError, presentEvent } from './presentError.ts';
import { tracksErrors } from '../settings/errorTrackingSettings.ts';
import type { ErrorStatus, IgnoreEnd } from '../status/statusRules.ts';

const ERRORS = '/api/v4/projects/:id/error_tracking/errors';
const ONE = `${ERRORS}/:fingerprint`;
const statuses = ['unresolved', 'resolved', 'resolved_in_next_release', 'ignored'] as const;
/** Maximum number of errors merged in one request. */
const MAX_MERGED = 100;
/** Number of payloads read per turn of the event loop. */
const PAYLOADS_PER_TURN = 5;

const oneError = () => ({ id: required(string), fingerprint: required(integer) });
const keysetParameters = () => ({ pagination: string(), cursor: opaque(), per_page: pageParameters().per_page });
const direction = () => fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc']));

const listParameters = () => ({
  id: required(string),
  status: fallback<readonly ErrorStatus[]>(['unresolved'], someOf(statuses)),
  search: string(),
  environment: string(),
  release: string(),
  level: string(),
  /** User ID, `None` or `Any`. */
  assignee_id: opaque(),
  seen_after: time(),
  seen_before: time(),
  order_by: fallback<ErrorOrder>('last_seen', oneOf(['last_seen', 'first_seen', 'frequency'])),
  sort: direction(),
  ...keysetParameters(),
});
const eventParameters = () => ({
  ...oneError(),
  /** Range of the times at which the events occurred; `occurred_before` itself is not in it. */
  occurred_after: time(),
  occurred_before: time(),
  sort: direction(),
  ...keysetParameters(),
});
const changeParameters = () => ({
  ...oneError(),
  status: oneOf(statuses)(),
  ignored_until: oneOf(['next_occurrence', 'occurrences', 'occurrences_per_hour', 'date'])(),
  ignored_count: integer(),
  ignored_until_date: time(),
  /** User ID; 0 for nobody. */
  assignee_id: integer(),
  /** IID of an issue of the project; 0 for none. */
  issue_iid: integer(),
});
const changeable = ['status', 'assignee_id', 'issue_iid'] as const;
const undoParameters = () => ({ ...oneError(), change_id: required(integer) });
const mergeParameters = () => ({
  ...oneError(),
  fingerprints: checked(
    required<readonly number[]>(integers),
    (list) => list.length <= MAX_MERGED,
    `has more than ${MAX_MERGED} errors`,
  ),
});
const splitParameters = () => ({ ...oneError(), hash: required(string) });

type ErrorCore = GitCore & TrackingCore;
type ErrorResponse = ResponseOf<typeof trackedError>;

/**
 * Routes of tracked errors, a resource of this server with more details than GitLab has
 * (docs/interface.md#tracked-errors). Reporters can read and developers can change. Responds with 404 if error tracking is off.
 */
export function trackedErrorRoutes(core: ErrorCore): Route[] {
  const metadata = { specRef: 'Tracked errors', status: 'local', key: 'id' } as const;
  return [
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: ERRORS,
        body: trackedErrors,
        params: listParameters,
        pages: { by: 'keyset', because: 'errors appear while others are read' },
      },
      'reporter',
      (request) => listTrackedErrors(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: ONE, body: trackedErrorDetail, params: oneError },
      'reporter',
      following(core, showError),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: `${ONE}/events`,
        body: trackedEvents,
        params: eventParameters,
        pages: { by: 'keyset', because: 'events appear while others are read' },
      },
      'reporter',
      following(core, listEvents),
    ),
    projectRoute(
      { ...metadata, method: 'PUT', path: ONE, body: trackedError, params: changeParameters },
      'developer',
      following(core, changeError),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: `${ONE}/merge`, successStatus: 200, body: trackedError, params: mergeParameters },
      'developer',
      following(core, mergeOthers),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: `${ONE}/split`, body: trackedError, params: splitParameters },
      'developer',
      following(core, splitGrouping),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: `${ONE}/undo`, successStatus: 200, body: trackedError, params: undoParameters },
      'developer',
      following(core, undoChange),
    ),
  ];
}

async function listTrackedErrors(
  core: ErrorCore,
  request: ProjectRequest<ParametersOf<typeof listParameters>>,
): Promise<RawResponse> {
  const { params, project, now } = request;
  demandTracking(core, project.id);
  const { order_by: order, cursor } = params;
  const errors = await listErrors(
    core,
    project.id,
    {
      statuses: params.status.length === 0 ? ['unresolved'] : params.status,
      search: params.search,
      environment: filled(params.environment),
      release: filled(params.release),
      level: filled(params.level),
      assignee: assigneeOf(params.assignee_id),
      fromHour: params.seen_after === undefined ? undefined : Math.floor(params.seen_after / HOUR),
      toHour: params.seen_before === undefined ? undefined : Math.floor(params.seen_before / HOUR),
    },
    {
      order,
      direction: params.sort,
      after: filled(cursor) === undefined ? undefined : positionFrom(cursor ?? '', order),
      limit: keysetSize(params.per_page),
    },
  );
  const frequency = frequencyOf(core, errors, now);
  const links = errorLinks(core, errors, request);
  return new RawResponse(
    keysetResponse(
      request,
      order,
      errors,
      (error) => positionOf(error, order),
      (error) => presentError(error, frequency.get(error.id) ?? [], links),
    ),
  );
}

async function showError(
  core: ErrorCore,
  request: ProjectRequest<ParametersOf<typeof oneError>>,
): Promise<ResponseOf<typeof trackedErrorDetail>> {
  const detail = await errorDetail(core, request.project, mustFind(core, request));
  return presentDetail(detail, errorLinks(core, [detail.error], request));
}

async function listEvents(core: ErrorCore, request: ProjectRequest<ParametersOf<typeof eventParameters>>): Promise<RawResponse> {
  const { params } = request;
  const location = filled(params.cursor) === undefined ? undefined : readCursor(params.cursor ?? '', 'id', 'number').id;
  const direction = params.sort === 'asc' ? { after: location ?? 0 } : { before: location };
  const page = { ...direction, limit: keysetSize(params.per_page) };
  const error = mustFind(core, request);
  const range = { from: params.occurred_after, before: params.occurred_before };
  const isLimited = range.from !== undefined || range.before !== undefined;
  const rows = isLimited ? await eventsBetween(core, error, range, page) : eventsOf(core, error, page);
  const items: { readonly id: number; readonly shown: ResponseOf<typeof trackedEvent> }[] = [];
  for (const row of rows) {
    if (items.length % PAYLOADS_PER_TURN === PAYLOADS_PER_TURN - 1) await nextTurn();
    items.push({ id: row.id, shown: presentEvent(row, (await readEvent(core, request.project.id, row))?.shown) });
  }
  return new RawResponse(
    keysetResponse(
      request,
      'id',
      items,
      ({ id }) => ({ value: id, id }),
      ({ shown }) => shown,
    ),
  );
}

function changeError(core: ErrorCore, request: ProjectRequest<ParametersOf<typeof changeParameters>>): ErrorResponse {
  const { params } = request;
  demandOneOf(request, changeable);
  const error = mustFind(core, request);
  const { status, assignee_id: assignee, issue_iid: issue } = params;
  const until = ignoreEndOf(params);
  if (status === undefined && until !== undefined) throw invalidParameters(['ignored_until needs a status']);
  core.store.transaction(() => {
    if (assignee !== undefined) assignError(core, error, assignee === 0 ? null : assignee);
    if (issue !== undefined) linkIssue(core, { found: request, caller: request.caller }, error, issue === 0 ? null : issue);
    if (status !== undefined)
      editStatus(core, { found: request, caller: request.caller }, mustFind(core, request), { status, until });
  });
  return presentAgain(core, request, error.fingerprint);
}

async function mergeOthers(
  core: ErrorCore,
  request: ProjectRequest<ParametersOf<typeof mergeParameters>>,
): Promise<ErrorResponse> {
  const { params, project } = request;
  const findOthers = (): TrackedError[] =>
    [...new Set(params.fingerprints)].map((fingerprint) => {
      const other = findError(core, project.id, fingerprint);
      if (other === undefined) throw invalidRecord({ fingerprints: [`${fingerprint} is no error of this project`] });
      return other;
    });
  const latestOf = await mappedLatest(core, [mustFind(core, request), ...findOthers()]);
  // Another request may have merged them meanwhile.
  const into = mustFind(core, request);
  mergeAsUser(core, { found: request, caller: request.caller }, into, findOthers(), latestOf);
  return presentAgain(core, request, into.fingerprint);
}

async function splitGrouping(
  core: ErrorCore,
  request: ProjectRequest<ParametersOf<typeof splitParameters>>,
): Promise<ErrorResponse> {
  const latestOf = await mappedLatest(core, [mustFind(core, request)]);
  const hash = Buffer.from(request.params.hash, 'hex');
  return presentAgain(core, request, splitAsUser(core, mustFind(core, request), hash, latestOf));
}

async function undoChange(core: ErrorCore, request: ProjectRequest<ParametersOf<typeof undoParameters>>): Promise<ErrorResponse> {
  const latestOf = await mappedLatest(core, errorsOfUndo(core, mustFind(core, request)));
  const editor = { found: request, caller: request.caller };
  return presentAgain(core, request, undoEdit(core, editor, mustFind(core, request), request.params.change_id, latestOf));
}

/** Index of the fingerprint among the segments of a URL. */
const FINGERPRINT_SEGMENT = ONE.split('/').indexOf(':fingerprint');

/** Returns a handler that redirects requests for an error that was merged to the error that it is part of. */
function following<Input extends ParametersOf<typeof oneError>, Response>(
  core: ErrorCore,
  handle: (core: ErrorCore, request: ProjectRequest<Input>) => Response,
): (request: ProjectRequest<Input>) => Response | RawResponse {
  return (request) => {
    const { context, params, project } = request;
    const remaining = tracksErrors(core, project.id)
      ? remainingFingerprint(core.store, project.id, params.fingerprint)
      : undefined;
    return remaining === undefined
      ? handle(core, request)
      : movedResponse(context, FINGERPRINT_SEGMENT, { kind: 'error', id: remaining, name: String(remaining) });
  };
}

/** Throws `NotFound` if error tracking of the project is off. */
function demandTracking(core: ErrorCore, projectId: number): void {
  if (!tracksErrors(core, projectId)) throw notFound('Error Tracking Setting', 'error tracking of the project is off');
}

/** Returns the error of a request. Throws `NotFound` if there is none. */
function mustFind(core: ErrorCore, { project, params }: ProjectRequest<ParametersOf<typeof oneError>>): TrackedError {
  demandTracking(core, project.id);
  const error = findError(core, project.id, params.fingerprint);
  if (error === undefined) throw recordNotFound('the project has no error with this fingerprint');
  return error;
}

/** Returns the JSON of an error after a change. */
function presentAgain(core: ErrorCore, request: ProjectRequest<unknown>, fingerprint: number): ErrorResponse {
  const { project, now } = request;
  const error = findError(core, project.id, fingerprint);
  if (error === undefined) throw new Error('the changed error no longer exists');
  return presentError(error, frequencyOf(core, [error], now).get(error.id) ?? [], errorLinks(core, [error], request));
}

/** Returns undefined for an empty parameter. */
function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** Throws `InvalidParameters` if the filter is neither a number nor a word. */
function assigneeOf(text: string | undefined): number | 'None' | 'Any' | undefined {
  if (filled(text) === undefined) return undefined;
  const assignee = readAssignee(text ?? '');
  if (assignee === undefined) throw invalidParameters(["assignee_id should be an integer, 'None' or 'Any'"]);
  return assignee;
}

function positionFrom(text: string, order: ErrorOrder): ErrorPosition {
  const { value, id } = readCursor(text, order, 'number');
  return { value: Number(value), id };
}

/** Throws `InvalidParameters` if the parameters do not fit together. */
function ignoreEndOf({
  ignored_until: kind,
  ignored_count: count,
  ignored_until_date: at,
}: ParametersOf<typeof changeParameters>): IgnoreEnd | undefined {
  const isCounted = kind === 'occurrences' || kind === 'occurrences_per_hour';
  if (count !== undefined && !isCounted) throw invalidParameters(['ignored_count needs ignored_until to name occurrences']);
  if (at !== undefined && kind !== 'date') throw invalidParameters(['ignored_until_date needs ignored_until to be date']);
  if (kind === undefined || kind === 'next_occurrence') return kind && { kind };
  if (kind === 'date') {
    if (at === undefined) throw invalidParameters(['ignored_until_date is missing']);
    return { kind, at };
  }
  if (count === undefined) throw invalidParameters(['ignored_count is missing']);
  return { kind, count };
}
