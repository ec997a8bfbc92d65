import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';

/** File name of the OpenAPI document, next to the built server. It is compressed, because it is one of the largest files of a package. */
export const OPEN_API_FILE = 'openapi.json.br';

/** Returns the bytes of the file. */
export function packOpenApi(document: unknown): Buffer {
  return brotliCompressSync(JSON.stringify(document));
}

/** @throws Error if these are not the bytes of the file. */
export function unpackOpenApi(bytes: Buffer): unknown {
  return JSON.parse(brotliDecompressSync(bytes).toString('utf8'));
}
