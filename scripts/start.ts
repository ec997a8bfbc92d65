// `npm start`: runs the extension in a real VS Code with a local server and demo data. Nothing is installed outside this folder. Ctrl-C
// stops everything; `npm start -- --help` lists the options.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readHandshakeLine } from '../src/contract/control.ts';
import { HANDOVER_FILE, type Handover } from '../src/contract/handover.ts';
import { parseJson } from '../src/contract/json.ts';
import { firstMatch, type Guarded, spawnGuarded } from './guarded.ts';
import { installExtension, launchHost, prepare } from './vscode-host.ts';

const ROOT = path.dirname(import.meta.dirname);
const DIST = path.join(ROOT, 'dist');
const WORKSPACE = path.join(ROOT, 'media', 'demo-workspace');

const HELP = `Usage: npm start [-- options]

Options
  --data FOLDER  Folder for the data of the local server and VS Code (default: .cache/start-data)
  --fresh        Delete the data in that folder first
  --desktop      Use the VS Code installed on this machine (the command "code") instead of VS Code in the browser
  --open         Open VS Code in the browser
  --help         Show this help

Environment
  SIGNALBOX_ADMIN_TOKEN  Access token of the user root on the local server, for scripts`;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    fresh: { type: 'boolean' },
    desktop: { type: 'boolean' },
    open: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

if (values.help === true) {
  console.log(HELP);
} else {
  try {
    await start();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

async function start(): Promise<void> {
  const data = path.resolve(values.data ?? path.join(ROOT, '.cache', 'start-data'));
  if (values.fresh === true) rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  build();
  if (values.desktop !== true) prepare('current', console.log);

  const running: { stop(): Promise<void> }[] = [];
  const ended = Promise.withResolvers<string>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ended.resolve(''));
  try {
    const ports = rememberedPorts(data);
    // Scripts can set their own token (see `signalbox serve --help`).
    const adminToken = process.env['SIGNALBOX_ADMIN_TOKEN'] ?? randomBytes(32).toString('hex');
    const server = await startServer(path.join(data, 'server'), ports.server, adminToken);
    running.push(server.program);
    void server.program.exited.then(() => ended.resolve('The local server stopped.'));

    const settings = { 'signalbox.instances': [{ url: server.origin }] };
    if (values.desktop === true) {
      const profile = path.join(data, 'desktop');
      running.push(handOver(path.join(profile, 'User'), { url: server.origin, adminToken }));
      openDesktop(profile, settings);
      announce(server.origin, await signInLink(server.origin, adminToken), undefined);
    } else {
      const extensionsDir = path.join(data, 'extensions');
      installExtension(DIST, extensionsDir);
      running.push(handOver(path.join(data, 'vscode', 'data', 'User'), { url: server.origin, adminToken }));
      const options = {
        version: 'current',
        workspace: WORKSPACE,
        userDataDir: path.join(data, 'vscode'),
        extensionsDir,
        userSettings: settings,
      } as const;
      const host = await launchHost(options, ports.host).catch(() => launchHost(options));
      running.push(host);
      void host.exited.then(() => ended.resolve('VS Code stopped.'));
      ports.remember({ server: portOf(server.origin), host: portOf(host.origin) });
      announce(server.origin, await signInLink(server.origin, adminToken), host.url);
      if (values.open === true) openBrowser(host.url);
    }
    const text = await ended.promise;
    if (text !== '') {
      console.error(text);
      process.exitCode = 1;
    }
  } finally {
    await Promise.all(running.map((program) => program.stop()));
  }
}

/**
 * Hands the server to the extension, which deletes the file. `userFolder` is the folder `User` of VS Code. If VS Code was not opened, the
 * file is deleted at the end.
 */
function handOver(userFolder: string, handover: Handover): { stop(): Promise<void> } {
  const folder = path.join(userFolder, 'globalStorage', 'signalbox.signalbox');
  const file = path.join(folder, HANDOVER_FILE);
  mkdirSync(folder, { recursive: true });
  // A file that exists would keep its mode.
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify(handover), { mode: 0o600 });
  return { stop: async () => rmSync(file, { force: true }) };
}

