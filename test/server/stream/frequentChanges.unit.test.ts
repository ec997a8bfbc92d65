import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endPlatform } from '../../../server/createPlatform.ts';
import { attachSubscribers } from '../../../server/subscribers.ts';
import { createTestPlatform } from '../../support/server.ts';

describe('changes that can happen many times a second', () => {
  const platform = createTestPlatform();
  const sent: unknown[][] = [];
  before(() => {
    attachSubscribers(platform);
    platform.live.follow({
      next: (occurrences) => void sent.push(occurrences.map(({ event, data }) => [event, ...Object.values(data)])),
      end: () => undefined,
    });
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  after(() => {
    mock.timers.reset();
    endPlatform(platform);
  });

  it('a thousand further events of errors are announced at once, and then together once a second, without losing the last', async () => {
    const count = (fingerprint: number): void => platform.changes.publish({ kind: 'errorCounted', projectId: 1, fingerprint });
    const use = (keyId: number): void => platform.changes.publish({ kind: 'clientKeyUsed', projectId: 1, keyId });
    count(7);
    await nextTurn();
    assert.deepEqual(sent, [[['count', 1, 7]]]);
    for (let events = 0; events < 1_000; events += 1) {
      count(events % 2);
      use(3);
      if (events % 100 === 0) await nextTurn();
    }
    await nextTurn();
    mock.timers.tick(999);
    await nextTurn();
    assert.equal(sent.length, 1);
    mock.timers.tick(1);
    await nextTurn();
    assert.deepEqual(sent.slice(1), [
      [
        ['count', 1, 0],
        ['key', 1, 3],
        ['count', 1, 1],
      ],
    ]);
    count(8);
    await nextTurn();
    mock.timers.tick(1_000);
    await nextTurn();
    assert.deepEqual(sent.slice(2), [[['count', 1, 8]]]);
    mock.timers.tick(5_000);
    await nextTurn();
    assert.equal(sent.length, 3, 'nothing is announced twice');
  });
});
