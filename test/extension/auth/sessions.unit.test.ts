import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionChange } from '../../../src/auth/knownSessions.ts';
import { type Session, tokensOf } from '../../../src/auth/session.ts';
import { createSessions, type SessionSettings } from '../../../src/auth/sessions.ts';
import { createMask } from '../../../src/support/log.ts';
import { fakeClock, fakeLog, fakeMemento, fakeSecrets } from '../../support/extension/fakes.ts';

const INSTANCE = 'https://gitlab.example.com';

/** Account key of the signed-in user. */
const ANA = `${INSTANCE}#7`;

const session: Session = {
  id: 'session-1',
  instance: INSTANCE,
  credential: 'oauth',
  clientId: 'the-client',
  account: { id: 7, username: 'ana', name: 'Ana Novak' },
  scopes: ['api'],
  accessToken: 'access-one',
  refreshToken: 'refresh-one',
  expiry: { at: 1_800_000_000_000, lifetime: 7_200_000 },
};

function world(changes: Partial<SessionSettings> = {}) {
  const secrets = fakeSecrets();
  const memory = fakeMemento();
  const mask = createMask();
  const log = fakeLog();
  const clock = fakeClock();
  const sessions = createSessions({ secrets, memory, window: fakeMemento(), mask, log, sleep: clock.sleep, ...changes });
  const seen: SessionChange[] = [];
  sessions.onDidChange((change) => seen.push(change));
  return { secrets, memory, mask, log, sessions, seen };
}

