import { execFile } from 'node:child_process';
import {
  cpSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { type Environment, preparationEnvironment, programPath } from './environment.ts';

const cache = path.join(import.meta.dirname, '../../.cache/clients');

/** Thrown when third-party software is unavailable: the tool is not installed, or its registry does not respond. */
export class MissingDependency extends Error {}

/** Returns what was prepared. Skips the test, or those after a hook, if third-party software is unavailable. */
export async function orSkip<T>(test: Context, prepared: Promise<T>): Promise<T> {
  try {
    return await prepared;
  } catch (error) {
    if (!(error instanceof MissingDependency)) throw error;
    console.log(`skipped: ${error.message}`);
    return test.skip();
  }
}

/** Time limit for downloading and compiling third-party software next to everything else that runs, in milliseconds. */
const PREPARATION = 600_000;

/**
 * Declares one test of a third-party client. If `prepare` throws {@link MissingDependency}, the test is skipped and its title gives the reason; any
 * other error fails the test. Preparation does not count against the time limit of the test. A text that `run` returns is appended to the
 * title. `milliseconds` is the time limit for tests that need more than the default of their layer.
 */
export function clientTest<T>(
  name: string,
  prepare: () => Promise<T>,
  run: (prepared: T) => Promise<string | undefined | void>,
  milliseconds?: number,
): void {
  it(name, async function () {
    const limit = this.timeout();
    this.timeout(PREPARATION);
    let prepared: T;
    try {
      prepared = await prepare();
    } catch (error) {
      if (!(error instanceof MissingDependency)) throw error;
      if (this.test !== undefined) this.test.title = `${name}: ${error.message}`;
      return this.skip();
    }
    this.timeout(milliseconds ?? limit);
    const reported = await run(prepared);
    // The test was within its limit; mocha would add the preparation time.
    this.timeout(0);
    if (reported !== undefined && this.test !== undefined) this.test.title = `${name}: ${reported}`;
  });
}

/**
 * Creates a Python environment with the pinned packages of a requirements file in an ignored cache. The file lists all packages that these
 * packages need. Returns the path of its interpreter.
 */
export async function pythonWith(requirements: string): Promise<string> {
  const interpreterIn = (folder: string): string =>
    path.join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const container = path.join(cache, 'venv', path.basename(path.dirname(requirements)));
  await fillOnce(container, readFileSync(requirements, 'utf8'), async (folder) => {
    try {
      // The pip of the machine installs the packages, because installing another pip takes longer than most packages.
      await run(programPath('python3') ?? 'python3', ['-m', 'venv', '--without-pip', folder]);
    } catch {
      throw new MissingDependency('python3 with venv is not installed');
    }
    const { stdout } = await run(interpreterIn(folder), ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']);
    await installPythonPackages(requirements, stdout.trim());
  });
  return interpreterIn(container);
}

/**
 * Builds the Go program of a folder, with modules and compiler output in an ignored cache. `modules` names an alternative to go.mod.
 * Returns the path of the program.
 */
export async function goProgram(folder: string, modules = 'go'): Promise<string> {
  const container = path.join(cache, 'go');
  const name = `${path.basename(folder)}${modules === 'go' ? '' : `-${modules}`}`;
  const program = path.join(container, 'bin', `${name}${process.platform === 'win32' ? '.exe' : ''}`);
  const env = preparationEnvironment({
    GOMODCACHE: path.join(container, 'modules'),
    GOCACHE: path.join(container, 'compiled'),
    // Without cgo no C compiler is needed, and the build is faster.
    CGO_ENABLED: '0',
  });
  try {
    // Compiling without optimization and debugging information takes two thirds of the time.
    const quickly = ['-gcflags=all=-N -l -dwarf=false', '-ldflags=-w'];
    const args = ['build', '-modcacherw', '-buildvcs=false', ...quickly, `-modfile=${modules}.mod`, '-o', program, '.'];
    await run('go', args, { cwd: folder, env });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw new MissingDependency('go is not installed');
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    const tooOld = /requires go >= \S+/.exec(text)?.[0];
    if (tooOld !== undefined) throw new MissingDependency(`the installed Go is too old: the module ${tooOld}`);
    if (/dial tcp|no such host|i\/o timeout|proxyconnect|TLS handshake|connection re|GOPROXY=off|: 50\d /i.test(text)) {
      throw new MissingDependency('the Go module proxy does not respond');
    }
    throw error;
  }
  return program;
}

/** Installs the packages of a folder's lockfile in an ignored cache, without install scripts. Returns the folder. */
export async function npmPackages(folder: string): Promise<string> {
  const container = path.join(cache, 'npm', path.basename(folder));
  await fillOnce(container, readFileSync(path.join(folder, 'package-lock.json'), 'utf8'), async (draft) => {
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(path.join(folder, file), path.join(draft, file));
    await download('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: draft });
  });
  return container;
}

/** Installs the pinned packages of a requirements file into an ignored folder for PYTHONPATH. Returns the folder. */
export async function pythonPackages(requirements: string): Promise<string> {
  const container = path.join(cache, 'pip', path.basename(path.dirname(requirements)), path.basename(requirements, '.txt'));
  await fillOnce(container, readFileSync(requirements, 'utf8'), (draft) => installPythonPackages(requirements, draft));
  return container;
}

/**
 * Fills a folder of the cache, unless it was filled with the same things before. Processes that do this at the same time do not disturb each
 * other, because the folder appears when it is complete.
 *
 * @param things description of what the folder has, such as a lockfile
 */
async function fillOnce(folder: string, things: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const stamp = 'installed';
  const isFilled = (): boolean => {
    const file = path.join(folder, stamp);
    return existsSync(file) && readFileSync(file, 'utf8') === things;
  };
  if (isFilled()) return;
  const draft = `${folder}.${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true });
    await fill(draft);
    writeFileSync(path.join(draft, stamp), things);
    if (isFilled()) return;
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function installPythonPackages(requirements: string, target: string): Promise<void> {
  const options = ['--quiet', '--disable-pip-version-check', '--no-compile', '--no-deps', '--target', target];
  await download(programPath('python3') ?? 'python3', ['-m', 'pip', 'install', ...options, '--requirement', requirements]);
}

/**
 * Downloads a jar from the Maven registry (`group:artifact:version`), without its dependencies, into an ignored cache. Returns the file.
 */
export async function mavenJar(coordinates: string): Promise<string> {
  const repository = path.join(cache, 'maven');
  const [group = '', artifact = '', version = ''] = coordinates.split(':');
  const jar = path.join(repository, ...group.split('.'), artifact, version, `${artifact}-${version}.jar`);
  if (existsSync(jar)) return jar;
  mkdirSync(cache, { recursive: true });
  const args = ['-Dtransitive=false', `-Dmaven.repo.local=${repository}`, `-Dartifact=${coordinates}`];
  await download('mvn', ['--quiet', '--batch-mode', 'dependency:get', ...args], { cwd: cache });
  return jar;
}

/** Compiles a Java file against jars, separated like a class path, into an ignored cache. Returns the folder of its classes. */
export async function javaClasses(file: string, jars: string): Promise<string> {
  const folder = path.join(cache, 'java', path.basename(file, '.java'));
  await download('javac', ['-d', folder, '-cp', jars, file]);
  return folder;
}

/** Builds the Rust program of a folder in an ignored cache, where cargo also stores its lock file. Returns the program. */
export async function rustProgram(folder: string, name: string): Promise<string> {
  const container = path.join(cache, 'rust');
  cpSync(folder, container, { recursive: true });
  await download('cargo', ['build', '--quiet'], { cwd: container });
  return path.join(container, 'target', 'debug', `${name}${process.platform === 'win32' ? '.exe' : ''}`);
}

/**
 * Returns the name of a program that is installed on this machine.
 *
 * @throws MissingDependency if it is not.
 */
export async function programOnPath(name: string): Promise<string> {
  await download(name, ['--version']);
  return name;
}

/**
 * Downloads a package of the machine's Debian repositories and unpacks it into an ignored cache, without installing it.
 *
 * @param version The version without the Debian revision.
 * @param program The path of the program in the package.
 * @returns The path of the unpacked program.
 * @throws MissingDependency if this is not a Debian system, or if it has no package of this version.
 */
export async function debianProgram(name: string, version: string, program: string): Promise<string> {
  const container = path.join(cache, 'debian', `${name}-${version}`);
  const unpacked = path.join(container, program);
  if (existsSync(unpacked)) return unpacked;
  rmSync(container, { recursive: true, force: true });
  mkdirSync(container, { recursive: true });
  await download('apt-get', ['download', '--quiet', `${name}=${version}*`], { cwd: container });
  const archive = readdirSync(container).find((file) => file.endsWith('.deb'));
  if (archive === undefined) throw new MissingDependency(`apt-get has no ${name} ${version}`);
  await download('dpkg-deb', ['--extract', archive, '.'], { cwd: container });
  return unpacked;
}

/**
 * Downloads a package of Ruby code of the machine's Debian repositories, with everything it needs, also the Ruby interpreter, and unpacks it
 * into an ignored cache. A Ruby of this machine is not used: it may have another version.
 *
 * @param version The version without the Debian revision.
 * @returns The path of a Ruby interpreter that finds the code.
 * @throws MissingDependency if this is not a Debian system, or if it has no package of this version.
 */
export async function rubyWith(name: string, version: string): Promise<string> {
  const container = path.join(cache, 'debian-ruby', `${name}-${version}`);
  const interpreter = path.join(container, 'ruby');
  if (existsSync(interpreter)) return interpreter;
  rmSync(container, { recursive: true, force: true });
  const archives = path.join(container, 'archives');
  mkdirSync(path.join(archives, 'partial'), { recursive: true });
  // For apt-get nothing is installed, so that it downloads everything.
  const status = path.join(container, 'status');
  writeFileSync(status, '');
  const settings = ['Debug::NoLocking=1', `Dir::State::status=${status}`, `Dir::Cache::Archives=${archives}`];
  const options = ['--yes', '--download-only', '--no-install-recommends', ...settings.flatMap((setting) => ['-o', setting])];
  await download('apt-get', ['install', ...options, `${name}=${version}*`]);
  // The C library is that of the system, because it has to fit the loader.
  const needed = readdirSync(archives).filter((one) => one.endsWith('.deb') && !one.startsWith('libc6_'));
  for (const file of needed) await download('dpkg-deb', ['--extract', path.join(archives, file), container]);
  const foldersOf = (pattern: string | readonly string[]): string =>
    globSync(pattern, { cwd: container })
      .map((folder) => path.join(container, folder))
      .join(':');
  const [ruby] = globSync('usr/bin/ruby3*', { cwd: container });
  if (ruby === undefined) throw new Error(`the packages of ${name} contain no Ruby`);
  writeFileSync(
    interpreter,
    `#!/bin/sh
export LD_LIBRARY_PATH='${foldersOf('usr/lib/*-linux-*')}'
export RUBYLIB='${foldersOf(['usr/lib/ruby/{3,vendor_ruby}*', 'usr/lib/*-linux-*/ruby/3*'])}'
export GEM_PATH='${path.join(container, 'usr/share/rubygems-integration/all')}'
exec '${path.join(container, ruby)}' "$@"
`,
    { mode: 0o755 },
  );
  return interpreter;
}

/** Runs a program with the settings of the machine for registries. */
async function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Environment } = {},
) {
  return promisify(execFile)(program, args, { env: preparationEnvironment(), ...options });
}

/**
 * Runs a program that downloads or builds something.
 *
 * @throws MissingDependency if the program is not installed or its registry does not respond.
 */
async function download(program: string, args: readonly string[], options: { readonly cwd?: string } = {}): Promise<void> {
  try {
    await run(program, [...args], options);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new MissingDependency(`${program} is not installed`);
    const text = ['stderr', 'stdout'].map((name) => (error instanceof Error ? String(Reflect.get(error, name)) : '')).join('\n');
    if (text.includes('rustup could not choose a version'))
      throw new MissingDependency(`${program} is installed without a toolchain`);
    if (
      /E?NOTFOUND|ECONN|failed to (?:download|get)|Couldn't resolve|ETIMEDOUT|EAI_AGAIN|timed out|connection|Could not (?:fetch|transfer)|Temporary failure|was not found|Unable to locate package|Version .* was not found|Failed to fetch/i.test(
        text,
      )
    ) {
      throw new MissingDependency(`the registry of ${program} does not respond`);
    }
    throw error;
  }
}
