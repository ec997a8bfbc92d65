import module from 'node:module';
import { maskLine } from './http/requestLog.ts';
import { parseCommand, type SeedCommand, type ServeCommand } from './process/command.ts';
import { compiledFolder } from './process/dataFolder.ts';
import { Fatal, fatalLine } from './process/fatal.ts';
import { hasModes, makeCachePrivate } from './process/privateFiles.ts';
import { progressLine } from './process/progress.ts';
import { checkRuntime, nativeBinding, type Runtime } from './process/runtime.ts';
import type { ProcessMetadata, Serving } from './process/serve.ts';

// Command line and handshake; the only file that reads the arguments and the environment and ends the process. Standard output gets exactly
// one line of JSON (listening, busy, seeded or fatal), or the text of --help and --version; everything else goes to standard error.

process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

/** Milliseconds that the last line has to be written. */
const LAST_LINE_LIMIT = 1_000;
/** Milliseconds for the first requests, before work that can wait. */
const FIRST_REQUESTS = 2_000;
/** Milliseconds for an orderly end after an error that nobody caught. */
const END_LIMIT = 10_000;
let isReported = false;
let onUncaught = fail;
process.on('uncaughtException', (error) => onUncaught(error));

async function main(): Promise<void> {
  // What this process and its children write is their owner's only.
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
  const adminToken =
    command.kind === 'serve' && command.stdinHandshake
      ? await readHandshake()
      : process.env['SIGNALBOX_ADMIN_TOKEN'] || undefined;
  // Children (git, later) and crash reports have no use for it.
  delete process.env['SIGNALBOX_ADMIN_TOKEN'];
  if (adminToken !== undefined && adminToken.length < 16) {
    throw new Fatal('usage', 'The admin token is shorter than 16 characters.', 'Use a long random value.', 2);
  }
  // The code that V8 compiles is cached for the next start, which takes a quarter less time with it. A server that keeps its data in memory
  // writes no cache.
  if (command.kind === 'seed' || !command.memory) keepCompiledCode(compiledFolder(process.env, process.platform));
  if (command.kind === 'seed') await runSeed(command, root, binding, adminToken);
  else await run(command, root, binding, adminToken);
}

function keepCompiledCode(folder: string): void {
  if (!hasModes(process.platform) || makeCachePrivate(folder)) module.enableCompileCache(folder);
}

async function runSeed(
  command: SeedCommand,
  root: string,
  binding: string | undefined,
  adminToken: string | undefined,
): Promise<void> {
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
  adminToken: string | undefined,
): Promise<void> {
  let serving: Serving | undefined;
  const end = (reason: string, exitCode = 0): void => {
    // Nothing was acknowledged yet, and what an unfinished start has written is undone by the next one.
    if (serving === undefined) process.exit(exitCode);
    serving.stop(reason).then(
      () => process.exit(exitCode),
      (error: unknown) => {
        process.stderr.write(`error: the server did not end in order: ${detailsOf(error)}\n`);
        process.exit(1);
      },
    );
  };
  let signals = 0;
  const onSignal = (reason: string): void => {
    signals += 1;
    if (signals > 1) {
      process.stderr.write('warn: asked to end a second time; what is under way is cut off\n');
      process.exit(1);
    }
    end(reason);
  };
  process.on('SIGINT', () => onSignal('interrupted'));
  process.on('SIGTERM', () => onSignal('asked to terminate'));
  onUncaught = (error) => {
    if (serving === undefined) return fail(error);
    process.stderr.write(`error: the server ends because of an error that nobody caught: ${detailsOf(error)}\n`);
    setTimeout(() => process.exit(1), END_LIMIT).unref();
    end('an error that nobody caught', 1);
  };
  if (command.stdinHandshake) process.stdin.once('close', () => end('the program that started this server is gone'));
  boundBufferPool();
  // Reading the program takes seconds on a busy machine.
  if (command.stdinHandshake) process.stderr.write(progressLine('Starting'));
  const { running } = await import('./process/running.ts');
  const started = await running.serve(command, metadata(root, binding, adminToken, end));
  if (started.kind === 'busy') {
    print({ event: 'busy', origin: started.origin, instanceId: started.instanceId }, () => process.exit(0));
    return;
  }
  serving = started;
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
 * Does the work of a start that the first requests need not wait for. The cache of compiled code is written here and not only at the end of
 * the process, because a killed process writes nothing; by now it holds the functions that answer requests, too.
 */
async function afterFirstRequests(): Promise<void> {
  module.flushCompileCache();
  // The V8 of Electron has smaller objects, and its flags may be sealed.
  if (process.versions['electron'] !== undefined) return;
  const { boundYoungHeap } = await import('./process/youngHeap.ts');
  boundYoungHeap();
}

/**
 * Makes Node allocate small buffers in pieces of 8 KB instead of 64 KB. Each piece lives as long as the last buffer in it. A call that
 * decompresses leaves a piece behind until the next full garbage collection, and keeps alive what others have long decompressed: 50 MB
 * while many events arrive.
 */
function boundBufferPool(): void {
  Buffer.poolSize = 8192;
}

function currentRuntime(): Runtime {
  // `glibcVersionRuntime` is there on glibc only; making the whole report for it would look up every network interface's name.
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

/** Reads the one line that the starting program writes: `{"adminToken": "…"}`. Standard input stays open afterwards. */
async function readHandshake(): Promise<string> {
  const line = await firstLineOfInput();
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && 'adminToken' in value && typeof value.adminToken === 'string') {
      return value.adminToken;
    }
  } catch {
    // The line is refused below.
  }
  throw new Fatal(
    'handshake',
    'The first line of standard input is no {"adminToken": "…"}.',
    'Write that line, or leave --stdin-handshake out.',
    2,
  );
}

/** Characters of the first line of standard input that are read. */
const MAX_HANDSHAKE = 65_536;

/** Resolves to the first line of standard input, without what follows it. Throws Fatal when the input ends before the line does. */
function firstLineOfInput(): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: string): void => {
      text += chunk;
      const end = text.search(/\r?\n/);
      if (end === -1 && text.length <= MAX_HANDSHAKE) return;
      // The input keeps flowing, so that its end is noticed.
      process.stdin.off('data', onData).resume();
      resolve(end === -1 ? '' : text.slice(0, end));
    };
    process.stdin.setEncoding('utf8').on('data', onData);
    process.stdin.once('end', () =>
      reject(
        new Fatal(
          'handshake',
          'Standard input ended before the handshake.',
          'Keep standard input open while the server is wanted.',
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

/** Says why there is no server, and ends the process, whatever is still open in it. */
function fail(error: unknown): void {
  const exitCode = error instanceof Fatal ? error.exitCode : 1;
  if (!(error instanceof Fatal)) process.stderr.write(`${detailsOf(error)}\n`);
  if (isReported) process.exit(exitCode);
  // Pipes are asynchronous on Windows, and whoever reads this one may have stopped doing so.
  setTimeout(() => process.exit(exitCode), LAST_LINE_LIMIT);
  print(fatalLine(error), () => process.exit(exitCode));
}

main().catch(fail);
