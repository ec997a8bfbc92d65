import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import * as z from 'zod';
import { lazy } from '../lazy.ts';

/** Name of the file beside the built server. */
export const DEMO_ARCHIVE = 'demo.data';

/** Demo data that the build has prepared, and that a server completes when it loads it. */
export interface DemoArchive extends DemoHeader {
  /** A database file with the tables and their rows only. */
  readonly database: Buffer;
  /** The files of the repositories, in the order of the header. */
  readonly files: readonly Buffer[];
}

const headerSchema = lazy(() =>
  z.strictObject({
    /** Number of migrations of the database. */
    schema: z.int(),
    /** The time for which it was made, in milliseconds since the epoch. The demo history ends then. */
    madeAt: z.int(),
    /** Statements that create the indexes and triggers, which are left out of the file because creating them is faster than moving them. */
    objects: z.array(z.string()),
    /** Users of programs, by the placeholder (hexadecimal) that stands for their keyed hash. */
    users: z.array(z.strictObject({ id: z.string(), placeholder: z.string() })),
    /** Folders of repositories by their placeholder, with their files: the path in the folder, and the length in bytes. */
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

/** Better compression than this takes the build many times as long. */
const QUALITY = 9;

/** The bytes of the file: a line of JSON, the database and the files of the repositories, compressed together. */
export function packDemo({ database, files, ...header }: DemoArchive): Promise<Buffer> {
  const line = Buffer.from(`${JSON.stringify({ ...header, databaseLength: database.length })}\n`);
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return promisify(brotliCompress)(Buffer.concat([line, database, ...files]), { params });
}

/** Throws when the bytes are not such a file. */
export async function unpackDemo(bytes: Buffer): Promise<DemoArchive> {
  const plain = await promisify(brotliDecompress)(bytes);
  const end = plain.indexOf('\n');
  const { databaseLength, ...header } = headerSchema().parse(JSON.parse(plain.toString('utf8', 0, end)));
  let offset = end + 1;
  const take = (length: number): Buffer => {
    const part = plain.subarray(offset, offset + length);
    if (part.length < length) throw new Error('the demo data is shorter than it says');
    offset += length;
    return part;
  };
  const database = take(databaseLength);
  const files = header.repositories.flatMap(({ files: listed }) => listed.map(({ length }) => take(length)));
  return { ...header, database, files };
}
