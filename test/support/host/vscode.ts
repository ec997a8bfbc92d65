// One VS Code with its browser for a test file; a single call closes everything that is started here.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { AsyncFunc, Context } from 'mocha';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Host, type HostOptions, installExtension, launchHost } from '../../../scripts/vscode-host.ts';
import { testEnvironment } from '../environment.ts';
import { contentsOf, createSecrets } from '../secrets.ts';
import { openBrowser, openContext } from './browser.ts';
import { installGerman } from './language.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const ROOT = path.resolve(import.meta.dirname, '..', '..', '..');
export const DIST = path.join(ROOT, 'dist');
/** Extension that runs recorder/record.js. */
export const RECORDER = path.join(import.meta.dirname, 'recorder');
/** Extension that runs neighbour/neighbour.js. */
export const NEIGHBOUR = path.join(import.meta.dirname, 'neighbour');
/** Module that records responses with secrets. */
const SECRETS_SEEN = path.join(import.meta.dirname, 'secretsSeen.mjs');
/** Prevents VS Code from querying its marketplace. */
const NO_GALLERY = { EXTENSIONS_GALLERY: '{}' };
/** Title of the extension's view container. */
export const CONTAINER = 'Signalbox';

export type Editor = {
  readonly host: Host;
  readonly context: BrowserContext;
  readonly workbench: Workbench;
  /** Folder with all data of this VS Code, including settings and the extension's storage. */
  readonly userDataDir: string;
  /** Hosts other than this machine that any page of the browser requested. */
  readonly foreignHosts: ReadonlySet<string>;
  /** Writes a screenshot of every open page to .cache/host-failures/ and returns the files. */
  screenshot(name: string): Promise<readonly string[]>;
  /**
   * Closes everything, and searches all data of this VS Code, including its logs and the data of its local server, for the secrets that its
   * extensions received.
   */
  close(): Promise<void>;
};

export type EditorOptions = Partial<
  Pick<
    HostOptions,
    'version' | 'extensionDevelopmentPath' | 'testsPath' | 'userSettings' | 'isUntrusting' | 'env' | 'nodeArguments'
  >
> & {
  /** Folder to open; an empty one by default. */
  readonly workspace?: string;
  /** Display language; English by default. */
  readonly language?: 'de';
  /** Folder of the built extension; dist/ by default. */
  readonly extension?: string;
  /** Folders of additional extensions to install. */
  readonly neighbours?: readonly string[];
  /** Called with every line that pages write to the browser console. */
  readonly onConsole?: (line: string) => void;
};

/**
 * Starts VS Code for a new user with an empty workspace and opens it in a new browser. The built extension is unpacked into the extensions
 * folder, as by an installation.
 */
export async function openEditor(options: EditorOptions = {}): Promise<Editor> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-host-'));
  const workspace = options.workspace ?? path.join(home, 'workspace');
  mkdirSync(workspace, { recursive: true });
  const extensionsDir = path.join(home, 'extensions');
  const onConsole = options.onConsole ?? (() => {});
  const userDataDir = path.join(home, 'data');
  const responses = path.join(home, 'responses');
  let host: Host | undefined;
  let browser: Browser | undefined;
  let isOpen = false;
  const close = async (): Promise<void> => {
    await browser?.close();
    await host?.stop();
    const secrets = createSecrets();
    const isRecorded = existsSync(responses);
    if (isRecorded) secrets.addResponse(readFileSync(responses, 'utf8'));
    try {
      secrets.assertAbsentFrom('the data that VS Code has stored', contentsOf(userDataDir));
    } finally {
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
    if (isOpen && !isRecorded) throw new Error('the responses to the extension host were not recorded');
  };
  try {
    for (const extension of [options.extension ?? DIST, ...(options.neighbours ?? [])])
      installExtension(extension, extensionsDir);
    if (options.language === 'de') installGerman(userDataDir, extensionsDir);
    const {
      onConsole: _onConsole,
      extension: _extension,
      neighbours: _neighbours,
      workspace: _workspace,
      ...hostOptions
    } = options;
    host = await launchHost({
      version: 'current',
      ...hostOptions,
      environment: testEnvironment(['git']),
      env: { ...NO_GALLERY, RESPONSES_FILE: responses, ...hostOptions.env },
      nodeArguments: [`--import=${SECRETS_SEEN}`, ...(hostOptions.nodeArguments ?? [])],
      workspace,
      extensionsDir,
      userDataDir,
    });
    browser = await openBrowser();
    const context = await openContext(browser);
    const foreignHosts = new Set<string>();
    context.on('request', (request) => {
      const url = new URL(request.url());
      if (/^https?:$|^wss?:$/.test(url.protocol) && url.hostname !== '127.0.0.1') foreignHosts.add(url.hostname);
    });
    context.on('console', (message) => onConsole(message.text()));
    const workbench = await openWorkbench(context, host.url, CONTAINER);
    isOpen = true;
    return {
      host,
      context,
      workbench,
      userDataDir,
      foreignHosts,
      screenshot: (name) => screenshots(context.pages(), name),
      close,
    };
  } catch (error) {
    const pages = browser?.contexts().flatMap((context) => context.pages()) ?? [];
    await screenshots(pages, 'open');
    await close();
    throw error;
  }
}

/** Returns a hook for `afterEach` that takes screenshots after a failed test. Hooks that clean up must be added after it. */
export function screenshotsOfFailure(editor: () => Editor): AsyncFunc {
  return async function (this: Context) {
    const { currentTest: test } = this;
    if (test?.state === 'failed') console.log(`screenshots: ${(await editor().screenshot(test.title)).join(', ')}`);
  };
}

async function screenshots(pages: readonly Page[], name: string): Promise<readonly string[]> {
  const folder = path.join(ROOT, '.cache', 'host-failures');
  mkdirSync(folder, { recursive: true });
  const files: string[] = [];
  for (const [number, page] of pages.entries()) {
    const file = path.join(folder, `${name.replaceAll(/[^\w-]+/g, '-')}-${number}.png`);
    // A closing page has no screenshot; the failure that led here matters more.
    await page.screenshot({ path: file, timeout: 5_000 }).then(
      () => files.push(file),
      () => {},
    );
  }
  return files;
}
