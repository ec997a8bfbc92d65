import type { DeprecatedCall } from '../contract/deprecatedCalls.ts';
import type { Release } from '../contract/releases.ts';
import { createReloadedList, type ReloadedList, type ReloadedState } from '../support/reloadedList.ts';
import type { CallSource } from './source.ts';

export type CallListState = ReloadedState<
  {
    /** Latest first. */
    readonly calls: readonly DeprecatedCall[];
    /** Release that `breaks` of the calls is about. */
    readonly release: Release;
  },
  /** The instance does not record calls. */
  { readonly kind: 'unrecorded'; readonly label: string }
>;

/** List of the calls of deprecated elements, as seen from a release. */
export type CallList = ReloadedList<CallSource, CallListState>;

/** Creates the list of calls. A response about another release than the current one is discarded. */
export function createCallList(release: () => Release): CallList {
  return createReloadedList({
    subject: release,
    load: async (source: CallSource): Promise<CallListState> => {
      const asked = release();
      const calls = await source.calls(asked);
      return calls === undefined ? { kind: 'unrecorded', label: source.label } : { kind: 'ready', calls, release: asked };
    },
  });
}
