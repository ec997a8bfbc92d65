import type {
  Frame,
  LogMessage,
  Mechanism,
  TrackedEvent,
  TrackedException,
  TrackedThread,
} from '../../../server/features/errorTracking/event/trackedEvent.ts';

/** Normalised events with defaults for members that a test does not set. */

export function trackedEvent(members: Partial<TrackedEvent> = {}): TrackedEvent {
  return {
    id: '0'.repeat(32),
    occurredAt: Date.UTC(2026, 0, 2),
    level: 'error',
    platform: 'node',
    exceptions: [],
    threads: [],
    message: undefined,
    frames: [],
    breadcrumbs: [],
    tags: new Map(),
    user: undefined,
    fingerprint: [],
    logger: undefined,
    transaction: undefined,
    serverName: undefined,
    appRelease: undefined,
    dist: undefined,
    environment: undefined,
    sdk: undefined,
    request: undefined,
    contexts: {},
    extra: {},
    modules: new Map(),
    debugIds: new Map(),
    problems: [],
    ...members,
  };
}

export function trackedFrame(members: Partial<Frame> = {}): Frame {
  return {
    filename: undefined,
    absPath: undefined,
    module: undefined,
    function: undefined,
    package: undefined,
    instructionAddress: undefined,
    symbolAddress: undefined,
    line: undefined,
    column: undefined,
    contextLine: undefined,
    preContext: [],
    postContext: [],
    inApp: true,
    vars: undefined,
    ...members,
  };
}

/** `app/a.js f:10`: file, function and line. */
export function frameAt(location: string, members: Partial<Frame> = {}): Frame {
  const [, filename, name, line] = /^(\S+) (\S+?)(?::(\d+))?$/.exec(location) ?? [];
  return trackedFrame({ filename, function: name, line: line === undefined ? undefined : Number(line), ...members });
}

/** Mechanism of an exception whose event has none. */
export const noMechanism: Mechanism = {
  type: undefined,
  handled: undefined,
  synthetic: false,
  isExceptionGroup: false,
  exceptionId: undefined,
  parentId: undefined,
  source: undefined,
  signal: undefined,
};

export function trackedException(
  type: string | undefined,
  value: string | undefined,
  frames: readonly Frame[] = [],
  mechanism: Partial<Mechanism> = {},
): TrackedException {
  return {
    type,
    value,
    module: undefined,
    frames,
    mechanism: { ...noMechanism, ...mechanism },
  };
}

export function trackedThread(members: Partial<TrackedThread> = {}): TrackedThread {
  return { id: undefined, name: undefined, crashed: false, current: false, frames: [], ...members };
}

export function logMessage(text: string, template?: string): LogMessage {
  return { template: template ?? text, text, isParameterised: template !== undefined };
}
