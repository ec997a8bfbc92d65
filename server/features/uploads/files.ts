import { randomBytes } from 'node:crypto';
import { attachedFile } from '../../http/fileContent.ts';
import { notFound } from '../../core/errors.ts';
import type { HttpResponse } from '../../http/requestContext.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { settingNumber } from '../settings/settings.ts';
import { storedName } from './rules.ts';
import { contentOf, insertUpload, uploadById, uploadBySecret, type UploadRow } from './store.ts';

export type Upload = UploadRow;

/** Returns the maximum size of an uploaded file, in bytes. */
export function maxFileBytes(core: Core): number {
  return settingNumber(core, 'max_attachment_size') * 1024 * 1024;
}

type InProject = Pick<Project, 'id'>;

/** Stores a file for a project. Its address contains a random secret. */
export function createUpload(
  core: Core,
  project: InProject,
  uploader: User,
  file: { readonly name?: string | undefined; readonly bytes: Uint8Array },
): Upload {
  const { store, clock } = core;
  return store.transaction(() => {
    const row = {
      project_id: project.id,
      secret: randomBytes(16).toString('hex'),
      filename: storedName(file.name),
      size: file.bytes.length,
      uploader_id: uploader.id,
      created_at: clock.now(),
    };
    return { id: insertUpload(store, row, file.bytes), ...row };
  });
}

/** Throws `NotFound` if the project has no upload with this ID. */
export function demandUpload(core: Core, project: InProject, id: number): Upload {
  const upload = uploadById(core.store, project.id, id);
  if (upload === undefined) throw notFound('Upload', 'the project has no upload with this ID');
  return upload;
}

/** Throws `NotFound` if the project has no upload with this secret and name. */
export function demandUploadAt(
  core: Core,
  project: InProject,
  { secret, filename }: Readonly<Record<'secret' | 'filename', string>>,
): Upload {
  const upload = uploadBySecret(core.store, project.id, secret, filename);
  if (upload === undefined) throw notFound('Upload', 'the project has no upload with this secret and file name');
  return upload;
}

/** Returns the response with the content of an upload: an image, or a download of anything else. */
export function uploadResponse(core: Core, upload: Upload): HttpResponse {
  return attachedFile(contentOf(core.store, upload.id) ?? Buffer.alloc(0), upload.filename);
}
