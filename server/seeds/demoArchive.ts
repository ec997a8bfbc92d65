import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import * as z from 'zod';
import { lazy } from '../support/lazy.ts';

/** File name of the archive, next to the built server. */
export const DEMO_ARCHIVE = 'demo.data';

/** Demo data prepared by the build. A server completes it when it loads it. */
export interface DemoArchive extends DemoHeader {
  /** Database file with tables and rows only. */
  readonly database: Buffer;
  /** Files of the repositories, in the order of the header. */
  readonly files: readonly Buffer[];
}

const headerSchema = lazy(() =>
  z.strictObject({
    /** Schema version of the database: its number of migrations. */
    schema: z.int(),
    /** End of the demo history, in milliseconds since the epoch. */
    madeAt: z.int(),
    /**
     * Statements that create the indexes and triggers. The file omits them because creating them is faster than updating them while times
     * move.
     */
    objects: z.array(z.string()),
    /** End users in events, by the placeholder (hexadecimal) of their keyed hash. */
    users: z.array(z.strictObject({ id: z.string(), placeholder: z.string() })),
    /** Folders of repositories by their placeholder, with the path and the length in bytes of each file. */
    repositories: z.array(
      z.strictObject({
        placeholder: z.string(),
        branch: z.string(),
        files: z.array(z.strictObject({ path: z.string(), length: z.int() })),
      }),
    ),
    databaseLength: z.int(),
  }),
);
type DemoHeader = Readonly<Omit<z.infer<ReturnType<typeof headerSchema>>, 'databaseLength'>>;

/** Compression level of a build. A better one would make the build many times slower. */
const QUALITY = 9;
/** Compression level of a package. */
const PACKAGE_QUALITY = 11;

/** Returns the bytes of the file: a line of JSON, the database and the files of the repositories, compressed together. */
export function packDemo({ database, files, ...header }: DemoArchive): Promise<Buffer> {
  const line = Buffer.from(`${JSON.stringify({ ...header, databaseLength: database.length })}\n`);
  return compressed(Buffer.concat([line, database, ...files]), QUALITY);
}

/** Returns the file for a package, which is smaller and takes ten seconds to make. */
export async function packDemoAgain(bytes: Buffer): Promise<Buffer> {
  return compressed(await promisify(brotliDecompress)(bytes), PACKAGE_QUALITY);
}

function compressed(plain: Buffer, quality: number): Promise<Buffer> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return promisify(brotliCompress)(plain, { params });
}

/** Unpacks the file. Throws if it is invalid. */
export async function unpackDemo(bytes: Buffer): Promise<DemoArchive> {
  const plain = await promisify(brotliDecompress)(bytes);
  const end = plain.indexOf('\n');
  const { databaseLength, ...header } = headerSchema().parse(JSON.parse(plain.toString('utf8', 0, end)));
  let offset = end + 1;
  const take = (length: number): Buffer => {
    const part = plain.subarray(offset, offset + length);
    if (part.length < length) throw new Error('the demo data is truncated');
    offset += length;
    return part;
  };
  const database = take(databaseLength);
  const files = header.repositories.flatMap(({ files: listed }) => listed.map(({ length }) => take(length)));
  return { ...header, database, files };
}
