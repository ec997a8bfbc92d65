import { type ErrorChange, isAbout } from '../stream/errorChanges.ts';
import { failureOfState } from '../support/listState.ts';
import type { PollOutcome } from '../support/polling.ts';
import type { ListOfProject } from './lists.ts';
import type { ErrorList } from './model.ts';

export interface ListLoadSettings {
  readonly shown: () => readonly ListOfProject[];
  /** Called unless all lists have been loaded before. */
  readonly withProgress: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called with each load of all lists. */
  readonly loadOthers: () => Promise<void>;
}

/** Loads of the shown lists. */
export interface ListLoads {
  /** Limits the next load to the lists that changes are about. Returns true if there are any. */
  readonly expire: (changes: readonly ErrorChange[]) => boolean;
  /** Makes the next load one of all lists. */
  readonly expireAll: () => void;
  /** A load that is already running may have read the errors before the latest event, so another one follows it. */
  readonly load: () => Promise<PollOutcome>;
}

export function createListLoads({ shown, withProgress, loadOthers }: ListLoadSettings): ListLoads {
  let outdated = new Set<ErrorList>();

  function due(): readonly ErrorList[] {
    const lists = shown().map(({ list }) => list);
    if (outdated.size === 0) return lists;
    return lists.filter((list) => {
      const state = list.state();
      return outdated.has(list) || state.kind !== 'ready' || state.problem !== undefined;
    });
  }

  return {
    expire: (changes) => {
      const about = shown().filter(({ project }) => changes.some((change) => change.kind !== 'key' && isAbout(change, project)));
      for (const { list } of about) outdated.add(list);
      return about.length > 0;
    },
    expireAll: () => outdated.clear(),
    load: async () => {
      const lists = due();
      const isPartial = outdated.size > 0;
      outdated = new Set();
      const refresh = async (): Promise<void> => {
        await Promise.all([...lists.map((list) => list.refreshAfterChange()), isPartial ? undefined : loadOthers()]);
      };
      // No progress bar for a refresh in the background.
      await (lists.every((list) => list.state().kind === 'ready') ? refresh() : withProgress(refresh));
      const failures = lists.map((list) => failureOfState(list.state())).filter((failure) => failure !== undefined);
      return { ok: failures.length === 0, retryAfter: failures[0]?.retryAfter };
    },
  };
}
