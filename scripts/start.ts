// `npm start`: the extension in a real VS Code beside a local server with demo data, nothing installed outside this folder.
// Ends everything on Ctrl-C. `npm start -- --help` names the options.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readHandshakeLine } from '../src/contract/control.ts';
import { parseJson } from '../src/contract/json.ts';
import { firstMatch, type Guarded, spawnGuarded } from './guarded.ts';
import { installExtension, launchHost, prepare } from './vscode-host.ts';

const ROOT = path.dirname(import.meta.dirname);
const DIST = path.join(ROOT, 'dist');
const WORKSPACE = path.join(ROOT, 'media', 'demo-workspace');

const HELP = `npm start [-- options]

  --data DIR    folder with the data of the local server and of VS Code (default: .cache/start-data)
  --fresh       empty that folder first
  --desktop     use the VS Code installed on this machine (the command "code") instead of the one in the browser
  --open        open the browser
  --help        this text

SIGNALBOX_ADMIN_TOKEN in the environment becomes the access token of root on the local server, for scripts.`;

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
    // Scripts that run beside may bring their own (see `signalbox serve --help`).
    const adminToken = process.env['SIGNALBOX_ADMIN_TOKEN'] ?? randomBytes(32).toString('hex');
    const server = await startServer(path.join(data, 'server'), ports.server, adminToken);
    running.push(server.program);
    void server.program.exited.then(() => ended.resolve('The local server has ended.'));

    const settings = { 'signalbox.instances': [{ url: server.origin }] };
    if (values.desktop === true) {
      openDesktop(path.join(data, 'desktop'), settings);
      announce(server.origin, await signInLink(server.origin, adminToken), undefined);
    } else {
      const extensionsDir = path.join(data, 'extensions');
      installExtension(DIST, extensionsDir);
      const options = {
        version: 'current',
        workspace: WORKSPACE,
        userDataDir: path.join(data, 'vscode'),
        extensionsDir,
        userSettings: settings,
      } as const;
      const host = await launchHost(options, ports.host).catch(() => launchHost(options));
      running.push(host);
      void host.exited.then(() => ended.resolve('VS Code has ended.'));
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

function build(): void {
  const result = spawnSync(process.execPath, ['esbuild.js'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  if (result.status !== 0) throw new Error('The build failed; its words stand above.');
}

/** Starts dist/server.js on this data folder, on the port of last time when that is still free. */
async function startServer(data: string, port: number, adminToken: string): Promise<{ program: Guarded; origin: string }> {
  const program = spawnGuarded(
    process.execPath,
    [path.join(DIST, 'server.js'), 'serve', '--port', String(port), '--data', data, '--seed', 'demo'],
    { env: { ...process.env, SIGNALBOX_ADMIN_TOKEN: adminToken } },
  );
  // The seed says here, once, who there is and with which password.
  program.stderr.on('data', (chunk: string) => process.stderr.write(chunk));
  const line = await firstMatch(program, (text) => readHandshakeLine(parseJson(text)), 'The start of the local server', 60_000);
  if (line.event === 'listening') return { program, origin: line.origin };
  await program.stop();
  if (line.event === 'fatal' && line.code === 'port_taken' && port !== 0) return startServer(data, 0, adminToken);
  if (line.event === 'fatal') throw new Error(`The local server did not start: ${line.message}. ${line.hint}`);
  throw new Error(`Another server already uses ${data} (${line.origin}). Stop it, or choose another folder with --data.`);
}

/** Addresses stay the same from run to run while their ports are free: browsers and API clients know them by address. */
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
      return 0; // the first run
    }
  };
  return { server: read('server'), host: read('host'), remember: (ports) => writeFileSync(file, JSON.stringify(ports)) };
}

function portOf(origin: string): number {
  return Number(new URL(origin).port);
}

/** A link that signs a browser in as one of the demo people, once, within minutes. Undefined when there is nobody but root. */
async function signInLink(origin: string, adminToken: string): Promise<{ person: string; url: string } | undefined> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const people: unknown = await (await fetch(`${origin}/api/v4/users?per_page=100`, { headers })).json();
  const names = Array.isArray(people) ? people.flatMap((person: unknown) => member(person, 'username') ?? []) : [];
  const person = names.filter((name) => name !== 'root').toSorted()[0];
  if (person === undefined) return undefined;
  const body = JSON.stringify({ username: person, return_to: '/' });
  const response: unknown = await (await fetch(`${origin}/_local/sign-in-links`, { method: 'POST', headers, body })).json();
  const url = member(response, 'url');
  return url === undefined ? undefined : { person, url };
}

function member(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' ? found : undefined;
}

function announce(server: string, link: { person: string; url: string } | undefined, host: string | undefined): void {
  const instance = new URL(server).host;
  const somebody =
    link === undefined
      ? ['    1. Sign in to the local server in the browser.']
      : [
          `    1. Open this link; it signs the browser in as @${link.person}, once, within 5 minutes`,
          '       (the passwords of all people stand above when the data is new):',
          `       ${link.url}`,
        ];
  console.log(
    [
      '',
      `  VS Code       ${host ?? 'opened as a window of its own'}`,
      `  Local server  ${server}`,
      '',
      '  To see the activity on this server in VS Code:',
      ...somebody,
      `    2. In the Signalbox view (“Select Instance…” if it is not about ${instance}): “Sign In”, “Code in the browser”.`,
      '    3. Approve the code on the page that opens.',
      '  (“Start Local Server” starts another one, the editor’s own, and needs no passwords at all.)',
      '',
      '  Ctrl-C ends everything.',
      '',
    ].join('\n'),
  );
}

/** Opens a window of the installed VS Code with a profile of its own and the extension as it stands in dist/. */
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
      'There is no command "code" on the PATH. In VS Code run “Shell Command: Install \'code\' command in PATH”, or leave --desktop away.',
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
    .on('error', () => console.log('No browser could be opened; open the address above by hand.'))
    .unref();
}
