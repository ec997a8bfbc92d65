// The VS Code of the host tests: one for all tests of a process, which is reset between them, or one of its own for a test that needs
// another version, environment or extension.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { AsyncFunc, Context } from 'mocha';
import {
  type Editor,
  type Installation,
  type EditorOptions,
  installationOptions,
  openOwnEditor,
  startInstallation,
} from './installation.ts';
import { sharedBrowser } from './sharedBrowser.ts';

export { CONTAINER, type Editor } from './installation.ts';

/** Extension that runs recorder/record.js. */
export const RECORDER = path.join(import.meta.dirname, 'recorder');
/** Extension that runs neighbour/neighbour.js. The shared VS Code has it, as most users have other extensions. */
const NEIGHBOUR = path.join(import.meta.dirname, 'neighbour');

/** Modules that record what extension hosts do, each in a file that an environment variable names. */
const OBSERVERS = ['connections', 'modules'] as const;

let shared: Promise<Installation> | undefined;
/** Folder with the files of the observers. */
let observations: string | undefined;

/**
 * Opens VS Code for a new user with an empty workspace. If the options concern only the window, it is the VS Code that the tests of a
 * process share; then one editor can be open at a time. With other options it is a VS Code of its own.
 */
export async function openEditor(options: EditorOptions = {}): Promise<Editor> {
  if (Object.keys(installationOptions(options)).length > 0) return openOwnEditor(options);
  shared ??= startShared();
  const used = shared;
  const orDiscard = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      // The next test gets a new VS Code. This error is the first one, so it says most.
      shared = undefined;
      await used.then(({ stop }) => stop()).catch(() => {});
      throw error;
    }
  };
  const editor = await orDiscard(async () => {
    const installation = await used;
    for (const name of OBSERVERS) rmSync(fileOf(name), { force: true });
    return installation.open(options);
  });
  return { ...editor, close: (exitLimitMs) => orDiscard(() => editor.close(exitLimitMs)) };
}

async function startShared(): Promise<Installation> {
  observations ??= mkdtempSync(path.join(os.tmpdir(), 'signalbox-observed-'));
  return startInstallation(await sharedBrowser(), {
    neighbours: [NEIGHBOUR],
    env: Object.fromEntries(OBSERVERS.map((name) => [`${name.toUpperCase()}_FILE`, fileOf(name)])),
    nodeArguments: OBSERVERS.map((name) => `--import=${path.join(import.meta.dirname, `${name}.mjs`)}`),
  });
}

after(async () => {
  await (await shared)?.stop();
  if (observations !== undefined) rmSync(observations, { recursive: true, force: true });
});

/**
 * Returns what the extension hosts of the shared VS Code have done since its editor was opened: the connections they made, or the bundles
 * of the extension they loaded.
 */
export function observed(what: (typeof OBSERVERS)[number]): readonly string[] {
  return readFileSync(fileOf(what), 'utf8').split('\n').filter(Boolean);
}

function fileOf(what: (typeof OBSERVERS)[number]): string {
  return path.join(observations ?? '', what);
}

/** Returns a hook for `afterEach` that takes screenshots after a failed test. Hooks that clean up must be added after it. */
export function screenshotsOfFailure(editor: () => Editor): AsyncFunc {
  return async function (this: Context) {
    const { currentTest: test } = this;
    if (test?.state === 'failed') console.log(`screenshots: ${(await editor().screenshot(test.title)).join(', ')}`);
  };
}
