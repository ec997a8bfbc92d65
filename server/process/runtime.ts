import { existsSync } from 'node:fs';
import path from 'node:path';
import { Fatal } from '../core/fatal.ts';

/** Properties of the running Node. */
export interface Runtime {
  readonly nodeVersion: string;
  /** Node-API level. */
  readonly napi: number;
  readonly platform: string;
  readonly arch: string;
  /** Version of glibc; undefined on musl and on other systems. */
  readonly glibc: string | undefined;
}

/** Node-API level that better-sqlite3 is compiled for. On an older one the process ends without a message. */
const NODE_API = 10;
/** Version of glibc that the Linux binaries require. */
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

/** Returns the name of the native binary for a runtime, without extension. */
export function nativeTarget(runtime: Runtime): string {
  const system = runtime.platform === 'linux' && runtime.glibc === undefined ? 'linuxmusl' : runtime.platform;
  return `${system}-${runtime.arch}`;
}

/** Throws Fatal if better-sqlite3 cannot run on this runtime. Called before it is loaded. */
export function checkRuntime(runtime: Runtime): void {
  if (runtime.napi < NODE_API) {
    throw new Fatal(
      'node_too_old',
      `Node ${runtime.nodeVersion} provides Node-API ${runtime.napi}, but SQLite requires Node-API ${NODE_API}.`,
      'Use Node 22.19 or newer, or VS Code 1.112 or newer.',
    );
  }
  const target = nativeTarget(runtime);
  if (!targets.has(target)) {
    throw new Fatal(
      'platform_unsupported',
      `No SQLite build for this operating system (${target}).`,
      'The local server runs on Linux, macOS and Windows, on x64 and arm64. Remote instances work everywhere.',
    );
  }
  if (runtime.glibc !== undefined && compareVersions(runtime.glibc, GLIBC) < 0) {
    throw new Fatal(
      'glibc_too_old',
      `This system has glibc ${runtime.glibc}, but SQLite requires glibc ${GLIBC}.`,
      'Use a newer distribution (Debian 12, Ubuntu 22.04, RHEL 9 or later), or a remote instance.',
    );
  }
}

/**
 * Returns the path of the bundled binary in `<root>/native`, or undefined in a source tree, where the package finds its own. Throws Fatal
 * if the bundle lacks the binary for this platform.
 */
export function nativeBinding(root: string, runtime: Runtime): string | undefined {
  const folder = path.join(root, 'native');
  if (!existsSync(folder)) return undefined;
  const file = path.join(folder, `${nativeTarget(runtime)}.node`);
  if (existsSync(file)) return file;
  throw new Fatal(
    'binary_missing',
    `The package contains no SQLite build for ${nativeTarget(runtime)}.`,
    'Install the package for this platform, or the universal package.',
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
