// Resets VS Code between two editors: afterwards it is that of a new user who has never opened a window.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import type { Host } from '../../../scripts/vscode-host.ts';
import { commandLine, processesBelow, type RunningProcess } from '../remainingProcesses.ts';
import { contentsOf, type Secrets } from '../secrets.ts';

/** A VS Code that an editor has used. */
export type Used = {
  /** Folder of this VS Code with all folders below. */
  readonly home: string;
  readonly host: Host;
  readonly context: BrowserContext;
  readonly userDataDir: string;
  readonly extensionsDir: string;
  /** Files of the installed extensions. */
  readonly files: readonly string[];
  /** File with the responses that the extension hosts received. */
  readonly responses: string;
  /** Secrets in these responses. */
  readonly secrets: Secrets;
};

/** Programs of VS Code's server that serve all windows. */
const OF_SERVER = /vscode-server\.ts|--type=(?:ptyHost|fileWatcher)\b/;
/** Files and folders of the user, below the folder of VS Code. */
const OF_USER = ['workspace', 'data/data/User', 'data/data/Machine', 'data/data/logs/*/exthost*'] as const;
/** Files of VS Code's server, below its data folder. */
const OF_INSTALLATION =
  /^(?:secret-key|data\/(?:languagepacks\.json|machineid|clp\/.*|CachedProfilesData\/.*|logs\/[^/]*\/[^/]*\.log)) /;

/**
 * Closes all windows, and removes what the user has: settings, state, secrets, sessions, terminals, the storage of the extension with the
 * data of the local server, and the workspace.
 *
 * @param exitLimitMs Time limit for the programs of closed windows to exit.
 * @throws Error if a program, a file or something in the storage of the browser is left, or if VS Code has stored a secret in plain text that
 *   its extensions received, now or earlier.
 */
export async function reset(used: Used, exitLimitMs: number): Promise<void> {
  const { home, host, context } = used;
  const started = programsOf(host);
  // Unloading a window ends its extension host, as when a user closes the tab.
  await Promise.all(context.pages().map((page) => page.goto('about:blank').catch(() => {})));
  const page = await context.newPage();
  await Promise.all(context.pages().flatMap((other) => (other === page ? [] : [other.close()])));
  const left: string[] = [...(await programsLeft(host, started, exitLimitMs)), ...secretsLeft(used)];

  for (const pattern of OF_USER)
    for (const name of globSync(pattern, { cwd: home })) rmSync(path.join(home, name), { recursive: true, maxRetries: 5 });
  await page.goto(`${host.origin}/version`);
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin: host.origin, storageTypes: 'all' });
  await context.clearCookies();
  left.push(...(await storedIn(page)), ...filesLeft(used));
  await page.close();
  assert.ok(left.length === 0, `the editor has left something: ${left.join(', ')}`);
}

/** Returns the programs of all windows. */
function programsOf({ pid }: Host): readonly RunningProcess[] {
  return pid === undefined ? [] : processesBelow(pid).filter(({ command }) => !OF_SERVER.test(command));
}

/**
 * Ends the programs of terminals, and waits until all programs of closed windows have exited. Returns the command lines of those that are
 * left.
 *
 * @param started The programs before the windows were closed. One that no longer descends from VS Code is left as well.
 */
async function programsLeft(host: Host, started: readonly RunningProcess[], limitMs: number): Promise<readonly string[]> {
  const terminals = processesBelow(host.pid ?? 0).filter(({ command }) => command.includes('--type=ptyHost'));
  const end = performance.now() + limitMs;
  for (;;) {
    const running = programsOf(host);
    const left = [...started.filter(({ pid, command }) => commandLine(pid) === command), ...running];
    const commands = [...new Set(left.map(({ command }) => command))];
    if (commands.length === 0 || performance.now() > end) return commands;
    for (const { pid, parent } of running) if (terminals.some((terminal) => terminal.pid === parent)) hangUp(pid);
    await pause(10);
  }
}

function secretsLeft({ responses, secrets, userDataDir }: Used): readonly string[] {
  if (!existsSync(responses)) return ['no record of the responses that the extension host received'];
  secrets.addResponse(readFileSync(responses, 'utf8'));
  rmSync(responses);
  try {
    secrets.assertAbsentFrom('the data that VS Code has stored', contentsOf(userDataDir));
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function hangUp(pid: number): void {
  try {
    process.kill(pid, 'SIGHUP');
  } catch {
    // It has exited in the meantime.
  }
}

function filesLeft({ userDataDir, extensionsDir, files }: Used): readonly string[] {
  // VS Code writes a list of the extensions when a window first needs it.
  const installed = filesIn(extensionsDir).filter((file) => !file.startsWith('extensions.json '));
  const changed = [...installed.filter((file) => !files.includes(file)), ...files.filter((file) => !installed.includes(file))];
  return [...filesIn(userDataDir).filter((file) => !OF_INSTALLATION.test(file)), ...changed];
}

/** Returns the relative names of all files in a folder, each with its size. */
export function filesIn(folder: string): readonly string[] {
  return globSync('**', { cwd: folder, withFileTypes: true }).flatMap((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return entry.isFile() ? [`${path.relative(folder, file).replaceAll(path.sep, '/')} ${statSync(file).size}`] : [];
  });
}

/** Returns what the browser stores for the origin of a page. */
function storedIn(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => [
    ...(await indexedDB.databases()).map(({ name }) => `database ${name}`),
    ...Object.keys(localStorage).map((name) => `local storage ${name}`),
    ...(await caches.keys()).map((name) => `cache ${name}`),
    ...document.cookie.split('; ').filter(Boolean),
  ]);
}
