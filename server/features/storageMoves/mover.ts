import type { LiveCore } from '../../core/live.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { SECOND } from '../../core/clock.ts';
import { closeReader } from '../../repositories/catFile.ts';
import { forgetMoved, prepareMove, type RepositoryOwner, runningChanges, verifyCopy } from './relocation.ts';
import type { Core } from '../../core/core.ts';
import { copyToPart, publishPart, removeCopies, removeReplaced, replaceOld } from './folders.ts';
import { scheduleSome, setWaker } from './moves.ts';
import { pauseOf } from './pace.ts';
import {
  type Container,
  containerOf,
  firstBatch,
  moveById,
  type MoveRow,
  nextMove,
  type Placement,
  placementOf,
  writeReadOnly,
  writeSource,
  writeState,
  writeStorage,
} from './store.ts';

// Each step of a move ends with a transaction. A killed server therefore repeats the step, after it has removed what the step left behind.

/** Maximum number of moves that copy at the same time. */
const MAX_AT_ONCE = 2;
/** Pause before a move looks again whether something still uses the repository. */
const PAUSE = 10 * SECOND;
/** Number of pauses before a move fails because of running pushes. */
const MAX_PUSH_PAUSES = 3;
/** Time for which the old path of a repository leads to its new one, for those who opened it before the move. */
const LINK_TIME = 10 * SECOND;

/** Carries out due steps of moves, and schedules the moves of batches. */
export function scheduleMoves(core: GitCore & LiveCore): void {
  const { store, clock, schedule, live, log } = core;
  const underWay = new Set<number>();
  let timer: NodeJS.Timeout | undefined;

  const next = (): number | null => (underWay.size < MAX_AT_ONCE ? (nextMove(store, [...underWay])?.due_at ?? null) : null);
  const startDue = (): void => {
    while (!live.isEnded && underWay.size < MAX_AT_ONCE) {
      const due = nextMove(store, [...underWay]);
      if (due === undefined || due.due_at > clock.now()) return;
      underWay.add(due.id);
      void step(core, due.id, wake)
        .catch((error: unknown) => {
          if (!live.isEnded) log.error(`the repository storage move ${due.id} could not be continued`, error);
        })
        .finally(() => {
          underWay.delete(due.id);
          wake();
        });
    }
  };
  /** Continues soon, or when the next step is due. */
  function wake(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (live.isEnded) return;
      const hasMore = scheduleSome(core);
      startDue();
      const at = hasMore ? clock.now() : next();
      if (at !== null && clock.state().frozenAt === null && at - clock.now() < LONGEST_WAIT) {
        timer = setTimeout(wake, Math.max(0, at - clock.now())).unref();
      }
    }, 0).unref();
  }

  setWaker(core, wake);
  schedule.add({
    name: 'repository storage moves',
    next,
    run: () => {
      startDue();
      return false;
    },
  });
  schedule.add({
    name: 'requests to move all repositories of a storage',
    next: () => firstBatch(store)?.due_at ?? null,
    run: () => scheduleSome(core),
  });
}

/** Longest time in milliseconds for which a timer waits for the next step. Later steps are left to the schedule. */
const LONGEST_WAIT = 60 * SECOND;

/** Carries out the next step of a move. */
async function step(core: GitCore & LiveCore, id: number, wake: () => void): Promise<void> {
  const { store } = core;
  const move = moveById(store, id);
  if (move === undefined) return;
  const container = containerOf(move);
  const placement = placementOf(store, container);
  if (placement === undefined) throw new Error(`the ${container.kind} ${container.id} does not exist`);
  const current: Current = { move, container, placement };
  switch (move.state) {
    case 'initial':
    case 'scheduled':
      if (mustWait(core, current, wake)) return;
      writeState(store, id, { state: 'started', dueAt: dueAfter(core, move) });
      return;
    case 'started':
      await replicate(core, current);
      return;
    case 'replicated':
      await cleanUp(core, current, wake);
      return;
    case 'finished':
    case 'failed':
    case 'cleanup failed':
      writeState(store, id, { state: move.state, dueAt: null });
  }
}

