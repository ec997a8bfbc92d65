import path from 'node:path';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { createStopMark } from '../../../src/local/stopMark.ts';
import { createSupervisor, type Supervisor, type SupervisorSettings } from '../../../src/local/supervisor.ts';
import { testEnvironment } from '../environment.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { DIST } from '../serverProcess.ts';
import { fakeLog } from './fakes.ts';

export const DEMO_TOKEN = 'fedcba9876543210'.repeat(4);

/** Creates the supervisor that the extension creates for a new user: the built server with demo data, and its data in `folder`. */
export function createDemoSupervisor(folder: string, settings: Partial<SupervisorSettings> = {}): Supervisor {
  const dataFolder = path.join(folder, 'data');
  return createSupervisor({
    executable: process.execPath,
    serverFile: path.join(DIST, 'server.js'),
    profile: () => ({
      name: 'default',
      folder: dataFolder,
      adminToken: async () => DEMO_TOKEN,
      data: { get: () => undefined, set: async () => undefined },
      stopMark: createStopMark(dataFolder),
      lastPort: { get: () => 0, set: async () => undefined },
    }),
    environment: testEnvironment(['git']),
    seed: () => 'demo',
    send: createLoopbackSend(),
    log: fakeLog(),
    now: Date.now,
    sleep,
    report: () => undefined,
    ...settings,
  });
}
