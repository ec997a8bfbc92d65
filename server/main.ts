import { existsSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { maskLine } from './core/masking.ts';
import { parseCommand, type SeedCommand, type ServeCommand } from './process/command.ts';
import { loadCompiled, saveCompiled } from './process/compiledCode.ts';
import { compiledFolder } from './process/dataFolder.ts';
import { Fatal, fatalLine } from './core/fatal.ts';
import { hasModes, makeCachePrivate } from './process/privateFiles.ts';
import { progressLine } from './process/progress.ts';
import { checkRuntime, nativeBinding, type Runtime } from './process/runtime.ts';
import type { ProcessMetadata, Serving } from './process/serve.ts';

// Command line and handshake. This is the only file that reads the arguments and the environment and ends the process. Standard output
// receives exactly one line of JSON (listening, busy, seeded or fatal), or the text of --help and --version. Everything else goes to
// standard error.

process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

/** Time to write the last line, in milliseconds. */
const LAST_LINE_LIMIT = 1_000;
/** Delay of work that can wait for the first requests, in milliseconds. */
const FIRST_REQUESTS = 2_000;
/** Time for a clean shutdown after an uncaught error, in milliseconds. */
const END_LIMIT = 10_000;
let isReported = false;
let onUncaught = fail;
process.on('uncaughtException', (error) => onUncaught(error));

async function main(): Promise<void> {
  // Files that this process and its children create are readable only by their owner.
  process.umask(0o077);
  const command = parseCommand(process.argv.slice(2));
  if (command.kind === 'text') {
    process.stdout.write(`${command.text}\n`);
    return;
  }
  const runtime = currentRuntime();
  checkRuntime(runtime);
  const root = import.meta.dirname ?? __dirname;
  const binding = nativeBinding(root, runtime);
  const { adminToken, smtpPassword } =
    command.kind === 'serve' && command.stdinHandshake
      ? await readHandshake()
      : { adminToken: process.env['SIGNALBOX_ADMIN_TOKEN'] || undefined, smtpPassword: undefined };
  const runnerRegistrationToken = process.env['SERVICE_SHARED_RUNNERS_REGISTRATION_TOKEN'] || undefined;
  // Child processes (git) and crash reports must not contain them.
  delete process.env['SIGNALBOX_ADMIN_TOKEN'];
  delete process.env['SERVICE_SHARED_RUNNERS_REGISTRATION_TOKEN'];
  if (adminToken !== undefined && adminToken.length < 16) {
    throw new Fatal('usage', 'The admin token is shorter than 16 characters.', 'Use a long random value.', 2);
  }
  if (command.kind === 'seed') await runSeed(command, root, binding, adminToken);
  else await run(command, root, binding, { adminToken, smtpPassword, runnerRegistrationToken });
}

/**
 * Loads the implementations of the commands with the compiled code of an earlier server. Does nothing in a source tree or if others can
 * write to the cache folder.
 */
function loadWithCode(root: string): void {
  const folder = compiledFolder(process.env, process.platform);
  if (hasModes(process.platform) && !makeCachePrivate(folder)) return;
  // For the bundles that are loaded on first use.
  module.enableCompileCache(folder);
  const bundle = path.join(root, 'running.js');
  if (existsSync(bundle)) loadCompiled(bundle, folder);
}

async function runSeed(
  command: SeedCommand,
  root: string,
  binding: string | undefined,
  adminToken: string | undefined,
): Promise<void> {
  loadWithCode(root);
  const { running } = await import('./process/running.ts');
  const { counts, ...made } = await running.seed(
    command,
    metadata(root, binding, adminToken, () => undefined),
  );
  const reported = Object.entries(counts).filter(([, count]) => count > 0);
  process.stderr.write(`Added ${reported.map(([name, count]) => `${name.replaceAll('_', ' ')}: ${count}`).join(', ')}.\n`);
  print({ event: 'seeded', counts, ...made });
}

function metadata(
  root: string,
  binding: string | undefined,
  adminToken: string | undefined,
  end: (reason: string) => void,
): ProcessMetadata {
  return {
    root,
    env: process.env,
    platform: process.platform,
    pid: process.pid,
    nativeBinding: binding,
    adminToken,
    write: (text) => process.stderr.write(text),
    end,
  };
}

async function run(
  command: ServeCommand,
  root: string,
  binding: string | undefined,
  { adminToken, ...secrets }: Pick<ProcessMetadata, 'adminToken' | 'smtpPassword' | 'runnerRegistrationToken'>,
): Promise<void> {
  let serving: Serving | undefined;
  const end = (reason: string, exitCode = 0): void => {
    // No request was acknowledged yet, and the next start undoes what an unfinished start has written.
    if (serving === undefined) process.exit(exitCode);
    serving.stop(reason).then(
      () => process.exit(exitCode),
      (error: unknown) => {
        process.stderr.write(`error: the server did not shut down cleanly: ${detailsOf(error)}\n`);
        process.exit(1);
      },
    );
  };
  let signals = 0;
  const onSignal = (reason: string): void => {
    signals += 1;
    if (signals > 1) {
      process.stderr.write('warn: received a second signal; pending requests are aborted\n');
      process.exit(1);
    }
    end(reason);
  };
  process.on('SIGINT', () => onSignal('received SIGINT'));
  process.on('SIGTERM', () => onSignal('received SIGTERM'));
  onUncaught = (error) => {
    if (serving === undefined) return fail(error);
    process.stderr.write(`error: the server stops because of an uncaught error: ${detailsOf(error)}\n`);
    setTimeout(() => process.exit(1), END_LIMIT).unref();
    end('uncaught error', 1);
  };
  if (command.stdinHandshake) process.stdin.once('close', () => end('the parent process has ended'));
  boundBufferPool();
  // Loading the program takes seconds on a busy machine.
  if (command.stdinHandshake) process.stderr.write(progressLine('Starting'));
  // A server with its data in memory writes no cache.
  if (!command.memory) loadWithCode(root);
  const { running } = await import('./process/running.ts');
  const started = await running.serve(command, { ...metadata(root, binding, adminToken, end), ...secrets });
  if (started.kind === 'busy') {
    print({ event: 'busy', origin: started.origin, instanceId: started.instanceId }, () => process.exit(0));
    return;
  }
  serving = started;
  // The code of a command that ends sooner lacks most functions of a start.
  process.once('exit', saveCompiled);
  print({
    event: 'listening',
    origin: started.origin,
    pid: process.pid,
    instanceId: started.instanceId,
    version: started.version,
  });
  setTimeout(() => void afterFirstRequests(), FIRST_REQUESTS).unref();
}

/**
 * Does startup work that the first requests need not wait for. The cache of compiled code is written here, not only at the end of the
 * process, because a killed process writes nothing. By now it includes the functions that handle requests.
 */
async function afterFirstRequests(): Promise<void> {
  saveCompiled();
  module.flushCompileCache();
  // Objects are smaller in the V8 of Electron, and its flags may be sealed.
  if (process.versions['electron'] !== undefined) return;
  const { boundYoungHeap } = await import('./process/youngHeap.ts');
  boundYoungHeap();
}

/**
 * Makes Node allocate small buffers from 8 KB slabs instead of 64 KB. A slab lives as long as the last buffer in it. Each decompression
 * leaves a buffer behind until the next full garbage collection, and with it the whole slab: 50 MB while many events arrive.
 */
function boundBufferPool(): void {
  Buffer.poolSize = 8192;
}

function currentRuntime(): Runtime {
  // `glibcVersionRuntime` exists only on glibc. A report with network information would look up the name of every interface.
  let glibc: string | undefined;
  if (process.platform === 'linux' && process.report !== undefined) {
    Object.assign(process.report, { excludeNetwork: true });
    const report: unknown = process.report.getReport();
    if (typeof report === 'object' && report !== null && 'header' in report) {
      const { header } = report;
      if (typeof header === 'object' && header !== null && 'glibcVersionRuntime' in header)
        glibc = String(header.glibcVersionRuntime);
    }
  }
  return {
    nodeVersion: process.versions.node,
    napi: Number(process.versions['napi'] ?? 0),
    platform: process.platform,
    arch: process.arch,
    glibc,
  };
}

/** Returns the secrets from the line that the parent process writes: `{"adminToken": "…"}`. Standard input stays open. */
async function readHandshake(): Promise<{ readonly adminToken: string; readonly smtpPassword: string | undefined }> {
  const line = await firstLineOfInput();
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && 'adminToken' in value && typeof value.adminToken === 'string') {
      const smtpPassword = 'smtpPassword' in value && typeof value.smtpPassword === 'string' ? value.smtpPassword : undefined;
      return { adminToken: value.adminToken, smtpPassword };
    }
  } catch {
    // The invalid line is reported below.
  }
  throw new Fatal(
    'handshake',
    'The first line of standard input is not {"adminToken": "…"}.',
    'Write that line, or omit --stdin-handshake.',
    2,
  );
}

