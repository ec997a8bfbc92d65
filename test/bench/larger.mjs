// Loaded by --import into a server whose memory a benchmark measures, if the benchmark is to be seen to fail (`npm run bench -- --slow`):
// lets the process have `factor` times the memory that it has, and its git processes `gitFactor` times theirs. The rules are in the query of
// this module's address (slowness.ts). A rule with `from` applies from a request whose header `X-Bench` has this value until the next such
// request of another rule. Anonymous memory counts, or live memory (live.mjs).
import { spawn } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { liveMegabytes } from './live.mjs';

const MEBIBYTE = 1024 * 1024;
const parameters = new URL(import.meta.url).searchParams;
const rules = JSON.parse(parameters.get('rules'));
const isLive = parameters.get('memory') === 'live';
/** Milliseconds between two looks. Live memory needs a collection. */
const INTERVAL = isLive ? 200 : 10;
const held = [];
let end = () => undefined;

if (isMainThread) {
  const first = rules.find(({ from }) => from === undefined);
  if (first !== undefined) end = begin(first);
  diagnostics.subscribe('http.server.request.start', ({ request }) => {
    const rule = rules.find(({ from }) => from !== undefined && from === request.headers['x-bench']);
    if (rule === undefined) return;
    end();
    end = begin(rule);
  });
}

/** Applies a rule until the returned function is called. */
function begin({ factor = 1, gitFactor = 1 }) {
  const timer = setInterval(() => {
    const wanted = ownMegabytes() * (factor - 1);
    while (held.length < wanted) held.push(Buffer.alloc(MEBIBYTE, 1));
  }, INTERVAL).unref();
  if (factor === 1) clearInterval(timer);
  const endGit = gitFactor === 1 ? () => undefined : holdBesideGit(gitFactor);
  return () => {
    clearInterval(timer);
    held.length = 0;
    endGit();
  };
}

/** Returns the memory without `held`. */
function ownMegabytes() {
  return (isLive ? liveMegabytes() : anonymousMegabytes('self')) - held.length;
}

/** Starts a process that holds as much memory as the git processes of this server should have in addition. Returns a function that ends it. */
function holdBesideGit(gitFactor) {
  const program =
    'const held = []; process.on("message", (n) => { while (held.length < n) held.push(Buffer.alloc(1 << 20, 1)); }); process.send("");';
  const child = spawn(process.execPath, ['-e', program], { env: {}, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.unref();
  let timer;
  child.once('message', () => {
    // The memory of the process itself counts as well.
    const base = anonymousMegabytes(child.pid);
    timer = setInterval(() => child.send(gitMegabytes() * (gitFactor - 1) - base), 10).unref();
    child.channel.unref();
  });
  return () => {
    clearInterval(timer);
    child.kill();
  };
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
