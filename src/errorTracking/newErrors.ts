import type { Event, Memento } from 'vscode';
import { instanceOfAccount } from '../instances/accountKey.ts';
import { isJsonObject, listOf } from '../contract/json.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import { createEmitter } from '../support/emitter.ts';

type SeenError = Pick<TrackedError, 'id' | 'first_seen' | 'last_seen' | 'isRegression'>;

/**
 * Errors that are new to the user: those that first occurred, or came back, after the marker of their project and were not opened since. `list` is the
 * account with the path of the project.
 */
export interface NewErrors {
  readonly isNew: (list: string, error: SeenError) => boolean;
  /** Must be called with the errors of each response. Those of the first one of a project are not new. */
  readonly begin: (list: string, errors: readonly SeenError[]) => void;
  readonly markOpened: (list: string, error: SeenError) => void;
  /** Moves the marker behind these errors. */
  readonly markAllRead: (list: string, errors: readonly SeenError[]) => void;
  readonly onDidChange: Event<void>;
}

interface Stored {
  /** Milliseconds since the epoch. */
  readonly marker: number;
  /** IDs of newer errors that were opened, the latest last. */
  readonly opened: readonly string[];
}

const PREFIX = 'errorTracking.read/';
const OF_ACCOUNT = /^errorTracking\.read\/(.+?#\d+)\//;
/** Maximum number of opened errors to remember per project. Without a new marker, earlier ones count as new again. */
const MAX_OPENED = 500;

export function createNewErrors(memory: Memento): NewErrors {
  const changes = createEmitter<void>();

  function read(list: string): Stored | undefined {
    const value: unknown = memory.get(`${PREFIX}${list}`);
    if (!isJsonObject(value) || typeof value.marker !== 'number') return undefined;
    return { marker: value.marker, opened: listOf(value.opened, (id) => (typeof id === 'string' ? id : undefined)) };
  }

  function write(list: string, next: Stored): void {
    void memory.update(`${PREFIX}${list}`, next);
    changes.fire();
  }

  function isNew(list: string, { id, first_seen: first, last_seen: last, isRegression }: SeenError): boolean {
    const stored = read(list);
    if (stored === undefined) return false;
    if (first > stored.marker && !stored.opened.includes(id)) return true;
    return isRegression && last > stored.marker && !stored.opened.includes(regressionOf(id));
  }

  /** An error cannot have occurred first after it occurred last, so this marker is behind all of them. */
  function markerBehind(errors: readonly SeenError[], before: number): number {
    return errors.reduce((latest, { last_seen: last }) => Math.max(latest, last), before);
  }

  return {
    isNew,
    begin: (list, errors) => {
      if (read(list) === undefined) write(list, { marker: markerBehind(errors, 0), opened: [] });
    },
    markOpened: (list, error) => {
      const stored = read(list);
      if (stored === undefined || !isNew(list, error)) return;
      write(list, {
        ...stored,
        opened: [...stored.opened, ...(error.isRegression ? [error.id, regressionOf(error.id)] : [error.id])].slice(-MAX_OPENED),
      });
    },
    markAllRead: (list, errors) => write(list, { marker: markerBehind(errors, read(list)?.marker ?? 0), opened: [] }),
    onDidChange: changes.event,
  };
}

/** Opening an error does not tell that it came back later, so both are remembered. */
function regressionOf(id: string): string {
  return `${id}+`;
}

/** Removes what is stored for the accounts of a removed instance. */
export async function forgetNewErrors(instance: string, memory: Memento): Promise<void> {
  for (const key of memory.keys()) {
    const account = OF_ACCOUNT.exec(key)?.[1];
    if (account !== undefined && instanceOfAccount(account) === instance) await memory.update(key, undefined);
  }
}
