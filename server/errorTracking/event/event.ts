import type { MapProblem } from './mapProblems.ts';

/**
 * An event of an SDK as every part behind the normaliser sees it: whatever shape it was sent in, each member has the one shape
 * written here. Lists are in the order in which they were sent: causes before what they caused, callers before the frame that
 * failed, old breadcrumbs before new ones.
 */
export interface TrackedEvent {
  /** 32 lower-case hexadecimal digits. */
  readonly id: string;
  /** Milliseconds since 1970, UTC, after the drift of the sender's clock is taken out. */
  readonly occurredAt: number;
  readonly level: EventLevel;
  /** As sent, else `other`. */
  readonly platform: string;
  readonly exceptions: readonly TrackedException[];
  readonly threads: readonly TrackedThread[];
  readonly message: LogMessage | undefined;
  /** Of the event itself, which some SDKs send with a message. */
  readonly frames: readonly Frame[];
  readonly breadcrumbs: readonly Breadcrumb[];
  readonly tags: ReadonlyMap<string, string>;
  readonly user: EventUser | undefined;
  readonly fingerprint: readonly string[];
  readonly logger: string | undefined;
  readonly transaction: string | undefined;
  readonly serverName: string | undefined;
  /** Version of the program that failed, as its SDK names it. */
  readonly appRelease: string | undefined;
  readonly dist: string | undefined;
  readonly environment: string | undefined;
  readonly sdk: { readonly name: string; readonly version: string } | undefined;
  readonly request: EventRequest | undefined;
  /** Trees of JSON, cut to their limits. */
  readonly contexts: Readonly<Record<string, unknown>>;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly modules: ReadonlyMap<string, string>;
  /** Images with a `debug_id`, by the path of the code that they belong to. */
  readonly debugIds: ReadonlyMap<string, string>;
  /** What could not be kept as it was sent, and why. */
  readonly problems: readonly ProcessingProblem[];
}

export type EventLevel = 'fatal' | 'error' | 'warning' | 'info' | 'debug';

export interface TrackedException {
  readonly type: string | undefined;
  readonly value: string | undefined;
  readonly module: string | undefined;
  readonly frames: readonly Frame[];
  readonly mechanism: Mechanism | undefined;
}

export interface Mechanism {
  readonly type: string | undefined;
  /** False: nothing caught it. */
  readonly handled: boolean | undefined;
  /** True: its type says nothing of what went wrong. */
  readonly synthetic: boolean;
  readonly isExceptionGroup: boolean;
}

export interface TrackedThread {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly crashed: boolean;
  readonly current: boolean;
  readonly frames: readonly Frame[];
}

export interface Frame {
  readonly filename: string | undefined;
  readonly absPath: string | undefined;
  readonly module: string | undefined;
  readonly function: string | undefined;
  /** From 1. */
  readonly line: number | undefined;
  /** From 1. */
  readonly column: number | undefined;
  readonly contextLine: string | undefined;
  readonly preContext: readonly string[];
  readonly postContext: readonly string[];
  /** As sent, else guessed from path and module. */
  readonly inApp: boolean;
  readonly vars: Readonly<Record<string, unknown>> | undefined;
  /** Of JavaScript that was looked up in source maps: where it was sent from, or why it stays there. */
  readonly mapping?: { readonly from: SentPlace } | { readonly problem: MapProblem };
}

/** Where minified code is. */
export type SentPlace = Pick<Frame, 'filename' | 'absPath' | 'function' | 'line' | 'column'>;

export interface LogMessage {
  /** With its placeholders; the text itself when there are none. */
  readonly template: string;
  readonly text: string;
  readonly isParameterised: boolean;
}

export interface Breadcrumb {
  /** Milliseconds since 1970, UTC. */
  readonly at: number | undefined;
  readonly category: string | undefined;
  readonly type: string | undefined;
  readonly level: EventLevel | undefined;
  readonly message: string | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

export interface EventUser {
  readonly id: string | undefined;
  readonly username: string | undefined;
  readonly email: string | undefined;
  readonly address: string | undefined;
  readonly name: string | undefined;
}

export interface EventRequest {
  readonly url: string | undefined;
  readonly method: string | undefined;
  readonly query: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly cookies: unknown;
  readonly data: unknown;
}

export interface ProcessingProblem {
  /** Path of the member, such as `exception.values[0].value`. */
  readonly name: string;
  readonly type:
    | 'invalid_data'
    | 'value_too_long'
    | 'too_many'
    | 'clock_drift'
    | 'future_timestamp'
    | 'past_timestamp'
    | 'scrubbed';
  /** What was sent, cut short; never something that was scrubbed. */
  readonly value: string | undefined;
}

const noTexts: ReadonlyMap<string, string> = new Map();

/** An event as the writer of events needs it: what it is called, which frames it has, when and where it happened. A tenth of its memory. */
export function withoutDetails(event: TrackedEvent): TrackedEvent {
  return {
    ...event,
    exceptions: event.exceptions.map((exception) => ({ ...exception, frames: exception.frames.map(withoutSource) })),
    threads: event.threads.map((thread) => ({ ...thread, frames: thread.frames.map(withoutSource) })),
    frames: event.frames.map(withoutSource),
    breadcrumbs: [],
    tags: noTexts,
    serverName: undefined,
    sdk: undefined,
    request: undefined,
    contexts: {},
    extra: {},
    modules: noTexts,
    debugIds: noTexts,
    problems: [],
  };
}

/** A function without a name is known by its line. */
function withoutSource(frame: Frame): Frame {
  return { ...frame, preContext: [], postContext: [], vars: undefined };
}