describe('sessions', () => {
  it('sessions are restored unchanged in a new window', async () => {
    const { sessions, secrets, memory } = world();
    await sessions.write(session);
    const next = world({ secrets, memory });
    await next.sessions.load();
    assert.deepEqual(next.sessions.all(), [session]);
  });

  it('sessions of several accounts coexist, and the last used one is current, also in a new window', async () => {
    const { sessions, secrets, memory } = world();
    const bo: Session = { ...session, id: 'session-2', account: { id: 8, username: 'bo', name: 'Bo' } };
    const used: string[] = [];
    sessions.onDidUse((instance) => used.push(instance));
    await sessions.write(bo);
    await sessions.write(session);
    assert.equal(sessions.current(INSTANCE), session, 'the first one by name until one is selected');
    await sessions.use(`${INSTANCE}#8`);
    await sessions.use(`${INSTANCE}#8`);
    assert.deepEqual(used, [INSTANCE]);
    const next = world({ secrets, memory });
    await next.sessions.load();
    assert.deepEqual(next.sessions.current(INSTANCE), bo);
    await next.sessions.remove(`${INSTANCE}#8`);
    assert.equal(next.sessions.current(INSTANCE), undefined, 'nobody until another one is selected');
    await next.sessions.use(ANA);
    assert.deepEqual(next.sessions.current(INSTANCE), session);
    assert.equal(next.sessions.current('https://other.example.com'), undefined);
  });

  for (const [how, leave] of [
    ['signed out here', async ({ sessions }) => sessions.remove(ANA)],
    ['ended by the instance', async ({ sessions }) => sessions.end(session)],
    [
      'signed out in another window',
      async ({ sessions, secrets }) => {
        const changed = new Promise<void>((resolve) => sessions.onDidChange(() => resolve()));
        secrets.storeElsewhere(`session/${ANA}`, undefined);
        await changed;
      },
    ],
  ] as const satisfies readonly (readonly [string, (one: ReturnType<typeof world>) => Promise<void>])[])
    for (const isSelected of [true, false]) {
      it(`sessions of other accounts take the place of none that is ${how}, ${isSelected ? 'selected' : 'in use without a selection'}, in this window and the next one`, async () => {
        const first = world();
        const { sessions, secrets, memory } = first;
        await sessions.write(session);
        await sessions.write({ ...session, id: 'session-2', account: { id: 8, username: 'bo', name: 'Bo' } });
        if (isSelected) await sessions.use(ANA);
        assert.equal(sessions.current(INSTANCE), session);
        const seen: unknown[] = [];
        sessions.onDidChange(() => seen.push(sessions.current(INSTANCE)));
        sessions.onDidUse(() => seen.push(sessions.current(INSTANCE)));
        await leave(first);
        assert.equal(sessions.current(INSTANCE), undefined);
        assert.ok(
          seen.every((one) => one === undefined || one === session),
          'never another one in between',
        );
        if (how === 'signed out in another window') return;
        const next = world({ secrets, memory });
        await next.sessions.load();
        assert.equal(next.sessions.current(INSTANCE), undefined);
        assert.equal(next.sessions.all().length, 1);
      });
    }

  it('sessions whose secret cannot be read are replaced by none', async () => {
    const { sessions, secrets, memory } = world();
    await sessions.write(session);
    await sessions.write({ ...session, id: 'session-2', account: { id: 8, username: 'bo', name: 'Bo' } });
    await sessions.use(ANA);
    const { get } = secrets;
    const failing: typeof secrets = {
      ...secrets,
      get: async (key) => (key === `session/${ANA}` ? Promise.reject(new Error('locked')) : get(key)),
    };
    const next = world({ secrets: failing, memory });
    await next.sessions.load();
    assert.deepEqual([next.sessions.current(INSTANCE), next.sessions.isUnreadable(INSTANCE)], [undefined, true]);
  });

  it('sessions are selected per window, regardless of other windows', async () => {
    const { sessions, secrets, memory } = world();
    const bo: Session = { ...session, id: 'session-2', account: { id: 8, username: 'bo', name: 'Bo' } };
    await sessions.write(bo);
    const window = fakeMemento();
    const other = world({ secrets, memory, window });
    await other.sessions.load();
    assert.deepEqual(other.sessions.current(INSTANCE), bo);
    const changed = new Promise<void>((resolve) => other.sessions.onDidChange(() => resolve()));
    await sessions.write(session);
    await sessions.use(ANA);
    await changed;
    assert.deepEqual([sessions.current(INSTANCE), other.sessions.current(INSTANCE)], [session, bo]);

    await other.sessions.use(`${INSTANCE}#8`);
    await sessions.use(ANA);
    const reloaded = world({ secrets, memory, window });
    await reloaded.sessions.load();
    assert.deepEqual([sessions.current(INSTANCE), reloaded.sessions.current(INSTANCE)], [session, bo]);
  });

  it('sessions are found in the secret storage if another window has overwritten the index', async () => {
    const { sessions, secrets } = world();
    await sessions.write(session);
    const next = world({ secrets, memory: fakeMemento({ 'auth.sessions': [] }) });
    await next.sessions.load();
    assert.deepEqual(next.sessions.all(), [session]);
  });

  it('sessions that the instance ended leave their account stored until it signs in again', async () => {
    const { sessions, secrets, memory } = world();
    await sessions.write(session);
    await sessions.end(session);
    assert.deepEqual(sessions.ended(INSTANCE), session.account);
    assert.equal(secrets.values.size, 0);
    const next = world({ secrets, memory });
    await next.sessions.load();
    assert.deepEqual(next.sessions.ended(INSTANCE), session.account);
    await next.sessions.write(session);
    assert.equal(next.sessions.ended(INSTANCE), undefined);
    await next.sessions.remove(ANA);
    assert.equal(next.sessions.ended(INSTANCE), undefined);
  });

  it('sessions of a removed instance are deleted with their accounts, and others are kept', async () => {
    const window = fakeMemento();
    const { sessions, secrets, memory } = world({ window });
    const gone: Session = { ...session, instance: 'local/data-1' };
    const bo: Session = { ...gone, id: 'session-2', account: { id: 8, username: 'bo', name: 'Bo' } };
    for (const each of [session, gone, bo]) await sessions.write(each);
    await sessions.use('local/data-1#8');
    await sessions.end(bo);
    await sessions.forget('local/data-1');
    assert.deepEqual(sessions.all(), [session]);
    assert.deepEqual([...secrets.values.keys()], [`session/${ANA}`]);
    assert.doesNotMatch(JSON.stringify([...memory.values, ...window.values]), /data-1/);
    assert.equal(sessions.ended('local/data-1'), undefined);
  });

  it('sessions store no secrets in the global state', async () => {
    const { sessions, memory } = world();
    await sessions.write(session);
    assert.doesNotMatch(JSON.stringify([...memory.values]), /access-one|refresh-one|session-1/);
    assert.match(JSON.stringify([...memory.values]), /gitlab\.example\.com/);
  });

  it('sessions mask their tokens in the log as soon as they are known', async () => {
    const { sessions, secrets, memory } = world();
    await sessions.write(session);
    const next = world({ secrets, memory });
    await next.sessions.load();
    assert.equal(next.mask.apply('sent access-one and refresh-one'), 'sent ••• and •••');
  });

  it('sessions notify once each about sign-in, new tokens and sign-out', async () => {
    const { sessions, seen } = world();
    const renewed = { ...session, accessToken: 'access-two' };
    await sessions.write(session);
    await sessions.read(ANA);
    await sessions.write(renewed);
    await sessions.remove(ANA);
    await sessions.read(ANA);
    assert.deepEqual(seen, [
      { account: ANA, before: undefined, after: session },
      { account: ANA, before: session, after: renewed },
      { account: ANA, before: renewed, after: undefined },
    ]);
  });

  it('sessions follow changes by another window', async () => {
    const { sessions, secrets, seen } = world();
    await sessions.write(session);
    secrets.storeElsewhere(`session/${ANA}`, JSON.stringify({ ...session, accessToken: 'access-two' }));
    await until(() => sessions.get(ANA)?.accessToken === 'access-two');
    secrets.storeElsewhere(`session/${ANA}`, undefined);
    await until(() => sessions.get(ANA) === undefined);
    assert.equal(seen.length, 3);
  });

  it('sessions survive a secret storage that is temporarily empty (microsoft/vscode#184490)', async () => {
    const secrets = fakeSecrets();
    let stored = '';
    const sleep = async (): Promise<void> => void secrets.values.set(`session/${ANA}`, stored);
    const { sessions } = world({ secrets, sleep });
    await sessions.write(session);
    stored = secrets.values.get(`session/${ANA}`) ?? '';
    secrets.values.clear();
    assert.deepEqual(await sessions.read(ANA), session);
  });

  it('sessions last until the window closes if the secret storage fails, and that is logged', async () => {
    const broken = { ...fakeSecrets(), store: () => Promise.reject(new Error('the keyring is locked')) };
    const { sessions, log } = world({ secrets: broken });
    assert.equal(await sessions.write(session), false);
    assert.deepEqual(await sessions.read(ANA), session);
    assert.match(log.lines.join('\n'), /keyring is locked/);
    assert.doesNotMatch(log.lines.join('\n'), /access-one/);
  });

  it('sessions ignore invalid stored values', async () => {
    const { sessions, secrets } = world();
    for (const text of [
      '',
      'null',
      '{}',
      '{"id":"x"}',
      JSON.stringify({ ...session, account: null }),
      JSON.stringify({ ...session, accessToken: 3 }),
    ]) {
      secrets.values.set(`session/${ANA}`, text);
      assert.equal(await sessions.read(ANA), undefined, text);
    }
  });

  it('sessions are loaded without those whose secret cannot be read', async () => {
    const broken = { ...fakeSecrets(), get: () => Promise.reject(new Error('the keyring is locked')) };
    const { sessions, log } = world({ secrets: broken, memory: fakeMemento({ 'auth.sessions': [ANA] }) });
    await sessions.load();
    assert.deepEqual(sessions.all(), []);
    assert.match(log.lines.join('\n'), /keyring is locked/);
    assert.deepEqual([sessions.isUnreadable(INSTANCE), sessions.isUnreadable('local')], [true, false]);
    await sessions.write(session);
    assert.equal(sessions.isUnreadable(INSTANCE), false);
  });
});

describe('tokens of a response', () => {
  it('tokens of a response expire by the clock of this machine', () => {
    const response = { access_token: 'a', token_type: 'bearer', expires_in: 7200, refresh_token: 'r', created_at: 1 };
    assert.deepEqual(tokensOf(response, 1_000), {
      accessToken: 'a',
      refreshToken: 'r',
      expiry: { at: 7_201_000, lifetime: 7_200_000 },
    });
  });

  it('tokens of a response do not expire if the response contains no lifetime', () => {
    assert.deepEqual(tokensOf({ access_token: 'a', token_type: 'bearer' }, 1_000), { accessToken: 'a' });
  });
});

async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; !holds(); round += 1) {
    assert.ok(round < 1_000, 'the condition was never met');
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
