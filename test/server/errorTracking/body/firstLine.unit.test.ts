import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import zlib from 'node:zlib';
import { decodeFirstLine } from '../../../../server/features/errorTracking/body/decodeBody.ts';
import { IngestFailure } from '../../../../server/features/errorTracking/body/ingestFailure.ts';
import { decoded } from '../decoded.ts';

const MAX_COUNT = 8192;
/** The default quality of Brotli compresses a megabyte in seconds. */
const FAST = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };
const header = '{"dsn":"http://key@127.0.0.1/1"}';
/** Incompressible bytes, so that positions in the compressed data correspond to positions in the content. */
const noise = randomBytes(1024 * 1024).toString('base64');

describe('the first line of a body', () => {
  const compressions = [
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['zstd', zlib.zstdCompressSync],
  ] as const;
  const noReserve = async (): Promise<void> => {};

  for (const [encoding, compress] of compressions) {
    it(`is read from ${encoding} without decompressing the rest`, async () => {
      const bytes = compress(Buffer.from(`${header}\n${noise}`));
      // Decompressing half of the data would reveal this damage.
      bytes.fill(0xff, bytes.length >> 1);
      const line = await decodeFirstLine({ bytes, isWhole: true }, encoding, MAX_COUNT, noReserve);
      assert.equal(String(line), header);
      await assert.rejects(decoded(bytes, encoding), IngestFailure);
    });

    it(`is undefined in ${encoding} if it is too long, without decompressing the rest`, async () => {
      const bytes = compress(Buffer.from(noise));
      bytes.fill(0xff, bytes.length >> 1);
      assert.equal(await decodeFirstLine({ bytes, isWhole: true }, encoding, MAX_COUNT, noReserve), undefined);
    });

    it(`is read from the start of ${encoding} before the rest is received`, async () => {
      const bytes = compress(Buffer.from(`${header}\n${noise}`)).subarray(0, 160 * 1024);
      assert.equal(String(await decodeFirstLine({ bytes, isWhole: false }, encoding, MAX_COUNT, noReserve)), header);
    });
  }

  it('the first line of a br body is read after memory for the window of Brotli is reserved', async () => {
    const reserved: number[] = [];
    const bytes = zlib.brotliCompressSync(Buffer.from(`${header}\n${noise}`), FAST);
    const line = await decodeFirstLine({ bytes, isWhole: true }, 'br', MAX_COUNT, async (more) => {
      reserved.push(more);
    });
    assert.deepEqual([String(line), reserved], [header, [16 * 1024 * 1024]]);
    const full = new Error('no room');
    await assert.rejects(
      decodeFirstLine({ bytes, isWhole: true }, 'br', MAX_COUNT, () => Promise.reject(full)),
      full,
    );
  });

  it('the first line of a body without a line break is the whole body, or undefined if it is too long', async () => {
    const read = (text: string) => decodeFirstLine({ bytes: Buffer.from(text), isWhole: true }, undefined, MAX_COUNT, noReserve);
    assert.equal(String(await read(header)), header);
    assert.equal(String(await read(`${header}\n{}`)), header);
    assert.equal(await read('x'.repeat(MAX_COUNT + 1)), undefined);
  });
});
