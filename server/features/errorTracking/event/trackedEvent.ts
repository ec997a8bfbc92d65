import { namesTags } from './fingerprintVariables.ts';
import type { MapProblem } from './sourceMapProblems.ts';

/**
 * Normalised event: every member has one type, whatever format the SDK sent. Lists keep the order in which they were sent: causes
 * before their effects, callers before the frame that failed, old breadcrumbs before new ones.
 */
export interface TrackedEvent {
  /** 32 lower-case hexadecimal digits. */
  readonly id: string;
  /** Milliseconds since 1970, UTC, corrected by the drift of the sender's clock. */
  readonly occurredAt: number;
  readonly level: EventLevel;
  /** Platform as sent, or `other`. */
  readonly platform: string;
  readonly exceptions: readonly TrackedException[];
  readonly threads: readonly TrackedThread[];
  readonly message: LogMessage | undefined;
  /** Frames of the event itself, which some SDKs send with a message. */
  readonly frames: readonly Frame[];
  readonly breadcrumbs: readonly Breadcrumb[];
  readonly tags: ReadonlyMap<string, string>;
  readonly user: EventUser | undefined;
  readonly fingerprint: readonly string[];
  readonly logger: string | undefined;
  readonly transaction: string | undefined;
  readonly serverName: string | undefined;
  /** Version of the application that failed, as its SDK names it. */
  readonly appRelease: string | undefined;
  readonly dist: string | undefined;
  readonly environment: string | undefined;
  readonly sdk: { readonly name: string; readonly version: string } | undefined;
  readonly request: EventRequest | undefined;
  /** JSON trees, truncated to their limits. */
  readonly contexts: Readonly<Record<string, unknown>>;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly modules: ReadonlyMap<string, string>;
  /** Debug IDs of images, by the path of their code. */
  readonly debugIds: ReadonlyMap<string, string>;
  /** Data that could not be stored as it was sent, with the reason. */
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
  /** False if the exception was unhandled. */
  readonly handled: boolean | undefined;
  /** True if the type was made up by the SDK and does not describe the error. */
  readonly synthetic: boolean;
  readonly isExceptionGroup: boolean;
  /** Number of the exception, by which others name their parent. */
  readonly exceptionId: number | undefined;
  readonly parentId: number | undefined;
  /** Member of the parent that has the exception, such as `__cause__` or `errors[0]`. */
  readonly source: string | undefined;
  /** Name of the signal that ended the program, such as `SIGSEGV`. */
  readonly signal: string | undefined;
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
  /** Library or executable of a native frame. */
  readonly package: string | undefined;
  /** Addresses of a native frame, as sent. */
  readonly instructionAddress: string | undefined;
  readonly symbolAddress: string | undefined;
  /** Line number, from 1. */
  readonly line: number | undefined;
  /** Column number, from 1. */
  readonly column: number | undefined;
  readonly contextLine: string | undefined;
  readonly preContext: readonly string[];
  readonly postContext: readonly string[];
  /** True for frames of the application. Guessed from path and module if the SDK did not send it. */
  readonly inApp: boolean;
  readonly vars: Readonly<Record<string, unknown>> | undefined;
  /**
   * Result of the source map lookup of a JavaScript frame: the position before mapping, with the reason why the map may be another one, or
   * why it could not be mapped.
   */
  readonly mapping?: { readonly from: SentLocation; readonly doubt?: MapProblem | undefined } | { readonly problem: MapProblem };
}

/** Position in minified code. */
export type SentLocation = Pick<Frame, 'filename' | 'absPath' | 'function' | 'line' | 'column'>;

export interface LogMessage {
  /** Message with its placeholders, or the text itself if it has none. */
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
  /** Value as sent, truncated. Undefined if it was scrubbed. */
  readonly value: string | undefined;
}

const noTexts: ReadonlyMap<string, string> = new Map();

/** Returns only what the writer needs: title, frames, time and origin. This takes a tenth of the memory. */
export function withoutDetails(event: TrackedEvent): TrackedEvent {
  return {
    ...event,
    exceptions: event.exceptions.map((exception) => ({ ...exception, frames: exception.frames.map(withoutSource) })),
    threads: event.threads.map((thread) => ({ ...thread, frames: thread.frames.map(withoutSource) })),
    frames: event.frames.map(withoutSource),
    breadcrumbs: [],
    tags: namesTags(event.fingerprint) ? event.tags : noTexts,
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

/** Keeps the context line, which identifies a function without a name. */
function withoutSource(frame: Frame): Frame {
  return { ...frame, preContext: [], postContext: [], vars: undefined };
}
