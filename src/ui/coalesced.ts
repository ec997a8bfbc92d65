/** Returns a function that runs `work` in a microtask, once for all calls made before it. */
export function coalesced(work: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      work();
    });
  };
}
