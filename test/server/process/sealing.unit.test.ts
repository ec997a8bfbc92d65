import assert from 'node:assert/strict';
import { keyFor, type KeyOwner, takeKeys } from '../../../server/core/sealing.ts';

describe('keys for other uses', () => {
  it('each use and each owner has its own key, which stays the same', () => {
    const [one, other]: KeyOwner[] = [{ dataFolder: undefined }, { dataFolder: undefined }];
    assert.ok(one !== undefined && other !== undefined);
    const keys = [keyFor(one, 'first'), keyFor(one, 'second'), keyFor(other, 'first'), keyFor(other, 'second')];
    assert.equal(new Set(keys).size, 4);
    assert.deepEqual([keyFor(one, 'first'), keyFor(one, 'second'), keyFor(other, 'first'), keyFor(other, 'second')], keys);
  });

  it('who takes the keys of another owner has the same keys from then on', () => {
    const [one, other]: KeyOwner[] = [{ dataFolder: undefined }, { dataFolder: undefined }];
    assert.ok(one !== undefined && other !== undefined);
    const former = keyFor(other, 'first');
    takeKeys(other, one);
    keyFor(one, 'first');
    takeKeys(other, one);
    assert.notEqual(keyFor(other, 'first'), former);
    assert.equal(keyFor(other, 'first'), keyFor(one, 'first'));
  });
});
