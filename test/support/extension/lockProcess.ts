// Acquires a machine lock a number of times and reports if it was not alone inside. With a second number it exits while holding the lock,
// at that time.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createMachineLock } from '../../../src/support/machineLock.ts';
import { sleep } from '../../../src/support/sleep.ts';

const [folder = '', times = '0', dies = '0'] = process.argv.slice(2);
const inside = path.join(folder, 'inside');
const lock = createMachineLock({ folder: path.join(folder, 'locks'), limit: 30_000, report: (text) => console.log(text) });
for (let time = 1; time <= Number(times); time += 1) {
  await lock('the account', async () => {
    if (existsSync(inside) && readFileSync(inside, 'utf8') !== 'dead') console.log('not alone');
    writeFileSync(inside, 'alive');
    await sleep(1);
    if (time === Number(dies)) {
      writeFileSync(inside, 'dead');
      process.kill(process.pid, 'SIGKILL');
    }
    rmSync(inside);
  });
}
console.log('done');
