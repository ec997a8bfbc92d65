/** A function whose calls within one turn of the event loop run `work` once, at the end of that turn. */
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
