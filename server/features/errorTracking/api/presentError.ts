import { isoTime } from '../../../core/clock.ts';
import { presentCommit } from '../../code/code.ts';
import type { ResponseOf } from '../../../http/responses.ts';
import type { Core } from '../../../core/core.ts';
import { peopleOf } from '../../profiles/profiles.ts';
import { type Issue, issuesById } from '../../issues/issues.ts';
import type { FoundProject, Project } from '../../projectAccess/projectAccess.ts';
import type { trackedError, trackedErrorDetail, trackedEvent } from './errorResponses.ts';
import type { ErrorDetail, ReleaseDetail } from '../read/errorDetail.ts';
import type { EventRow, Frequency, TrackedError } from '../read/readErrors.ts';
import { stateOf } from '../status/errorStatus.ts';
import type { Frame, SentLocation, TrackedEvent } from '../event/trackedEvent.ts';
import { type ExplainedFrame, type GroupingExplanation, whyLeftOut } from '../grouping/explainGrouping.ts';
import { stacksOf } from '../event/mainStack.ts';

type ErrorResponse = ResponseOf<typeof trackedError>;
type DetailResponse = ResponseOf<typeof trackedErrorDetail>;
type EventResponse = ResponseOf<typeof trackedEvent>;
type PayloadResponse = NonNullable<EventResponse['payload']>;
type FrameResponse = PayloadResponse['frames'][number];

/** First time that ISO 8601 can represent here. SDKs can send earlier ones. */
const YEAR_ONE = -62_135_596_800_000;

/** Data from which URLs of pages are built. */
export interface PageBase {
  readonly project: Pick<Project, 'full_path'>;
  readonly baseUrl: string;
}

/** Looks up the records that errors refer to. */
export interface ErrorLinks extends PageBase {
  readonly person: (id: number | null) => ErrorResponse['assignee'];
  readonly issue: (id: number | null) => ErrorResponse['issue'];
}

/** Loads the people and issues of errors. */
export function errorLinks(
  core: Core,
  errors: readonly TrackedError[],
  { project, can, baseUrl }: PageBase & Pick<FoundProject, 'project' | 'can'>,
): ErrorLinks {
  // Who reads errors is a reporter, who sees confidential issues, too.
  const ids = can.readIssues ? errors.map(({ issue_id: id }) => id).filter((id) => id !== null) : [];
  const issues = issuesById(core, ids);
  return {
    project,
    baseUrl,
    person: peopleOf(core, baseUrl),
    issue: (id) => {
      const issue = id === null ? undefined : issues.get(id);
      if (issue === undefined) return null;
      const { iid, title, state } = issue;
      return { iid, title, state, web_url: `${baseUrl}${issuePath(issue)}` };
    },
  };
}

/** Returns the path of the page of an issue. */
export function issuePath({ project_path, iid }: Issue): string {
  return `/${project_path}/-/issues/${iid}`;
}

/** Returns the local REST resource. Members have the names that the web pages of GitLab use, if there are any. */
export function presentError(
  error: TrackedError,
  frequency: Frequency,
  { project, baseUrl, person, issue }: ErrorLinks,
): ErrorResponse {
  const state = stateOf(error);
  const until = state.status === 'ignored' ? state.until : undefined;
  return {
    fingerprint: error.fingerprint,
    title: error.title,
    type: error.type,
    message: error.message,
    culprit: error.culprit,
    platform: error.platform,
    level: error.level,
    status: error.status,
    status_changed_at: timeOrNull(error.status_at ?? undefined),
    status_releases: 'releases' in state ? [...state.releases] : [],
    count_since_status: 'releases' in state ? error.event_count - error.counted_events : null,
    ignored_until: until?.kind ?? null,
    ignored_count: until !== undefined && 'count' in until ? until.count : null,
    ignored_until_date: until?.kind === 'date' ? isoTime(until.at) : null,
    is_regression: error.is_regression === 1,
    is_overflow: error.is_overflow === 1,
    first_seen: isoTime(error.first_seen_at),
    last_seen: isoTime(error.last_seen_at),
    first_release_version: error.first_release,
    last_release_version: error.last_release,
    count: error.event_count,
    user_count: error.user_count,
    frequency,
    environments: environmentsOf(error),
    assignee: person(error.assignee_id),
    issue: issue(error.issue_id),
    last_change: error.edit_id === null || error.edit_kind === null ? null : { id: error.edit_id, kind: error.edit_kind },
    web_url: `${baseUrl}/${project.full_path}/-/error_tracking/${error.fingerprint}/details`,
  };
}

