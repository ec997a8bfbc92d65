import { setTimeout as pause } from 'node:timers/promises';

/**
 * Milliseconds after which a test that waits for something is taken to hang. It says nothing of speed: a machine that is many times
 * slower than usual must still pass.
 */
export const HANG_LIMIT_MS = 100_000;

/**
 * Reads until `accept` holds and returns what was read last. For state that has no event to wait on.
 * Rejects after `limitMs` with `what` and the last value.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  accept: (value: T) => boolean,
  what: string,
  limitMs: number = HANG_LIMIT_MS,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await read();
    if (accept(value)) return value;
    if (performance.now() > end)
      throw new Error(`Not within ${limitMs / 1000} s: ${what}. Last seen: ${JSON.stringify(value, undefined, 1)}`);
    await pause(10);
  }
}

/** Waits until `holds` returns true. Rejects after `HANG_LIMIT_MS` with `what` and, where there is one, the text of `seen`. */
export async function untilTrue(
  holds: () => boolean | Promise<boolean>,
  what: string,
  seen: () => string = () => '',
): Promise<void> {
  await until(
    async () => (await holds()) || seen(),
    (value) => value === true,
    what,
  );
}
