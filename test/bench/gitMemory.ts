import { once } from 'node:events';
import type { Socket } from 'node:net';
import path from 'node:path';
import { type MeasureServer, measureTransfers } from '../server/smartHttp/transferMemory.ts';
import { type Ratio, ratio } from './harness.ts';
import { larger, slowness } from './slowness.ts';

/**
 * Measures the memory of the server and of its git processes during a push and a clone of 1 GB. The memory of the server is measured without
 * garbage, of which a run leaves several times as much as another one.
 */
export async function gitMemory(): Promise<readonly Ratio[]> {
  const rules = [
    { from: 'push', factor: slowness(0), gitFactor: slowness(1) },
    { from: 'clone', factor: slowness(2), gitFactor: slowness(3) },
  ];
  const nodeArguments = [`--import=${path.join(import.meta.dirname, 'liveMemory.mjs')}`, ...larger(rules, 'live')];
  const measured = await measureTransfers(1024, { measure: liveMemory, nodeArguments, control: true });
  return measured.flatMap(({ operation, server, git }) => [
    ratio(`${operation} of 1 GB: server`, 'memory in use in megabytes', [server], { atMost: 64 }, {}),
    ratio(`${operation} of 1 GB: git`, 'anonymous memory of all git processes in megabytes', [git], { atMost: 16 }, {}),
  ]);
}

const liveMemory: MeasureServer = async ({ child }) => {
  const control = child.stdio[3] as Socket;
  const peak = async (): Promise<number> => {
    const response = once(control, 'data');
    control.write('.');
    const [text] = (await response) as [Buffer];
    return Number(String(text));
  };
  await peak();
  return peak;
};
