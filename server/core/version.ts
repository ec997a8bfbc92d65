import { readFileSync } from 'node:fs';
import path from 'node:path';

// esbuild.js inserts the version. Unbundled sources read it from the package.json of the repository.
declare const __SIGNALBOX_VERSION__: string | undefined;

/** Version of this program, as in package.json. */
export const VERSION: string =
  typeof __SIGNALBOX_VERSION__ === 'string'
    ? __SIGNALBOX_VERSION__
    : versionOf(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8'));

function versionOf(manifest: string): string {
  const parsed: unknown = JSON.parse(manifest);
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed && typeof parsed.version === 'string')
    return parsed.version;
  throw new Error('package.json has no version.');
}
