import type { GitCore } from '../../repositories/repositories.ts';
import { notFound, unsupportedFormat } from '../../core/errors.ts';
import { boolean, fallback, required, string, type ParametersOf } from '../../http/params.ts';
import { archive } from '../../http/responses.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import { archiveFormatOf, archiveResponse, folderName } from './archive.ts';
import { resolveRef } from '../git/git.ts';
import { isTreePath, plainPath } from '../../repositories/names.ts';
import { entriesAt } from '../../repositories/objects.ts';
import { type ReadRequest, readRoute } from './route.ts';

const PATH = '/api/v4/projects/:id/repository/archive';
const metadata = {
  method: 'GET',
  specRef: 'Repositories',
  status: 'inferred',
  key: 'id',
  alsoScopes: ['read_repository'],
  body: archive,
} as const;

const archiveParameters = () => ({
  id: required(string),
  sha: string(),
  path: string(),
  include_lfs_blobs: fallback(true, boolean),
});

const archiveWithFormatParameters = () => ({ ...archiveParameters(), extension: required(string) });

/** Archives of the files of a commit. */
export function archiveRoutes(core: GitCore): Route[] {
  return [
    readRoute(core, { ...metadata, path: PATH, params: archiveParameters }, (request) => archiveOf(core, request, 'tar.gz')),
    readRoute(core, { ...metadata, path: `${PATH}.:extension`, params: archiveWithFormatParameters }, (request) =>
      archiveOf(core, request, request.params.extension),
    ),
  ];
}

async function archiveOf(
  core: GitCore,
  request: ReadRequest<ParametersOf<typeof archiveParameters>>,
  extension: string,
): Promise<RawResponse> {
  const { params, project, repository, context } = request;
  const format = archiveFormatOf(extension);
  if (format === undefined) throw unsupportedFormat(extension);
  const ref = params.sha === undefined || params.sha === '' ? project.default_branch : params.sha;
  const commit = await resolveRef(core, repository, project, ref);
  if (repository === undefined || commit === undefined) throw notFound('File', 'no branch, tag or commit has this name');
  const inside = plainPath(params.path ?? '');
  if (inside !== '' && !(isTreePath(inside) && (await entriesAt(repository, commit, [inside])).has(inside)))
    throw notFound('File', 'no file or directory has this path');
  const parts = [project.path, ref, commit, ...(inside === '' ? [] : [inside])];
  const input = { commit, path: inside === '' ? undefined : inside, name: folderName(parts), format };
  return new RawResponse(await archiveResponse(repository, input, context));
}
