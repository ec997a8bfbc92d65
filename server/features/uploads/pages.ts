import type { Route } from '../../http/route.ts';
import { notFound } from '../../core/errors.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { findProject } from '../projectAccess/projectAccess.ts';
import { type FileResponse, type PageRequest, pageRoute, type Redirection, signInPath } from '../../web/route.ts';
import { demandUploadAt, uploadResponse } from './files.ts';

/** Returns the page of uploaded files, for everyone who can see the project. */
export function uploadPages(core: Core): Route[] {
  const row = {
    method: 'GET',
    path: '/-/project/:id/uploads/:secret/:filename',
    secrets: ['secret'],
    specRef: 'Web addresses',
    status: 'local',
  } as const;
  return [pageRoute(row, (request) => showUpload(core, request))];
}

function showUpload(core: Core, { caller, context, pathParameters }: PageRequest): FileResponse | Redirection {
  const { id = '', secret = '', filename = '' } = pathParameters;
  const found = /^\d{1,15}$/.test(id) ? findProject(core, id, caller) : undefined;
  if (found === undefined && caller === undefined) return { redirectTo: signInPath(context) };
  if (found === undefined) throw notFound('Project');
  return { file: uploadResponse(core, demandUploadAt(core, found.project, { secret, filename })) };
}

/** Redirects the address of an upload below the path of its project. Returns undefined for any other path. */
export function uploadRedirection(core: Core, path: string, caller: Caller | undefined): Redirection | undefined {
  const [, projectPath = '', upload = ''] = /^(.+?)(\/uploads\/[0-9a-f]{32}\/[^/]+)$/.exec(path) ?? [];
  const found = projectPath === '' ? undefined : findProject(core, projectPath, caller);
  return found === undefined ? undefined : { redirectTo: encodeURI(`/-/project/${found.project.id}${upload}`) };
}
