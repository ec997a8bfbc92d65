import { existsSync } from 'node:fs';
import path from 'node:path';
import { Fatal } from './fatal.ts';

/** What is known of the running Node. */
export interface Runtime {
  readonly nodeVersion: string;
  /** Node-API level. */
  readonly napi: number;
  readonly platform: string;
  readonly arch: string;
  /** Version of glibc; undefined on musl and on other systems. */
  readonly glibc: string | undefined;
}

/** better-sqlite3 is compiled for this Node-API level; on an older one it ends the process without a word. */
const NODE_API = 10;
/** What its Linux binaries link against. */
const GLIBC = '2.34';
const targets = new Set([
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64',
  'linux-x64',
  'linuxmusl-arm64',
  'linuxmusl-x64',
  'win32-arm64',
  'win32-x64',
]);

/** Name of the native binary for a runtime, without ending. */
export function nativeTarget(runtime: Runtime): string {
  const system = runtime.platform === 'linux' && runtime.glibc === undefined ? 'linuxmusl' : runtime.platform;
  return `${system}-${runtime.arch}`;
}

/** Refuses, in words and before better-sqlite3 is loaded, a runtime that it cannot run on. */
export function checkRuntime(runtime: Runtime): void {
  if (runtime.napi < NODE_API) {
    throw new Fatal(
      'node_too_old',
      `Node ${runtime.nodeVersion} has Node-API ${runtime.napi}, and the database needs Node-API ${NODE_API}.`,
      'Use Node 22.19 or newer, or a VS Code from 1.112 on.',
    );
  }
  const target = nativeTarget(runtime);
  if (!targets.has(target)) {
    throw new Fatal(
      'platform_unsupported',
      `There is no database binary for ${target}.`,
      'The local server runs on Linux, macOS and Windows, each on x64 and arm64. Remote instances work everywhere.',
    );
  }
  if (runtime.glibc !== undefined && compareVersions(runtime.glibc, GLIBC) < 0) {
    throw new Fatal(
      'glibc_too_old',
      `This system has glibc ${runtime.glibc}, and the database needs glibc ${GLIBC}.`,
      'Use a newer distribution (Debian 12, Ubuntu 22.04, RHEL 9 or later), or a remote instance.',
    );
  }
}

/**
 * Path of the bundled binary in `<root>/native`; undefined when this is a source tree, where the package finds its own. Throws when
 * the bundle came without the one for this platform.
 */
export function nativeBinding(root: string, runtime: Runtime): string | undefined {
  const folder = path.join(root, 'native');
  if (!existsSync(folder)) return undefined;
  const file = path.join(folder, `${nativeTarget(runtime)}.node`);
  if (existsSync(file)) return file;
  throw new Fatal(
    'binary_missing',
    `The package has no database binary for ${nativeTarget(runtime)}.`,
    'Install the package made for this platform, or the universal one.',
  );
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number));
  for (let index = 0; index < 2; index += 1) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
