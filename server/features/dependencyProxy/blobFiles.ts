import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createTemporaryFolder } from '../../support/temporaryFolder.ts';

/** Content of blobs in files that are named by the SHA-256 of their content. The groups that have cached a blob share its file. */
export interface BlobFiles {
  /** Opens the file of a blob. Returns undefined if there is none. */
  open(digest: string): Promise<FileHandle | undefined>;
  /**
   * Writes a blob and calls `complete` with its size in bytes in the same turn in which the file appears.
   *
   * @throws WrongContent if the content has another digest or is larger than `limit` bytes. No file remains.
   */
  write(digest: string, content: AsyncIterable<Uint8Array>, limit: number, complete: (size: number) => void): Promise<void>;
  /** Removes the files that `isUsed` does not confirm. Files that are being written remain. */
  sweep(isUsed: (digest: string) => boolean): void;
  /** Ends what is being written, and removes the files of a server without a data folder. */
  stop(): void;
}

export class WrongContent extends Error {}

/** Suffix of an incomplete file. */
const PART = '.part';

/** Creates the files. Without a `dataFolder` they are in a temporary folder, which is removed on exit. */
export function createBlobFiles(dataFolder: string | undefined): BlobFiles {
  const temporary = createTemporaryFolder('dependency-proxy');
  const stopping = new AbortController();
  let isReady = false;
  const stored = dataFolder === undefined ? undefined : path.join(dataFolder, 'dependency-proxy');
  const folder = (): string => {
    const root = stored ?? temporary.path();
    mkdirSync(root, { recursive: true, mode: 0o700 });
    if (!isReady) {
      // A killed server left them.
      for (const name of readdirSync(root)) if (name.endsWith(PART)) removeFile(path.join(root, name));
      isReady = true;
    }
    return root;
  };
  const fileOf = (digest: string): string => path.join(folder(), digest.replace('sha256:', ''));

  return {
    open: async (digest) => {
      try {
        return await open(fileOf(digest));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    write: async (digest, content, limit, complete) => {
      const part = path.join(folder(), `${randomUUID()}${PART}`);
      const hash = createHash('sha256');
      let size = 0;
      const measured = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
        for await (const chunk of chunks) {
          size += chunk.length;
          if (size > limit) throw new WrongContent(`the content is larger than ${limit} bytes`);
          hash.update(chunk);
          yield chunk;
        }
      };
      try {
        await pipeline(content, measured, createWriteStream(part, { mode: 0o600 }), { signal: stopping.signal });
        const actual = `sha256:${hash.digest('hex')}`;
        if (actual !== digest) throw new WrongContent(`the content has the digest ${actual}`);
        renameSync(part, fileOf(digest));
        complete(size);
      } catch (error) {
        removeFile(part);
        throw error;
      }
    },
    sweep: (isUsed) => {
      if (!isReady && (stored === undefined || !existsSync(stored))) return;
      const root = folder();
      for (const name of readdirSync(root)) {
        if (!name.endsWith(PART) && !isUsed(`sha256:${name}`)) removeFile(path.join(root, name));
      }
    },
    stop: () => {
      stopping.abort();
      temporary.remove();
    },
  };
}

/** Removes a file. Windows refuses that while the file is read; the next sweep removes it then. */
function removeFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EBUSY' || error.code === 'EPERM'))) throw error;
  }
}
