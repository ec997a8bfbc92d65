import * as l10n from '@vscode/l10n';
import type { ApiFailure, FailureKind } from '../api/failures.ts';
import type { Rest } from '../api/rateLimits.ts';
import type { ConnectionState } from '../instances/connection.ts';
import type { FeedState } from './model.ts';

/** What an activity view is at, as the welcome texts of package.json ask for it. */
export type FeedViewState = 'idle' | 'noProject' | 'loading' | EmptyKind | 'ready' | FailureKind;

/** Why there may be no events: none of one's own yet, none of others that one may see, or none that pass the filter. */
export type EmptyKind = 'empty' | 'emptyOfOthers' | 'emptyFiltered';

/** Everything of a view that stands around its rows. */
export interface Appearance {
  readonly state: FeedViewState;
  /** Beside the title: what the list is of, or the instance that shows none, or the reason of a failure. */
  readonly description: string;
  /** Above the rows; empty leaves room for a welcome text. */
  readonly message: string;
}

/** What a view is of. */
export interface Subject {
  /** Name of the list: whose it is, or which project's, and what it is restricted to. */
  readonly text: string;
  readonly ifEmpty: EmptyKind;
}

export interface Moment {
  readonly now: number;
  /** A language tag. */
  readonly locale: string;
  /** Why the account is left alone. */
  readonly rest?: Rest | undefined;
}

/** `missing` stands for a list that has to be chosen first. */
export function appearanceOf(
  state: ConnectionState,
  feed: FeedState,
  subject: Subject | 'missing',
  { now, locale, rest }: Moment,
): Appearance {
  if (state.kind === 'serverFailed') return { state: 'idle', description: state.text, message: '' };
  if (state.kind !== 'signedIn') return { state: 'idle', description: state.instance.label, message: '' };
  const pause = rest === undefined ? undefined : formatPause(rest, now, locale);
  if (subject === 'missing') return { state: 'noProject', description: '', message: '' };
  switch (feed.kind) {
    case 'idle':
    case 'loading':
      return { state: feed.kind, description: subject.text, message: '' };
    case 'failed':
      return { state: feed.failure.kind, description: describe(feed.failure, pause), message: '' };
    case 'ready': {
      // A message would stand in place of the welcome text, which says what to do.
      if (feed.events.length === 0)
        return feed.problem === undefined
          ? { state: subject.ifEmpty, description: subject.text, message: '' }
          : { state: feed.problem.kind, description: describe(feed.problem, pause), message: '' };
      const age = formatAge(now - feed.at, locale);
      return { state: 'ready', description: subject.text, message: messageOf(feed, age, pause) };
    }
  }
}

/** A time says more than that there is one. */
function describe(failure: ApiFailure, pause: string | undefined): string {
  return failure.kind === 'rateLimited' && pause !== undefined ? pause : failure.message;
}

/** Why the account is left alone, and until when. */
function formatPause({ kind, until }: Rest, now: number, locale: string): string {
  const time = formatTime(until, now, locale);
  return kind === 'refused'
    ? l10n.t('Rate limit reached. Next refresh at {0}.', time)
    : l10n.t('Rate limit almost reached. Next refresh at {0}.', time);
}

function messageOf({ problem, isCached }: FeedState & { kind: 'ready' }, age: string, pause: string | undefined): string {
  const stale = (reason: string): string => l10n.t('Last updated {0}. {1}', age, reason);
  // Where another view was refused, these rows may be of this moment.
  if (pause !== undefined && problem === undefined) return isCached ? stale(pause) : pause;
  if (pause !== undefined && problem?.kind === 'rateLimited') return stale(pause);
  // Newer rows are on their way.
  if (problem === undefined) return isCached ? l10n.t('Last updated {0}', age) : '';
  const isOffline = problem.kind === 'unreachable' || problem.kind === 'timedOut';
  return isOffline ? l10n.t('Offline. Last updated {0}. {1}', age, problem.message) : stale(problem.message);
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 24 * 60 * 60_000],
  ['hour', 60 * 60_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** The time of day; with seconds when it is near. */
export function formatTime(at: number, now: number, locale: string): string {
  return new Date(at).toLocaleTimeString(locale, { timeStyle: at - now < 2 * 60_000 ? 'medium' : 'short' });
}

/** `5 minutes ago`, in whole units, by milliseconds; nothing is younger than a second. */
export function formatAge(age: number, locale: string): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const [unit, size] = units.find(([, milliseconds]) => age >= milliseconds) ?? ['second', 1_000];
  return format.format(-Math.max(1, Math.floor(age / size)), unit);
}
