// Loaded by --import into a process with an IPC channel: measures how late its event loop comes round and the processor time that it
// uses. Any message begins anew and is answered with what was measured until then, in milliseconds.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let used = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(used);
  const processor = (user + system) / 1e3;
  const measured = { late: delay.percentile(99.9) / 1e6, longest: delay.max / 1e6, count: delay.count, processor };
  delay.reset();
  used = process.cpuUsage();
  process.send(measured);
});
process.channel.unref();
if (process.argv[2] === 'idle') {
  setInterval(() => {}, 1 << 30);
  console.log(JSON.stringify({ origin: '' }));
}
