import * as z from 'zod';
import { commit as commitResponse } from '../../code/code.ts';
import { userBasic } from '../../profiles/profiles.ts';
import { count, listOf, moment, named } from '../../../http/responses.ts';
import { mapProblemKinds } from '../event/sourceMapProblems.ts';

const text = () => z.string().nullable();
const level = () => z.enum(['fatal', 'error', 'warning', 'info', 'debug']);
/** SHA-256 as hexadecimal digits. */
const groupingHash = () => z.string().regex(/^[0-9a-f]{64}$/);
/** Named values of any type from clients. Each value is JSON in a text. */
const sentValues = () => z.array(z.strictObject({ name: z.string(), value: z.string() }));

const errorMembers = () => ({
  /** Number that identifies the error, at most 48 bits. */
  fingerprint: count(),
  title: z.string().min(1),
  type: text(),
  message: text(),
  /** Location of the error in the code. May be empty. */
  culprit: z.string(),
  platform: z.string(),
  level: level(),
  status: z.enum(['unresolved', 'resolved', 'resolved_in_next_release', 'ignored']),
  status_changed_at: moment().nullable(),
  /** Newest releases of the events when the error was resolved, one of each application. Empty if it is not resolved. */
  status_releases: z.array(z.string()),
  /** Number of events since the error was resolved. Null if it is not resolved. */
  count_since_status: count().nullable(),
  /** Condition that ends the ignored status. Null if the error is ignored permanently or not ignored. */
  ignored_until: z.enum(['next_occurrence', 'occurrences', 'occurrences_per_hour', 'date']).nullable(),
  ignored_count: count().nullable(),
  ignored_until_date: moment().nullable(),
  /** True if the error occurred again after it was resolved. */
  is_regression: z.boolean(),
  /** True for the error that collects events beyond the limit of new errors per hour. */
  is_overflow: z.boolean(),
  first_seen: moment(),
  last_seen: moment(),
  first_release_version: text(),
  last_release_version: text(),
  count: count(),
  user_count: count(),
  /** Pairs of the start of an hour, in seconds since 1970, and its number of events. Covers 24 hours, the current hour last. */
  frequency: z.array(z.array(count()).length(2)).length(24),
  /** The first ten by name. */
  environments: z.array(z.string()),
  assignee: userBasic().nullable(),
  /** Issue about the error. Null if there is none, or if the caller cannot see the issues of the project. */
  issue: z.strictObject({ iid: count(), title: z.string(), state: z.enum(['opened', 'closed']), web_url: z.url() }).nullable(),
  /** The latest change by a user that can be undone, or null. */
  last_change: z.strictObject({ id: count(), kind: z.enum(['status', 'assignee', 'issue', 'merge', 'split']) }).nullable(),
  /** Page of the error. */
  web_url: z.url(),
});

/** An error as in lists. */
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
    /** Library or executable of a native frame, and its addresses as sent. */
    package: text(),
    instruction_addr: text(),
    symbol_addr: text(),
    context_line: text(),
    pre_context: z.array(z.string()),
    post_context: z.array(z.string()),
    in_app: z.boolean(),
    vars: sentValues(),
    /** Position in minified code, if a source map was applied. */
    mapped_from: z.strictObject(location()).nullable(),
    /** Reason why no source map was applied to the frame, or, with `mapped_from`, why the map may be of another release or build. */
    map_problem: z.strictObject({ name: z.enum(mapProblemKinds), reason: z.string() }).nullable(),
  }),
);
const stackSource = () => z.enum(['exception', 'other_exception', 'thread', 'event']);

/** Lists keep the order in which they were sent: causes before their effects, callers before the frame that failed. */
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
            /** Number of the exception, by which others name their parent. */
            exception_id: count().nullable(),
            parent_id: count().nullable(),
            /** Member of the parent that has the exception, such as `__cause__` or `errors[0]`. */
            source: text(),
            /** Name of the signal that ended the program. */
            signal: text(),
          })
          .nullable(),
        frames: z.array(frame()),
      }),
    ),
    threads: z.array(
      z.strictObject({ id: text(), name: text(), crashed: z.boolean(), current: z.boolean(), frames: z.array(frame()) }),
    ),
    /** Frames of the event itself, which some SDKs send with a message. */
    frames: z.array(frame()),
    /** The stack to show first: that of the exception or thread at `index`, or of the event itself if it is null. */
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
    /** Data that could not be stored as it was sent, with the reason. */
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

const explainedFrame = named('TrackedGroupingFrame', () =>
  z.strictObject({
    filename: text(),
    function: text(),
    lineno: count().nullable(),
    place: z.string(),
    name: z.string(),
    is_line: z.boolean(),
    source_line: z.string().nullable(),
    use: z.enum(['used', 'library', 'repeated', 'beyond_limit', 'native', 'says_nothing']),
  }),
);

/** Explains why an event is in its error. */
const explanation = named('TrackedGrouping', () =>
  z.strictObject({
    version: count(),
    by: z.enum(['fingerprint', 'exception', 'exception_group', 'message', 'stack', 'nothing']),
    fingerprint: z.array(
      z.strictObject({
        text: z.string(),
        is_default: z.boolean(),
        /** The token with the values of its variables. Null if it has none. */
        value: text(),
      }),
    ),
    platform: text(),
    exception_types: z.array(z.string()),
    stack: z
      .strictObject({
        source: stackSource(),
        frames: z.array(explainedFrame()),
      })
      .nullable(),
    text: z.strictObject({ kind: z.enum(['template', 'message', 'value']), text: z.string() }).nullable(),
    logger: text(),
    /** Distinct members of an exception group, with the frames that are used. Empty if there are not several. */
    members: z.array(z.strictObject({ exception_types: z.array(z.string()), text: text(), frames: z.array(explainedFrame()) })),
    /** Data that is not used for grouping, with a sentence for each. */
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
  /** Null if the payload is no longer stored. */
  payload: payload().nullable(),
});

export const trackedEvent = named('TrackedEvent', () => z.strictObject(eventMembers()));
export const trackedEvents = listOf(trackedEvent);

const values = () => z.array(z.strictObject({ value: z.string(), count: count() }));

export const trackedErrorDetail = named('TrackedErrorDetail', () =>
  z.strictObject({
    ...errorMembers(),
    /** Pairs of the start of a day (UTC), in seconds since 1970, and its number of events. Covers 28 days, the current day last. */
    daily: z.array(z.array(count()).length(2)).length(28),
    /** Release after one of `status_releases` that has reported events or sessions since, but not this error. Null if there is none. */
    fixed_in_release: text(),
    /** Commits of the releases in the repository. Null if there is none, or if git is not available. */
    first_release_commit: commitResponse().nullable(),
    last_release_commit: commitResponse().nullable(),
    facets: z.strictObject({ environment: values(), level: values(), release: values() }),
    groupings: z.array(
      z.strictObject({
        hash: groupingHash(),
        /** Title of the latest event. Null if its payload is no longer stored, and after the first 20 groupings. */
        title: text(),
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
