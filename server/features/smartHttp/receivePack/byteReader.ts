/** Reads a stream in pieces of requested sizes. */
export interface ByteReader {
  /** Returns the next bytes. Returns fewer only at the end of the stream. */
  take(size: number): Promise<Buffer>;
  /** Returns the next bytes without consuming them. */
  peek(size: number): Promise<Buffer>;
  /** Returns all bytes that are not consumed yet. */
  rest(): AsyncGenerator<Buffer>;
}

export function byteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let isEnded = false;
  const peek = async (size: number): Promise<Buffer> => {
    while (held.length < size && !isEnded) {
      const next = await chunks.next();
      if (next.done === true) isEnded = true;
      else held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
    }
    return held.subarray(0, size);
  };
  return {
    peek,
    take: async (size) => {
      const taken = await peek(size);
      held = held.subarray(taken.length);
      return taken;
    },
    rest: async function* rest() {
      if (held.length > 0) yield held;
      held = Buffer.alloc(0);
      for (;;) {
        const next = await chunks.next();
        if (next.done === true) return;
        yield next.value;
      }
    },
  };
}
