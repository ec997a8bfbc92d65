import type { GitCore } from '../../repositories/repositories.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { addressPath } from '../../web/addresses.ts';
import { type ArchiveFormat, archiveFormatOf, archiveResponse, isFolderName } from './archive.ts';
import type { FileResponse } from '../../web/route.ts';
import { type CodePageRequest, codePageRoute } from './codePage.ts';
import { resolveRef } from '../git/git.ts';
import { isTreePath, plainPath } from '../../repositories/names.ts';
import { entriesAt } from '../../repositories/objects.ts';

/** Returns the path of the archive of a ref, without the server's origin. */
export function archiveAddress(project: Pick<Project, 'full_path' | 'path'>, ref: string, format: ArchiveFormat): string {
  const name = encodeURIComponent(`${project.path}-${ref.replaceAll('/', '-')}`.toWellFormed());
  return `/${project.full_path}/-/archive/${addressPath(ref)}/${name}.${format}`;
}

/** The archive download of a ref: `/-/archive/REF/NAME.zip`, or of a directory of it with `?path=`. */
export function archivePage(core: GitCore): Route {
  return codePageRoute(core, '/*full_path/-/archive/*rest', (request) => showArchive(core, request));
}

async function showArchive(core: GitCore, { context, project, repository, rest, query }: CodePageRequest): Promise<FileResponse> {
  const [, ref = '', name = '', extension = ''] = /^(.+)\/([^/]+?)\.(zip|tar\.gz|tgz|tar)$/s.exec(rest) ?? [];
  const format = archiveFormatOf(extension);
  if (!isFolderName(name)) throw notFound('Page', 'the name of the archive is no name of a folder');
  const commit = await resolveRef(core, repository, project, ref);
  if (repository === undefined || commit === undefined || format === undefined)
    throw notFound('Page', 'the ref does not exist, or the archive format is unknown');
  const path = plainPath(query.get('path') ?? '');
  if (path !== '' && !(isTreePath(path) && (await entriesAt(repository, commit, [path])).has(path)))
    throw notFound('Page', 'no file or directory has this path');
  const input = { commit, path: path === '' ? undefined : path, name, format };
  return { file: await archiveResponse(repository, input, context) };
}
