import { execFile } from 'node:child_process';
import { cpSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = path.join(import.meta.dirname, '../../.cache/clients');

/** Foreign software could not be had: the tool is not on this machine, or its registry does not answer. */
export class Missing extends Error {}

/** Milliseconds in which foreign software may be fetched and compiled, beside everything else that runs. */
const PREPARATION = 600_000;

/**
 * One test of a foreign client. When `prepare` says that something is missing, the test is skipped and its name says what; any
 * other failure of it fails the test. Preparing does not count against the time of the test. What `run` tells is put behind the name;
 * `milliseconds` are its time where it needs more than the others of its layer.
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
      if (!(error instanceof Missing)) throw error;
      if (this.test !== undefined) this.test.title = `${name}: ${error.message}`;
      return this.skip();
    }
    this.timeout(milliseconds ?? limit);
    const reported = await run(prepared);
    // It was in time; mocha would add the preparation.
    this.timeout(0);
    if (reported !== undefined && this.test !== undefined) this.test.title = `${name}: ${reported}`;
  });
}

/** A Python with the pinned packages of a requirements file, in an ignored cache. Returns its program. */
export async function pythonWith(requirements: string): Promise<string> {
  const folder = path.join(cache, 'python');
  const python = path.join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const stamp = path.join(folder, 'requirements.installed');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  try {
    await run('python3', ['-m', 'venv', folder]);
  } catch {
    throw new Missing('python3 with venv is not on this machine');
  }
  try {
    await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', requirements]);
  } catch (error) {
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    if (/No matching distribution|Could not fetch|connection|timed out|Temporary failure|Max retries/i.test(text)) {
      throw new Missing('the Python package registry does not answer');
    }
    throw error;
  }
  writeFileSync(stamp, wanted);
  return python;
}

/**
 * Builds the Go program of a folder, with modules and results of the compiler in an ignored cache; `modules` names another file than go.mod
 * with what it needs. Returns its program.
 */
export async function goProgram(folder: string, modules = 'go'): Promise<string> {
  const container = path.join(cache, 'go');
  const name = `${path.basename(folder)}${modules === 'go' ? '' : `-${modules}`}`;
  const program = path.join(container, 'bin', `${name}${process.platform === 'win32' ? '.exe' : ''}`);
  const env = {
    ...process.env,
    GOMODCACHE: path.join(container, 'modules'),
    GOCACHE: path.join(container, 'compiled'),
    // Needs no C compiler, and is built sooner.
    CGO_ENABLED: '0',
  };
  try {
    const args = ['build', '-modcacherw', '-buildvcs=false', `-modfile=${modules}.mod`, '-o', program, '.'];
    await run('go', args, { cwd: folder, env });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw new Missing('go is not on this machine');
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    const tooOld = /requires go >= \S+/.exec(text)?.[0];
    if (tooOld !== undefined) throw new Missing(`the go of this machine is too old: the module ${tooOld}`);
    if (/dial tcp|no such host|i\/o timeout|proxyconnect|TLS handshake|connection re|GOPROXY=off|: 50\d /i.test(text)) {
      throw new Missing('the Go module proxy does not answer');
    }
    throw error;
  }
  return program;
}

/** The packages that the lockfile of a folder names, in an ignored cache; nothing runs when they are installed. Returns where they are. */
export async function npmPackages(folder: string): Promise<string> {
  const container = path.join(cache, 'npm', path.basename(folder));
  const stamp = path.join(container, 'installed.json');
  const wanted = readFileSync(path.join(folder, 'package-lock.json'), 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return container;
  mkdirSync(container, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(path.join(folder, file), path.join(container, file));
  await fetched('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: container });
  writeFileSync(stamp, wanted);
  return container;
}

/** The pinned packages of a requirements file, in an ignored folder of their own for PYTHONPATH. Returns the folder. */
export async function pythonPackages(requirements: string): Promise<string> {
  const container = path.join(cache, 'pip', path.basename(path.dirname(requirements)), path.basename(requirements, '.txt'));
  const stamp = path.join(container, 'requirements.installed');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return container;
  rmSync(container, { recursive: true, force: true });
  // What stands on PATH may be a front for many of them (pyenv), which after each installation tidies up for all.
  const asked = await run('python3', ['-c', 'import sys; print(sys.executable)']).catch(() => undefined);
  await fetched(asked?.stdout.trim() || 'python3', [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-compile',
    '--no-deps',
    '--target',
    container,
    '--requirement',
    requirements,
  ]);
  writeFileSync(stamp, wanted);
  return container;
}

/** A jar of Maven's registry without what it depends on (`group:artifact:version`), in an ignored cache. Returns its file. */
export async function mavenJar(coordinates: string): Promise<string> {
  const repository = path.join(cache, 'maven');
  const [group = '', artifact = '', version = ''] = coordinates.split(':');
  const jar = path.join(repository, ...group.split('.'), artifact, version, `${artifact}-${version}.jar`);
  if (existsSync(jar)) return jar;
  mkdirSync(cache, { recursive: true });
  const args = ['-Dtransitive=false', `-Dmaven.repo.local=${repository}`, `-Dartifact=${coordinates}`];
  await fetched('mvn', ['--quiet', '--batch-mode', 'dependency:get', ...args], { cwd: cache });
  return jar;
}

/** Compiles a Java file against a jar, into an ignored cache. Returns the folder of its classes. */
export async function javaClasses(file: string, jar: string): Promise<string> {
  const folder = path.join(cache, 'java', path.basename(file, '.java'));
  await fetched('javac', ['-d', folder, '-cp', jar, file]);
  return folder;
}

/** Builds the Rust program of a folder in an ignored cache, where cargo also keeps what it has locked. Returns the program. */
export async function rustProgram(folder: string, name: string): Promise<string> {
  const container = path.join(cache, 'rust');
  cpSync(folder, container, { recursive: true });
  await fetched('cargo', ['build', '--quiet'], { cwd: container });
  return path.join(container, 'target', 'debug', `${name}${process.platform === 'win32' ? '.exe' : ''}`);
}

/** Runs a program that fetches or makes something. Missing when there is no such program, or nobody answers it. */
async function fetched(program: string, args: readonly string[], options: { readonly cwd?: string } = {}): Promise<void> {
  try {
    await run(program, [...args], options);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Missing(`${program} is not on this machine`);
    const text = ['stderr', 'stdout'].map((name) => (error instanceof Error ? String(Reflect.get(error, name)) : '')).join('\n');
    if (
      /E?NOTFOUND|ECONN|failed to (?:download|get)|Couldn't resolve|ETIMEDOUT|EAI_AGAIN|timed out|connection|Could not (?:fetch|transfer)|Temporary failure/i.test(
        text,
      )
    ) {
      throw new Missing(`the registry of ${program} does not answer`);
    }
    throw error;
  }
}
