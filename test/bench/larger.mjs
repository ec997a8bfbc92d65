// Loaded by --import into a server whose memory a benchmark measures, if the benchmark is to be seen to fail (`npm run bench -- --slow`):
// lets the process have `factor` times the anonymous memory that it has, and its git processes `gitFactor` times theirs. If an address
// `from` is given, only the growth since the last request to it is multiplied. All are in the query of this module's address.
import { spawn } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const MEBIBYTE = 1024 * 1024;
const parameters = new URL(import.meta.url).searchParams;
const [factor, gitFactor] = [Number(parameters.get('factor')), Number(parameters.get('gitFactor'))];
const from = parameters.get('from');
const held = [];
/** Megabytes of the process and of `held` from which growth counts. */
let base = { own: 0, held: 0 };

if (isMainThread && factor > 1) {
  setInterval(hold, 10).unref();
  diagnostics.subscribe('http.server.request.start', ({ request }) => {
    if (request.url === from) base = { own: ownMegabytes(), held: held.length };
  });
}
if (isMainThread && gitFactor > 1) holdBesideGit();

function hold() {
  const wanted = base.held + (ownMegabytes() - base.own) * (factor - 1);
  while (held.length < wanted) held.push(Buffer.alloc(MEBIBYTE, 1));
}

/** Returns the anonymous memory without `held`. */
function ownMegabytes() {
  return anonymousMegabytes('self') - held.length;
}

/** Starts a process that holds as much memory as the git processes of this server should have in addition. */
function holdBesideGit() {
  const program =
    'const held = []; process.on("message", (n) => { while (held.length < n) held.push(Buffer.alloc(1 << 20, 1)); });';
  const child = spawn(process.execPath, ['-e', program], { env: {}, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.unref();
  child.channel.unref();
  setInterval(() => child.send(gitMegabytes() * (gitFactor - 1)), 10).unref();
}

/** Returns the anonymous memory of all git processes that descend from this one. */
function gitMegabytes() {
  const processes = new Map();
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(read(`/proc/${id}/stat`)) ?? [];
    processes.set(id, { name, parent });
  }
  const isBelow = (id) => {
    for (let parent = processes.get(id)?.parent; parent !== undefined; parent = processes.get(parent)?.parent)
      if (parent === String(process.pid)) return true;
    return false;
  };
  return [...processes]
    .filter(([id, { name }]) => name?.startsWith('git') && isBelow(id))
    .reduce((sum, [id]) => sum + anonymousMegabytes(id), 0);
}

function anonymousMegabytes(id) {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(read(`/proc/${id}/status`))?.[1] ?? 0) / 1024;
}

/** Returns the text of a file; empty if the process has ended. */
function read(file) {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
