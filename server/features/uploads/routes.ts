import { isoTime } from '../../core/clock.ts';
import { tooLarge } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { file, integer, required, string, type ParametersOf } from '../../http/params.ts';
import { content, listOf, type ResponseOf } from '../../http/responses.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import { demandWritable } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import { type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { createUpload, demandUpload, demandUploadAt, maxFileBytes, type Upload, uploadResponse } from './files.ts';
import { uploadPages } from './pages.ts';
import { listedUpload, newUpload } from './responses.ts';
import { markdownOf, uploadPath } from './rules.ts';
import { countUploads, deleteUploadRow, listUploads } from './store.ts';

const PATH = '/api/v4/projects/:id/uploads';
/** Maximum size of the other parts of the form of an upload, in bytes. */
const MAX_OTHER_BYTES = 64 * 1024;

const metadata = { specRef: 'Uploads', status: 'inferred', key: 'id' } as const;

const byId = () => ({ id: required(string), upload_id: required(integer) });

const bySecret = () => ({ id: required(string), secret: required(string), filename: required(string) });

const addUploadParameters = () => ({ id: required(string), file: required(file) });

const showUploadsParameters = () => ({ id: required(string), ...pageParameters() });

/** Files that users attach to texts and releases of a project. */
export function uploadRoutes(core: Core): Route[] {
  return [
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: PATH,
        body: newUpload,
        maxBody: () => maxFileBytes(core) + MAX_OTHER_BYTES,
        params: addUploadParameters,
      },
      'visible',
      (request) => addUpload(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: PATH, addedIn: '17.2', body: listOf(listedUpload), params: showUploadsParameters },
      'maintainer',
      (request) => showUploads(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${PATH}/:upload_id`, addedIn: '17.2', body: content, params: byId },
      'maintainer',
      ({ params, project }) => new RawResponse(uploadResponse(core, demandUpload(core, project, params.upload_id))),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: `${PATH}/:secret/:filename`,
        secrets: ['secret'],
        addedIn: '17.4',
        body: content,
        params: bySecret,
      },
      'visible',
      ({ params, project }) => new RawResponse(uploadResponse(core, demandUploadAt(core, project, params))),
    ),
    projectRoute(
      { ...metadata, method: 'DELETE', path: `${PATH}/:upload_id`, addedIn: '17.2', params: byId },
      'maintainer',
      (request) => removeUpload(core, request),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'DELETE',
        path: `${PATH}/:secret/:filename`,
        secrets: ['secret'],
        addedIn: '17.4',
        params: bySecret,
      },
      'maintainer',
      (request) => removeNamedUpload(core, request),
    ),
    ...uploadPages(core),
  ];
}

function addUpload(
  core: Core,
  { params, project, caller }: ProjectRequest<ParametersOf<typeof addUploadParameters>>,
): ResponseOf<typeof newUpload> {
  demandWritable(project);
  const most = maxFileBytes(core);
  if (params.file.bytes.length > most) throw tooLarge(most);
  const upload = createUpload(core, project, caller.user, params.file);
  const url = uploadPath(upload);
  const { alt, markdown } = markdownOf(upload);
  return { id: upload.id, alt, url, full_path: `/-/project/${project.id}${url}`, markdown };
}

function showUploads(core: Core, request: ProjectRequest<ParametersOf<typeof showUploadsParameters>>): RawResponse {
  const { params, project } = request;
  const list = {
    count: (cap: number) => countUploads(core.store, project.id, cap),
    rows: (limit: number, offset: number) => listUploads(core.store, project.id, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, list, (upload) => present(core, upload)));
}

function removeUpload(core: Core, { params, project }: ProjectRequest<ParametersOf<typeof byId>>): void {
  demandWritable(project);
  deleteUploadRow(core.store, demandUpload(core, project, params.upload_id).id);
}

function removeNamedUpload(core: Core, { params, project }: ProjectRequest<ParametersOf<typeof bySecret>>): void {
  demandWritable(project);
  deleteUploadRow(core.store, demandUploadAt(core, project, params).id);
}

function present(core: Core, upload: Upload): ResponseOf<typeof listedUpload> {
  const user = upload.uploader_id === null ? undefined : findUser(core, upload.uploader_id);
  return {
    id: upload.id,
    size: upload.size,
    filename: upload.filename,
    created_at: isoTime(upload.created_at),
    uploaded_by: user === undefined ? null : { id: user.id, name: user.name, username: user.username },
  };
}
