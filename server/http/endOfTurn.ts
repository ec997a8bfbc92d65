/**
 * Returns a function that returns a promise for the end of the current turn of the event loop. All callers of one turn share the promise.
 *
 * Responses that are sent one after the other at the end of a turn wake up a waiting client once. If each is sent at once, the client
 * sleeps and is woken up for each of them, which costs the server as much processor time as a small read.
 */
export function createEndOfTurn(): () => Promise<void> {
  let end: Promise<void> | undefined;
  return () => {
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = undefined;
        resolve();
      });
    });
    return end;
  };
}
