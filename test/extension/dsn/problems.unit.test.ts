import assert from 'node:assert/strict';
import { createClient } from '../../../src/api/client.ts';
import type { ClientKey } from '../../../src/contract/clientKeys.ts';
import type { ClientKeyUse } from '../../../src/contract/clientKeyUse.ts';
import { makeDsn, readDsn } from '../../../src/contract/dsn.ts';
import { hoverLines } from '../../../src/dsn/hover.ts';
import { type DsnPlace, problemsOf } from '../../../src/dsn/problems.ts';
import { createDsnStates, type DsnState, MAX_AGE } from '../../../src/dsn/states.ts';

const ORIGIN = 'https://gitlab.example.com';
const ACCOUNT = `${ORIGIN}#1`;
const KEY = `glet_${'0'.repeat(32)}`;
const key: ClientKey = { id: 3, active: true, public_key: KEY, tracker_dsn: makeDsn(ORIGIN, KEY, 7) };
const project = { id: 7, path: 'ada/lamps', isPublic: false };
const place: DsnPlace = { workspaceProject: 'ada/lamps', instance: 'Managed server', isTracked: false };

const known = (more: object = {}): DsnState => ({ kind: 'key', account: ACCOUNT, project, keys: [key], key, ...more });
const isPublic = { ...project, isPublic: true };

describe('problems of DSNs', () => {
  const cases: readonly (readonly [what: string, state: DsnState, place: Partial<DsnPlace>, kinds: readonly string[]])[] = [
    ['none: an active key of this project', known(), {}, []],
    ['none: nobody is signed in', { kind: 'signedOut' }, {}, []],
    ['none: the keys are hidden', { kind: 'hidden', project }, {}, []],
    ['the key was deleted', { kind: 'noKey', project, keys: [] }, {}, ['deleted']],
    ['the key is inactive', known({ key: { ...key, active: false } }), {}, ['inactive']],
    ['the project does not exist', { kind: 'noProject', id: 9 }, {}, ['noProject']],
    ['another project', known(), { workspaceProject: 'ada/ropes' }, ['otherProject']],
    ['none: the same project in other letters', known(), { workspaceProject: 'Ada/Lamps' }, []],
    ['none: the folder is a clone of no project', known(), { workspaceProject: undefined }, []],
    ['another instance', { kind: 'otherInstance', host: 'other.example.com' }, {}, ['otherInstance']],
    ['none: another instance in a folder of none', { kind: 'otherInstance', host: 'a' }, { workspaceProject: undefined }, []],
    ['tracked in a public project', known({ project: isPublic }), { isTracked: true }, ['public']],
    ['none: not tracked in a public project', known({ project: isPublic }), {}, []],
    ['none: tracked in a private project', known(), { isTracked: true }, []],
    ['a deleted key is no secret', { kind: 'noKey', project: isPublic, keys: [] }, { isTracked: true }, ['deleted']],
    [
      'several at once',
      known({ project: isPublic, key: { ...key, active: false } }),
      { isTracked: true, workspaceProject: 'ada/ropes' },
      ['inactive', 'otherProject', 'public'],
    ],
  ];
  for (const [what, state, at, kinds] of cases) {
    it(`problems of DSNs are found: ${what}`, () => {
      assert.deepEqual(
        problemsOf(state, { ...place, ...at }).map(({ kind }) => kind),
        kinds,
      );
    });
  }
});

describe('hovers of DSNs', () => {
  const now = 7_200_000;
  const program = { release: 'shop@1', serverName: 'web-1', sdk: null, count: 1, lastAt: now - 300_000 };
  const use: ClientKeyUse = { createdAt: 0, lastUsedAt: null, lastRefused: null, days: [], programs: [], morePrograms: 0 };
  const lines = (state: DsnState, used?: ClientKeyUse): readonly string[] =>
    hoverLines({ state, use: used, problems: [], now, locale: 'en', instance: 'Managed server' }).map((line) =>
      line.replaceAll('\\', '').replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))),
    );

  it('hovers of DSNs name the project, the key and its last event', () => {
    assert.deepEqual(lines(known(), { ...use, lastUsedAt: now - 1, programs: [program] }), [
      'DSN of client key 3 of ada/lamps, which is active.',
      'Last event: 5 minutes ago, of shop@1 · web-1.',
    ]);
    assert.deepEqual(lines(known(), use), ['DSN of client key 3 of ada/lamps, which is active.', 'The key was never used.']);
  });

  it('hovers of DSNs name the last refusal if nothing was accepted since', () => {
    const lastRefused = { at: now - 60_000, status: 400, words: 'no envelope' };
    assert.deepEqual(
      lines(known(), { ...use, lastRefused }).at(-1),
      'Last rejected: 1 minute ago, with status 400: no envelope.',
    );
    assert.deepEqual(lines(known(), { ...use, lastUsedAt: now, lastRefused }).at(-1), 'Last used: 1 second ago.');
  });

  it('hovers of DSNs say what is not known', () => {
    assert.deepEqual(lines({ kind: 'signedOut' }), ['Sign in to Managed server to see what this DSN belongs to.']);
    assert.deepEqual(lines({ kind: 'hidden', project }), [
      'This DSN belongs to ada/lamps. Only maintainers can see the state of its client key.',
    ]);
  });
});

describe('states of DSNs', () => {
  let time: number;
  let requests: string[];
  let status: number;
  let keys: readonly object[];
  beforeEach(() => {
    [time, requests, status, keys] = [0, [], 200, [key]];
  });
  const client = createClient({
    baseUrl: ORIGIN,
    send: async ({ url }) => {
      const path = url.slice(`${ORIGIN}/api/v4`.length);
      requests.push(path);
      const isList = path.includes('client_keys');
      const body = isList ? keys : { id: 7, path_with_namespace: 'ada/lamps', visibility: 'public' };
      return { status: isList ? status : 200, headers: new Map(), body: JSON.stringify(status === 200 || !isList ? body : {}) };
    },
    credentials: { token: async () => 'token', renewed: async () => undefined },
    now: () => time,
    sleep: async () => undefined,
  });
  const states = () => createDsnStates({ account: () => ({ key: ACCOUNT, address: ORIGIN, client }), now: () => time });
  const dsn = readDsn(key.tracker_dsn);
  assert.ok(dsn !== undefined);

  it('the state of a DSN is read once in a while', async () => {
    const own = states();
    assert.partialDeepStrictEqual(await own.of(dsn), { kind: 'key', project: isPublic, key });
    await own.of(dsn);
    assert.deepEqual(requests, ['/projects/7', '/projects/7/error_tracking/client_keys?per_page=100']);
    time += MAX_AGE;
    keys = [];
    assert.deepEqual(await own.of(dsn), { kind: 'noKey', project: isPublic, keys: [] });
    keys = [key];
    own.forget();
    assert.equal((await own.of(dsn)).kind, 'key');
  });

  it('the state of a DSN of another instance is not requested', async () => {
    const other = readDsn(makeDsn('https://other.example.com', KEY, 7));
    assert.ok(other !== undefined);
    assert.deepEqual(await states().of(other), { kind: 'otherInstance', host: 'other.example.com' });
    assert.deepEqual(requests, []);
  });

  it('the state of a DSN is hidden from those who are no maintainers', async () => {
    status = 403;
    assert.deepEqual(await states().of(dsn), { kind: 'hidden', project: isPublic });
  });
});