interface Current {
  readonly move: MoveRow;
  readonly container: Container;
  readonly placement: Placement;
}

/** Returns the folders of a move that has something to copy. */
function pathsOf(
  { repositories }: GitCore,
  { move, placement: { folder } }: Current,
): { readonly folder: string; readonly from: string; readonly to: string } | undefined {
  const { source_storage: source, destination_storage: destination } = move;
  if (folder === null || source === destination) return undefined;
  return {
    folder,
    from: repositories.folderOf({ storage: source, folder }),
    to: repositories.folderOf({ storage: destination, folder }),
  };
}

/** Returns the owner of the repository; undefined for a group, which has none. */
function ownerOf({ container, placement }: Current): RepositoryOwner | undefined {
  if (container.kind === 'group') return undefined;
  return placement.single_id === null ? { projectId: container.id } : { singleId: placement.single_id };
}

/** Steps follow each other from the time when the previous one was due, so that one move of the clock can carry out several. */
function dueAfter(core: Core, { due_at: dueAt }: MoveRow): number {
  return (dueAt ?? core.clock.now()) + pauseOf(core);
}

/** Returns true if pushes to the repository are running. The move looks again after a pause, or when they have ended. */
function mustWait(core: GitCore & LiveCore, current: Current, wake: () => void): boolean {
  const { move, container } = current;
  const owner = ownerOf(current);
  const busy = owner === undefined ? undefined : runningChanges(core, owner);
  if (busy === undefined) return false;
  if (move.waits >= MAX_PUSH_PAUSES) {
    fail(core, move, container, `Timeout waiting for ${container.kind} repository pushes`);
    return true;
  }
  postpone(core, move, busy, wake);
  return true;
}

/** Repeats a step after a pause, or as soon as something has ended. */
function postpone(core: LiveCore, move: MoveRow, busy: Promise<unknown>, wake: () => void): void {
  const { store, clock, live } = core;
  writeState(store, move.id, { state: move.state, dueAt: (move.due_at ?? clock.now()) + PAUSE, waits: move.waits + 1 });
  void busy.then(() => {
    const waiting = live.isEnded ? undefined : moveById(store, move.id);
    if (waiting?.due_at === undefined || waiting.due_at === null || waiting.state !== move.state) return;
    const dueAt = Math.min(waiting.due_at, clock.now() + pauseOf(core));
    writeState(store, move.id, { state: move.state, dueAt, waits: waiting.waits });
    wake();
  });
}

/** Copies the repository, verifies the copy, and switches the container to it. */
async function replicate(core: GitCore & LiveCore, current: Current): Promise<void> {
  const { store, clock, live, log } = core;
  const { move, container } = current;
  const { source_storage: source, destination_storage: destination } = move;
  const [paths, owner] = [pathsOf(core, current), ownerOf(current)];
  const found = paths === undefined ? undefined : core.repositories.find({ storage: source, folder: paths.folder });
  if (found !== undefined && found.storage !== source) {
    // A snapshot that was taken during the move was restored later. The step is repeated with the actual source.
    log.warn(`the repository of ${container.kind} ${container.id} is on the storage ${found.storage}, not on ${source}`);
    store.transaction(() => {
      writeStorage(store, container, found.storage, clock.now());
      writeSource(store, move.id, found.storage);
    });
    return;
  }
  try {
    if (paths !== undefined && owner !== undefined) {
      await prepareMove(core, owner, { storage: source, folder: paths.folder });
      await removeCopies(paths.to);
      const part = await copyToPart(paths.from, paths.to);
      await verifyCopy(core, owner, part);
      await untilUnused(core, paths.to);
      await publishPart(paths.to);
    }
  } catch (error) {
    if (live.isEnded) return;
    const reason = error instanceof Error ? error.message : String(error);
    log.error(`the repository of ${container.kind} ${container.id} could not be moved to the storage ${destination}`, error);
    await discardCopy(core, current);
    if (!live.isEnded) fail(core, move, container, reason);
    return;
  }
  if (live.isEnded) return;
  const isSwitched = store.transaction(() => {
    if (moveById(store, move.id) === undefined) return false;
    if (source !== destination) {
      if (owner !== undefined) forgetMoved(core, owner);
      writeStorage(store, container, destination, clock.now());
    }
    writeReadOnly(store, container, false);
    writeState(store, move.id, { state: 'replicated', dueAt: dueAfter(core, move) });
    return true;
  });
  // The container was deleted meanwhile.
  if (!isSwitched) await discardCopy(core, current);
}

