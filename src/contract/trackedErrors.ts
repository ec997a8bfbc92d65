import { integerMember, isJsonObject, type JsonObject, listOf, stringMember, timeMember } from './json.ts';

export const ERROR_STATUSES = ['unresolved', 'resolved', 'resolved_in_next_release', 'ignored'] as const;
export type ErrorStatus = (typeof ERROR_STATUSES)[number];

/** An error of a project, as much of it as every way to read it tells. */
export interface TrackedError {
  /** Number by which the platform knows it, as text: some are longer than a number keeps. */
  readonly id: string;
  readonly title: string;
  readonly message: string | null;
  /** Where it happens; may be empty. */
  readonly culprit: string;
  /** `fatal`, `error`, `warning`, `info` or `debug`; null where lists do not tell. */
  readonly level: string | null;
  readonly status: ErrorStatus;
  /** Milliseconds since the epoch. */
  readonly first_seen: number;
  readonly last_seen: number;
  readonly count: number;
  readonly user_count: number;
}

/** One call in the stack of an error. */
export interface TrackedFrame {
  /** As the program that failed has sent it. */
  readonly filename: string | null;
  /** Null where the platform does not tell. */
  readonly abs_path: string | null;
  readonly module: string | null;
  readonly function: string | null;
  /** From 1 on. */
  readonly line: number | null;
  /** From 1 on. */
  readonly column: number | null;
  /** The line itself. */
  readonly code: string | null;
  /** Whether it is of the program and not of a library; null where the platform does not tell. */
  readonly in_app: boolean | null;
}

/** An error of the local resource, in a list or alone. */
export function readTrackedError(value: unknown): TrackedError | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = integerMember(value, 'fingerprint');
  return id === undefined ? undefined : readMembers(value, String(id), stringMember(value, 'status') ?? '', snake);
}

/** Frames of the latest event of an error of the local resource, callers first; none when nothing is kept of it. */
export function readLatestFrames(value: unknown): readonly TrackedFrame[] | undefined {
  if (!isJsonObject(value) || !('latest_event' in value)) return undefined;
  const payload = objectMember(objectMember(value, 'latest_event'), 'payload');
  return listOf(shownFrames(payload), readFrame);
}

/** `stack` says whose frames to show first: of the exception or thread at `index`, or of the event itself. */
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
    function: stringMember(value, 'function') ?? null,
    line: positive(integerMember(value, 'lineno')),
    column: positive(integerMember(value, 'colno')),
    code: stringMember(value, 'context_line') ?? null,
    in_app: typeof value.in_app === 'boolean' ? value.in_app : null,
  };
}

/** A page of `project.sentryErrors.errors`. */
export interface SentryErrorPage {
  readonly items: readonly TrackedError[];
  /** Cursor of the next page. */
  readonly next: string | undefined;
}

/**
 * The data of a query for `project.sentryErrors.errors`. `noProject`: there is none, or none for this account; `forbidden`: the account may
 * not read its errors; `notThere`: errors are not tracked, or the platform has not fetched them yet.
 */
export function readSentryErrors(data: unknown): SentryErrorPage | 'noProject' | 'forbidden' | 'notThere' | undefined {
  const found = sentryErrorsOf(data);
  if (typeof found !== 'object') return found;
  const { errors } = found;
  if (errors === null) return 'notThere';
  if (!isJsonObject(errors)) return undefined;
  const page = objectMember(errors, 'pageInfo');
  const cursor = page?.hasNextPage === true ? stringMember(page, 'endCursor') : undefined;
  return { items: listOf(errors.nodes, readSentryError), next: cursor };
}

function readSentryError(value: unknown): TrackedError | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = stringMember(value, 'sentryId');
  return id === undefined ? undefined : readMembers(value, id, (stringMember(value, 'status') ?? '').toLowerCase(), camel);
}

/** Frames of the data of a query for `project.sentryErrors.errorStackTrace`, callers first; none when there is no stack. */
export function readSentryFrames(data: unknown): readonly TrackedFrame[] | 'noProject' | 'forbidden' | undefined {
  const found = sentryErrorsOf(data);
  if (typeof found !== 'object') return found;
  return listOf(objectMember(found, 'errorStackTrace')?.stackTraceEntries, readSentryFrame);
}

function readSentryFrame(value: unknown): TrackedFrame | undefined {
  if (!isJsonObject(value)) return undefined;
  const line = numberIn(stringMember(value, 'line'));
  const code = listOf(value.traceContext, (context) =>
    isJsonObject(context) && integerMember(context, 'line') === line ? stringMember(context, 'code') : undefined,
  );
  return {
    filename: stringMember(value, 'fileName') ?? null,
    abs_path: null,
    module: null,
    function: stringMember(value, 'function') ?? null,
    line,
    // The integrated backend says 0 for each.
    column: numberIn(stringMember(value, 'col')),
    code: code[0] ?? null,
    in_app: null,
  };
}

function sentryErrorsOf(data: unknown): JsonObject | 'noProject' | 'forbidden' | undefined {
  if (!isJsonObject(data)) return undefined;
  const { project } = data;
  if (project === null) return 'noProject';
  if (!isJsonObject(project)) return undefined;
  if (project.sentryErrors === null) return 'forbidden';
  return objectMember(project, 'sentryErrors');
}

const snake = { firstSeen: 'first_seen', lastSeen: 'last_seen', userCount: 'user_count' };
const camel = { firstSeen: 'firstSeen', lastSeen: 'lastSeen', userCount: 'userCount' };

function readMembers(value: JsonObject, id: string, status: string, names: typeof snake): TrackedError | undefined {
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
    first_seen: Date.parse(first),
    last_seen: Date.parse(last),
    count: integerMember(value, 'count') ?? 0,
    user_count: integerMember(value, names.userCount) ?? 0,
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
