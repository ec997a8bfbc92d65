import { failureOfState } from '../support/listState.ts';
import type { PollOutcome } from '../support/polling.ts';
import type { ErrorList } from './model.ts';

/**
 * Loads all lists. A load that is already running may have read the errors before the latest event, so another one follows it. `withProgress`
 * is called unless all lists have been loaded before.
 */
export async function loadLists(
  lists: readonly { readonly list: ErrorList }[],
  withProgress: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<PollOutcome> {
  const refresh = async (): Promise<void> => {
    await Promise.all(lists.map(({ list }) => list.refreshAfterChange()));
  };
  // No progress bar for a refresh in the background.
  await (lists.every(({ list }) => list.state().kind === 'ready') ? refresh() : withProgress(refresh));
  const failures = lists.map(({ list }) => failureOfState(list.state())).filter((failure) => failure !== undefined);
  return { ok: failures.length === 0, retryAfter: failures[0]?.retryAfter };
}
