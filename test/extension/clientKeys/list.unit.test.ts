import assert from 'node:assert/strict';
import { ApiFailure } from '../../../src/api/failures.ts';
import { type ClientKeyList, type ClientKeysState, createClientKeyList } from '../../../src/clientKeys/list.ts';
import { clientKeysRow } from '../../../src/clientKeys/rows.ts';
import type { ClientKey } from '../../../src/contract/clientKeys.ts';
import type { ClientKeyUse } from '../../../src/contract/clientKeyUse.ts';

const PUBLIC_KEY = 'glet_0123456789abcdef0123456789abcdef';

function clientKey(id: number, more: Partial<ClientKey> = {}): ClientKey {
  return { id, active: true, public_key: PUBLIC_KEY, tracker_dsn: `http://${PUBLIC_KEY}@127.0.0.1/1`, ...more };
}

const use: ClientKeyUse = { createdAt: 0, lastUsedAt: 60_000, lastRefused: null, days: [], programs: [], morePrograms: 0 };

/** Waits until all pending promise callbacks have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const forbidden = new ApiFailure('forbidden', 'not allowed');

describe('the list of client keys', () => {
  let list: ClientKeyList;
  let requests: number;
  /** IDs of the keys whose use was requested. */
  let uses: number[];
  let useOf: (keyId: number) => ClientKeyUse | undefined | Promise<ClientKeyUse>;
  let response: () => Promise<readonly ClientKey[]>;
  const source = (key: string) => ({
    key,
    read: () => {
      requests += 1;
      return response();
    },
    readUse: async (keyId: number) => {
      uses.push(keyId);
      return useOf(keyId);
    },
  });
  beforeEach(() => {
    list = createClientKeyList();
    requests = 0;
    uses = [];
    useOf = () => use;
    response = async () => [clientKey(1)];
    list.setSource(source('ada/lamps'));
  });

  it('the list of client keys is loaded once, when it is opened', async () => {
    await list.refresh();
    list.setSource(source('ada/lamps'));
    assert.deepEqual([list.state(), requests], [undefined, 0]);
    list.open();
    assert.deepEqual(list.state(), { kind: 'loading' });
    await settled();
    list.open();
    await settled();
    assert.deepEqual([list.state(), requests], [{ kind: 'ready', keys: [clientKey(1)] }, 1]);
  });

  it('the client keys that an ended session has loaded stay', async () => {
    list.open();
    await settled();
    response = async () => {
      throw new ApiFailure('signedOut', 'You are no longer signed in.');
    };
    await list.refresh();
    assert.deepEqual(list.state(), { kind: 'ready', keys: [clientKey(1)] });
  });

  it('the list of client keys stays while it is loaded again, and shows the reason if that fails', async () => {
    list.open();
    await settled();
    response = async () => {
      throw forbidden;
    };
    const loading = list.refresh();
    assert.equal(list.state()?.kind, 'ready');
    await loading;
    assert.deepEqual(list.state(), { kind: 'failed', failure: forbidden });
    response = async () => [];
    await list.refresh();
    assert.deepEqual(list.state(), { kind: 'ready', keys: [] });
  });

  it('the list of client keys uses the response to the later of two requests', async () => {
    const waiting = Promise.withResolvers<readonly ClientKey[]>();
    response = () => waiting.promise;
    list.open();
    await settled();
    response = async () => [clientKey(2)];
    await list.refresh();
    waiting.resolve([clientKey(1)]);
    await settled();
    assert.deepEqual(list.state(), { kind: 'ready', keys: [clientKey(2)] });
  });

  it('the list of client keys requests the use of a key again when it was used, one request at a time, and loses no use', async () => {
    response = async () => [clientKey(1), clientKey(2)];
    list.open();
    list.watch(true);
    await settled();
    const first = Promise.withResolvers<ClientKeyUse>();
    useOf = () => first.promise;
    for (let count = 0; count < 100; count += 1) void list.expire(2);
    await settled();
    for (let count = 0; count < 100; count += 1) void list.expire(2);
    await settled();
    assert.deepEqual(uses, [2]);
    useOf = () => ({ ...use, lastUsedAt: 90_000 });
    first.resolve(use);
    await settled();
    assert.deepEqual([requests, uses], [1, [2, 2]]);
    assert.deepEqual(list.state(), {
      kind: 'ready',
      keys: [clientKey(1), { ...clientKey(2), use: { ...use, lastUsedAt: 90_000 } }],
    });
  });

  it('the list of client keys requests nothing while its rows are hidden, and then what was used meanwhile', async () => {
    await list.expire(1);
    assert.deepEqual([requests, uses], [0, []], 'it was never opened');
    list.open();
    list.watch(true);
    await settled();
    list.watch(false);
    for (let count = 0; count < 100; count += 1) await list.expire(1);
    assert.deepEqual([requests, uses], [1, []]);
    list.watch(true);
    await settled();
    assert.deepEqual([requests, uses], [1, [1]]);
    list.watch(false);
    list.watch(true);
    await settled();
    assert.deepEqual([requests, uses], [1, [1]], 'nothing is outdated');
  });

  it('the list of client keys is loaded again when a key was created or deleted, or everything may have changed', async () => {
    list.open();
    list.watch(true);
    await settled();
    response = async () => [clientKey(1), clientKey(2)];
    await list.expire(2);
    assert.deepEqual(list.state(), { kind: 'ready', keys: [clientKey(1), clientKey(2)] });
    response = async () => [clientKey(2)];
    useOf = () => undefined;
    await list.expire(1);
    assert.deepEqual(list.state(), { kind: 'ready', keys: [clientKey(2)] });
    await list.expire();
    assert.equal(requests, 4);
  });

  it('the list of client keys keeps its rows when the use of a key cannot be requested', async () => {
    list.open();
    list.watch(true);
    await settled();
    useOf = () => Promise.reject(forbidden);
    await list.expire(1);
    assert.deepEqual([list.state(), uses], [{ kind: 'ready', keys: [clientKey(1)] }, [1]]);
  });

  it('the list of client keys ignores a response for another project', async () => {
    const waiting = Promise.withResolvers<readonly ClientKey[]>();
    response = () => waiting.promise;
    list.open();
    await settled();
    list.setSource(source('ada/ropes'));
    waiting.resolve([clientKey(1)]);
    await settled();
    assert.equal(list.state(), undefined);
  });
});