/** Maximum length of the first line of standard input, in characters. */
const MAX_HANDSHAKE = 65_536;

/** Resolves to the first line of standard input. Throws Fatal if the input ends before the line does. */
function firstLineOfInput(): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: string): void => {
      text += chunk;
      const end = text.search(/\r?\n/);
      if (end === -1 && text.length <= MAX_HANDSHAKE) return;
      // The input keeps flowing so that its end is noticed.
      process.stdin.off('data', onData).resume();
      resolve(end === -1 ? '' : text.slice(0, end));
    };
    process.stdin.setEncoding('utf8').on('data', onData);
    process.stdin.once('end', () =>
      reject(
        new Fatal(
          'handshake',
          'Standard input ended before the handshake.',
          'Keep standard input open while the server should run.',
          2,
        ),
      ),
    );
  });
}

function print(line: Readonly<Record<string, unknown>>, written?: () => void): void {
  isReported = true;
  process.stdout.write(`${JSON.stringify(line)}\n`, written);
}

function detailsOf(error: unknown): string {
  return maskLine(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** Reports why the start failed, and ends the process even if handles are still open. */
function fail(error: unknown): void {
  const exitCode = error instanceof Fatal ? error.exitCode : 1;
  if (!(error instanceof Fatal)) process.stderr.write(`${detailsOf(error)}\n`);
  if (isReported) process.exit(exitCode);
  // Pipes are asynchronous on Windows, and the reader may have stopped reading.
  setTimeout(() => process.exit(exitCode), LAST_LINE_LIMIT);
  print(fatalLine(error), () => process.exit(exitCode));
}

main().catch(fail);
