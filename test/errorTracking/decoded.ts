import { bodyLimits, decodeBody, type DecodedBody } from '../../server/errorTracking/wire/decode.ts';

/** A body as a whole, also where the server decompresses it piece by piece. */
export async function decoded(
  received: Buffer,
  contentEncoding: string | undefined,
  limits = bodyLimits,
): Promise<Pick<DecodedBody, 'bytes' | 'stored'>> {
  const body = decodeBody(received, contentEncoding, limits);
  if ('bytes' in body) return body;
  const { pieces } = await body.decodeInto(() => {
    const all: Buffer[] = [];
    return {
      pieces: all,
      push: (piece) => {
        all.push(piece);
        return undefined;
      },
    };
  });
  return { bytes: Buffer.concat(pieces), stored: () => body.compressed };
}
