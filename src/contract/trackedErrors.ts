import { readUserBasic, type UserBasic } from './identity.ts';
import { integerMember, isJsonObject, type JsonObject, listOf, stringMember, timeMember } from './json.ts';

export const ERROR_STATUSES = ['unresolved', 'resolved', 'resolved_in_next_release', 'ignored'] as const;
export type ErrorStatus = (typeof ERROR_STATUSES)[number];

/** End of ignoring an error: the parameters of the request that sets it. */
export interface IgnoreEnd {
  readonly ignored_until: string;
  readonly ignored_count: number | undefined;
  readonly ignored_until_date: string | undefined;
}

/** Status of an error that can be requested, with what belongs to it. */
export type ErrorState = Pick<TrackedError, 'status' | 'ignored'>;

/** Error of a project, with the members that both the REST resource and GraphQL provide. */
export interface TrackedError {
  /** Numeric ID, as text because it can exceed the precision of a number. */
  readonly id: string;
  readonly title: string;
  readonly message: string | null;
  /** Location in the code; may be empty. */
  readonly culprit: string;
  /** `fatal`, `error`, `warning`, `info` or `debug`; null if lists do not contain it. */
  readonly level: string | null;
  readonly status: ErrorStatus;
  /** When ignoring ends, as the REST resource of the local server says it; null if it does not end. */
  readonly ignored: IgnoreEnd | null;
  /** Newest releases in which the error occurred when it was resolved, one of each application. Empty if the instance does not provide it. */
  readonly statusReleases: readonly string[];
  /** Number of events since the error was resolved; null if it is not resolved, or if the instance does not provide it. */
  readonly countSinceStatus: number | null;
  /** Time of the last change of the status, in milliseconds since the epoch; null if the instance does not provide it. */
  readonly statusChangedAt: number | null;
  /** Milliseconds since the epoch. */
  readonly first_seen: number;
  readonly last_seen: number;
  readonly count: number;
  readonly user_count: number;
  /** Events of each of the last 24 hours, the current hour last; empty if lists do not contain it. */
  readonly hourly: readonly EventCount[];
  /** True if the error occurred again after it was resolved. False if the instance does not provide it. */
  readonly isRegression: boolean;
  /** The first environments by name; empty if the instance does not provide them. */
  readonly environments: readonly string[];
  /** Null if nobody is assigned, or if the instance does not provide it. */
  readonly assignee: UserBasic | null;
  readonly issue: IssueOfError | null;
  /** The latest change that can be undone; null if there is none. */
  readonly lastChange: LastChange | null;
}

/** Number of events from a time, in milliseconds since the epoch. */
export interface EventCount {
  readonly from: number;
  readonly count: number;
}

/** Issue about an error. */
export interface IssueOfError {
  readonly iid: number;
  readonly title: string;
  /** `opened` or `closed`; null if the instance does not provide it. */
  readonly state: string | null;
  /** Address, or path on the instance. */
  readonly url: string;
}

export interface LastChange {
  readonly id: number;
  readonly kind: string;
}

/** Stack frame of an error. */
export interface TrackedFrame {
  /** As reported by the application. */
  readonly filename: string | null;
  /** Null if the instance does not provide it. */
  readonly abs_path: string | null;
  readonly module: string | null;
  /** Library or executable of a native frame. */
  readonly package?: string;
  /** Address of the instruction of a native frame without a file. */
  readonly address?: string;
  readonly function: string | null;
  /** 1-based. */
  readonly line: number | null;
  /** 1-based. */
  readonly column: number | null;
  /** Source code of the line. */
  readonly code: string | null;
  /** Source code of the lines directly before and after it. */
  readonly codeBefore: readonly string[];
  readonly codeAfter: readonly string[];
  /** True for a frame of the application, false for a library; null if the instance does not provide it. */
  readonly in_app: boolean | null;
}

/** Reads an error of the REST resource of the local server, from a list or a single resource. */
export function readTrackedError(value: unknown): TrackedError | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'fingerprint');
  return id === undefined ? undefined : readMembers(value, String(id), stringMember(value, 'status') ?? '', restNames);
}

/** Reads a pair of a time in seconds and a number of events. */
export function readCount(pair: unknown): EventCount | undefined {
  if (!Array.isArray(pair)) return undefined;
  const values: readonly unknown[] = pair;
  const [seconds, count] = values;
  return typeof seconds === 'number' && typeof count === 'number' ? { from: seconds * 1000, count } : undefined;
}

/** Reads a number of events of GraphQL. */
export function readFrequency(value: unknown): EventCount | undefined {
  if (!isJsonObject(value)) return undefined;
  const time = timeMember(value, 'time');
  return time === null ? undefined : { from: Date.parse(time), count: integerMember(value, 'count') ?? 0 };
}

