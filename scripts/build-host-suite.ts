// Bundles the tests that run inside the extension host into one CommonJS file, which VS Code loads with `--extensionTestsPath`.
import path from 'node:path';
import * as esbuild from 'esbuild';

const root = path.dirname(import.meta.dirname);

/** Bundles test/support/host/suite/index.ts, which exports `run(): Promise<void>`. Returns the absolute path of the bundle. */
export async function buildHostSuite(): Promise<string> {
  const outfile = path.join(root, '.cache/host-suite/index.cjs');
  await esbuild.build({
    entryPoints: [path.join(root, 'test/support/host/suite/index.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    // Mocha resolves its own files at run time, so it stays in node_modules.
    external: ['vscode', 'mocha'],
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  // Otherwise esbuild's process would outlive the tests.
  await esbuild.stop();
  return outfile;
}
