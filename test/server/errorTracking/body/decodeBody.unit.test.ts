import assert from 'node:assert/strict';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { unpack } from '../../../../server/features/errorTracking/body/decodeBody.ts';
import { IngestFailure } from '../../../../server/features/errorTracking/body/ingestFailure.ts';
import { decoded } from '../decoded.ts';

const text = Buffer.from(JSON.stringify({ message: 'hello 🚦'.repeat(50) }));
const bomb = Buffer.alloc(60 * 1024 * 1024);
const refused = (status: number, text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof IngestFailure, String(error));
  assert.equal(error.status, status);
  assert.match(error.message, text);
  return true;
};

describe('the body of a request to an ingestion path', () => {
  const readable: readonly [name: string, received: Buffer, encoding: string | undefined, form: string][] = [
    ['without an encoding', text, undefined, 'deflate'],
    ['with an empty encoding, as Ruby sends', text, '', 'deflate'],
    ['with identity', text, 'identity', 'deflate'],
    ['with gzip', zlib.gzipSync(text), 'gzip', 'gzip'],
    ['with gzip in capitals and among spaces', zlib.gzipSync(text), ' GZip ', 'gzip'],
    ['with the old name of gzip', zlib.gzipSync(text), 'x-gzip', 'gzip'],
    ['with gzip and identity', zlib.gzipSync(text), 'gzip, identity', 'gzip'],
    ['with deflate', zlib.deflateSync(text), 'deflate', 'deflate'],
    ['with deflate without its wrapping', zlib.deflateRawSync(text), 'deflate', 'raw-deflate'],
    ['with br', zlib.brotliCompressSync(text), 'br', 'br'],
    ['with zstd', zlib.zstdCompressSync(text), 'zstd', 'zstd'],
    ['with gzip that nothing tells of', zlib.gzipSync(text), undefined, 'gzip'],
    ['with the base64 of old SDKs', Buffer.from(zlib.deflateSync(text).toString('base64')), undefined, 'deflate'],
    [
      'with their base64 in lines',
      Buffer.from(zlib.deflateSync(text).toString('base64').replaceAll(/.{40}/g, '$&\n')),
      '',
      'deflate',
    ],
    ['that compression made larger', zlib.gzipSync(Buffer.from('{}')), 'gzip', 'deflate'],
  ];
  for (const [name, received, encoding, form] of readable) {
    it(`${name} is read, and stored as ${form}`, async () => {
      const { bytes, stored } = await decoded(received, encoding);
      assert.deepEqual(bytes, name.includes('larger') ? Buffer.from('{}') : text);
      assert.equal(stored().form, form);
      assert.deepEqual(unpack(stored()), bytes);
      assert.equal(stored(), stored());
    });
  }

  const unreadable: readonly [name: string, received: Buffer, encoding: string | undefined, status: number, words: RegExp][] = [
    ['an empty one', Buffer.alloc(0), undefined, 400, /empty/],
    ['an empty one with gzip', Buffer.alloc(0), 'gzip', 400, /empty/],
    ['one that is empty when decompressed', zlib.gzipSync(''), 'gzip', 400, /empty/],
    ['plain text marked gzip', text, 'gzip', 400, /not gzip as its Content-Encoding says/],
    ['gzip marked br', zlib.gzipSync(text), 'br', 400, /not br/],
    ['plain text marked deflate', text, 'deflate', 400, /not deflate/],
    ['gzip that is cut off', zlib.gzipSync(text).subarray(0, -9), 'gzip', 400, /cut off/],
    ['deflate that is cut off', zlib.deflateSync(text).subarray(0, -9), 'deflate', 400, /cut off/],
    ['br that is cut off', zlib.brotliCompressSync(text).subarray(0, -9), 'br', 400, /cut off/],
    ['zstd that is cut off', zlib.zstdCompressSync(text).subarray(0, -9), 'zstd', 400, /cut off/],
    ['base64 that is cut off', Buffer.from(zlib.deflateSync(text).toString('base64').slice(0, -20)), undefined, 400, /cut off/],
    ['unmarked gzip that is damaged', Buffer.concat([zlib.gzipSync(text).subarray(0, 30), text]), undefined, 400, /damaged/],
    ['gzip within gzip by its header', zlib.gzipSync(zlib.gzipSync(text)), 'gzip, gzip', 415, /more than one/],
    ['an unknown encoding', text, 'compress', 415, /gzip, deflate, br, zstd and identity/],
    ['a name of every object', text, 'constructor', 415, /not known/],
  ];
  for (const [name, received, encoding, status, text] of unreadable) {
    it(`${name} is refused with ${status}`, async () => {
      await assert.rejects(decoded(received, encoding), refused(status, text));
    });
  }

  const bombs = {
    gzip: zlib.gzipSync(bomb),
    deflate: zlib.deflateSync(bomb),
    br: zlib.brotliCompressSync(bomb, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
    zstd: zlib.zstdCompressSync(bomb),
  };
  for (const [encoding, packed] of Object.entries(bombs)) {
    it(`a decompression bomb in ${encoding} is refused with 413`, async () => {
      await assert.rejects(decoded(packed, encoding), refused(413, /larger decompressed than the 40 MB/));
    });
  }

  it('a decompression bomb in raw deflate or base64 is refused', async () => {
    await assert.rejects(decoded(zlib.deflateRawSync(bomb), 'deflate'), refused(413, /decompressed/));
    await assert.rejects(decoded(Buffer.from(bombs.deflate.toString('base64')), undefined), refused(413, /decompressed/));
  });

  it('a body above the size limit is refused before it is read', async () => {
    const limits = { received: 1024 * 1024, decoded: 2 * 1024 * 1024 };
    await assert.rejects(decoded(Buffer.alloc(limits.received + 1), 'compress', limits), refused(413, /1 MB/));
    assert.equal((await decoded(Buffer.alloc(limits.received, 0x20), undefined, limits)).bytes.length, limits.received);
  });

  it('a wrong length in a gzip body is ignored', async () => {
    const long = Buffer.alloc(100_000, 'lamp ');
    for (const [name, received, expected] of [
      ['true', zlib.gzipSync(long), long],
      [
        'of its last part only',
        Buffer.concat([zlib.gzipSync(long), zlib.gzipSync('end')]),
        Buffer.concat([long, Buffer.from('end')]),
      ],
    ] as const) {
      const { bytes } = await decoded(received, 'gzip');
      assert.ok(bytes.equals(expected), name);
    }
    for (const length of [0, 99_999, 100_001, 0xffffffff]) {
      const received = zlib.gzipSync(long);
      received.writeUInt32LE(length, received.length - 4);
      await assert.rejects(decoded(received, 'gzip'), refused(400, /damaged or cut off/), String(length));
    }
  });

  it('large bodies are decoded like small ones', async () => {
    const large = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919).toString(36)).join(','));
    for (const [encoding, pack] of Object.entries({
      gzip: zlib.gzipSync,
      deflate: zlib.deflateRawSync,
      br: zlib.brotliCompressSync,
    })) {
      const options = encoding === 'br' ? { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 } } : { level: 1 };
      const packed = pack(large, options);
      assert.ok(packed.length > 64 * 1024);
      assert.deepEqual((await decoded(packed, encoding)).bytes, large);
    }
  });

  it('decoding any bytes with any encoding throws only the declared errors', async () => {
    const encoding = fc.constantFrom(undefined, '', 'gzip', 'deflate', 'br', 'zstd', 'identity', 'gzip, br', 'x');
    const start = fc
      .constantFrom('', 'eJ', 'eNq', '\u001f\u008b\u0008', '{', 'x\u009c')
      .map((head) => Buffer.from(head, 'latin1'));
    await fc.assert(
      fc.asyncProperty(start, fc.uint8Array({ maxLength: 200 }), encoding, async (head, rest, name) => {
        const { bytes, stored } = await decoded(Buffer.concat([head, rest]), name).catch((error: unknown) => {
          assert.ok(error instanceof IngestFailure, String(error));
          return { bytes: text, stored: undefined };
        });
        if (stored !== undefined) assert.deepEqual(unpack(stored()), bytes);
      }),
      { numRuns: 500 },
    );
  });
});
