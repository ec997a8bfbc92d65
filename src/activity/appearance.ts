import type { FailureKind } from '../api/failures.ts';
import type { Situation } from '../instances/connection.ts';
import type { FeedState } from './model.ts';

/** What an activity view is at, as the welcome texts of package.json ask for it. */
export type FeedSituation = 'idle' | 'noProject' | 'loading' | 'empty' | 'ready' | FailureKind;

/** Everything of a view that stands around its rows. */
export interface Appearance {
  readonly state: FeedSituation;
  /** Beside the title: what the list is of, or the instance that shows none, or the reason of a failure. */
  readonly description: string;
  /** Above the rows; empty leaves room for a welcome text. */
  readonly message: string;
}

export interface AppearanceWords {
  /** Why the rows are not of this moment. */
  readonly stale: (reason: string) => string;
}

/** `subject` names the list: whose it is, or which project's; `missing` stands for a list that has to be chosen first. */
export function appearanceOf(
  situation: Situation,
  feed: FeedState,
  subject: string | 'missing',
  words: AppearanceWords,
): Appearance {
  if (situation.kind === 'serverFailed') return { state: 'idle', description: situation.words, message: '' };
  if (situation.kind !== 'signedIn') return { state: 'idle', description: situation.instance.label, message: '' };
  if (subject === 'missing') return { state: 'noProject', description: '', message: '' };
  switch (feed.kind) {
    case 'idle':
    case 'loading':
      return { state: feed.kind, description: subject, message: '' };
    case 'failed':
      return { state: feed.failure.kind, description: feed.failure.message, message: '' };
    case 'ready': {
      const message = feed.problem === undefined ? '' : words.stale(feed.problem.message);
      return { state: feed.events.length === 0 ? 'empty' : 'ready', description: subject, message };
    }
  }
}
