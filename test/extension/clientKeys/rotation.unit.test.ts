import assert from 'node:assert/strict';
import { createRotations, type Rotation, type KeyUses, stateOf } from '../../../src/clientKeys/rotation.ts';
import { TEST_RELEASE } from '../../../src/clientKeys/testEvent.ts';
import type { ClientKeyUse, KeyProgram } from '../../../src/contract/clientKeyUse.ts';
import { type ClientKey, readClientKey } from '../../../src/contract/clientKeys.ts';
import { fakeMemento } from '../../support/extension/fakes.ts';

const rotation: Rotation = { account: 'local#1', path: 'ada/lamps', oldKey: 1, newKey: 2, isConfirmed: false };
const CREATED = 1_000_000;

function clientKey(id: number): ClientKey {
  const key = readClientKey({ id, active: true, public_key: 'glet_0', tracker_dsn: 'http://glet_0@127.0.0.1/1' });
  assert.ok(key !== undefined);
  return key;
}

function program(release: string | null, lastAt: number): KeyProgram {
  return { release, serverName: 'web-1', sdk: 'sentry.python/1', count: 1, lastAt };
}

function use(...programs: readonly KeyProgram[]): ClientKeyUse {
  return { createdAt: CREATED, lastUsedAt: programs[0]?.lastAt ?? null, lastRefused: null, days: [], programs, morePrograms: 0 };
}

const uses = (more: Partial<KeyUses> = {}): KeyUses => ({
  keys: [clientKey(1), clientKey(2)],
  newUse: use(),
  oldUse: use(),
  ...more,
});

describe('rotation of client keys', () => {
  const sent = program('shop@2', CREATED + 5);
  const cases: readonly (readonly [what: string, uses: KeyUses, state: object, rotation?: Partial<Rotation>])[] = [
    ['waits for an event with the new key', uses(), { kind: 'waiting', isReported: true }],
    [
      'does not take a test error for a program',
      uses({ newUse: use(program(TEST_RELEASE, CREATED + 1)) }),
      { kind: 'waiting', isReported: true },
    ],
    ['waits for the user if the instance reports no use', uses({ newUse: 'unreported' }), { kind: 'waiting', isReported: false }],
    [
      'knows the program that uses the new key',
      uses({ newUse: use(sent) }),
      { kind: 'works', program: sent, remaining: [], lastUse: undefined },
    ],
    [
      'knows the programs that have used the old key since the new one exists',
      uses({
        newUse: use(sent),
        oldUse: use(program('shop@1', CREATED + 1), program('old', CREATED - 1), program(TEST_RELEASE, CREATED + 2)),
      }),
      {
        kind: 'works',
        program: sent,
        remaining: [program('shop@1', CREATED + 1)],
        lastUse: { at: CREATED + 1, program: program('shop@1', CREATED + 1), isRecent: true, morePrograms: 0 },
      },
    ],
    [
      'believes the user that the new key works',
      uses({ newUse: 'unreported', oldUse: 'unreported' }),
      { kind: 'works', program: undefined, remaining: undefined, lastUse: undefined },
      { isConfirmed: true },
    ],
    [
      'knows when the old key was last used before the new one existed',
      uses({ newUse: use(sent), oldUse: use(program('old', CREATED - 1)) }),
      {
        kind: 'works',
        program: sent,
        remaining: [],
        lastUse: { at: CREATED - 1, program: program('old', CREATED - 1), isRecent: false, morePrograms: 0 },
      },
    ],
    [
      'knows a use of the old key by a program without a name',
      uses({ newUse: use(sent), oldUse: { ...use(), lastUsedAt: CREATED + 3 } }),
      {
        kind: 'works',
        program: sent,
        remaining: [],
        lastUse: { at: CREATED + 3, program: undefined, isRecent: true, morePrograms: 0 },
      },
    ],
    [
      'does not take a test error for a use of the old key',
      uses({ newUse: use(sent), oldUse: use(program(TEST_RELEASE, CREATED + 2), program('old', CREATED - 1)) }),
      {
        kind: 'works',
        program: sent,
        remaining: [],
        lastUse: { at: CREATED - 1, program: program('old', CREATED - 1), isRecent: false, morePrograms: 0 },
      },
    ],
    ['ends if the new key was deleted', uses({ keys: [clientKey(1)] }), { kind: 'newKeyGone' }],
    ['ends if the old key was deleted', uses({ keys: [clientKey(2)] }), { kind: 'oldKeyGone' }],
  ];
  for (const [what, given, state, more = {}] of cases) {
    it(`the rotation of a client key ${what}`, () => {
      assert.deepEqual(stateOf({ ...rotation, ...more }, given), state);
    });
  }

  it('the rotation of a client key is remembered until it ends, without the keys themselves', async () => {
    const memory = fakeMemento();
    const window = createRotations(memory);
    await window.put(rotation);
    await window.put({ ...rotation, isConfirmed: true });
    const after = createRotations(memory);
    assert.deepEqual(after.of('local#1', 'ada/lamps'), [{ ...rotation, isConfirmed: true }]);
    assert.deepEqual([after.of('local#2', 'ada/lamps'), after.of('local#1', 'ada/ropes')], [[], []]);
    assert.ok(!JSON.stringify(memory.get('clientKeys.rotations')).includes('glet_'));
    await after.remove(rotation);
    assert.deepEqual(window.of('local#1', 'ada/lamps'), []);
  });
});
