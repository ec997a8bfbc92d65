// `npm run test:desktop`: runs the tests inside the extension host in desktop VS Code, on the oldest supported and the newest version.
// Requires an internet connection, to download VS Code, and a display.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { downloadAndUnzipVSCode, runTests, SilentReporter } from '@vscode/test-electron';
import { buildHostSuites } from './build-host-suite.ts';

const root = path.dirname(import.meta.dirname);
const versions = ['1.112.0', 'stable'];

const build = spawnSync(process.execPath, ['esbuild.js'], { cwd: root, stdio: 'inherit' });
if (build.status !== 0) process.exit(1);
using suites = await buildHostSuites();
for (const version of versions) {
  const executable = await download(version);
  if (executable === undefined || !(await passes(version, executable))) process.exitCode = 1;
}

async function download(version: string): Promise<string | undefined> {
  try {
    return await downloadAndUnzipVSCode({
      version,
      cachePath: path.join(root, '.vscode-test/desktop'),
      reporter: new SilentReporter(),
    });
  } catch (error) {
    console.error(
      `VS Code ${version} could not be downloaded (${text(error)}). This needs a connection to the internet; without one,`,
    );
    console.error('`npm run test:host` runs the same tests in the VS Code that comes with npm packages.');
    return undefined;
  }
}

async function passes(version: string, vscodeExecutablePath: string): Promise<boolean> {
  // A short path, because the profile contains a socket on macOS and Linux, whose path is limited to 103 characters.
  const profile = mkdtempSync(path.join(os.tmpdir(), 'signalbox-'));
  try {
    await runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: [suites.extension, path.join(root, 'test/support/host/recorder')],
      extensionTestsPath: suites.testsPath,
      launchArgs: [profile, '--disable-extensions', '--disable-workspace-trust', '--user-data-dir', path.join(profile, 'user')],
    });
    console.log(`VS Code ${version}: passed`);
    return true;
  } catch (error) {
    console.error(`VS Code ${version}: failed (${text(error)})`);
    return false;
  } finally {
    rmSync(profile, { recursive: true, force: true });
  }
}

function text(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return error instanceof Error ? `${error.message}${cause}` : String(error);
}
