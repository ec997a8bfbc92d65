import { isJsonObject, type JsonObject, stringMember } from '../../../../src/contract/json.ts';
import type { Frame, ProcessingProblem, TrackedEvent } from './trackedEvent.ts';
import { cutEvent } from './cutEvent.ts';

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
