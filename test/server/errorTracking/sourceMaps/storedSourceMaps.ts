import { hash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { insertSourceMap } from '../../../../server/features/errorTracking/sourceMaps/sourceMapStore.ts';
import type { Platform } from '../../../../server/platform.ts';

/** Stores a source map without the thread that checks uploads. Returns its ID. */
export function keepSourceMap({ store, clock }: Platform, projectId: number, file: string): number {
  const map = JSON.stringify({ version: 3, file, sources: [], names: [], mappings: '' });
  const row = {
    project_id: projectId,
    file,
    app_release: '',
    dist: '',
    debug_id: '',
    key: hash('sha256', map),
    size: map.length,
    uploaded_at: clock.now(),
  };
  return insertSourceMap(store, row, deflateRawSync(map));
}