function environmentsOf({ environments }: TrackedError): string[] {
  const names: unknown = JSON.parse(environments);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

export function presentDetail(detail: ErrorDetail, location: ErrorLinks): DetailResponse {
  const { project, baseUrl } = location;
  const { error, frequency, fixedIn, daily, firstRelease, lastRelease, facets, groupings, latest } = detail;
  const commitOf = (release: ReleaseDetail | undefined): DetailResponse['first_release_commit'] =>
    release?.commit === undefined ? null : presentCommit(release.commit, project, baseUrl);
  return {
    ...presentError(error, frequency, location),
    fixed_in_release: fixedIn ?? null,
    daily: daily.map(([seconds, count]) => [seconds, count]),
    first_release_commit: commitOf(firstRelease),
    last_release_commit: commitOf(lastRelease),
    facets: { environment: [...facets.environment], level: [...facets.level], release: [...facets.release] },
    groupings: groupings.map((one) => ({
      hash: Buffer.from(one.hash).toString('hex'),
      title: one.title ?? null,
      version: one.algorithm,
      count: one.event_count,
      first_seen: isoTime(one.first_seen_at),
      last_seen: isoTime(one.last_seen_at),
    })),
    latest_event: latest === undefined ? null : presentEvent(latest.row, latest.event),
    grouping: latest === undefined ? null : presentExplanation(latest.grouping),
  };
}

/** `event` is undefined if the payload is no longer stored. */
export function presentEvent(row: EventRow, event: TrackedEvent | undefined): EventResponse {
  return {
    event_id: Buffer.from(row.event_id).toString('hex'),
    occurred_at: isoTime(row.occurred_at),
    received_at: isoTime(row.received_at),
    release: row.release,
    environment: row.environment,
    level: row.level,
    payload: event === undefined ? null : presentPayload(event),
  };
}

function presentPayload(event: TrackedEvent): PayloadResponse {
  const { message, user, request, sdk } = event;
  const [stack] = stacksOf(event);
  return {
    platform: event.platform,
    exceptions: event.exceptions.map(({ type, value, module, mechanism, frames }) => ({
      type: type ?? null,
      value: value ?? null,
      module: module ?? null,
      mechanism:
        mechanism !== undefined
          ? {
              type: mechanism.type ?? null,
              handled: mechanism.handled ?? null,
              synthetic: mechanism.synthetic,
              is_exception_group: mechanism.isExceptionGroup,
              exception_id: mechanism.exceptionId ?? null,
              parent_id: mechanism.parentId ?? null,
              source: mechanism.source ?? null,
              signal: mechanism.signal ?? null,
            }
          : null,
      frames: frames.map(presentFrame),
    })),
    threads: event.threads.map(({ id, name, crashed, current, frames }) => ({
      id: id ?? null,
      name: name ?? null,
      crashed,
      current,
      frames: frames.map(presentFrame),
    })),
    frames: event.frames.map(presentFrame),
    stack: stack === undefined ? null : { source: stack.source, index: indexOf(event, stack.frames) },
    message: message === undefined ? null : { text: message.text, template: message.template },
    breadcrumbs: event.breadcrumbs.map(({ at, category, type, level, message: said, data }) => ({
      timestamp: at === undefined || at < YEAR_ONE ? null : isoTime(at),
      category: category ?? null,
      type: type ?? null,
      level: level ?? null,
      message: said ?? null,
      data: sentValues(data),
    })),
    tags: Array.from(event.tags, ([key, value]) => ({ key, value })),
    user:
      user === undefined
        ? null
        : {
            id: user.id ?? null,
            username: user.username ?? null,
            email: user.email ?? null,
            ip_address: user.address ?? null,
            name: user.name ?? null,
          },
    request:
      request === undefined
        ? null
        : {
            url: request.url ?? null,
            method: request.method ?? null,
            query_string: request.query ?? null,
            headers: request.headers.map(([name, value]) => ({ name, value })),
            cookies: jsonText(request.cookies) ?? null,
            data: jsonText(request.data) ?? null,
          },
    contexts: sentValues(event.contexts),
    extra: sentValues(event.extra),
    modules: Array.from(event.modules, ([name, version]) => ({ name, version })),
    logger: event.logger ?? null,
    transaction: event.transaction ?? null,
    server_name: event.serverName ?? null,
    dist: event.dist ?? null,
    sdk: sdk === undefined ? null : { name: sdk.name, version: sdk.version },
    problems: event.problems.map(({ name, type, value }) => ({ name, type, value: value ?? null })),
  };
}

/** Returns the index of the exception or thread with these frames, or null if they belong to the event itself. */
function indexOf({ exceptions, threads }: TrackedEvent, frames: readonly Frame[]): number | null {
  const hasFrames = (one: { readonly frames: readonly Frame[] }): boolean => one.frames === frames;
  const index = Math.max(exceptions.findIndex(hasFrames), threads.findIndex(hasFrames));
  return index < 0 ? null : index;
}

function presentFrame(frame: Frame): FrameResponse {
  const { from, problem, doubt } = { from: undefined, problem: undefined, doubt: undefined, ...frame.mapping };
  const reason = problem ?? doubt;
  return {
    ...presentLocation(frame),
    module: frame.module ?? null,
    package: frame.package ?? null,
    instruction_addr: frame.instructionAddress ?? null,
    symbol_addr: frame.symbolAddress ?? null,
    context_line: frame.contextLine ?? null,
    pre_context: [...frame.preContext],
    post_context: [...frame.postContext],
    in_app: frame.inApp,
    vars: sentValues(frame.vars),
    mapped_from: from === undefined ? null : presentLocation(from),
    map_problem: reason === undefined ? null : { name: reason.kind, reason: reason.text },
  };
}

function presentLocation({
  filename,
  absPath,
  function: name,
  line,
  column,
}: SentLocation): NonNullable<FrameResponse['mapped_from']> {
  return {
    filename: filename ?? null,
    abs_path: absPath ?? null,
    function: name ?? null,
    lineno: line ?? null,
    colno: column ?? null,
  };
}

function presentExplanation(grouping: GroupingExplanation): NonNullable<DetailResponse['grouping']> {
  const { version, by, fingerprint, platform, exceptionTypes, stack, text, logger, members, leftOut } = grouping;
  return {
    version,
    by,
    fingerprint: fingerprint.map((token) => ({ text: token.text, is_default: token.isDefault, value: token.value ?? null })),
    platform: platform ?? null,
    exception_types: [...exceptionTypes],
    stack:
      stack === undefined
        ? null
        : {
            source: stack.source,
            frames: stack.frames.map(presentExplainedFrame),
          },
    text: text === undefined ? null : { kind: text.kind, text: text.text },
    logger: logger ?? null,
    members: members.map((member) => ({
      exception_types: [...member.exceptionTypes],
      text: member.text?.text ?? null,
      frames: member.frames.map(presentExplainedFrame),
    })),
    left_out: leftOut.map((name) => ({ name, reason: whyLeftOut[name] })),
  };
}

type ExplainedFrameResponse = NonNullable<NonNullable<DetailResponse['grouping']>['stack']>['frames'][number];

function presentExplainedFrame({ frame, location, name, isLine, line, use }: ExplainedFrame): ExplainedFrameResponse {
  return {
    filename: frame.filename ?? null,
    function: frame.function ?? null,
    lineno: frame.line ?? null,
    place: location,
    name,
    is_line: isLine,
    source_line: line === '' ? null : line,
    use,
  };
}

/** Returns values as JSON texts, because clients can send values of any type. */
function sentValues(sent: Readonly<Record<string, unknown>> | undefined): { name: string; value: string }[] {
  return Object.entries(sent ?? {}).map(([name, value]) => ({ name, value: jsonText(value) ?? 'null' }));
}

function jsonText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

function timeOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoTime(at);
}