/** Removes what a move that did not reach its switch left at the destination. */
async function discardCopy(core: GitCore, current: Current): Promise<void> {
  const paths = pathsOf(core, current);
  if (paths === undefined) return;
  try {
    await removeCopies(paths.to);
  } catch (error) {
    core.log.warn(`an incomplete copy of a repository could not be removed: ${String(error)}`);
  }
}

function fail({ store }: Core, { id }: MoveRow, container: Container, failure: string): void {
  store.transaction(() => {
    writeReadOnly(store, container, false);
    writeState(store, id, { state: 'failed', dueAt: null, failure });
  });
}

/** Waits until no command runs in a repository. The next command starts after the code that follows. */
async function untilUnused({ repositories }: GitCore, folder: string): Promise<void> {
  do {
    await closeReader(folder);
    await repositories.git.busy(folder);
  } while (repositories.git.busy(folder) !== undefined);
}

/** Removes the old copy as soon as no command runs in it. The move is finished when it is gone. */
async function cleanUp(core: GitCore & LiveCore, current: Current, wake: () => void): Promise<void> {
  const { store, live, log, repositories } = core;
  const { move } = current;
  try {
    const paths = pathsOf(core, current);
    if (paths !== undefined) {
      await removeReplaced(paths.from);
      await closeReader(paths.from);
      if (repositories.find({ storage: move.destination_storage, folder: paths.folder })?.storage === move.destination_storage) {
        const busy = repositories.git.busy(paths.from);
        if (busy !== undefined) {
          postpone(core, move, busy, wake);
          return;
        }
        unlinkLater(core, paths.from, replaceOld(paths.from, paths.to));
        await removeReplaced(paths.from);
      } else {
        // A snapshot from before a later move was restored, so the old copy is the only one.
        log.warn(`the repository of ${current.container.kind} ${current.container.id} is not on the storage it was moved to`);
      }
    }
  } catch (error) {
    if (live.isEnded) return;
    log.error(`the old copy of a moved repository could not be removed from the storage ${move.source_storage}`, error);
    const failure = error instanceof Error ? error.message : String(error);
    writeState(store, move.id, { state: 'cleanup failed', dueAt: null, failure });
    return;
  }
  if (!live.isEnded) writeState(store, move.id, { state: 'finished', dueAt: null });
}

/** Functions that keep a link longer, by path. */
const renewals = new Map<string, () => void>();

/** Removes the link at the old path of a repository after some time, or when the server ends. */
function unlinkLater({ live, log }: LiveCore, old: string, unlink: () => void): void {
  if (live.isEnded) {
    unlink();
    return;
  }
  renewals.get(old)?.();
  const cancel = (): void => {
    clearTimeout(timer);
    unfollow();
    renewals.delete(old);
  };
  const end = (): void => {
    cancel();
    try {
      unlink();
    } catch (error) {
      log.warn(`the link at the old path of a moved repository could not be removed: ${String(error)}`);
    }
  };
  const timer = setTimeout(end, LINK_TIME).unref();
  const unfollow = live.follow({ next: () => undefined, end });
  renewals.set(old, cancel);
}
