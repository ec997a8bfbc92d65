import { isJsonObject, type JsonObject, stringMember } from '../../../../src/contract/json.ts';
import type { Frame, ProcessingProblem, TrackedEvent } from './trackedEvent.ts';
import { cutEvent } from './cutEvent.ts';
import { limits } from './eventLimits.ts';
import { withCurrentNames } from './legacyNames.ts';
import { clean, cut } from './readValue.ts';
import { mayHoldUnnamedSecrets } from './eventRequest.ts';
import { isSecretName, mayBeScrubbed, mayHoldSecretInSource, scrubText } from './scrubText.ts';
import { mayHoldSecretForm } from './secretForms.ts';

/** Additional member of stored payloads: problems that the scrubbed payload no longer shows. */
const PROBLEMS = 'signalbox_problems';

/**
 * Returns an event as an SDK might have sent it. This is stored instead of the received payload if secrets were removed.
 * Normalising it gives the same event, with the problems of {@link problemsIn}.
 */
export function payloadOf(sent: TrackedEvent): JsonObject {
  const event = cutEvent(sent);
  const { message, sdk, request } = event;
  return {
    event_id: event.id,
    timestamp: event.occurredAt / 1000,
    level: event.level,
    platform: event.platform,
    exception: {
      values: event.exceptions.map(({ type, value, module, frames, mechanism }) => ({
        type,
        value,
        module,
        stacktrace: { frames: frames.map(frameOf) },
        ...(mechanism === undefined
          ? {}
          : {
              mechanism: {
                type: mechanism.type,
                handled: mechanism.handled,
                synthetic: mechanism.synthetic,
                is_exception_group: mechanism.isExceptionGroup,
                exception_id: mechanism.exceptionId,
                parent_id: mechanism.parentId,
                source: mechanism.source,
                ...(mechanism.signal === undefined ? {} : { meta: { signal: { name: mechanism.signal } } }),
              },
            }),
      })),
    },
    threads: {
      values: event.threads.map(({ frames, ...thread }) => ({ ...thread, stacktrace: { frames: frames.map(frameOf) } })),
    },
    ...(message === undefined
      ? {}
      : {
          logentry: {
            message: message.template,
            formatted: message.text,
            ...(message.isParameterised ? { params: ['…'] } : {}),
          },
        }),
    stacktrace: { frames: event.frames.map(frameOf) },
    breadcrumbs: event.breadcrumbs.map(({ at, ...crumb }) => ({ ...crumb, timestamp: at === undefined ? undefined : at / 1000 })),
    tags: [...event.tags],
    ...(event.user === undefined ? {} : { user: { ...event.user, ip_address: event.user.address } }),
    fingerprint: event.fingerprint,
    logger: event.logger,
    transaction: event.transaction,
    server_name: event.serverName,
    release: event.appRelease,
    dist: event.dist,
    environment: event.environment,
    ...(sdk === undefined ? {} : { sdk }),
    ...(request === undefined
      ? {}
      : {
          request: {
            url: request.url,
            method: request.method,
            query_string: request.query,
            headers: request.headers,
            cookies: request.cookies,
            data: request.data,
          },
        }),
    contexts: event.contexts,
    extra: event.extra,
    modules: Object.fromEntries(event.modules),
    [PROBLEMS]: event.problems.map(({ name, type, value }) => ({ name, type, value })),
    debug_meta: { images: [...event.debugIds].map(([file, id]) => ({ type: 'sourcemap', code_file: file, debug_id: id })) },
  };
}

/** Returns true if a payload contains our member for problems, so that it must not be stored unchanged. */
export function claimsProblems(payload: JsonObject): boolean {
  return Object.hasOwn(payload, PROBLEMS);
}

const problemTypes: readonly ProcessingProblem['type'][] = [
  'invalid_data',
  'value_too_long',
  'too_many',
  'clock_drift',
  'future_timestamp',
  'past_timestamp',
  'scrubbed',
];

/** Returns the problems that `payloadOf` stored in a payload, or undefined for a payload of an SDK. */
export function problemsIn(payload: JsonObject): readonly ProcessingProblem[] | undefined {
  const stored = payload[PROBLEMS];
  if (!Array.isArray(stored)) return undefined;
  return stored.filter(isJsonObject).flatMap((problem) => {
    const name = stringMember(problem, 'name');
    const type = problemTypes.find((one) => one === problem['type']);
    return name === undefined || type === undefined ? [] : [{ name, type, value: stringMember(problem, 'value') }];
  });
}

function frameOf(frame: Frame): object {
  return {
    filename: frame.filename,
    abs_path: frame.absPath,
    module: frame.module,
    function: frame.function,
    package: frame.package,
    instruction_addr: frame.instructionAddress,
    symbol_addr: frame.symbolAddress,
    lineno: frame.line,
    colno: frame.column,
    context_line: frame.contextLine,
    pre_context: frame.preContext,
    post_context: frame.postContext,
    in_app: frame.inApp,
    vars: frame.vars,
  };
}

/** Maximum number of cached names. Names repeat from event to event, so a larger number indicates an attack. */
const MAX_NAMES = 10_000;
const cachedNames = new Map<string, boolean>();
const MAX_DEPTH = 100;

