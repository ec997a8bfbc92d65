import type { GitCore } from '../../repositories/repositories.ts';
import { invalidRecord } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import { pickStorage } from '../../repositories/storages.ts';
import { pauseOf } from './pace.ts';
import {
  type Container,
  deleteBatch,
  firstBatch,
  insertBatch,
  insertMove,
  moveById,
  type MoveRow,
  nextInBatch,
  placementOf,
  writeBatch,
  writeReadOnly,
  type ContainerKind,
} from './store.ts';

/** Number of containers of a batch that one transaction schedules, so that requests have their turn in between. */
const SLICE = 100;

/** Functions that carry out what is due, soon. */
const wakers = new WeakMap<Core, () => void>();

/** Sets the function that carries out what is due after new moves were committed. */
export function setWaker(core: Core, wake: () => void): void {
  wakers.set(core, wake);
}

/**
 * Schedules the move of the repository of a container, which is read-only from now on. Without a destination, it is chosen by the weights
 * of the storages.
 *
 * @throws {Invalid} For an unknown destination, and while the container is already moved.
 */
export function scheduleMove(core: GitCore, container: Container, destination: string | undefined): MoveRow {
  const { store, repositories } = core;
  const move = store.transaction(() => {
    const placement = placementOf(store, container);
    const errors = {
      ...(placement === undefined || placement.read_only === 1 ? { [container.kind]: ['is read-only'] } : {}),
      ...(destination === undefined || repositories.storages.includes(destination)
        ? {}
        : { destination_storage_name: ['is not included in the list'] }),
    };
    if (placement === undefined || Object.keys(errors).length > 0) throw invalidRecord(errors);
    const id = insertScheduled(core, container, placement.storage, destination);
    const inserted = moveById(store, id);
    if (inserted === undefined) throw new Error(`the repository storage move ${id} does not exist`);
    return inserted;
  });
  wakers.get(core)?.();
  return move;
}

function insertScheduled(core: GitCore, container: Container, source: string, destination: string | undefined): number {
  const { store, clock } = core;
  const now = clock.now();
  writeReadOnly(store, container, true);
  return insertMove(store, {
    container,
    source,
    destination: destination ?? pickStorage(core),
    now,
    dueAt: now + pauseOf(core),
  });
}

/** Schedules the moves of all containers of a kind on a storage, in the background. */
export function scheduleAll(core: Core, kind: ContainerKind, source: string, destination: string | undefined): void {
  insertBatch(core.store, { kind, source, destination, now: core.clock.now() });
  wakers.get(core)?.();
}

/** Schedules the next moves of the oldest batch. Containers that are already moved are skipped. Returns true if there may be more to do. */
export function scheduleSome(core: GitCore): boolean {
  const { store } = core;
  const batch = firstBatch(store);
  if (batch === undefined) return false;
  store.transaction(() => {
    const ids = nextInBatch(store, batch, SLICE);
    for (const id of ids) {
      const container = { kind: batch.kind, id };
      const placement = placementOf(store, container);
      if (placement === undefined || placement.read_only === 1) continue;
      insertScheduled(core, container, placement.storage, batch.destination_storage ?? undefined);
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < SLICE) deleteBatch(store, batch.id);
    else writeBatch(store, batch.id, last);
  });
  return firstBatch(store) !== undefined;
}
