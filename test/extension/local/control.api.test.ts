import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ApiFailure } from '../../../src/api/failures.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { readAppliedSeed, readClockState } from '../../../src/contract/control.ts';
import { createLocalControl } from '../../../src/local/control.ts';
import { startTestServer, TEST_ADMIN_TOKEN } from '../../support/server.ts';

const SEED = path.join(import.meta.dirname, '../../../media/seeds/harbour.signalbox.yaml');

describe('control of the local server by commands', () => {
  it('control of the local server by commands moves, stops and resets the clock', async () => {
    await using server = await startTestServer();
    const { request } = createLocalControl(server.origin, TEST_ADMIN_TOKEN, sendByFetch, Date.now);
    const stopped = readClockState(await request('POST', '/clock', { freeze_at: '2030-01-31T14:30:00.000Z' }));
    assert.partialDeepStrictEqual(stopped, { now: Date.UTC(2030, 0, 31, 14, 30), isFrozen: true });
    const advanced = readClockState(await request('POST', '/clock', { advance_seconds: 90 }));
    assert.partialDeepStrictEqual(advanced, { now: Date.UTC(2030, 0, 31, 14, 31, 30), isFrozen: true });
    const reset = readClockState(await request('POST', '/clock', { reset: true }));
    assert.partialDeepStrictEqual(reset, { isFrozen: false, offset: 0 });
    assert.equal(readClockState(await request('GET', '/clock'))?.isFrozen, false);
  });

  it('control of the local server by commands applies a seed file and returns its secrets once', async () => {
    await using server = await startTestServer();
    const { request } = createLocalControl(server.origin, TEST_ADMIN_TOKEN, sendByFetch, Date.now);
    const text = readFileSync(SEED, 'utf8');
    const applied = readAppliedSeed(await request('POST', '/seeds', { name: 'harbour.signalbox.yaml', text }));
    assert.equal(applied?.counts['projects'], 3);
    assert.match(applied?.secrets.join('\n') ?? '', /^ines, scripts: \S+$/m);
    assert.match(applied?.secrets.join('\n') ?? '', /^Harbour display: [0-9a-f]{64}$/m);
  });

  it('control of the local server by commands says why the server refused', async () => {
    await using server = await startTestServer();
    const { request } = createLocalControl(server.origin, TEST_ADMIN_TOKEN, sendByFetch, Date.now);
    await assert.rejects(request('POST', '/seeds', { name: 'bad.yaml', text: 'users: 7' }), (error: unknown) => {
      assert.ok(error instanceof ApiFailure);
      assert.match(error.message, /bad\.yaml/);
      return true;
    });
    await assert.rejects(request('POST', '/snapshots', { name: 'a/b' }), /name is invalid/);
  });
});
