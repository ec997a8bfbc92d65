import { setTimeout as pause } from 'node:timers/promises';

/**
 * Time in milliseconds after which a waiting test counts as hanging. It is no measure of speed: a machine many times slower than usual must
 * still pass.
 */
export const HANG_LIMIT_MS = 100_000;

/**
 * Polls until `accept` returns true and returns the last value. For state that has no event to wait for.
 *
 * @throws Error with `what` and the last value after `limitMs`.
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
      throw new Error(`Timed out after ${limitMs / 1000} s: ${what}. Last seen: ${JSON.stringify(value, undefined, 1)}`);
    await pause(10);
  }
}

/**
 * Waits until `holds` returns true.
 *
 * @throws Error with `what` and, if given, the text of `seen` after `HANG_LIMIT_MS`.
 */
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
