// `node scripts/hostile.mjs COMMAND…` runs a command, such as `npm test`, in an environment that no test may see: programs that open
// something, proxies, tokens, and settings of git, Python, Ruby, Java, Go and Node that break them or tell on them. What was seen is printed
// at the end, and the exit code is then 1. Programs that install software may use the proxy for other hosts than this machine.
// It runs on any Node from 20 on, before node_modules exists.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-hostile-'));
const inFolder = (name) => path.join(folder, name);
const seen = inFolder('seen');
for (const name of ['bin', 'home', 'config', 'data', 'cache', 'python', 'hooks', 'seen']) mkdirSync(inFolder(name));

/** Programs that a test must not start: those that open something or ask, and interpreters that a test takes from elsewhere. */
const PROGRAMS = [
  ...['open', 'xdg-open', 'sensible-browser', 'x-www-browser', 'www-browser', 'gnome-open', 'kde-open', 'gio', 'firefox'],
  ...['secret-tool', 'dbus-launch', 'ssh-askpass', 'pinentry', 'ssh-agent', 'code', 'ruby', 'gem', 'editor', 'pager', 'asked'],
];
for (const name of PROGRAMS) {
  const parent = '$(tr "\\0" " " </proc/$PPID/cmdline 2>/dev/null)';
  writeFileSync(inFolder(`bin/${name}`), `#!/bin/sh\necho "${name} $* was started by: ${parent}" >>'${seen}/programs'\nexit 1\n`);
  chmodSync(inFolder(`bin/${name}`), 0o755);
}
const asked = inFolder('bin/asked');

/** Settings of git that change what it does, or start programs. */
const GIT_SETTINGS = {
  'commit.gpgSign': 'true',
  'tag.gpgSign': 'true',
  'gpg.program': asked,
  'core.hooksPath': inFolder('hooks'),
  'core.editor': asked,
  'core.askPass': asked,
  'core.fsmonitor': asked,
  'core.autocrlf': 'true',
  'credential.helper': asked,
  'init.defaultBranch': 'hostile',
  'push.default': 'nothing',
  'user.name': 'Hostile',
  'user.email': 'hostile@example.com',
  'url.http://127.0.0.1:9/.insteadOf': 'http://',
};
const gitSettings = Object.entries(GIT_SETTINGS).map(([name, value]) => {
  const [, section, subsection, key] = /^(\w+)\.(?:(.+)\.)?(\w+)$/.exec(name) ?? [];
  return `[${section}${subsection === undefined ? '' : ` "${subsection}"`}]\n\t${key} = ${value}\n`;
});
writeFileSync(inFolder('home/.gitconfig'), gitSettings.join(''));
mkdirSync(inFolder('config/git'));
writeFileSync(inFolder('config/git/config'), gitSettings.join(''));
for (const hook of ['pre-commit', 'commit-msg', 'pre-push', 'post-checkout']) {
  writeFileSync(inFolder(`hooks/${hook}`), `#!/bin/sh\necho 'git hook ${hook}' >>'${seen}/programs'\nexit 1\n`);
  chmodSync(inFolder(`hooks/${hook}`), 0o755);
}
for (const file of ['.profile', '.bashrc', '.bash_profile', '.shrc', '.zshrc'])
  writeFileSync(inFolder(`home/${file}`), `echo '${file} was read' >>'${seen}/programs'\n`);
writeFileSync(inFolder('home/.netrc'), 'machine 127.0.0.1 login hostile password hostile\n');
writeFileSync(
  inFolder('python/sitecustomize.py'),
  `import sys\nopen(${JSON.stringify(inFolder('seen/python'))}, 'a').write(f'python started with {sys.argv}\\n')\n`,
);
// npm, the scripts of this project and what they check and build with see NODE_OPTIONS; a test, a server and VS Code must not.
writeFileSync(
  inFolder('node.cjs'),
  `const program = process.argv[1] ?? process.execArgv.join(' ');
if (/mocha|[/\\\\](?:test|dist|\\.vscode-test)[/\\\\]/.test(program) && !/node_modules[/\\\\]npm[/\\\\]/.test(program))
  require('node:fs').appendFileSync(${JSON.stringify(inFolder('seen/node'))}, 'node started with ' + process.argv.join(' ') + '\\n');
`,
);

