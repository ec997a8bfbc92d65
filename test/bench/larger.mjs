// Loaded by --import into a server whose memory a benchmark measures, if the benchmark is to be seen to fail (`npm run bench -- --slow`):
// lets the process have `factor` times the anonymous memory that it has. The factor is in the query of this module's address.
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const more = Number(new URL(import.meta.url).searchParams.get('factor')) - 1;
const MEBIBYTE = 1024 * 1024;
const held = [];

if (isMainThread) setInterval(hold, 10).unref();

function hold() {
  const total = Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  const wanted = (total - held.length) * more;
  while (held.length < wanted) held.push(Buffer.alloc(MEBIBYTE, 1));
}
