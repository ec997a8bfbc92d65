import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { defaultProfile, type Profile } from '../../../src/contract/emulation.ts';
import { createLocalControl } from '../../../src/local/control.ts';
import { createEmulation, type Emulation } from '../../../src/local/emulation.ts';
import type { Supervisor } from '../../../src/local/supervisor.ts';
import { createDemoSupervisor, DEMO_TOKEN } from '../../support/extension/demoSupervisor.ts';
import { fakeLog } from '../../support/extension/fakes.ts';
import { until } from '../../support/until.ts';

const OTHER: Profile = { release: '16.4', tier: 'free', offering: 'dedicated', dialect: 'observed' };

describe('the emulated platform of the local server', () => {
  const send = createLoopbackSend();
  let folder: string;
  let supervisor: Supervisor;
  let emulated: Profile;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-emulation-'));
    emulated = defaultProfile;
    supervisor = createDemoSupervisor(folder, { seed: () => 'none', emulated: () => emulated });
  });
  afterEach(async () => {
    await supervisor.stop();
    supervisor.release();
    rmSync(folder, { recursive: true, force: true });
  });

  const emulationWith = (token: string): Emulation =>
    createEmulation({
      control: async () => {
        const origin = supervisor.origin();
        return origin === undefined ? undefined : createLocalControl(origin, token, send, Date.now);
      },
      onDidChangeServer: supervisor.onDidChange,
      log: fakeLog(),
    });
  const served = (): Promise<Profile> => createLocalControl(supervisor.origin() ?? '', DEMO_TOKEN, send, Date.now).emulated();
  const known = (emulation: Emulation) =>
    until(
      async () => emulation.current(),
      (profile) => profile !== undefined,
      'the profile of the server',
    );

  it('it is that of the settings after a start, and unknown while the server is stopped', async () => {
    emulated = OTHER;
    const emulation = emulationWith(DEMO_TOKEN);
    assert.equal(emulation.current(), undefined);
    await supervisor.start();
    assert.deepEqual(await known(emulation), OTHER);
    await supervisor.stop();
    await until(
      async () => emulation.current(),
      (profile) => profile === undefined,
      'no profile',
    );
  });

  it('a change applies to the running process and leaves the other members as they are', async () => {
    const emulation = emulationWith(DEMO_TOKEN);
    const running = await supervisor.start();
    await known(emulation);
    let changes = 0;
    emulation.onDidChange(() => (changes += 1));
    await emulation.change({ release: '20.0' });
    assert.deepEqual(emulation.current(), { ...defaultProfile, release: '20.0' });
    assert.deepEqual(await served(), emulation.current());
    assert.equal(supervisor.state(), running);
    assert.equal(changes, 1);
  });

  it('changed settings apply, and a change by another window is noticed', async () => {
    const emulation = emulationWith(DEMO_TOKEN);
    await supervisor.start();
    await known(emulation);
    const other = emulationWith(DEMO_TOKEN);
    await other.refresh();
    await other.apply({ tier: 'premium' });
    assert.equal((await served()).tier, 'premium');
    await emulation.refresh();
    assert.equal(emulation.current()?.tier, 'premium');
  });

  it('the clock of the server is known once it was moved, also by another program, until it is moved back', async () => {
    const emulation = emulationWith(DEMO_TOKEN);
    await supervisor.start();
    await known(emulation);
    const address = supervisor.origin() ?? '';
    const server = createLocalControl(address, DEMO_TOKEN, send, Date.now);
    let changes = 0;
    emulation.onDidChange(() => (changes += 1));
    const clock = () => emulation.at(address).movedClock;
    assert.equal(clock(), undefined);

    await server.request('POST', '/clock', { advance_seconds: 86_400 });
    await emulation.refresh();
    assert.partialDeepStrictEqual(clock(), { isFrozen: false, offset: 86_400 });
    await emulation.refresh();
    assert.equal(changes, 1, 'a clock that runs is the same clock');

    await server.request('POST', '/clock', { freeze_at: '2030-01-31T14:30:00Z' });
    await emulation.refresh();
    assert.partialDeepStrictEqual(clock(), { isFrozen: true, now: Date.UTC(2030, 0, 31, 14, 30) });
    await emulation.refresh();
    assert.equal(changes, 2, 'a clock that is stopped is the same clock');

    assert.deepEqual(emulation.at('http://127.0.0.1:1'), {}, 'nothing is known of another server');
    await server.request('POST', '/clock', { reset: true });
    emulation.dataReplaced();
    await until(
      async () => clock(),
      (moved) => moved === undefined,
      'the clock of the machine',
    );
  });

  it('a server of another program has none, and is not changed by settings', async () => {
    const emulation = emulationWith('0'.repeat(64));
    await supervisor.start();
    await emulation.refresh();
    assert.equal(emulation.current(), undefined);
    await emulation.apply({ release: '15.1' });
    assert.deepEqual(await served(), defaultProfile);
    await assert.rejects(emulation.change({ release: '15.1' }), /401|not accept|rejected|sign in/i);
  });
});
