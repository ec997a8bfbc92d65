// The environments of mocha and of all programs that tests start. They contain nothing of the user who runs the tests: no home folder,
// locale, time zone, proxy, token, session of a desktop, agent, or setting of a tool, and only named programs. No other module of the tests
// reads the environment of this process, except programs that receive variables from a test (test/toolchain/environment.unit.test.ts).
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Variables of a program. */
export type Environment = Readonly<Record<string, string>>;

const ROOT = path.resolve(import.meta.dirname, '../..');
const IS_WINDOWS = process.platform === 'win32';

/** Variable of mocha with what `preparationEnvironment` keeps of the machine's environment, as JSON. */
const MACHINE = 'SIGNALBOX_TEST_MACHINE';

/** Variables without which programs do not run, or in which users say where temporary files belong. */
const SYSTEM =
  /^(?:TMPDIR|TEMP|TMP|SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|ProgramFiles(?:\(x86\))?|NUMBER_OF_PROCESSORS)$/i;

/**
 * Variables of package managers and version managers that say where packages come from and where tools are: paths, proxies, certificates,
 * registries. Variables that change what an installation does, such as PIP_TARGET, are not among them.
 */
const PREPARATION = [
  /^(?:PATH|HOME|XDG_CONFIG_HOME|USERPROFILE|APPDATA|LOCALAPPDATA|ProgramData)$/i,
  /^(?:https?|all|no)_proxy$/i,
  /^(?:SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NIX_SSL_CERT_FILE|GIT_SSL_CAINFO|NETRC)$/,
  /^(?:npm_config_|NPM_TOKEN$|NODE_AUTH_TOKEN$)/i,
  /^PIP_(?:CONFIG_FILE|INDEX_URL|EXTRA_INDEX_URL|NO_INDEX|FIND_LINKS|TRUSTED_HOST|CERT|CLIENT_CERT|PROXY|DEFAULT_TIMEOUT|RETRIES)$/,
  /^GO(?:ENV|PROXY|SUMDB|NOPROXY|NOSUMDB|PRIVATE|INSECURE|AUTH|VCS|TOOLCHAIN)$/,
  /^CARGO_(?:HOME$|HTTP_|NET_|REGISTRY_|REGISTRIES_|SOURCE_)/,
  /^(?:JAVA_HOME|MAVEN_HOME|MAVEN_OPTS|APT_CONFIG)$/,
  /^(?:RUSTUP|PYENV|ASDF|MISE|VOLTA|JENV|GOENV|SDKMAN)_/,
  /^CHROME_PATH$/,
];

/** Programs that are always on the PATH, because shell scripts use them. */
const UTILITIES = [
  ...['sh', 'bash', 'env', 'printenv', 'true', 'false', 'test', '[', 'echo', 'printf', 'expr', 'sleep', 'date', 'seq'],
  ...['cat', 'cp', 'mv', 'rm', 'ln', 'ls', 'mkdir', 'rmdir', 'chmod', 'touch', 'mktemp', 'find', 'stat', 'du', 'cmp', 'diff'],
  ...['head', 'tail', 'wc', 'sort', 'uniq', 'tr', 'cut', 'tee', 'sed', 'grep', 'egrep', 'awk', 'xargs', 'od'],
  ...[
    'basename',
    'dirname',
    'readlink',
    'realpath',
    'pwd',
    'uname',
    'id',
    'whoami',
    'hostname',
    'getconf',
    'nproc',
    'tty',
    'stty',
  ],
  ...['ps', 'kill', 'nice', 'which', 'tar', 'gzip', 'gunzip', 'bzip2', 'xz', 'unzip'],
];

const machine: Environment = parseMachine(process.env[MACHINE]) ?? matching(process.env, [SYSTEM, ...PREPARATION]);
// Programs that inherit the environment of this process do not need it.
delete process.env[MACHINE];

/** Folder of this process for homes and for links to programs. */
let folder: string | undefined;
const programs = new Map<string, string | undefined>();
const links = new Map<string, string>();

/**
 * Returns the complete environment of a program that a test starts: a new home folder, English, UTC, git without configuration and
 * questions, and a PATH with Node, the usual utilities of shells and `tools`.
 *
 * @param tools Names of further programs, such as git. Those that this machine does not have are left out.
 * @param variables Further variables. Without HOME among them, the home folder is a new one, and the program shares the folder for caches
 *   with other programs of the tests.
 */
export function testEnvironment(tools: readonly string[] = [], variables: Environment = {}): Environment {
  return {
    ...matching(machine, [SYSTEM]),
    PATH: pathOf(tools),
    ...('HOME' in variables ? homeVariables(variables['HOME'] ?? '') : { ...homeVariables(newFolder('home')), ...CACHE }),
    LANG: LOCALE,
    LC_ALL: LOCALE,
    TZ: 'UTC',
    GIT_CONFIG_GLOBAL: IS_WINDOWS ? 'NUL' : '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    ...variables,
  };
}

/**
 * Returns the environment of mocha: that of a test, with the variables of test runs and with what `preparationEnvironment` keeps for tests
 * that install software.
 */
export function mochaEnvironment(variables: Environment = {}): Environment {
  const settings = matching(process.env, [/^SIGNALBOX_(?:TEST_|PICTURES$)/]);
  return testEnvironment(['git'], { ...settings, [MACHINE]: JSON.stringify(machine), ...variables });
}