/**
 * Returns true if a payload may contain something to scrub, after a quick scan. False only if neither `namesSecret` nor the
 * normaliser would find anything.
 */
export function mayHoldSecrets(sent: JsonObject): boolean {
  const payload = withCurrentNames(sent);
  if (cachedNames.size > MAX_NAMES) cachedNames.clear();
  return nodeMayHoldSecrets(payload, 0, isStackMember) || mayHoldUnnamedSecrets(payload['request']);
}

/** Members of events, exceptions and threads that contain frames with lines of source. */
const stackMembers: ReadonlySet<string> = new Set(['exception', 'threads', 'values', 'stacktrace', 'frames', 'template']);
const isStackMember = (name: string): boolean => stackMembers.has(name);
const isNoMember = (): boolean => false;

function isSourceMember(name: string): boolean {
  return name === 'context_line' || name === 'pre_context' || name === 'post_context';
}

/** `leadsToFrames` selects the members in which lines of source are checked as source. Elsewhere they are checked as text. */
function nodeMayHoldSecrets(value: object, depth: number, leadsToFrames: (name: string) => boolean): boolean {
  if (depth > MAX_DEPTH) return true;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    // A pair of a name and its value.
    if (list.length === 2 && typeof list[0] === 'string' && mayNameSecret(list[0])) return true;
    for (const item of list) {
      if (typeof item === 'string' && !isHarmless(item, mayBeScrubbed)) return true;
      if (typeof item === 'object' && item !== null && nodeMayHoldSecrets(item, depth + 1, leadsToFrames)) return true;
    }
    return false;
  }
  if (!isJsonObject(value)) return false;
  // Four times as fast as Object.entries. Results of JSON.parse have no inherited properties.
  for (const name in value) {
    const inside = value[name];
    if (inside === null) continue;
    if (mayNameSecret(name)) return true;
    if (leadsToFrames === isStackMember && isSourceMember(name)) {
      if (maySourceHoldSecrets(inside)) return true;
    } else if (typeof inside === 'string') {
      if (!isHarmless(inside, mayBeScrubbed)) return true;
    } else if (
      typeof inside === 'object' &&
      nodeMayHoldSecrets(inside, depth + 1, leadsToFrames(name) ? leadsToFrames : isNoMember)
    ) {
      return true;
    }
  }
  return false;
}

/** Same for one or more lines of source. Other values in their place are not stored as text. */
function maySourceHoldSecrets(value: unknown): boolean {
  if (typeof value === 'string') return !isHarmless(value, mayHoldSecretInSource);
  if (!isObject(value)) return false;
  if (!Array.isArray(value)) return nodeMayHoldSecrets(value, 0, isNoMember);
  const lines: readonly unknown[] = value;
  return lines.some((line) =>
    typeof line === 'string'
      ? !isHarmless(line, mayHoldSecretInSource)
      : isObject(line) && nodeMayHoldSecrets(line, 0, isNoMember),
  );
}

/** Cached texts without secrets. Most programs send the same file names and lines of source again and again. */
const harmless = { text: new Set<string>(), source: new Set<string>() };
const MAX_CACHED_LENGTH = 200;
const MAX_CACHED = 10_000;

/** Returns true if `mayHoldSecret`, one of two functions, returns false for a text. */
function isHarmless(text: string, mayHoldSecret: typeof mayBeScrubbed): boolean {
  if (text.length > MAX_CACHED_LENGTH) return !mayHoldSecret(text);
  const known = mayHoldSecret === mayHoldSecretInSource ? harmless.source : harmless.text;
  if (known.has(text)) return true;
  if (mayHoldSecret(text)) return false;
  if (known.size >= MAX_CACHED) known.clear();
  known.add(text);
  return true;
}

/** Checks a name as sent and as stored. */
function mayNameSecret(name: string): boolean {
  let mayBeSecret = cachedNames.get(name);
  if (mayBeSecret === undefined) {
    mayBeSecret = isSecretName(name) || isSecretName(cut(clean(name), limits.text)) || mayBeScrubbed(name);
    // The first item of a pair can be any text, so long names are not cached.
    if (name.length <= limits.text) cachedNames.set(name, mayBeSecret);
  }
  return mayBeSecret;
}

/** Returns true if any text in a payload has the name or form of a secret, also where the normaliser does not look. */
export function namesSecret(payload: JsonObject): boolean {
  return nodeNamesSecret(payload, 0);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function nodeNamesSecret(value: object, depth: number): boolean {
  if (depth > MAX_DEPTH) return true;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    for (const item of list) {
      if (typeof item === 'string' ? holdsSecret(item) : isObject(item) && nodeNamesSecret(item, depth + 1)) return true;
    }
    return false;
  }
  if (!isJsonObject(value)) return false;
  for (const name in value) {
    const inside = value[name];
    if (holdsSecret(name)) return true;
    if (typeof inside === 'object') {
      if (inside !== null && nodeNamesSecret(inside, depth + 1)) return true;
    } else if (typeof inside === 'number' || typeof inside === 'string') {
      if (isSecretName(name) || (typeof inside === 'string' && holdsSecret(inside))) return true;
    }
  }
  return false;
}

function holdsSecret(text: string): boolean {
  return mayHoldSecretForm(text) || scrubText(text) !== text;
}
