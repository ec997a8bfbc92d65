import * as l10n from '@vscode/l10n';
import type { ApiFailure, FailureKind } from '../api/failures.ts';
import type { Rest } from '../api/rateLimits.ts';
import type { ConnectionState } from '../instances/connection.ts';
import { endOf, shownAccount } from '../instances/currentAccount.ts';
import type { FeedState } from './model.ts';
import { formatAge } from '../support/ages.ts';

/** State of an activity view, as used in the `when` clauses of the welcome texts in package.json. */
export type FeedViewState = 'idle' | 'noProject' | 'loading' | EmptyKind | 'ready' | FailureKind;

/** Reason for an empty list: no own events yet, no visible events of others, or no events that match the filter. */
export type EmptyKind = 'empty' | 'emptyOfOthers' | 'emptyFiltered';

/** Title, description and message of a view, without its rows. */
export interface Appearance {
  readonly state: FeedViewState;
  /** Text beside the title: the subject of the list, the instance when there is none, or the reason of a failure. */
  readonly description: string;
  /** Text above the rows. Empty lets a welcome text appear. */
  readonly message: string;
}

/** Subject of a view. */
export interface Subject {
  /** Name of the list: its user or project, and its filter. */
  readonly text: string;
  /** Text above the rows while nothing more important is shown there. */
  readonly note?: string;
  readonly ifEmpty: EmptyKind;
}

export interface Moment {
  readonly now: number;
  /** Language tag. */
  readonly locale: string;
  /** Pause of requests for the account. */
  readonly rest?: Rest | undefined;
}

/** Returns the appearance of a view. The subject `missing` means that no project is selected. */
export function appearanceOf(
  state: ConnectionState,
  feed: FeedState,
  subject: Subject | 'missing',
  { now, locale, rest }: Moment,
): Appearance {
  if (state.kind === 'serverFailed') return { state: 'idle', description: state.text, message: '' };
  if (shownAccount(state) === undefined) return { state: 'idle', description: state.instance.label, message: '' };
  const pause = rest === undefined ? undefined : formatPause(rest, now, locale);
  if (subject === 'missing') return { state: 'noProject', description: '', message: '' };
  switch (feed.kind) {
    case 'idle':
    case 'loading':
      return { state: feed.kind, description: subject.text, message: '' };
    case 'failed':
      return { state: feed.failure.kind, description: endOf(state) ?? describe(feed.failure, pause), message: '' };
    case 'ready': {
      if (feed.events.length === 0 && feed.next !== undefined && feed.problem === undefined)
        return { state: 'ready', description: subject.text, message: noneLoaded() };
      // A message would replace the welcome text, which offers the next steps.
      if (feed.events.length === 0)
        return feed.problem === undefined
          ? { state: subject.ifEmpty, description: subject.text, message: '' }
          : { state: feed.problem.kind, description: endOf(state) ?? describe(feed.problem, pause), message: '' };
      const age = formatAge(now - feed.at, locale);
      const end = endOf(state);
      const message = end === undefined ? messageOf(feed, age, pause) : formatOldRows(age, end);
      return { state: 'ready', description: subject.text, message: message === '' ? (subject.note ?? '') : message };
    }
  }
}

/** The row that loads more is shown, and VS Code shows no welcome text if there are rows. */
function noneLoaded(): string {
  return l10n.t('No loaded event matches the filter. Load more to search older ones.');
}

/** Returns the text of a failure. For a rate limit, the text with the end of the pause is preferred. */
function describe(failure: ApiFailure, pause: string | undefined): string {
  return failure.kind === 'rateLimited' && pause !== undefined ? pause : failure.message;
}

/** Returns the reason and the end of a pause. */
function formatPause({ kind, until }: Rest, now: number, locale: string): string {
  const time = formatTime(until, now, locale);
  return kind === 'refused'
    ? l10n.t('Rate limit reached. Next refresh at {0}.', time)
    : l10n.t('Rate limit almost reached. Next refresh at {0}.', time);
}

function messageOf({ problem, isCached }: FeedState & { kind: 'ready' }, age: string, pause: string | undefined): string {
  const stale = (reason: string): string => formatOldRows(age, reason);
  // The pause may be caused by another view, so these rows may be up to date.
  if (pause !== undefined && problem === undefined) return isCached ? stale(pause) : pause;
  if (pause !== undefined && problem?.kind === 'rateLimited') return stale(pause);
  // Newer rows are being loaded.
  if (problem === undefined) return isCached ? l10n.t('Last updated {0}', age) : '';
  const isOffline = problem.kind === 'unreachable' || problem.kind === 'timedOut';
  return isOffline ? l10n.t('Offline. Last updated {0}. {1}', age, problem.message) : stale(problem.message);
}

/** Returns the age of rows that could not be loaded again, with the reason. */
export function formatOldRows(age: string, reason: string): string {
  return l10n.t('Last updated {0}. {1}', age, reason);
}

/** Returns the time of day, with seconds if it is less than two minutes away. */
export function formatTime(at: number, now: number, locale: string): string {
  return new Date(at).toLocaleTimeString(locale, { timeStyle: at - now < 2 * 60_000 ? 'medium' : 'short' });
}
