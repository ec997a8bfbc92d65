import { isoTime } from '../../core/clock.ts';
import { entityTooLarge } from '../../http/failures.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { file, integer, required, string } from '../../http/params.ts';
import { content, listOf, type ResponseOf } from '../../http/responses.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import { findUser } from '../identity/identity.ts';
import { demandWritable } from '../pipelines/pipelines.ts';
import type { Core } from '../../core/core.ts';
import { projectRoute } from '../projects/projects.ts';
import { createUpload, demandUpload, demandUploadAt, maxFileBytes, type Upload, uploadResponse } from './files.ts';
import { uploadPages } from './pages.ts';
import { listedUpload, newUpload } from './responses.ts';
import { markdownOf, uploadPath } from './rules.ts';
import { countUploads, deleteUploadRow, listUploads } from './store.ts';

const PATH = '/api/v4/projects/:id/uploads';
/** Maximum size of the other parts of the form of an upload, in bytes. */
const MAX_OTHER_BYTES = 64 * 1024;

/** Files that users attach to texts and releases of a project. */
export function uploadRoutes(core: Core): Route[] {
  const { store } = core;
  const metadata = { specRef: 'Uploads', status: 'inferred', key: 'id' } as const;
  const byId = () => ({ id: required(string), upload_id: required(integer) });
  const bySecret = () => ({ id: required(string), secret: required(string), filename: required(string) });

  const present = (upload: Upload): ResponseOf<typeof listedUpload> => {
    const user = upload.uploader_id === null ? undefined : findUser(core, upload.uploader_id);
    return {
      id: upload.id,
      size: upload.size,
      filename: upload.filename,
      created_at: isoTime(upload.created_at),
      uploaded_by: user === undefined ? null : { id: user.id, name: user.name, username: user.username },
    };
  };

  return [
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: PATH,
        body: newUpload,
        maxBody: () => maxFileBytes(core) + MAX_OTHER_BYTES,
        params: () => ({ id: required(string), file: required(file) }),
      },
      'visible',
      ({ params, project, caller }): ResponseOf<typeof newUpload> => {
        demandWritable(project);
        const most = maxFileBytes(core);
        if (params.file.bytes.length > most) throw entityTooLarge(most);
        const upload = createUpload(core, project, caller.user, params.file);
        const url = uploadPath(upload);
        const { alt, markdown } = markdownOf(upload);
        return { id: upload.id, alt, url, full_path: `/-/project/${project.id}${url}`, markdown };
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: PATH,
        addedIn: '17.2',
        body: listOf(listedUpload),
        params: () => ({ id: required(string), ...pageParameters() }),
      },
      'maintainer',
      (request) => {
        const { params, project } = request;
        const list = {
          count: (cap: number) => countUploads(store, project.id, cap),
          rows: (limit: number, offset: number) => listUploads(store, project.id, limit, offset),
        };
        return new RawResponse(offsetResponse(request, params, list, present));
      },
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${PATH}/:upload_id`, addedIn: '17.2', body: content, params: byId },
      'maintainer',
      ({ params, project }) => new RawResponse(uploadResponse(core, demandUpload(core, project, params.upload_id))),
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${PATH}/:secret/:filename`, addedIn: '17.4', body: content, params: bySecret },
      'visible',
      ({ params, project }) => new RawResponse(uploadResponse(core, demandUploadAt(core, project, params))),
    ),
    projectRoute(
      { ...metadata, method: 'DELETE', path: `${PATH}/:upload_id`, addedIn: '17.2', params: byId },
      'maintainer',
      ({ params, project }) => {
        demandWritable(project);
        deleteUploadRow(store, demandUpload(core, project, params.upload_id).id);
      },
    ),
    projectRoute(
      { ...metadata, method: 'DELETE', path: `${PATH}/:secret/:filename`, addedIn: '17.4', params: bySecret },
      'maintainer',
      ({ params, project }) => {
        demandWritable(project);
        deleteUploadRow(store, demandUploadAt(core, project, params).id);
      },
    ),
    ...uploadPages(core),
  ];
}
