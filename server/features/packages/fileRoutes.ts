import { direction, inProject } from './parameters.ts';
import { listOf } from '../../http/responses.ts';
import { notFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { fallback, filled, integer, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import { type ApiRequest, RawResponse, type Route } from '../../http/route.ts';
import { demandWritable } from '../pipelines/pipelines.ts';
import { type FoundProject, openProjectRoute, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { packageFile } from './responses.ts';
import { addFile, deleteFile, findFile, mustFindPackage } from './managePackages.ts';
import { presentFile } from './present.ts';
import { countFiles, type FileOrder, listFiles } from './store.ts';

const inferred = { specRef: 'Packages', status: 'inferred' } as const;

const local = { specRef: 'Packages', status: 'local' } as const;

const listPackageFilesParameters = () => ({
  ...inProject(),
  order_by: fallback<FileOrder>('id', oneOf(['id', 'created_at', 'file_name'])),
  sort: direction(),
  ...pageParameters(),
});

const createFileParameters = () => ({
  ...inProject(),
  file_name: filled(),
  size: required(integer),
  file_md5: string(),
  file_sha1: string(),
  file_sha256: string(),
});

const removeFileParameters = () => ({ ...inProject(), package_file_id: required(integer) });

/** Returns the routes of the files of packages. */
export function packageFileRoutes(): Route[] {
  return [
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/packages/:package_id/package_files',
        acceptsJobToken: true,
        key: 'id',
        body: listOf(packageFile),
        ...inferred,
        params: listPackageFilesParameters,
      },
      listPackageFiles,
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/packages/:package_id/package_files',
        key: 'id',
        body: packageFile,
        ...local,
        params: createFileParameters,
      },
      'developer',
      createFile,
    ),
    projectRoute(
      {
        method: 'DELETE',
        path: '/api/v4/projects/:id/packages/:package_id/package_files/:package_file_id',
        key: 'id',
        ...inferred,
        params: removeFileParameters,
      },
      'maintainer',
      removeFile,
    ),
  ];
}

function listPackageFiles(request: ApiRequest<ParametersOf<typeof listPackageFilesParameters>> & FoundProject) {
  const { params, context } = request;
  const { core } = context;
  const { id } = mustFindPackage(core, request, params.package_id);
  const pages = {
    count: (cap: number) => countFiles(core.store, id, cap),
    rows: (limit: number, offset: number) =>
      listFiles(core.store, id, { order: params.order_by, sort: params.sort, limit, offset }),
  };
  return new RawResponse(offsetResponse(request, params, pages, presentFile));
}

function createFile(request: ProjectRequest<ParametersOf<typeof createFileParameters>>) {
  const { params, context } = request;
  const { core } = context;
  demandWritable(request.project);
  const file = addFile(core, mustFindPackage(core, request, params.package_id), {
    name: params.file_name,
    size: params.size,
    md5: params.file_md5,
    sha1: params.file_sha1,
    sha256: params.file_sha256,
  });
  return presentFile(file);
}

function removeFile(request: ProjectRequest<ParametersOf<typeof removeFileParameters>>) {
  const { core } = request.context;
  demandWritable(request.project);
  const file = findFile(core, mustFindPackage(core, request, request.params.package_id), request.params.package_file_id);
  if (file === undefined) throw notFound('Package');
  deleteFile(core, file);
}
