import * as z from 'zod';
import { commitResponse } from '../git/git.ts';
import { count, listOf, moment, named } from '../http/responses.ts';
import { mapProblemKinds } from './event/mapProblems.ts';

const text = () => z.string().nullable();
const level = () => z.enum(['fatal', 'error', 'warning', 'info', 'debug']);
/** SHA-256, as hexadecimal digits. */
const groupingHash = () => z.string().regex(/^[0-9a-f]{64}$/);
/** Something of any form that a program has sent, under its name: the value is JSON in a text. */
const sentValues = () => z.array(z.strictObject({ name: z.string(), value: z.string() }));

const errorMembers = () => ({
  /** Number by which the error is known; 48 bits at most. */
  fingerprint: count(),
  title: z.string().min(1),
  type: text(),
  message: text(),
  /** Where it happens. May be empty. */
  culprit: z.string(),
  platform: z.string(),
  level: level(),
  status: z.enum(['unresolved', 'resolved', 'resolved_in_next_release', 'ignored']),
  status_changed_at: moment().nullable(),
  /** The newest release when it was resolved. */
  status_release: text(),
  /** Until when it is ignored; null: for ever, or it is not ignored. */
  ignored_until: z.enum(['next_occurrence', 'occurrences', 'occurrences_per_hour', 'date']).nullable(),
  ignored_count: count().nullable(),
  ignored_until_date: moment().nullable(),
  /** Somebody had resolved it, and it is back. */
  is_regression: z.boolean(),
  /** It counts events of many errors, of which more began in an hour than are kept apart. */
  is_overflow: z.boolean(),
  first_seen: moment(),
  last_seen: moment(),
  first_release_version: text(),
  last_release_version: text(),
  count: count(),
  user_count: count(),
  /** Pairs of the second since 1970 at which an hour begins and its events; of 24 hours, the running one last. */
  frequency: z.array(z.array(count()).length(2)).length(24),
  /** The page that shows it. */
  web_url: z.url(),
});

/** An error as lists have it. */
export const trackedError = named('TrackedError', () => z.strictObject(errorMembers()));
export const trackedErrors = listOf(trackedError);

const location = () => ({
  filename: text(),
  abs_path: text(),
  function: text(),
  lineno: count().nullable(),
  colno: count().nullable(),
});

const frame = named('TrackedFrame', () =>
  z.strictObject({
    ...location(),
    module: text(),
    context_line: text(),
    pre_context: z.array(z.string()),
    post_context: z.array(z.string()),
    in_app: z.boolean(),
    vars: sentValues(),
    /** Where its minified code is, when a source map has told where that was written. */
    mapped_from: z.strictObject(location()).nullable(),
    /** Why it is shown as it was sent, although it was looked up in the project's source maps. */
    map_problem: z.strictObject({ name: z.enum(mapProblemKinds), reason: z.string() }).nullable(),
  }),
);
const stackSource = () => z.enum(['exception', 'other_exception', 'thread', 'event']);

/** Lists are in the order in which they were sent: causes before what they caused, callers before the frame that failed. */
const payload = named('TrackedPayload', () =>
  z.strictObject({
    platform: z.string(),
    exceptions: z.array(
      z.strictObject({
        type: text(),
        value: text(),
        module: text(),
        mechanism: z
          .strictObject({
            type: text(),
            handled: z.boolean().nullable(),
            synthetic: z.boolean(),
            is_exception_group: z.boolean(),
          })
          .nullable(),
        frames: z.array(frame()),
      }),
    ),
    threads: z.array(
      z.strictObject({ id: text(), name: text(), crashed: z.boolean(), current: z.boolean(), frames: z.array(frame()) }),
    ),
    /** Of the event itself, which some SDKs send with a message. */
    frames: z.array(frame()),
    /** Whose frames to show first: of the exception or thread at `index`, or with null those of the event itself. */
    stack: z.strictObject({ source: stackSource(), index: count().nullable() }).nullable(),
    message: z.strictObject({ text: z.string(), template: z.string() }).nullable(),
    breadcrumbs: z.array(
      z.strictObject({
        timestamp: moment().nullable(),
        category: text(),
        type: text(),
        level: level().nullable(),
        message: text(),
        data: sentValues(),
      }),
    ),
    tags: z.array(z.strictObject({ key: z.string(), value: z.string() })),
    user: z.strictObject({ id: text(), username: text(), email: text(), ip_address: text(), name: text() }).nullable(),
    request: z
      .strictObject({
        url: text(),
        method: text(),
        query_string: text(),
        headers: z.array(z.strictObject({ name: z.string(), value: z.string() })),
        cookies: text(),
        data: text(),
      })
      .nullable(),
    contexts: sentValues(),
    extra: sentValues(),
    modules: z.array(z.strictObject({ name: z.string(), version: z.string() })),
    logger: text(),
    transaction: text(),
    server_name: text(),
    dist: text(),
    sdk: z.strictObject({ name: z.string(), version: z.string() }).nullable(),
    /** What could not be kept as it was sent, and why. */
    problems: z.array(
      z.strictObject({
        name: z.string(),
        type: z.enum([
          'invalid_data',
          'value_too_long',
          'too_many',
          'clock_drift',
          'future_timestamp',
          'past_timestamp',
          'scrubbed',
        ]),
        value: text(),
      }),
    ),
  }),
);

/** Why an event is in its error. */
const explanation = named('TrackedGrouping', () =>
  z.strictObject({
    version: count(),
    by: z.enum(['fingerprint', 'exception', 'message', 'stack', 'nothing']),
    fingerprint: z.array(z.strictObject({ text: z.string(), is_default: z.boolean() })),
    platform: text(),
    exception_types: z.array(z.string()),
    stack: z
      .strictObject({
        source: stackSource(),
        frames: z.array(
          z.strictObject({
            filename: text(),
            function: text(),
            lineno: count().nullable(),
            place: z.string(),
            name: z.string(),
            is_line: z.boolean(),
            use: z.enum(['used', 'library', 'repeated', 'beyond_limit', 'native', 'says_nothing']),
          }),
        ),
      })
      .nullable(),
    text: z.strictObject({ kind: z.enum(['template', 'message', 'value']), text: z.string() }).nullable(),
    logger: text(),
    /** What does not count, in sentences. */
    left_out: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
  }),
);

const eventMembers = () => ({
  event_id: z.string().regex(/^[0-9a-f]{32}$/),
  occurred_at: moment(),
  received_at: moment(),
  release: text(),
  environment: text(),
  level: level(),
  /** Null when what was received is not kept any more. */
  payload: payload().nullable(),
});

export const trackedEvent = named('TrackedEvent', () => z.strictObject(eventMembers()));
export const trackedEvents = listOf(trackedEvent);

const values = () => z.array(z.strictObject({ value: z.string(), count: count() }));

export const trackedErrorDetail = named('TrackedErrorDetail', () =>
  z.strictObject({
    ...errorMembers(),
    /** Commits of the repository that the releases stand for; null without one, and without git. */
    first_release_commit: commitResponse().nullable(),
    last_release_commit: commitResponse().nullable(),
    facets: z.strictObject({ environment: values(), level: values(), release: values() }),
    groupings: z.array(
      z.strictObject({
        hash: groupingHash(),
        version: count(),
        count: count(),
        first_seen: moment(),
        last_seen: moment(),
      }),
    ),
    latest_event: trackedEvent().nullable(),
    grouping: explanation().nullable(),
  }),
);
