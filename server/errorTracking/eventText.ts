import { isJsonObject, type JsonObject, stringMember } from '../../src/contract/json.ts';
import type { Frame, ProcessingProblem, TrackedEvent } from './event/event.ts';
import { limits } from './event/limits.ts';
import { clean, cut } from './event/reading.ts';
import { mayHoldUnnamedSecrets } from './event/request.ts';
import { isSecretName, mayBeScrubbed, mayHoldSecretInSource, scrubText } from './event/scrub.ts';
import { mayHoldSecretForm } from './event/secretForms.ts';

/** Beside the members that SDKs send: what could not be kept as it was sent, which the text of an event does not show any more. */
const PROBLEMS = 'signalbox_problems';

/**
 * An event as an SDK might have sent it: what is kept when what was received cannot be, because secrets were taken out of it. The
 * normaliser makes the same event of it; its problems are those of `problemsIn`.
 */
export function payloadOf(event: TrackedEvent): JsonObject {
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

/** Whether a payload speaks of problems in our place, so that it cannot be kept as it came. */
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

/** What was found of an event before `payloadOf` made a payload of it; undefined for one that an SDK has sent. */
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
    lineno: frame.line,
    colno: frame.column,
    context_line: frame.contextLine,
    pre_context: frame.preContext,
    post_context: frame.postContext,
    in_app: frame.inApp,
    vars: frame.vars,
  };
}

/** Names repeat from event to event; when there are too many, they are hostile. */
const MAX_NAMES = 10_000;
const suspected = new Map<string, boolean>();
const DEEPEST = 100;

/**
 * Whether anything in a payload may have to be taken out of it, by one quick look at all of it: false only where neither `namesSecret` says
 * so nor the normaliser finds something.
 */
export function mayHoldSecrets(payload: JsonObject): boolean {
  if (suspected.size > MAX_NAMES) suspected.clear();
  return mayHoldSecretsBelow(payload, 0, isStackMember) || mayHoldUnnamedSecrets(payload['request']);
}

/** Members of an event, of an exception and of a thread that lead to frames, in which lines of source stand. */
const stackMembers: ReadonlySet<string> = new Set(['exception', 'threads', 'values', 'stacktrace', 'frames']);
const isStackMember = (name: string): boolean => stackMembers.has(name);
const isNoMember = (): boolean => false;

function isSourceMember(name: string): boolean {
  return name === 'context_line' || name === 'pre_context' || name === 'post_context';
}

/** `leadsToFrames` says of which members the lines of source are looked at as such; elsewhere they are texts. */
function mayHoldSecretsBelow(value: object, depth: number, leadsToFrames: (name: string) => boolean): boolean {
  if (depth > DEEPEST) return true;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    // A pair of a name and its value.
    if (list.length === 2 && typeof list[0] === 'string' && mayNameSecret(list[0])) return true;
    for (const item of list) {
      if (typeof item === 'string' && !isHarmless(item, mayBeScrubbed)) return true;
      if (typeof item === 'object' && item !== null && mayHoldSecretsBelow(item, depth + 1, leadsToFrames)) return true;
    }
    return false;
  }
  if (!isJsonObject(value)) return false;
  // Four times as fast as Object.entries; what JSON.parse makes has nothing to inherit.
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
      mayHoldSecretsBelow(inside, depth + 1, leadsToFrames(name) ? leadsToFrames : isNoMember)
    ) {
      return true;
    }
  }
  return false;
}

/** The same of a line of source or of several; anything else in their place is no text that is kept. */
function maySourceHoldSecrets(value: unknown): boolean {
  if (typeof value === 'string') return !isHarmless(value, mayHoldSecretInSource);
  if (!isObject(value)) return false;
  if (!Array.isArray(value)) return mayHoldSecretsBelow(value, 0, isNoMember);
  const lines: readonly unknown[] = value;
  return lines.some((line) =>
    typeof line === 'string'
      ? !isHarmless(line, mayHoldSecretInSource)
      : isObject(line) && mayHoldSecretsBelow(line, 0, isNoMember),
  );
}

/** Texts without a secret: most programs send the same names of files and lines of source again and again. */
const harmless = { text: new Set<string>(), source: new Set<string>() };
const MAX_REMEMBERED_LENGTH = 200;
const MAX_REMEMBERED = 10_000;

/** Whether `mayHoldSecret`, which is one of two functions, finds nothing in a text. */
function isHarmless(text: string, mayHoldSecret: typeof mayBeScrubbed): boolean {
  if (text.length > MAX_REMEMBERED_LENGTH) return !mayHoldSecret(text);
  const known = mayHoldSecret === mayHoldSecretInSource ? harmless.source : harmless.text;
  if (known.has(text)) return true;
  if (mayHoldSecret(text)) return false;
  if (known.size >= MAX_REMEMBERED) known.clear();
  known.add(text);
  return true;
}

/** A name as it came, or as it is kept. */
function mayNameSecret(name: string): boolean {
  let may = suspected.get(name);
  if (may === undefined) {
    may = isSecretName(name) || isSecretName(cut(clean(name), limits.text)) || mayBeScrubbed(name);
    // Of a pair it may be any text.
    if (name.length <= limits.text) suspected.set(name, may);
  }
  return may;
}

/** Whether any text anywhere in a payload has the name or the form of a secret, also where the normaliser does not look. */
export function namesSecret(payload: JsonObject): boolean {
  return namesSecretBelow(payload, 0);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function namesSecretBelow(value: object, depth: number): boolean {
  if (depth > DEEPEST) return true;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    for (const item of list) {
      if (typeof item === 'string' ? holdsSecret(item) : isObject(item) && namesSecretBelow(item, depth + 1)) return true;
    }
    return false;
  }
  if (!isJsonObject(value)) return false;
  for (const name in value) {
    const inside = value[name];
    if (holdsSecret(name)) return true;
    if (typeof inside === 'object') {
      if (inside !== null && namesSecretBelow(inside, depth + 1)) return true;
    } else if (typeof inside === 'number' || typeof inside === 'string') {
      if (isSecretName(name) || (typeof inside === 'string' && holdsSecret(inside))) return true;
    }
  }
  return false;
}

function holdsSecret(text: string): boolean {
  return mayHoldSecretForm(text) || scrubText(text) !== text;
}
