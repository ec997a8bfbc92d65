import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { IDLE_LIMIT } from '../../http/disconnected.ts';
import type { HttpResponse, RequestContext } from '../../http/requestContext.ts';
import { outputOf } from './archive.ts';
import { readObject } from '../../repositories/catFile.ts';
import type { RepositoryDir } from '../../repositories/objects.ts';
import { rawResponse } from '../../http/fileContent.ts';

/** A blob that is too large to be read into memory for a raw response. */
export interface LargeBlob {
  readonly size: number;
  /** SHA-256 of the content. */
  readonly digest: string;
  /** Beginning of the content, which decides if it is text. */
  readonly head: Buffer;
}

const HEAD_BYTES = 8000;

/** Reads a large blob once for its digest. Returns undefined for a blob that can be read at once, or that does not exist. */
export async function largeBlob(
  { git, folder }: RepositoryDir,
  id: string,
  context: RequestContext,
): Promise<LargeBlob | undefined> {
  const object = await readObject(git, folder, id);
  if (object === undefined || object === 'missing' || object.type !== 'blob' || object.content !== undefined) return undefined;
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  for await (const chunk of await contentOf({ git, folder }, id, context)) {
    const bytes = Buffer.from(chunk);
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, bytes.subarray(0, HEAD_BYTES - head.length)]);
    hash.update(bytes);
  }
  return { size: object.size, digest: hash.digest('hex'), head };
}

/** Streams a large blob as a raw response. Git ends when the client disconnects. */
export async function largeResponse(
  repository: RepositoryDir,
  id: string,
  large: LargeBlob,
  {
    name,
    headers = {},
    context,
  }: { readonly name: string; readonly headers?: Readonly<Record<string, string>>; readonly context: RequestContext },
): Promise<HttpResponse> {
  const { status, type, headers: all } = rawResponse(large.head, name, headers);
  const stream = context.method === 'HEAD' ? Readable.from([]) : await contentOf(repository, id, context);
  return { status, ...(type === undefined ? {} : { type }), ...(all === undefined ? {} : { headers: all }), stream };
}

async function contentOf({ git, folder }: RepositoryDir, id: string, { disconnected }: RequestContext): Promise<Readable> {
  const child = await git.start(folder, ['cat-file', 'blob', id], {
    signal: disconnected(IDLE_LIMIT),
    settings: ['core.bigFileThreshold=8m'],
  });
  child.stdin.end();
  return outputOf(child);
}
