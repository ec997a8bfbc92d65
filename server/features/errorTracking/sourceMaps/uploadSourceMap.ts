import { invalidRecord } from '../../../core/errors.ts';
import type { Core } from '../../../core/core.ts';
import {
  countSourceMaps,
  deleteSourceMapRow,
  insertSourceMap,
  storedBytes,
  replaceSourceMap,
  sameSourceMap,
  sourceMapById,
  type SourceMapRow,
} from './sourceMapStore.ts';
import { examineSourceMap } from './sourceMapThread.ts';

export type { SourceMapRow as SourceMap } from './sourceMapStore.ts';

/** Maximum number of source maps per project. */
export const MAX_MAPS = 1000;
/** Maximum compressed size of all source maps of a project, in bytes. */
export const MAX_BYTES = 512 * 1024 * 1024;

export interface NewSourceMap {
  readonly bytes: Uint8Array;
  /** Generated file. Defaults to the file stated in the map, then to `fileName`. */
  readonly name: string | undefined;
  readonly fileName: string | undefined;
  readonly appRelease: string | undefined;
  readonly dist: string | undefined;
  /** Defaults to the ID stated in the map. */
  readonly debugId: string | undefined;
}

/**
 * Stores a source map of a project, whether or not error tracking is on. Replaces a map with the same file, release, distribution
 * and debug ID. Throws `Invalid` for an invalid map, a map that no event could match, and beyond the limits.
 */
export async function uploadSourceMap(core: Core, projectId: number, input: NewSourceMap): Promise<SourceMapRow> {
  const { store, clock, changes } = core;
  const examined = await examineSourceMap(input.bytes);
  if ('problem' in examined) throw invalidRecord({ file: [`is not a source map: ${examined.problem}`] });
  const debugId = debugIdFor(input.debugId, examined.debugId);
  const file = input.name ?? (examined.file === '' ? undefined : examined.file) ?? input.fileName ?? '';
  if (file === '' && debugId === undefined) throw invalidRecord({ name: ["can't be blank, because the map names no file"] });
  if (file.length > MAX_NAME_LENGTH) throw invalidRecord({ name: [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`] });
  const row = {
    project_id: projectId,
    file,
    app_release: input.appRelease ?? '',
    dist: input.dist ?? '',
    debug_id: debugId ?? '',
    key: examined.key,
    size: input.bytes.byteLength,
    uploaded_at: clock.now(),
  };
  return store.transaction(() => {
    const before = sameSourceMap(store, row);
    if (before === undefined && countSourceMaps(store, projectId, MAX_MAPS) >= MAX_MAPS) {
      throw invalidRecord({
        base: [`The project has ${MAX_MAPS} source maps, which are the most. Delete some that no event needs any more.`],
      });
    }
    const id = before?.id ?? insertSourceMap(store, row, examined.packed);
    if (before !== undefined) replaceSourceMap(store, id, row, examined.packed);
    if (storedBytes(store, projectId) > MAX_BYTES) {
      throw invalidRecord({
        base: [
          `The source maps of a project have ${MAX_BYTES / 1024 / 1024} MB at most. Delete some that no event needs any more.`,
        ],
      });
    }
    changes.publish({ kind: 'sourceMapUploaded', projectId, mapId: id, file });
    return { id, ...row };
  });
}

const MAX_NAME_LENGTH = 1024;
const DEBUG_ID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** Returns a UUID in lower case. An invalid ID in the map is ignored. */
function debugIdFor(requested: string | undefined, own: string | undefined): string | undefined {
  const ownId = own === undefined ? undefined : uuidOf(own);
  if (requested === undefined) return ownId;
  const id = uuidOf(requested);
  if (id === undefined) throw invalidRecord({ debug_id: ['is not a UUID'] });
  if (ownId !== undefined && ownId !== id) throw invalidRecord({ debug_id: [`is not that of the map, which is ${ownId}`] });
  return id;
}

function uuidOf(text: string): string | undefined {
  return DEBUG_ID.exec(text.toLowerCase())?.slice(1).join('-');
}

/** Deletes a source map. Frames that it mapped are shown unmapped from then on. */
export function deleteSourceMap(core: Core, { id, project_id: projectId, file }: SourceMapRow): void {
  const { store, changes } = core;
  store.transaction(() => {
    if (sourceMapById(store, projectId, id) === undefined) return;
    deleteSourceMapRow(store, id);
    changes.publish({ kind: 'sourceMapRemoved', projectId, mapId: id, file });
  });
}
