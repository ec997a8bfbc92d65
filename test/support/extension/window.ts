// An editor window as a separate program, as far as the local server is concerned: it supervises a server, writes each state as a line of
// JSON, and ends at the line `close`. What the editor shares between windows is stored in files next to the data folder.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { createStopMark } from '../../../src/local/stopMark.ts';
import { createSupervisor } from '../../../src/local/supervisor.ts';
import { sleep } from '../../../src/support/sleep.ts';

const [serverFile = '', folder = '', adminToken = ''] = process.argv.slice(2);
const portFile = `${folder}.port`;
const note = (line: string): void => void process.stderr.write(`${line}\n`);

const supervisor = createSupervisor({
  executable: process.execPath,
  serverFile,
  profile: () => ({
    name: 'default',
    folder,
    adminToken: async () => adminToken,
    data: { get: () => undefined, set: async () => undefined },
    stopMark: createStopMark(folder),
    lastPort: {
      get: () => (existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0),
      set: async (port) => writeFileSync(portFile, `${port}`),
    },
  }),
  environment: process.env,
  seed: () => 'none',
  send: createLoopbackSend(),
  log: { debug: note, info: note, warn: note, error: note },
  now: Date.now,
  sleep,
  report: note,
});
supervisor.onDidChange((state) => process.stdout.write(`${JSON.stringify(state)}\n`));

createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line === 'start') void supervisor.start();
    if (line === 'reset') void supervisor.restart('reset').then((state) => note(JSON.stringify(state)));
    if (line.startsWith('restore ')) void supervisor.restart({ snapshot: line.slice('restore '.length) });
    if (line === 'stop') void supervisor.stop();
    if (line === 'close') {
      supervisor.release();
      process.exit(0);
    }
  })
  .on('close', () => process.exit(0));
void supervisor.restore().then(() => note('restore finished'));
