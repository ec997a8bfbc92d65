// The browser that the host tests drive: an installed Chromium or Chrome, or the one that comes with a package of the lockfile.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

// Not the arguments that the packaged Chromium suggests: those are for one process in a cloud function.
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
    ...['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].flatMap((folder) =>
      ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'].map((file) =>
        path.win32.join(process.env[folder] ?? 'C:\\', file),
      ),
    ),
  ],
};

/** Starts a headless browser with an empty profile. The caller closes it; that ends all its processes. */
export async function openBrowser(): Promise<Browser> {
  const found = findInstalled() ?? unpackPackaged();
  try {
    return await chromium.launch({
      executablePath: found.executable,
      args: ARGUMENTS,
      env: { ...plainEnvironment(), ...found.env },
    });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The browser for the host tests did not start. Install Chromium or Chrome, or name one in CHROME_PATH.\n${text.slice(0, 2_000)}`,
    );
  }
}

/** A browser profile of its own, in which the clipboard is open to the pages. */
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
  const named = process.env['CHROME_PATH'];
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error(`CHROME_PATH names ${named}, and there is no such file.`);
    return { executable: named, env: {} };
  }
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  for (const candidate of INSTALLED[process.platform] ?? []) {
    const files = path.isAbsolute(candidate) ? [candidate] : folders.map((folder) => path.join(folder, candidate));
    const executable = files.find((file) => existsSync(file));
    if (executable !== undefined) return { executable, env: {} };
  }
  return undefined;
}

/** Unpacks the packaged Chromium once into the cache, under its version; another process may do the same at the same time. */
function unpackPackaged(): Found {
  if (process.platform !== 'linux')
    throw new Error('The host tests need an installed Chrome or Chromium; name one in CHROME_PATH.');
  const cache = path.join(ROOT, '.vscode-test');
  const home = path.join(cache, `chromium-${packagedVersion()}`);
  if (!existsSync(home)) {
    mkdirSync(cache, { recursive: true });
    const draft = mkdtempSync(path.join(cache, 'chromium-draft-'));
    try {
      // The package unpacks into the temporary folder and takes for granted whatever stands there; so it gets one of its own.
      const script = "const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath();";
      const result = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
        cwd: ROOT,
        env: { ...process.env, TMPDIR: draft },
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

/** The machine's own fonts, and the packaged one for a machine without any. */
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

/** A proxy of the user's is not for loopback addresses. */
function plainEnvironment(): Record<string, string> {
  const stored = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !/^(https?|all)_proxy$/i.test(name),
  );
  return Object.fromEntries(stored.map(([name, value]) => [name, value ?? '']));
}