describe('rows of client keys', () => {
  const project = { account: 'https://gitlab.example.com#1', id: 7, path: 'ada/lamps' };
  const moment = { now: 3_600_000, locale: 'en' };
  const below = (state: ClientKeysState | undefined) => clientKeysRow('p', project, state, moment).rows;
  const reported = (state: ClientKeysState | undefined) =>
    below(state).map(({ kind, label, description, icon }) => [kind, label, description, icon]);

  it('rows of client keys are below one row, which has a stable ID', () => {
    for (const state of [undefined, { kind: 'ready', keys: [] }] as const) {
      const { kind, id, label } = clientKeysRow('p', project, state, moment);
      assert.deepEqual([kind, id, label], ['clientKeys', 'p/clientKeys', 'Client Keys']);
    }
  });

  it('rows of client keys show the start of the public key and whether the key is active', () => {
    const keys = [clientKey(3), clientKey(4, { active: false, public_key: 'short' }), clientKey(5, { public_key: '' })];
    assert.deepEqual(reported({ kind: 'ready', keys }), [
      ['clientKey', 'Client key 3', 'glet_01234567… · active', 'key'],
      ['clientKey', 'Client key 4', 'short · inactive', 'circle-slash'],
      ['clientKey', 'Client key 5', 'active', 'key'],
    ]);
    const [row] = below({ kind: 'ready', keys });
    assert.equal(row?.tooltip, `Client key 3\nactive\n${PUBLIC_KEY}\nhttp://${PUBLIC_KEY}@127.0.0.1/1`);
    assert.equal(row?.spoken, 'Client key 3, active');
  });

  it('rows of client keys show when a key was last used, and by which programs', () => {
    const used5MinutesAgo: ClientKeyUse = {
      createdAt: 0,
      lastUsedAt: 3_300_000,
      lastRefused: { at: 1, status: 400, words: 'no envelope' },
      days: [
        { day: '2026-01-02', count: 2 },
        { day: '2026-01-01', count: 1200 },
      ],
      programs: [{ release: 'shop@1', serverName: 'web-1', sdk: null, count: 2, lastAt: 3_300_000 }],
      morePrograms: 0,
    };
    const keys = [
      { ...clientKey(3), use: used5MinutesAgo },
      { ...clientKey(4), use: { ...used5MinutesAgo, lastUsedAt: null, lastRefused: null, days: [], programs: [] } },
    ];
    const [used, unused] = below({ kind: 'ready', keys });
    assert.equal(used?.description, 'used 5 minutes ago · glet_01234567…');
    assert.equal(
      used?.tooltip,
      `Client key 3\nactive\nused 5 minutes ago\n1,202 events in 90 days\nshop@1 · web-1\nlast rejected 59 minutes ago: no envelope\n${PUBLIC_KEY}\nhttp://${PUBLIC_KEY}@127.0.0.1/1`,
    );
    assert.ok(used?.kind === 'clientKey');
    assert.deepEqual(used.clientKey, clientKey(3));
    assert.equal(unused?.description, 'never used · glet_01234567…');
  });

  for (const [name, state, row] of [
    ['they have not been opened', undefined, ['text', 'Loading…', '', 'loading~spin']],
    ['they are loading', { kind: 'loading' }, ['text', 'Loading…', '', 'loading~spin']],
    ['there are none', { kind: 'ready', keys: [] }, ['noClientKey', 'No client keys yet', '', 'info']],
    ['access is forbidden', { kind: 'failed', failure: forbidden }, ['text', 'Only maintainers can see client keys', '', 'lock']],
    [
      'the instance is unreachable',
      { kind: 'failed', failure: new ApiFailure('unreachable', 'No response.') },
      ['text', 'No response.', '', 'warning'],
    ],
  ] as const satisfies readonly (readonly [string, ClientKeysState | undefined, readonly string[]])[])
    it(`rows of client keys show a text when ${name}`, () => {
      assert.deepEqual(reported(state), [row]);
    });

  it('rows of client keys show who can see them', () => {
    const [row] = below({ kind: 'failed', failure: forbidden });
    assert.equal(row?.tooltip, 'Only maintainers of ada/lamps can manage its error tracking and client keys.');
  });
});
