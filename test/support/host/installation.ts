// A VS Code of its own: an installation with its extensions, whose windows are opened in a browser one story after the other.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core';
import { type Host, type HostOptions, installExtension, launchHost, writeSettings } from '../../../scripts/vscode-host.ts';
import { testEnvironment } from '../environment.ts';
import { contentsOf, createSecrets } from '../secrets.ts';
import { HANG_LIMIT_MS } from '../until.ts';
import { openBrowser, openContext } from './browser.ts';
import { installGerman } from './language.ts';
import { filesIn, reset, type Used } from './reset.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const ROOT = path.resolve(import.meta.dirname, '..', '..', '..');
const DIST = path.join(ROOT, 'dist');
/** Module that records responses with secrets. */
const SECRETS_SEEN = path.join(import.meta.dirname, 'secretsSeen.mjs');
/** Prevents VS Code from querying its marketplace. */
const NO_GALLERY = { EXTENSIONS_GALLERY: '{}' };
/** Title of the extension's view container. */
export const CONTAINER = 'Signalbox';

export type Editor = {
  /** The running VS Code; its address opens the workspace of this editor. */
  readonly host: Host;
  readonly context: BrowserContext;
  readonly workbench: Workbench;
  /** Folder with all data of this VS Code, including settings and the extension's storage. */
  readonly userDataDir: string;
  /** Folder of the installed extension. */
  readonly extension: string;
  /** Hosts other than this machine that any page of the browser requested. */
  readonly foreignHosts: ReadonlySet<string>;
  /** Writes a screenshot of every open page to .cache/host-failures/ and returns the files. */
  screenshot(name: string): Promise<readonly string[]>;
  /**
   * Closes all windows and resets VS Code with `reset`, which throws if something of this editor is left.
   *
   * @param exitLimitMs Time limit for the programs of the windows to exit. They have as long as a hanging test by default.
   */
  close(exitLimitMs?: number): Promise<void>;
};

/** Options of an installation. */
export type InstallationOptions = Partial<
  Pick<HostOptions, 'version' | 'extensionDevelopmentPath' | 'testsPath' | 'env' | 'nodeArguments'>
> & {
  /** Folder of the built extension; dist/ by default. */
  readonly extension?: string;
  /** Folders of additional extensions to install. */
  readonly neighbours?: readonly string[];
};

/** Options of a window. They may differ between the windows of an installation. */
export type WindowOptions = Pick<HostOptions, 'userSettings' | 'isUntrusting'> & {
  /** Folder to open; an empty one by default. */
  readonly workspace?: string;
  /** Display language; English by default. */
  readonly language?: 'de';
  /** Called with every line that pages write to the browser console. */
  readonly onConsole?: (line: string) => void;
};

export type EditorOptions = InstallationOptions & WindowOptions;

export type Installation = {
  /** Opens VS Code for a new user with an empty workspace. One editor can be open at a time. */
  open(options: WindowOptions): Promise<Editor>;
  /** Ends VS Code and removes its files. */
  stop(): Promise<void>;
};

/**
 * Installs and starts VS Code. The built extension is unpacked into the extensions folder, as by an installation; so is a language pack,
 * which has no effect on windows in English.
 */
export async function startInstallation(browser: Browser, options: InstallationOptions): Promise<Installation> {
  const { extension = DIST, neighbours = [], ...hostOptions } = options;
  const home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-host-'));
  const folder = (name: string): string => path.join(home, name);
  const [userDataDir, extensionsDir, responses] = [folder('data'), folder('extensions'), folder('responses')];
  const secrets = createSecrets();
  let host: Host | undefined;
  let context: BrowserContext | undefined;
  const stop = async (): Promise<void> => {
    await context?.close();
    await host?.stop();
    try {
      secrets.assertAbsentFrom('the data that VS Code has stored', contentsOf(userDataDir));
    } finally {
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
  };
  try {
    const installed = installExtension(extension, extensionsDir);
    for (const neighbour of neighbours) installExtension(neighbour, extensionsDir);
    installGerman(userDataDir, extensionsDir);
    const files = filesIn(extensionsDir);
    host = await launchHost({
      version: 'current',
      ...hostOptions,
      environment: testEnvironment(['git', 'glab']),
      env: { ...NO_GALLERY, RESPONSES_FILE: responses, ...hostOptions.env },
      nodeArguments: [`--import=${SECRETS_SEEN}`, ...(hostOptions.nodeArguments ?? [])],
      // A window that is closed while it starts may have no time to say so.
      reconnectionSeconds: 3,
      workspace: folder('workspace'),
      extensionsDir,
      userDataDir,
    });
    context = await openContext(browser);
    const used: Used = { home, host, context, userDataDir, extensionsDir, files, responses, secrets };
    let isOpen = false;
    return {
      async open(window) {
        assert.ok(!isOpen, 'the editor before was not closed');
        isOpen = true;
        const editor = await open(used, installed, window);
        return {
          ...editor,
          async close(exitLimitMs) {
            await editor.close(exitLimitMs);
            isOpen = false;
          },
        };
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the options that concern the installation. */
export function installationOptions(options: EditorOptions): InstallationOptions {
  const {
    workspace: _workspace,
    userSettings: _settings,
    isUntrusting: _trust,
    language: _language,
    onConsole: _lines,
    ...own
  } = options;
  return own;
}

/** Opens VS Code in an installation and a browser of its own, which end when the editor is closed. */
export async function openOwnEditor(options: EditorOptions): Promise<Editor> {
  const browser = await openBrowser();
  let stop: (() => Promise<void>) | undefined;
  const end = async (): Promise<void> => {
    await stop?.();
    await browser.close();
  };
  try {
    const started = await startInstallation(browser, installationOptions(options));
    stop = started.stop;
    const editor = await started.open(options);
    return { ...editor, close: (exitLimitMs) => editor.close(exitLimitMs).finally(end) };
  } catch (error) {
    await end();
    throw error;
  }
}

async function open(used: Used, extension: string, options: WindowOptions): Promise<Editor> {
  const { home, context, userDataDir } = used;
  const { workspace = path.join(home, 'workspace'), language, onConsole } = options;
  const host = { ...used.host, url: used.host.urlOf(workspace) };
  mkdirSync(workspace, { recursive: true });
  writeSettings(host.settingsFile, options);
  if (language !== undefined)
    writeFileSync(path.join(path.dirname(host.settingsFile), 'argv.json'), JSON.stringify({ locale: language }));
  const foreignHosts = new Set<string>();
  const onRequest = (request: Request): void => {
    const url = new URL(request.url());
    if (/^https?:$|^wss?:$/.test(url.protocol) && url.hostname !== '127.0.0.1') foreignHosts.add(url.hostname);
  };
  const onMessage = (message: ConsoleMessage): void => onConsole?.(message.text());
  context.on('request', onRequest).on('console', onMessage);
  const close = async (exitLimitMs = HANG_LIMIT_MS): Promise<void> => {
    context.off('request', onRequest).off('console', onMessage);
    await reset(used, exitLimitMs);
  };
  try {
    const workbench = await openWorkbench(context, host.url, CONTAINER);
    const screenshot = (name: string): Promise<readonly string[]> => screenshots(context.pages(), name);
    return { host, context, workbench, userDataDir, extension, foreignHosts, screenshot, close };
  } catch (error) {
    await screenshots(context.pages(), 'open');
    await close();
    throw error;
  }
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
