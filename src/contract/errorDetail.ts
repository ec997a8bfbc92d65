import { exceptionTree, type ExceptionRelation, hasBranches, placedExceptions, type RelatedException } from './exceptionTree.ts';
import { integerMember, isJsonObject, type JsonObject, listOf, stringMember, timeMember } from './json.ts';
import {
  type EventCount,
  millisecondsOf,
  nativeMembers,
  readCount,
  readTrackedError,
  type TrackedError,
} from './trackedErrors.ts';

export type { EventCount } from './trackedErrors.ts';

/** One error with its latest event. Members that an instance does not provide are null or empty. Can be sent as JSON. */
export interface ErrorDetail extends TrackedError {
  readonly type: string | null;
  /** Release that shows that a resolved error is fixed; null if there is none, or if the instance does not provide it. */
  readonly fixedIn: string | null;
  readonly firstRelease: ReleaseOfError | null;
  readonly lastRelease: ReleaseOfError | null;
  /** Events of each of the last 28 days (UTC), the current day last. */
  readonly daily: readonly EventCount[];
  readonly environmentCounts: readonly ValueCount[];
  readonly levels: readonly ValueCount[];
  readonly releases: readonly ValueCount[];
  /** Page of the error on the instance. */
  readonly webUrl: string | null;
  readonly latestEvent: ErrorEvent | null;
  readonly grouping: ErrorGrouping | null;
  /** Groupings that have events. Each can be split off if there are several. */
  readonly groupings: readonly GroupingOfError[];
}

export interface GroupingOfError {
  /** Hexadecimal digits. */
  readonly hash: string;
  /** Title of the latest event. Null if the instance does not return it. */
  readonly title: string | null;
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastSeen: number | null;
}

export interface ReleaseOfError {
  readonly version: string;
  readonly commit: { readonly id: string; readonly title: string; readonly url: string | null } | null;
}

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

export interface ErrorEvent {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly occurredAt: number;
  readonly release: string | null;
  readonly environment: string | null;
  readonly level: string | null;
  /** Null if the instance no longer stores the data of the event. */
  readonly data: EventData | null;
}

export interface EventData {
  readonly platform: string;
  /** The exception that was caught first, then its causes; in a tree, each before those below it. */
  readonly exceptions: readonly ShownException[];
  readonly threads: readonly ShownThread[];
  readonly message: string | null;
  /** In the order in which they happened. */
  readonly breadcrumbs: readonly Breadcrumb[];
  readonly tags: readonly NamedValue[];
  readonly user: readonly NamedValue[];
  readonly request: ShownRequest | null;
  readonly contexts: readonly NamedValue[];
  readonly extra: readonly NamedValue[];
  readonly modules: readonly NamedValue[];
  readonly serverName: string | null;
  readonly sdk: string | null;
}

export interface ShownException {
  readonly type: string | null;
  readonly value: string | null;
  /** False if nothing in the program caught the exception; null if unknown. */
  readonly handled: boolean | null;
  /** Innermost frame first. */
  readonly frames: readonly ShownFrame[];
  /** Place in the tree of an exception group. Missing if each exception is the cause of the one before it. */
  readonly inTree?: { readonly relation: ExceptionRelation; readonly depth: number };
}

export interface ShownThread {
  readonly name: string;
  readonly crashed: boolean;
  /** Innermost frame first. */
  readonly frames: readonly ShownFrame[];
}

export interface ShownFrame {
  readonly filename: string | null;
  readonly absPath: string | null;
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
  readonly inApp: boolean | null;
  readonly code: readonly CodeLine[];
  readonly variables: readonly NamedValue[];
  /** Reason why no source map was applied to a minified frame, or why the map that was applied may be another one. */
  readonly mapProblem: string | null;
  /** True if a source map was applied that may be of another release or build. */
  readonly isMapDoubtful: boolean;
}

