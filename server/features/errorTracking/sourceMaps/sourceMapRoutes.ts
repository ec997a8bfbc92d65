import { isoTime } from '../../../core/clock.ts';
import type { ResponseOf } from '../../../http/responses.ts';
import { recordNotFound } from '../../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../../http/pagination.ts';
import { file, integer, type ParametersOf, required, string } from '../../../http/params.ts';
import { RawResponse, type Route } from '../../../http/route.ts';
import type { Core } from '../../../core/core.ts';
import { type ProjectRequest, projectRoute } from '../../projectAccess/projectAccess.ts';
import { limits } from '../event/eventLimits.ts';
import { sourceMap, sourceMaps } from './sourceMapResponses.ts';
import { countSourceMaps, listSourceMaps, sourceMapById } from './sourceMapStore.ts';
import { deleteSourceMap, type SourceMap, uploadSourceMap } from './uploadSourceMap.ts';

const PATH = '/api/v4/projects/:id/error_tracking/source_maps';
/**
 * Maximum size of an upload: a map with its parameters. Quotes in a JSON text take two characters, so the largest maps must be
 * sent as files.
 */
const MAX_REQUEST_BYTES = limits.sourceMap + 8 * 1024 * 1024;

const listParameters = () => ({ id: required(string), ...pageParameters() });
const uploadParameters = () => ({
  id: required(string),
  file: required(file),
  name: string(),
  release: string(),
  dist: string(),
  debug_id: string(),
});
const mapParameters = () => ({ id: required(string), source_map_id: required(integer) });

type SourceMapResponse = ResponseOf<typeof sourceMap>;

/** Routes of JavaScript source maps, which map frames to the original source. */
export function sourceMapRoutes(core: Core): Route[] {
  const metadata = { specRef: 'Source maps', status: 'local', key: 'id' } as const;
  return [
    projectRoute({ ...metadata, method: 'GET', path: PATH, body: sourceMaps, params: listParameters }, 'maintainer', (request) =>
      listUploadedMaps(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: PATH, body: sourceMap, maxBody: MAX_REQUEST_BYTES, params: uploadParameters },
      'maintainer',
      (request) => uploadMap(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'DELETE', path: `${PATH}/:source_map_id`, params: mapParameters },
      'maintainer',
      (request) => removeMap(core, request),
    ),
  ];
}

function listUploadedMaps({ store }: Core, request: ProjectRequest<ParametersOf<typeof listParameters>>): RawResponse {
  const { project, params } = request;
  const list = {
    count: (cap: number) => countSourceMaps(store, project.id, cap),
    rows: (limit: number, offset: number) => listSourceMaps(store, project.id, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, list, present));
}

async function uploadMap(
  core: Core,
  { project, params }: ProjectRequest<ParametersOf<typeof uploadParameters>>,
): Promise<SourceMapResponse> {
  return present(
    await uploadSourceMap(core, project.id, {
      bytes: params.file.bytes,
      fileName: params.file.name,
      name: filled(params.name),
      appRelease: filled(params.release),
      dist: filled(params.dist),
      debugId: filled(params.debug_id),
    }),
  );
}

function removeMap(core: Core, { project, params }: ProjectRequest<ParametersOf<typeof mapParameters>>): void {
  const map = sourceMapById(core.store, project.id, params.source_map_id);
  if (map === undefined) throw recordNotFound('the project has no such source map');
  deleteSourceMap(core, map);
}

function present({
  id,
  file: name,
  app_release: release,
  dist,
  debug_id: debugId,
  size,
  uploaded_at: at,
}: SourceMap): SourceMapResponse {
  return {
    id,
    name: filled(name) ?? null,
    release: filled(release) ?? null,
    dist: filled(dist) ?? null,
    debug_id: filled(debugId) ?? null,
    size,
    created_at: isoTime(at),
  };
}

function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
