import { bodyLimits, decodeBody, type DecodedBody } from '../../../server/features/errorTracking/body/decodeBody.ts';

/** Returns the whole body, also if the server would decompress it in chunks. */
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