function readIssue(issue: JsonObject | undefined): IssueOfError | null {
  const [iid, url] = [issue && integerMember(issue, 'iid'), issue && stringMember(issue, 'web_url')];
  if (issue === undefined || iid === undefined || url === undefined) return null;
  return { iid, title: stringMember(issue, 'title') ?? '', state: stringMember(issue, 'state') ?? null, url };
}

/** Returns the issue that GraphQL names by its path. */
function issueAt(path: string | undefined): IssueOfError | null {
  const iid = /\/issues\/(\d{1,15})$/.exec(path ?? '')?.[1];
  return path === undefined || iid === undefined ? null : { iid: Number(iid), title: '', state: null, url: path };
}

function readLastChange(change: JsonObject | undefined): LastChange | null {
  const [id, kind] = [change && integerMember(change, 'id'), change && stringMember(change, 'kind')];
  return id === undefined || kind === undefined ? null : { id, kind };
}

/** Returns the environments or releases in which an error of the local server occurred. */
export function readFacet(value: unknown, kind: 'environment' | 'release'): readonly string[] | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.facets)) return undefined;
  return listOf(value.facets[kind], (facet) => (isJsonObject(facet) ? stringMember(facet, 'value') : undefined));
}

/** Returns the frames of the latest event of an error of the local server, callers first; empty if no event is stored. */
export function readLatestFrames(value: unknown): readonly TrackedFrame[] | undefined {
  if (!isJsonObject(value) || !('latest_event' in value)) return undefined;
  const payload = objectMember(objectMember(value, 'latest_event'), 'payload');
  return listOf(shownFrames(payload), readFrame);
}

/** Returns the frames to show first. `stack` selects those of the exception or thread at `index`, or those of the event itself. */
function shownFrames(payload: JsonObject | undefined): unknown {
  const stack = objectMember(payload, 'stack');
  if (payload === undefined || stack === undefined) return undefined;
  const index = integerMember(stack, 'index');
  if (index === undefined) return payload.frames;
  const owners = stack.source === 'thread' ? payload.threads : payload.exceptions;
  const owner: unknown = Array.isArray(owners) ? owners[index] : undefined;
  return isJsonObject(owner) ? owner.frames : undefined;
}

function readFrame(value: unknown): TrackedFrame | undefined {
  if (!isJsonObject(value)) return undefined;
  return {
    filename: stringMember(value, 'filename') ?? null,
    abs_path: stringMember(value, 'abs_path') ?? null,
    module: stringMember(value, 'module') ?? null,
    ...nativeMembers(value),
    function: stringMember(value, 'function') ?? null,
    line: positive(integerMember(value, 'lineno')),
    column: positive(integerMember(value, 'colno')),
    code: stringMember(value, 'context_line') ?? null,
    codeBefore: listOf(value.pre_context, textOf),
    codeAfter: listOf(value.post_context, textOf),
    in_app: typeof value.in_app === 'boolean' ? value.in_app : null,
  };
}

/** Reads where a frame of a native program is that has no file. */
export function nativeMembers(frame: JsonObject): Pick<TrackedFrame, 'package' | 'address'> {
  const [packageName, address] = [stringMember(frame, 'package'), stringMember(frame, 'instruction_addr')];
  return {
    ...(packageName === undefined ? {} : { package: packageName }),
    ...(address === undefined || typeof frame.filename === 'string' ? {} : { address }),
  };
}

/** Page of `project.sentryErrors.errors`. */
export interface SentryErrorPage {
  readonly items: readonly TrackedError[];
  /** Cursor of the next page. */
  readonly next: string | undefined;
}

/**
 * Reads the data of a query for `project.sentryErrors.errors`. `noProject`: the project does not exist or is not visible to the account;
 * `forbidden`: the account may not read its errors; `notAvailable`: error tracking is disabled, or the instance has not fetched the errors yet.
 */
export function readSentryErrors(data: unknown): SentryErrorPage | 'noProject' | 'forbidden' | 'notAvailable' | undefined {
  const found = sentryErrorsOf(data);
  if (typeof found !== 'object') return found;
  const { errors } = found;
  if (errors === null) return 'notAvailable';
  if (!isJsonObject(errors)) return undefined;
  const page = objectMember(errors, 'pageInfo');
  const cursor = page?.hasNextPage === true ? stringMember(page, 'endCursor') : undefined;
  return { items: listOf(errors.nodes, readSentryError), next: cursor };
}

/** Reads an error of GraphQL. */
export function readSentryError(value: unknown): TrackedError | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = stringMember(value, 'sentryId');
  return id === undefined ? undefined : readMembers(value, id, (stringMember(value, 'status') ?? '').toLowerCase(), graphqlNames);
}

