import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { IDLE_LIMIT } from '../../http/disconnected.ts';
import type { HttpResponse, RequestContext } from '../../http/requestContext.ts';
import { demandFewPaths } from '../../repositories/changedPaths.ts';
import type { RepositoryDir } from '../../repositories/objects.ts';
import type { GitProcess } from '../../repositories/program.ts';

export const archiveFormats = ['zip', 'tar.gz', 'tar'] as const;
export type ArchiveFormat = (typeof archiveFormats)[number];

const types: Readonly<Record<ArchiveFormat, string>> = {
  zip: 'application/zip',
  'tar.gz': 'application/gzip',
  tar: 'application/x-tar',
};

/** Streams files of this size instead of reading them into the memory of git. */
const settings = ['core.bigFileThreshold=8m'];

export interface ArchiveInput {
  readonly commit: string;
  /** Path of an existing directory or file, or undefined for all files. */
  readonly path?: string | undefined;
  /** Name of the file without its format, and of the folder inside. */
  readonly name: string;
  readonly format: ArchiveFormat;
}

/** Returns the names of formats and their other spellings. Formats that need further programs are missing. */
export function archiveFormatOf(text: string): ArchiveFormat | undefined {
  return archiveFormats.find((format) => format === text) ?? (text === 'tgz' ? 'tar.gz' : undefined);
}

/** Maximum length of the name of a folder, in bytes. */
const MAX_NAME = 255;

/** Returns false for names that another operating system takes for a path or does not allow, such as `..`, `a\\b`, `C:` and `.. `. */
export function isFolderName(name: string): boolean {
  return !/[/\\:\p{Cc}]|^[. ]*$/u.test(name) && Buffer.byteLength(name) <= MAX_NAME;
}

/** Returns the name of a folder for an archive, from texts such as the name of a ref and a path. */
export function folderName(parts: readonly string[]): string {
  return parts.join('-').replaceAll(/[/\\:\p{Cc}]/gu, '-');
}

/** Streams the files of a commit. Git ends when the client disconnects. The response to a HEAD request has no content. */
export async function archiveResponse(
  repository: RepositoryDir,
  { commit, path, name, format }: ArchiveInput,
  { method, disconnected }: Pick<RequestContext, 'method' | 'disconnected'>,
): Promise<HttpResponse> {
  const head = {
    status: 200,
    type: types[format],
    headers: {
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(`${name}.${format}`).replaceAll("'", '%27')}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    },
  };
  if (method === 'HEAD') return { ...head, stream: Readable.from([]) };
  await demandFewPaths(repository, commit);
  const args = ['archive', `--format=${format === 'zip' ? 'zip' : 'tar'}`, `--prefix=${name}/`, commit];
  const git = await repository.git.start(repository.folder, path === undefined ? args : [...args, '--', path], {
    signal: disconnected(IDLE_LIMIT),
    settings,
  });
  git.stdin.end();
  return { ...head, stream: format === 'tar.gz' ? compressed(git) : outputOf(git) };
}

/** Returns the output of git as a stream that fails if git fails, and that ends git when it is closed. */
export function outputOf(git: GitProcess): Readable {
  const stream = Readable.from(checkedOutput(git), { objectMode: false });
  stream.once('close', () => git.kill());
  return stream;
}

async function* checkedOutput(git: GitProcess): AsyncGenerator<Buffer> {
  yield* git.stdout;
  const { code, problem } = await git.ended;
  if (code !== 0) throw new Error(`git exited with code ${code}: ${problem}`);
}

function compressed(git: GitProcess): Readable {
  const plain = outputOf(git);
  const gzip = createGzip();
  plain.once('error', (error) => gzip.destroy(error));
  gzip.once('close', () => plain.destroy());
  return plain.pipe(gzip);
}
