/**
 * Frees the memory of a buffer at once. V8 would free it with its next collection, up to which a stream can allocate some 100 MB. Does nothing
 * for a part of a larger buffer, such as Node's pool. The content is lost, so nothing may use the buffer any more.
 */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength !== Buffer.poolSize) buffer.transfer(0);
}