export interface CodeLine {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

export interface Breadcrumb {
  /** Milliseconds since the epoch. */
  readonly at: number | null;
  readonly category: string | null;
  readonly level: string | null;
  readonly message: string | null;
  readonly data: readonly NamedValue[];
}

export interface NamedText {
  readonly name: string;
  readonly value: string;
}

/** Value of an event. */
export interface NamedValue extends NamedText {
  /** `json` if the value is JSON, which can have any type. */
  readonly kind: 'json' | 'text';
}

export interface ShownRequest {
  readonly url: string | null;
  readonly method: string | null;
  readonly query: string | null;
  readonly headers: readonly NamedValue[];
  readonly data: string | null;
}

/** Explains why the latest event belongs to its error. */
export interface ErrorGrouping {
  readonly by: string;
  readonly parts: readonly { readonly name: string; readonly isUsed: boolean }[];
  readonly text: string | null;
  /** Sentences about what does not count. */
  readonly leftOut: readonly string[];
}

/** Reads an error of the REST resource of the local server. */
export function readErrorDetail(value: unknown): ErrorDetail | undefined {
  const error = readTrackedError(value);
  if (error === undefined || !isJsonObject(value)) return undefined;
  const facets = objectIn(value, 'facets') ?? {};
  return {
    ...error,
    type: stringMember(value, 'type') ?? null,
    fixedIn: stringMember(value, 'fixed_in_release') ?? null,
    firstRelease: readRelease(value, 'first'),
    lastRelease: readRelease(value, 'last'),
    daily: listOf(value.daily, readCount),
    environmentCounts: listOf(facets.environment, readValueCount),
    levels: listOf(facets.level, readValueCount),
    releases: listOf(facets.release, readValueCount),
    webUrl: stringMember(value, 'web_url') ?? null,
    latestEvent: readErrorEvent(value.latest_event) ?? null,
    grouping: readGrouping(value.grouping) ?? null,
    groupings: listOf(value.groupings, readGroupingOfError),
  };
}

/** Reads an event of the REST resource of the local server. */
export function readErrorEvent(value: unknown): ErrorEvent | undefined {
  if (!isJsonObject(value)) return undefined;
  const [id, occurredAt] = [stringMember(value, 'event_id'), timeMember(value, 'occurred_at')];
  if (id === undefined || occurredAt === null) return undefined;
  return {
    id,
    occurredAt: Date.parse(occurredAt),
    release: stringMember(value, 'release') ?? null,
    environment: stringMember(value, 'environment') ?? null,
    level: stringMember(value, 'level') ?? null,
    data: readData(value.payload) ?? null,
  };
}

function readRelease(value: JsonObject, which: 'first' | 'last'): ReleaseOfError | null {
  const version = stringMember(value, `${which}_release_version`);
  if (version === undefined) return null;
  const commit = objectIn(value, `${which}_release_commit`);
  const id = commit && stringMember(commit, 'id');
  if (commit === undefined || id === undefined) return { version, commit: null };
  return {
    version,
    commit: { id, title: stringMember(commit, 'title') ?? '', url: stringMember(commit, 'web_url') ?? null },
  };
}

/** Returns undefined for a grouping without events. */
function readGroupingOfError(value: unknown): GroupingOfError | undefined {
  if (!isJsonObject(value)) return undefined;
  const [hash, count] = [stringMember(value, 'hash'), integerMember(value, 'count') ?? 0];
  if (hash === undefined || count === 0) return undefined;
  return { hash, title: stringMember(value, 'title') ?? null, count, lastSeen: millisecondsOf(value, 'last_seen') };
}

function readValueCount(value: unknown): ValueCount | undefined {
  if (!isJsonObject(value)) return undefined;
  const text = stringMember(value, 'value');
  return text === undefined ? undefined : { value: text, count: integerMember(value, 'count') ?? 0 };
}

function readData(value: unknown): EventData | undefined {
  if (!isJsonObject(value)) return undefined;
  const own = readFrames(value.frames);
  const sdk = objectIn(value, 'sdk');
  const message = objectIn(value, 'message');
  return {
    platform: stringMember(value, 'platform') ?? '',
    exceptions: readExceptions(value.exceptions),
    threads: [...(own.length === 0 ? [] : [{ name: '', crashed: true, frames: own }]), ...listOf(value.threads, readThread)],
    message: (message && stringMember(message, 'text')) ?? null,
    breadcrumbs: listOf(value.breadcrumbs, readBreadcrumb),
    tags: namedValues(value.tags, 'text', 'key'),
    user: userRows(objectIn(value, 'user')),
    request: readRequest(objectIn(value, 'request')),
    contexts: namedValues(value.contexts, 'json'),
    extra: namedValues(value.extra, 'json'),
    modules: namedValues(value.modules, 'text', 'name', 'version'),
    serverName: stringMember(value, 'server_name') ?? null,
    sdk: sdk === undefined ? null : `${stringMember(sdk, 'name') ?? ''} ${stringMember(sdk, 'version') ?? ''}`.trim(),
  };
}

/** Causes are sent before their effects. */
function readExceptions(value: unknown): readonly ShownException[] {
  const list = listOf(value, (sent) => {
    const shown = readException(sent);
    return shown === undefined || !isJsonObject(sent) ? undefined : { shown, ...readRelations(objectIn(sent, 'mechanism')) };
  }).toReversed();
  const root = exceptionTree(list);
  if (root === undefined || !hasBranches(root)) return list.map(({ shown }) => shown);
  return placedExceptions(root).map(({ exception, relation, depth }) => ({ ...exception.shown, inTree: { relation, depth } }));
}

function readRelations(mechanism: JsonObject | undefined): RelatedException {
  const sent = mechanism ?? {};
  return {
    exceptionId: integerMember(sent, 'exception_id') ?? null,
    parentId: integerMember(sent, 'parent_id') ?? null,
    isGroup: sent.is_exception_group === true,
    source: stringMember(sent, 'source') ?? null,
    mechanism: stringMember(sent, 'type') ?? null,
  };
}

function readException(value: unknown): ShownException | undefined {
  if (!isJsonObject(value)) return undefined;
  const mechanism = objectIn(value, 'mechanism');
  const handled = mechanism?.handled;
  return {
    type: stringMember(value, 'type') ?? null,
    value: stringMember(value, 'value') ?? null,
    handled: typeof handled === 'boolean' ? handled : null,
    frames: readFrames(value.frames),
  };
}

function readThread(value: unknown): ShownThread | undefined {
  if (!isJsonObject(value)) return undefined;
  const frames = readFrames(value.frames);
  if (frames.length === 0) return undefined;
  const name = stringMember(value, 'name') ?? stringMember(value, 'id') ?? '';
  return { name, crashed: value.crashed === true, frames };
}

/** Frames are sent with the caller first. */
function readFrames(value: unknown): readonly ShownFrame[] {
  return listOf(value, readFrame).toReversed();
}

function readFrame(value: unknown): ShownFrame | undefined {
  if (!isJsonObject(value)) return undefined;
  const line = positive(integerMember(value, 'lineno'));
  const problem = objectIn(value, 'map_problem');
  return {
    filename: stringMember(value, 'filename') ?? null,
    absPath: stringMember(value, 'abs_path') ?? null,
    module: stringMember(value, 'module') ?? null,
    ...nativeMembers(value),
    function: stringMember(value, 'function') ?? null,
    line,
    column: positive(integerMember(value, 'colno')),
    inApp: typeof value.in_app === 'boolean' ? value.in_app : null,
    code: line === null ? [] : codeAround(value, line),
    variables: namedValues(value.vars, 'json'),
    mapProblem: (problem && stringMember(problem, 'reason')) ?? null,
    isMapDoubtful: problem !== undefined && objectIn(value, 'mapped_from') !== undefined,
  };
}

function codeAround(frame: JsonObject, line: number): readonly CodeLine[] {
  const texts = (name: string): readonly string[] => listOf(frame[name], (text) => (typeof text === 'string' ? text : undefined));
  const at = stringMember(frame, 'context_line');
  if (at === undefined) return [];
  const [before, after] = [texts('pre_context'), texts('post_context')];
  return [...before, at, ...after].map((text, index) => ({ line: line - before.length + index, text }));
}

function readBreadcrumb(value: unknown): Breadcrumb | undefined {
  if (!isJsonObject(value)) return undefined;
  return {
    at: millisecondsOf(value, 'timestamp'),
    category: stringMember(value, 'category') ?? stringMember(value, 'type') ?? null,
    level: stringMember(value, 'level') ?? null,
    message: stringMember(value, 'message') ?? null,
    data: namedValues(value.data, 'json'),
  };
}

function userRows(user: JsonObject | undefined): readonly NamedValue[] {
  if (user === undefined) return [];
  return ['id', 'username', 'name', 'email', 'ip_address'].flatMap((name) => {
    const value = stringMember(user, name);
    return value === undefined ? [] : [{ name, value, kind: 'text' as const }];
  });
}

function readRequest(request: JsonObject | undefined): ShownRequest | null {
  if (request === undefined) return null;
  return {
    url: stringMember(request, 'url') ?? null,
    method: stringMember(request, 'method') ?? null,
    query: stringMember(request, 'query_string') ?? null,
    headers: namedValues(request.headers, 'text'),
    data: stringMember(request, 'data') ?? null,
  };
}

function readGrouping(value: unknown): ErrorGrouping | undefined {
  if (!isJsonObject(value)) return undefined;
  const text = objectIn(value, 'text');
  const frames = listOf(objectIn(value, 'stack')?.frames, (frame) => {
    if (!isJsonObject(frame)) return undefined;
    const name = [stringMember(frame, 'place'), stringMember(frame, 'name')].filter((part) => part !== undefined && part !== '');
    return { name: name.join(' '), isUsed: frame.use === 'used' };
  });
  const fingerprint = listOf(value.fingerprint, (part) =>
    isJsonObject(part)
      ? {
          name: [stringMember(part, 'text') ?? '', stringMember(part, 'value')].filter((text) => text !== undefined).join(' = '),
          isUsed: true,
        }
      : undefined,
  );
  const members = listOf(value.members, readGroupedMember);
  const by = stringMember(value, 'by') ?? '';
  return {
    by,
    parts: by === 'fingerprint' ? fingerprint : by === 'exception_group' ? members : frames,
    text: (text && stringMember(text, 'text')) ?? null,
    leftOut: listOf(value.left_out, (part) => (isJsonObject(part) ? stringMember(part, 'reason') : undefined)),
  };
}

/** Names a member of an exception group by its types and its innermost frame. */
function readGroupedMember(value: unknown): ErrorGrouping['parts'][number] | undefined {
  if (!isJsonObject(value)) return undefined;
  const types = listOf(value.exception_types, (type) => (typeof type === 'string' ? type : undefined)).toReversed();
  const frame = listOf(value.frames, (one) => (isJsonObject(one) ? one : undefined)).at(-1);
  const place =
    frame === undefined
      ? stringMember(value, 'text')
      : [stringMember(frame, 'place'), stringMember(frame, 'name')].join(' ').trim();
  return { name: [types.join(' ← '), place].filter((text) => text !== undefined && text !== '').join(' · '), isUsed: true };
}

function namedValues(list: unknown, kind: NamedValue['kind'], nameMember = 'name', valueMember = 'value'): readonly NamedValue[] {
  return listOf(list, (value) => {
    if (!isJsonObject(value)) return undefined;
    const name = stringMember(value, nameMember);
    return name === undefined ? undefined : { name, value: stringMember(value, valueMember) ?? '', kind };
  });
}

function objectIn(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name];
  return isJsonObject(value) ? value : undefined;
}

function positive(value: number | undefined): number | null {
  return value !== undefined && value > 0 ? value : null;
}
