import { measureTransfers } from '../server/smartHttp/transferMemory.ts';
import { type Ratio, ratio } from './harness.ts';

/** Measures the memory of the server and of its git processes during a push and a clone of 1 GB. */
export async function gitMemory(): Promise<readonly Ratio[]> {
  return (await measureTransfers(1024)).flatMap(({ operation, server, git }) => [
    ratio(`${operation} of 1 GB: server`, 'growth of anonymous memory in megabytes', [server], { atMost: 64 }, {}),
    ratio(`${operation} of 1 GB: git`, 'anonymous memory of all git processes in megabytes', [git], { atMost: 256 }, {}),
  ]);
}