const proxy = await startProxy();
const environment = {
  ...process.env,
  PATH: `${inFolder('bin')}${path.delimiter}${process.env.PATH}`,
  // The caches of installed tools are where their users keep them.
  ...toolFolders(),
  HOME: inFolder('home'),
  ...{ XDG_CONFIG_HOME: inFolder('config'), XDG_DATA_HOME: inFolder('data'), XDG_CACHE_HOME: inFolder('cache') },
  ...{ XDG_RUNTIME_DIR: '/nonexistent', XDG_CURRENT_DESKTOP: 'GNOME', DISPLAY: ':99', WAYLAND_DISPLAY: 'wayland-99' },
  ...{ BROWSER: asked, EDITOR: asked, VISUAL: asked, PAGER: asked, SHELL: asked },
  ...{ TZ: 'Pacific/Apia', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', LANGUAGE: 'tr', TERM: 'dumb', COLUMNS: '20' },
  ...{ http_proxy: proxy, HTTP_PROXY: proxy, https_proxy: proxy, HTTPS_PROXY: proxy, all_proxy: proxy, ALL_PROXY: proxy },
  ...{ NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' },
  ...{ NODE_OPTIONS: `--require=${inFolder('node.cjs')}`, NODE_ENV: 'production', NODE_PATH: '/nonexistent' },
  ...{ ELECTRON_RUN_AS_NODE: '1', VSCODE_IPC_HOOK_CLI: '/nonexistent', VSCODE_PORTABLE: inFolder('data'), VSCODE_DEV: '1' },
  ...{ SSH_AUTH_SOCK: '/nonexistent', SSH_ASKPASS: asked, GPG_AGENT_INFO: '/nonexistent:1:1' },
  ...{ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent', GNOME_KEYRING_CONTROL: '/nonexistent' },
  ...{
    GIT_DIR: '/nonexistent',
    GIT_WORK_TREE: '/nonexistent',
    GIT_INDEX_FILE: '/nonexistent',
    GIT_OBJECT_DIRECTORY: '/nonexistent',
  },
  ...{ GIT_EXEC_PATH: '/nonexistent', GIT_TEMPLATE_DIR: '/nonexistent', GIT_CONFIG_GLOBAL: inFolder('home/.gitconfig') },
  ...{
    GIT_ASKPASS: asked,
    GIT_EDITOR: asked,
    GIT_PAGER: asked,
    GIT_SSH_COMMAND: asked,
    GIT_PROXY_COMMAND: asked,
    GIT_TRACE: '1',
  },
  ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'http.proxy', GIT_CONFIG_VALUE_0: 'http://127.0.0.1:9' },
  ...{ GIT_AUTHOR_NAME: 'Hostile', GIT_AUTHOR_DATE: '1990-01-01T00:00:00Z', GIT_COMMITTER_DATE: '1990-01-01T00:00:00Z' },
  ...{
    GITLAB_TOKEN: 'hostile',
    GITLAB_HOST: proxy,
    GITLAB_URI: proxy,
    GL_TOKEN: 'hostile',
    GL_HOST: proxy,
    GLAB_CONFIG_DIR: '/nonexistent',
  },
  ...{ GITLAB_API_ENDPOINT: proxy, GITLAB_API_PRIVATE_TOKEN: 'hostile', PYTHON_GITLAB_CFG: '/nonexistent' },
  ...{ CI: 'true', GITLAB_CI: 'true', CI_SERVER_URL: proxy, CI_API_V4_URL: proxy, CI_JOB_TOKEN: 'hostile', CI_PROJECT_ID: '1' },
  ...{ SENTRY_DSN: proxy.replace('//', '//hostile@').concat('/1'), SENTRY_RELEASE: 'hostile', SENTRY_ENVIRONMENT: 'hostile' },
  ...{ SENTRY_SPOTLIGHT: `${proxy}/stream`, SENTRY_AUTH_TOKEN: 'hostile', SENTRY_URL: proxy },
  ...{
    RUBYOPT: '-rnonexistent',
    RUBYLIB: '/nonexistent',
    GEM_HOME: '/nonexistent',
    GEM_PATH: '/nonexistent',
    BUNDLE_GEMFILE: '/nonexistent',
  },
  ...{ PYTHONPATH: inFolder('python'), PYTHONHOME: '/nonexistent', PYTHONSTARTUP: '/nonexistent', PYTHONOPTIMIZE: '2' },
  ...{ PYTHONWARNINGS: 'error', PYTHONIOENCODING: 'ascii', VIRTUAL_ENV: '/nonexistent' },
  ...{ PIP_TARGET: '/nonexistent', PIP_USER: '1', PIP_REQUIRE_VIRTUALENV: '1', PIP_PREFIX: '/nonexistent' },
  ...{ GOFLAGS: '-mod=vendor', GOOS: 'plan9', GOARCH: 'wasm', GO111MODULE: 'off', GOROOT: '/nonexistent' },
  ...{ RUSTFLAGS: '--hostile', CARGO_TARGET_DIR: '/nonexistent', CARGO_BUILD_TARGET: 'hostile', RUST_BACKTRACE: 'full' },
  ...{ JAVA_TOOL_OPTIONS: '-javaagent:/nonexistent.jar', _JAVA_OPTIONS: '-hostile', CLASSPATH: '/nonexistent' },
  ...{ SIGNALBOX_ADMIN_TOKEN: 'hostile-0123456789abcdef', SERVICE_SHARED_RUNNERS_REGISTRATION_TOKEN: 'hostile-0123456789' },
};

const [program, ...args] = process.argv.slice(2);
if (program === undefined) throw new Error('Usage: node scripts/hostile.mjs COMMAND…');
const child = spawn(program, args, { env: environment, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
const code = await new Promise((resolve, reject) => {
  child.once('error', reject);
  child.once('exit', resolve);
});
const lines = readdirSync(seen).flatMap((file) => readFileSync(path.join(seen, file), 'utf8').trim().split('\n'));
const left = ['data/signalbox', 'cache/signalbox', 'home/.local', 'home/.vscode', 'home/.vscode-server', 'home/.ssh']
  .map(inFolder)
  .filter((file) => existsSync(file));
for (const line of [...new Set(lines)].slice(0, 100)) console.log(`The environment was seen: ${line}`);
for (const file of left) console.log(`The home folder was used: ${path.relative(folder, file)}`);
rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
process.exit(code !== 0 || lines.length + left.length > 0 ? 1 : 0);

/** Returns the variables with which users say where tools are that would otherwise be looked for in the home folder. */
function toolFolders() {
  const home = os.homedir();
  const folders = { CARGO_HOME: '.cargo', RUSTUP_HOME: '.rustup', PYENV_ROOT: '.pyenv' };
  return Object.fromEntries(
    Object.entries(folders).flatMap(([name, at]) => {
      const value = process.env[name] ?? path.join(home, at);
      return existsSync(value) ? [[name, value]] : [];
    }),
  );
}

/** Starts a proxy that passes requests for other hosts on, and records those for this machine. Returns its address. */
async function startProxy() {
  const isHere = (host) => /^(?:localhost|127\.|0\.0\.0\.0|\[?::1)/.test(host) || host === '';
  const record = (text) => writeFileSync(path.join(seen, 'proxy'), `the proxy received ${text}\n`, { flag: 'a' });
  const server = http.createServer((request, response) => {
    const { method, url = '', headers } = request;
    const target = url.startsWith('http:') ? new URL(url) : undefined;
    if (target === undefined || isHere(target.hostname)) {
      record(`${method} ${url} of ${headers['user-agent'] ?? 'an unknown program'}`);
      response.writeHead(502).end('hostile');
      return;
    }
    const onward = http.request(target, { method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connect', (request, socket) => {
    const [, host = '', port] = /^(.*):(\d+)$/.exec(request.url ?? '') ?? [];
    socket.on('error', () => {});
    if (isHere(host)) {
      record(`CONNECT ${request.url}`);
      socket.end('HTTP/1.1 502 Hostile\r\n\r\n');
      return;
    }
    const onward = net.connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${server.address().port}`;
}
