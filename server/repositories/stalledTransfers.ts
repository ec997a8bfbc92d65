import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** Interval of the checks while others wait, in milliseconds. */
const CHECK_INTERVAL = 5000;
/** Number of checks after which a transfer that is too slow is ended: 30 s. */
const CHECKS = 6;
/** Bytes that a client must receive between two checks. */
const MIN_BYTES = 16 * 1024;

/** Calls `run` at an interval until the returned function is called. */
export type Repeat = (milliseconds: number, run: () => void) => () => void;

export interface StallChecks {
  /** Calls `end` if the client does not read the output while others wait. Call the returned function when the transfer has ended. */
  enter(output: Readable, end: () => void): () => void;
}

interface Transfer {
  readonly output: Readable;
  readonly end: () => void;
  bytes: number;
  slowChecks: number;
}

const every: Repeat = (milliseconds, run) => {
  const timer = setInterval(run, milliseconds).unref();
  return () => clearInterval(timer);
};

/**
 * Ends transfers whose clients receive less than 16 KiB in 5 s, for 30 s, while others wait for a slot. Time in which git has no output
 * does not count, because the client is not the reason.
 */
export function createStallChecks(hasWaiting: () => boolean, repeat: Repeat = every): StallChecks {
  const transfers = new Set<Transfer>();
  let stop: (() => void) | undefined;

  const check = (): void => {
    for (const transfer of transfers) {
      const bytes = bytesOf(transfer.output);
      const isSlow = hasWaiting() && transfer.output.readableLength > 0 && bytes - transfer.bytes < MIN_BYTES;
      transfer.slowChecks = isSlow ? transfer.slowChecks + 1 : 0;
      transfer.bytes = bytes;
      if (transfer.slowChecks >= CHECKS) transfer.end();
    }
  };
  return {
    enter: (output, end) => {
      const transfer = { output, end, bytes: 0, slowChecks: 0 };
      transfers.add(transfer);
      stop ??= repeat(CHECK_INTERVAL, check);
      return () => {
        transfers.delete(transfer);
        if (transfers.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}

function bytesOf(output: Readable): number {
  return output instanceof Socket ? output.bytesRead : 0;
}
