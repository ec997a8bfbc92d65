// Loaded by --import into a process with an IPC channel. Measures the longest turn of its event loop and its processor time. Time in which
// the thread was ready but had no processor is subtracted from a turn (Linux only), so that other work on the machine does not count. Any
// message returns the measurements in milliseconds and resets them.
import { openSync, readSync } from 'node:fs';

const statistics = open();
const buffer = Buffer.alloc(128);
let last = sample();
let longestTurn = 0;
let used = process.cpuUsage();

setInterval(noteTurn, 1).unref();
process.on('message', () => {
  noteTurn();
  const { user, system } = process.cpuUsage(used);
  const measured = { longestTurn, processor: (user + system) / 1e3 };
  used = process.cpuUsage();
  longestTurn = 0;
  process.send(measured);
});
process.channel.unref();
if (process.argv[2] === 'idle') {
  setInterval(() => {}, 1 << 30);
  console.log(JSON.stringify({ origin: '' }));
}

function noteTurn() {
  const now = sample();
  longestTurn = Math.max(longestTurn, now.at - last.at - (now.waited - last.waited));
  last = now;
}

function sample() {
  return { at: performance.now(), waited: waitedForProcessor() };
}

/**
 * Returns the time waiting for a processor. Linux (Documentation/scheduler/sched-stats) reports nanoseconds on the processor and waiting.
 */
function waitedForProcessor() {
  if (statistics === undefined) return 0;
  const length = readSync(statistics, buffer, 0, buffer.length, 0);
  return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}

function open() {
  try {
    return openSync('/proc/self/schedstat', 'r');
  } catch {
    return undefined;
  }
}
