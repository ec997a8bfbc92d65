import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { notFound } from '../http/failures.ts';
import type { Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import type { Project } from '../projects/projects.ts';
import { addressPath } from '../web/addresses.ts';
import { codePageRoute } from './codePage.ts';
import { resolveRef } from './git.ts';

export const archiveFormats = ['zip', 'tar.gz', 'tar'] as const;
export type ArchiveFormat = (typeof archiveFormats)[number];

/** Returns the path of the archive of a ref, without the server's origin. */
export function archiveAddress(project: Pick<Project, 'full_path' | 'path'>, ref: string, format: ArchiveFormat): string {
  const name = encodeURIComponent(`${project.path}-${ref.replaceAll('/', '-')}`.toWellFormed());
  return `/${project.full_path}/-/archive/${addressPath(ref)}/${name}.${format}`;
}

/** The archive download of a ref: `/-/archive/REF/NAME.zip`. */
export function archivePage(platform: Platform): Route {
  return codePageRoute(platform, '/*full_path/-/archive/*rest', async ({ project, repository, rest }) => {
    const [, ref = '', name = '', format = ''] = /^(.+)\/([^/]+?)\.(zip|tar\.gz|tar)$/s.exec(rest) ?? [];
    const commit = await resolveRef(platform, repository, project, ref);
    if (repository === undefined || commit === undefined)
      throw notFound('Page', 'the ref does not exist, or the archive format is unknown');
    const isZip = format === 'zip';
    const args = ['archive', `--format=${isZip ? 'zip' : 'tar'}`, `--prefix=${name}/`, commit];
    const { stdout } = await repository.git.run(repository.folder, args);
    return {
      file: {
        status: 200,
        type: isZip ? 'application/zip' : format === 'tar' ? 'application/x-tar' : 'application/gzip',
        body: format === 'tar.gz' ? await promisify(gzip)(stdout) : stdout,
        headers: {
          'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(`${name}.${format}`).replaceAll("'", '%27')}`,
          'Content-Security-Policy': "default-src 'none'; sandbox",
        },
      },
    };
  });
}
