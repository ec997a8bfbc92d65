import { AsyncLocalStorage } from 'node:async_hooks';

/** Who sent the request that is being answered. */
export interface Actor {
  readonly address: string;
  /** Undefined while nobody is known, as during a sign-in. */
  readonly userId: number | undefined;
}

// What tells of a change needs to know whose request it was, and most functions that change something have no other use for that. Nothing
// else may read it: what somebody may do is decided by what a function is handed. Work of `store.groupCommit` runs in the request of
// whoever came first, so nothing is published there.
const actors = new AsyncLocalStorage<{ address: string; userId: number | undefined }>();

/** Does the work of one request in the name of whoever sent it. */
export function withActor<T>(address: string, work: () => T): T {
  return actors.run({ address, userId: undefined }, work);
}

/** Says who it is, once that is known. */
export function noteActor(userId: number): void {
  const actor = actors.getStore();
  if (actor !== undefined) actor.userId = userId;
}

/** Undefined outside requests, as in work that falls due. */
export function currentActor(): Actor | undefined {
  return actors.getStore();
}
