// Loaded by --import into a process with an IPC channel. Measures the delay of its event loop and its processor time. Any message returns
// the measurements in milliseconds and resets them.
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