function build(): void {
  const result = spawnSync(process.execPath, ['esbuild.js'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  if (result.status !== 0) throw new Error('The build failed. See its output above.');
}

/** Starts dist/server.js on a data folder, on the previous port if it is free. */
async function startServer(data: string, port: number, adminToken: string): Promise<{ program: Guarded; origin: string }> {
  const program = spawnGuarded(
    process.execPath,
    [
      ...[path.join(DIST, 'server.js'), 'serve', '--port', String(port), '--data', data, '--seed', 'demo'],
      // Repositories can be moved to it.
      ...['--storage', `archive=${data}-archive`],
    ],
    { env: { ...process.env, SIGNALBOX_ADMIN_TOKEN: adminToken } },
  );
  // The first start prints the demo users and their passwords here.
  program.stderr.on('data', (chunk: string) => process.stderr.write(chunk));
  const line = await firstMatch(program, (text) => readHandshakeLine(parseJson(text)), 'The start of the local server', 60_000);
  if (line.event === 'listening') return { program, origin: line.origin };
  await program.stop();
  if (line.event === 'fatal' && line.code === 'port_taken' && port !== 0) return startServer(data, 0, adminToken);
  if (line.event === 'fatal') throw new Error(`The local server did not start: ${line.message} ${line.hint}`);
  throw new Error(`Another server already uses ${data} (${line.origin}). Stop it, or choose another folder with --data.`);
}

/**
 * Returns the ports of the previous run. Addresses stay the same while the ports are free, because browsers and API clients are registered
 * for them.
 */
function rememberedPorts(data: string): {
  server: number;
  host: number;
  remember(ports: { server: number; host: number }): void;
} {
  const file = path.join(data, 'ports.json');
  const read = (name: string): number => {
    try {
      const all: unknown = JSON.parse(readFileSync(file, 'utf8'));
      const port: unknown = typeof all === 'object' && all !== null ? Reflect.get(all, name) : undefined;
      return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
    } catch {
      return 0;
    }
  };
  return { server: read('server'), host: read('host'), remember: (ports) => writeFileSync(file, JSON.stringify(ports)) };
}

function portOf(origin: string): number {
  return Number(new URL(origin).port);
}

/**
 * Returns a one-time link that signs a browser in as a demo user, or undefined if there is no user besides root. The link is valid for a
 * few minutes.
 */
async function signInLink(origin: string, adminToken: string): Promise<{ username: string; url: string } | undefined> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const users: unknown = await (await fetch(`${origin}/api/v4/users?per_page=100`, { headers })).json();
  const names = Array.isArray(users) ? users.flatMap((user: unknown) => member(user, 'username') ?? []) : [];
  const username = names.filter((name) => name !== 'root').toSorted()[0];
  if (username === undefined) return undefined;
  const body = JSON.stringify({ username, return_to: '/' });
  const response: unknown = await (await fetch(`${origin}/_local/sign-in-links`, { method: 'POST', headers, body })).json();
  const url = member(response, 'url');
  return url === undefined ? undefined : { username, url };
}

function member(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' ? found : undefined;
}

function announce(server: string, link: { username: string; url: string } | undefined, host: string | undefined): void {
  const instance = new URL(server).host;
  const browser =
    link === undefined
      ? ['  The link for setting the first password is printed above.']
      : [
          `  To sign your browser in as @${link.username}, open this one-time link within 5 minutes:`,
          `    ${link.url}`,
          '  Repeat “npm start” for another link. The user names and passwords were printed on the first start with this data.',
        ];
  console.log(
    [
      '',
      `  VS Code       ${host ?? 'opened in a new window'}`,
      `  Local server  ${server}`,
      '',
      ...browser,
      '',
      '  To sign in to this server in VS Code:',
      '    1. In the Signalbox view, select “Sign In”, then “Sign in as a demo user”. No password is needed. If the view shows',
      `       another instance, choose ${instance} with “Select Instance…” first.`,
      '    2. Select a user.',
      '  This VS Code already has the admin token. In another one, “Connect to Local Server…” asks for it: set',
      '  SIGNALBOX_ADMIN_TOKEN to a token of your choice before you start.',
      '  The command “Start Local Server” starts a separate server that VS Code manages.',
      '',
      '  Press Ctrl-C to stop everything.',
      '',
    ].join('\n'),
  );
}

/** Opens a window of the installed VS Code with a separate profile and the extension in dist/. */
function openDesktop(profile: string, settings: Readonly<Record<string, unknown>>): void {
  const file = path.join(profile, 'User', 'settings.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(settings, undefined, 2));
  const windows = process.platform === 'win32';
  const result = spawnSync('code', ['--user-data-dir', profile, '--extensionDevelopmentPath', DIST, '--new-window', WORKSPACE], {
    stdio: 'inherit',
    shell: windows,
  });
  if (result.error !== undefined) {
    throw new Error(
      'The command "code" is not on the PATH. Run “Shell Command: Install \'code\' command in PATH” in VS Code, or omit --desktop.',
    );
  }
}

function openBrowser(url: string): void {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['rundll32', ['url.dll,FileProtocolHandler', url]]
        : ['xdg-open', [url]];
  spawn(command, args, { stdio: 'ignore', detached: true })
    .on('error', () => console.log('Could not open a browser. Open the address above yourself.'))
    .unref();
}
