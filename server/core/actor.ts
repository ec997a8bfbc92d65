import { AsyncLocalStorage } from 'node:async_hooks';

/** Sender of the current request. */
export interface Actor {
  readonly address: string;
  /** Undefined until the user is known, for example during sign-in. */
  readonly userId: number | undefined;
}

// Only the code that records changes reads the actor; most functions that change something do not need it. Permissions are never decided by
// it, but by the arguments of a function. Work of `store.groupCommit` runs in the context of an arbitrary request, so it must not publish
// changes.
const actors = new AsyncLocalStorage<{ address: string; userId: number | undefined }>();

/** Runs the work of one request with its sender as the actor. */
export function withActor<T>(address: string, work: () => T): T {
  return actors.run({ address, userId: undefined }, work);
}

/** Sets the user of the current request, once it is known. */
export function noteActor(userId: number): void {
  const actor = actors.getStore();
  if (actor !== undefined) actor.userId = userId;
}

/** Returns the sender of the current request. Undefined outside requests, for example in scheduled work. */
export function currentActor(): Actor | undefined {
  return actors.getStore();
}
