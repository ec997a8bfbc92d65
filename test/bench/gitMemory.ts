import { BEFORE, measureTransfers } from '../server/smartHttp/transferMemory.ts';
import { type Ratio, ratio } from './harness.ts';
import { larger, slowness } from './slowness.ts';

/** Measures the memory of the server and of its git processes during a push and a clone of 1 GB. */
export async function gitMemory(): Promise<readonly Ratio[]> {
  const factor = Math.max(slowness(0), slowness(2));
  const gitFactor = Math.max(slowness(1), slowness(3));
  return (await measureTransfers(1024, larger(factor, gitFactor, BEFORE))).flatMap(({ operation, server, git }) => [
    ratio(`${operation} of 1 GB: server`, 'growth of anonymous memory in megabytes', [server], { atMost: 64 }, {}),
    ratio(`${operation} of 1 GB: git`, 'anonymous memory of all git processes in megabytes', [git], { atMost: 256 }, {}),
  ]);
}
