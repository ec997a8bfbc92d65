// Bundles the suites that run inside the extension host with a copy of the extension. The extension of that copy starts with the bundle,
// so VS Code gives both the same `vscode` object.
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';

const root = path.dirname(import.meta.dirname);
/** Inside the clone, so that the bundle finds mocha in node_modules. */
const cache = path.join(root, '.cache', 'host-suites');
const BUNDLE = 'suites.cjs';

/**
 * Returns the files of the suites to run inside the extension host, relative to the root: those that SIGNALBOX_TEST_SUITES names, separated
 * by commas, or all.
 */
export function suiteFiles(): readonly string[] {
  const named = process.env['SIGNALBOX_TEST_SUITES'] ?? '';
  return named === '' ? globSync('test/**/*.suite.ts', { cwd: root }).toSorted() : named.split(',');
}

export interface BuiltSuites extends Disposable {
  /** Folder of the extension to load. */
  readonly extension: string;
  /** Module whose `run` runs the suites. */
  readonly testsPath: string;
}

/** Copies dist/ and adds the suites. Disposing removes the copy. */
export async function buildHostSuites(): Promise<BuiltSuites> {
  mkdirSync(cache, { recursive: true });
  const extension = mkdtempSync(path.join(cache, 'extension-'));
  const dispose = (): void => rmSync(extension, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    cpSync(path.join(root, 'dist'), extension, { recursive: true });
    const file = path.join(extension, 'package.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), main: `./${BUNDLE}` }));
    const testsPath = path.join(extension, BUNDLE);
    await bundle(testsPath);
    return { extension, testsPath, [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

async function bundle(outfile: string): Promise<void> {
  const entry = JSON.stringify(path.join(root, 'test/support/host/suite/index.ts'));
  const loads = suiteFiles().map((file) => `require(${JSON.stringify(path.join(root, file))});`);
  await esbuild.build({
    stdin: {
      contents: [`export * from ${entry};`, `import { addSuites } from ${entry};`, 'addSuites(() => {', ...loads, '});'].join(
        '\n',
      ),
      resolveDir: root,
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    // Mocha resolves its own files at run time, so it stays in node_modules.
    external: ['vscode', 'mocha', 'playwright-core'],
    plugins: [pathsOfModules],
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  // Otherwise esbuild's process would outlive the tests.
  await esbuild.stop();
}

/** Modules find files by their own path. */
const pathsOfModules: esbuild.Plugin = {
  name: 'paths-of-modules',
  setup(build) {
    build.onLoad({ filter: /[\\/](?:test|scripts)[\\/].*\.ts$/ }, ({ path: file }) => ({
      contents: readFileSync(file, 'utf8')
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
        .replaceAll('import.meta.filename', JSON.stringify(file)),
      loader: 'ts',
    }));
  },
};
