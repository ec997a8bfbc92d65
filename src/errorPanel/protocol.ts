import type { ErrorAction } from '../errorActions/subject.ts';
import type { ErrorDetail, ErrorEvent } from '../contract/errorDetail.ts';
import type { Suspect } from '../errorCode/suspectCommit.ts';
import type { DetailAbilities, TimeRange } from './source.ts';

// Messages between the extension and the page in its panel. Both directions are JSON.

/** State of the error panel, which the page renders. */
export type PanelState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly text: string; readonly lacksScope?: boolean }
  | ReadyState;

export interface ReadyState {
  readonly kind: 'ready';
  readonly detail: ErrorDetail;
  readonly abilities: DetailAbilities;
  /** Event that is shown. Null if there is none, for example in a range of time without stored events. */
  readonly event: ErrorEvent | null;
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
  /** Range of time from which events are shown; null for all events. */
  readonly range: TimeRange | null;
  /** True while a request runs. */
  readonly isBusy: boolean;
  /** Failure of the last action; null if it succeeded. */
  readonly problem: string | null;
  /** State of the fix of a resolved error; null if the error is not resolved. */
  readonly fix: FixState | null;
}

/** State of the fix of an error that was resolved. */
export type FixState =
  /** No newer release has been seen since; `after` are those in which the error occurred, one of each application. */
  | { readonly kind: 'waiting'; readonly after: readonly string[] }
  /** A newer release has reported something else, but not this error. */
  | { readonly kind: 'proven'; readonly release: string }
  /** The error occurred again in a release. */
  | { readonly kind: 'cameBack'; readonly release: string | null };

/** Place of a frame in the open folders, if it is not that of the event. */
export interface PlaceOfFrame {
  /** Counts the exceptions of the event first, then its threads. */
  readonly stack: number;
  readonly frame: number;
  /** 1-based. */
  readonly line: number;
  /** Sentence that says why the line may be another one; null if it is that of the frame. */
  readonly doubt: string | null;
}

/** State of the account that the panel acts with. */
export interface AccountState {
  /** Sentence about the account; null if the views show it, too. */
  readonly notice: string | null;
  /** True if the account cannot be used, so that nothing can be changed or opened with it. */
  readonly isDisabled: boolean;
  /** Why nothing can be changed with the account, as a sentence; null if something can. */
  readonly readOnly: string | null;
}

/** Message from the extension to the page. */
export type ToPage =
  | { readonly type: 'account'; readonly account: AccountState }
  | { readonly type: 'state'; readonly state: PanelState }
  /** `event` is the ID of the event that has the frames. */
  | { readonly type: 'places'; readonly event: string; readonly places: readonly PlaceOfFrame[] }
  | { readonly type: 'suspect'; readonly event: string; readonly suspect: Suspect };

/** Message from the page to the extension. */
export type FromPage =
  | { readonly type: 'ready' }
  | { readonly type: 'older' | 'newer' | 'latest' }
  | { readonly type: 'refresh' | 'undo' | 'replay' | 'signInAgain' }
  | { readonly type: 'openInBrowser' }
  | { readonly type: 'range'; readonly range: TimeRange | null }
  | { readonly type: 'openCommit'; readonly hash: string }
  | { readonly type: 'action'; readonly action: ErrorAction }
  | { readonly type: 'copy'; readonly as: 'markdown' | 'stack' | 'json' }
  /** `stack` counts the exceptions of the event first, then its threads. */
  | { readonly type: 'openFrame'; readonly stack: number; readonly frame: number };