/**
 * Returns the environment of programs that install third-party software for tests: the PATH and home folder of the user, because package
 * managers keep the addresses of registries there, with the variables for proxies, certificates and registries, and nothing else of the user.
 */
export function preparationEnvironment(variables: Environment = {}): Environment {
  return { ...machine, LANG: LOCALE, LC_ALL: LOCALE, TZ: 'UTC', ...variables };
}

/** Returns the path of a program of this machine. Undefined if it has none. */
export function programPath(name: string): string | undefined {
  if (!programs.has(name)) programs.set(name, findProgram(name));
  return programs.get(name);
}

/** Returns the paths of all programs of this name on the PATH of this machine. */
export function programPaths(name: string): readonly string[] {
  const endings = IS_WINDOWS ? (machine['PATHEXT'] ?? '.EXE;.CMD').split(';') : [''];
  const folders = (machine['PATH'] ?? machine['Path'] ?? '').split(path.delimiter).filter((one) => path.isAbsolute(one));
  return folders.flatMap((one) => endings.map((ending) => path.join(one, `${name}${ending}`))).filter(isProgram);
}

/** Returns a setting with which users say where a program or folder of this machine is, such as CHROME_PATH. */
export function machineVariable(name: 'CHROME_PATH' | 'ProgramFiles' | 'ProgramFiles(x86)' | 'LOCALAPPDATA'): string | undefined {
  return machine[name];
}

// glibc and musl know this locale without installation, macOS the other one.
const LOCALE = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';

/** Servers store their compiled code here, which makes later starts faster. */
const CACHE = { XDG_CACHE_HOME: path.join(ROOT, '.cache', 'home') };

function homeVariables(home: string): Environment {
  if (!IS_WINDOWS) return { HOME: home };
  const data = path.join(home, 'AppData');
  return { HOME: home, USERPROFILE: home, APPDATA: path.join(data, 'Roaming'), LOCALAPPDATA: path.join(data, 'Local') };
}

/** Creates an empty folder, which is removed when this process ends. */
function newFolder(name: string): string {
  if (folder === undefined) {
    const created = mkdtempSync(path.join(os.tmpdir(), 'signalbox-environment-'));
    // Some tests start programs as another user.
    chmodSync(created, 0o755);
    process.once('exit', () => rmSync(created, { recursive: true, force: true }));
    folder = created;
  }
  return mkdtempSync(path.join(folder, `${name}-`));
}

/** Returns a PATH with links to programs. Windows has no links for all users: there it has the folders of the programs. */
function pathOf(tools: readonly string[]): string {
  const names = [...new Set([...UTILITIES, ...tools])].toSorted();
  const key = names.join('\n');
  const existing = links.get(key);
  if (existing !== undefined) return existing;
  const found = names.flatMap((name) => {
    const file = programPath(name);
    return file === undefined ? [] : [{ name, file }];
  });
  let value: string;
  if (IS_WINDOWS) {
    const folders = [process.execPath, ...found.map(({ file }) => file)].map((file) => path.dirname(file));
    value = [...new Set([...folders, path.join(machine['SystemRoot'] ?? 'C:\\Windows', 'System32')])].join(path.delimiter);
  } else {
    value = newFolder('bin');
    chmodSync(value, 0o755);
    symlinkSync(process.execPath, path.join(value, 'node'));
    for (const { name, file } of found) addProgram(path.join(value, name), file);
  }
  links.set(key, value);
  return value;
}

/** Links a program. A script that is not part of the system, such as that of a version manager, needs the PATH and home of the machine. */
function addProgram(link: string, file: string): void {
  if (/^\/(?:usr\/)?s?bin\//.test(file) || !isScript(file)) return symlinkSync(file, link);
  const settings = ['PATH', 'HOME'].map((name) => `${name}=${quoted(machine[name] ?? '')}`);
  writeFileSync(link, `#!/bin/sh\nexport ${settings.join(' ')}\nexec ${quoted(file)} "$@"\n`, { mode: 0o755 });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function findProgram(name: string): string | undefined {
  const [file] = programPaths(name);
  if (file === undefined || name !== 'python3') return file;
  // On PATH there may be a script of a version manager; the interpreter knows its own path.
  const { stdout } = spawnSync(file, ['-c', 'import sys; print(sys.executable)'], {
    env: preparationEnvironment(),
    encoding: 'utf8',
  });
  return stdout.trim() === '' ? undefined : stdout.trim();
}

function isScript(file: string): boolean {
  const opened = openSync(file, 'r');
  const start = Buffer.alloc(2);
  readSync(opened, start);
  closeSync(opened);
  return start.toString() === '#!';
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function matching(variables: Readonly<Record<string, string | undefined>>, patterns: readonly RegExp[]): Environment {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value !== undefined && patterns.some((pattern) => pattern.test(name)) ? [[name, value] as const] : [],
    ),
  );
}

function parseMachine(text: string | undefined): Environment | undefined {
  if (text === undefined) return undefined;
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null) throw new Error(`${MACHINE} is not an object.`);
  return matching(Object.fromEntries(Object.entries(parsed)), [SYSTEM, ...PREPARATION]);
}