/** Returns the frames from the data of a query for `project.sentryErrors.errorStackTrace`, callers first; empty if there is no stack. */
export function readSentryFrames(data: unknown): readonly TrackedFrame[] | 'noProject' | 'forbidden' | undefined {
  const found = sentryErrorsOf(data);
  if (typeof found !== 'object') return found;
  return listOf(objectMember(found, 'errorStackTrace')?.stackTraceEntries, readSentryFrame);
}

function readSentryFrame(value: unknown): TrackedFrame | undefined {
  if (!isJsonObject(value)) return undefined;
  const line = numberIn(stringMember(value, 'line'));
  const code = new Map(
    listOf(value.traceContext, (context) => {
      if (!isJsonObject(context)) return undefined;
      const [number, text] = [integerMember(context, 'line'), stringMember(context, 'code')];
      return number === undefined || text === undefined ? undefined : ([number, text] as const);
    }),
  );
  return {
    filename: stringMember(value, 'fileName') ?? null,
    abs_path: null,
    module: null,
    function: stringMember(value, 'function') ?? null,
    line,
    // The integrated backend always sends 0.
    column: numberIn(stringMember(value, 'col')),
    code: (line === null ? undefined : code.get(line)) ?? null,
    codeBefore: line === null ? [] : linesBeside(code, line, -1).toReversed(),
    codeAfter: line === null ? [] : linesBeside(code, line, 1),
    in_app: null,
  };
}

/** Returns the lines that follow a line in one direction without a gap, the nearest first. */
function linesBeside(code: ReadonlyMap<number, string>, line: number, step: 1 | -1): readonly string[] {
  const lines: string[] = [];
  for (let at = line + step; ; at += step) {
    const text = code.get(at);
    if (text === undefined) return lines;
    lines.push(text);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns `project.sentryErrors` of the data of a query, or why it is missing. Undefined if the data has another shape. */
export function sentryErrorsOf(data: unknown): JsonObject | 'noProject' | 'forbidden' | undefined {
  if (!isJsonObject(data)) return undefined;
  const { project } = data;
  if (project === null) return 'noProject';
  if (!isJsonObject(project)) return undefined;
  if (project.sentryErrors === null) return 'forbidden';
  return objectMember(project, 'sentryErrors');
}

const restNames = { firstSeen: 'first_seen', lastSeen: 'last_seen', userCount: 'user_count', readCount };
const graphqlNames = { firstSeen: 'firstSeen', lastSeen: 'lastSeen', userCount: 'userCount', readCount: readFrequency };

function readMembers(value: JsonObject, id: string, status: string, names: typeof restNames): TrackedError | undefined {
  const known = ERROR_STATUSES.find((one) => one === status);
  const [first, last] = [timeMember(value, names.firstSeen), timeMember(value, names.lastSeen)];
  if (known === undefined || first === null || last === null) return undefined;
  return {
    id,
    title: stringMember(value, 'title') ?? '',
    message: stringMember(value, 'message') ?? null,
    culprit: stringMember(value, 'culprit') ?? '',
    level: stringMember(value, 'level') ?? null,
    status: known,
    ignored: ignoreEndOf(value),
    statusReleases: listOf(value.status_releases, textOf),
    countSinceStatus: integerMember(value, 'count_since_status') ?? null,
    statusChangedAt: millisecondsOf(value, 'status_changed_at'),
    first_seen: Date.parse(first),
    last_seen: Date.parse(last),
    count: integerMember(value, 'count') ?? 0,
    user_count: integerMember(value, names.userCount) ?? 0,
    hourly: listOf(value.frequency, names.readCount),
    isRegression: value.is_regression === true,
    environments: listOf(value.environments, textOf),
    assignee: readUserBasic(value.assignee) ?? null,
    issue: readIssue(objectMember(value, 'issue')) ?? issueAt(stringMember(value, 'gitlabIssuePath')),
    lastChange: readLastChange(objectMember(value, 'last_change')),
  };
}

/** Returns a time in milliseconds since the epoch. */
export function millisecondsOf(value: JsonObject, name: string): number | null {
  const time = timeMember(value, name);
  return time === null ? null : Date.parse(time);
}

function ignoreEndOf(value: JsonObject): IgnoreEnd | null {
  const until = stringMember(value, 'ignored_until');
  if (until === undefined) return null;
  return {
    ignored_until: until,
    ignored_count: integerMember(value, 'ignored_count'),
    ignored_until_date: stringMember(value, 'ignored_until_date'),
  };
}

function objectMember(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = object?.[name];
  return isJsonObject(value) ? value : undefined;
}

function positive(value: number | undefined): number | null {
  return value !== undefined && value > 0 ? value : null;
}

function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? positive(Number(text)) : null;
}
