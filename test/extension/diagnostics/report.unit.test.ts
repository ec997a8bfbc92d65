import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { ApiFailure } from '../../../src/api/failures.ts';
import { createFeedOutcomes } from '../../../src/activity/outcomes.ts';
import type { Session } from '../../../src/auth/session.ts';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import { createRedaction } from '../../../src/diagnostics/redact.ts';
import { type Diagnostics, diagnosticsReport } from '../../../src/diagnostics/report.ts';
import { localInstance } from '../../../src/instances/instances.ts';
import { createLog, createLogTail, createMask } from '../../../src/support/log.ts';
import { fakeLog } from '../../support/extension/fakes.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const HOME = '/srv/people/ana';
const ana = { id: 7, username: 'ana', name: 'Ana Novak' };
const session: Session = {
  id: 'a-session',
  instance: 'https://gitlab.example.com',
  credential: 'oauth',
  clientId: EXTENSION_CLIENT_ID,
  account: ana,
  scopes: ['api'],
  accessToken: 'access-token-of-ana',
  refreshToken: 'refresh-token-of-ana',
  expiry: { at: NOW + 90_000, lifetime: 7_200_000 },
};
const remote = {
  key: session.instance,
  kind: 'remote',
  label: 'gitlab.example.com',
  clientId: 'f00',
  ca: '/etc/ca.pem',
} as const;

function diagnostics(changed: Partial<Diagnostics> = {}): Diagnostics {
  return {
    now: NOW,
    software: { Signalbox: '0.1.0', 'Node.js': 'v24.1.0' },
    settings: [],
    instances: [],
    server: { state: { kind: 'stopped' }, profile: 'default', lastPort: 0, history: [] },
    feeds: [],
    log: [],
    ...changed,
  };
}

function report(changed: Partial<Diagnostics>, mask = createMask()): string {
  return diagnosticsReport(diagnostics(changed), createRedaction({ mask, homeFolder: HOME, accounts: [ana] }));
}

describe('the diagnostics', () => {
  it('the diagnostics contain versions, settings, accounts, the state of server and views, and the log', () => {
    const text = report({
      settings: [
        { id: 'signalbox.instances', value: [{ url: 'https://gitlab.example.com', ca: `${HOME}/ca.pem` }], from: 'user' },
        { id: 'signalbox.activity.pollSeconds', value: 0, from: 'workspace' },
      ],
      instances: [
        { instance: localInstance('data-1'), isCurrent: false, accounts: [], isUnreadable: false, hasEnded: true },
        {
          instance: remote,
          isCurrent: true,
          accounts: [{ session, isInUse: true, isRefused: false }],
          isUnreadable: true,
          hasEnded: false,
        },
      ],
      server: {
        state: { kind: 'running', origin: 'http://127.0.0.1:4711', instanceId: 'data-1', pid: 99, version: '0.1.0' },
        profile: 'default',
        lastPort: 4711,
        history: [
          { at: NOW - 1000, state: { kind: 'failed', code: 'ended', text: `ended in ${HOME}/data`, hint: 'It starts again.' } },
        ],
      },
      feeds: [
        {
          view: 'signalbox.activity.mine',
          success: { at: NOW - 5000, events: 20, isCached: false },
          failure: { at: NOW - 9000, kind: 'unavailable', status: 502, requestId: '01H', text: 'it has a fault' },
        },
      ],
      log: ['2026-11-20T12:00:00.000Z info Signed in as @ana on https://gitlab.example.com.', 'two\nlines', '```'],
    });
    assert.equal(
      text,
      `## Signalbox diagnostics

Created at 2026-11-20T12:00:00.000Z.

- Signalbox: \`0.1.0\`
- Node.js: \`v24.1.0\`

### Settings

- \`signalbox.instances\` (user): \`https://gitlab.example.com, ca …/ca.pem\`
- \`signalbox.activity.pollSeconds\` (workspace): \`0\`

### Instances

- local server, not signed in, session ended by the instance
- \`https://gitlab.example.com\`, current, custom client ID, custom certificate authority, secret storage unreadable
  - \`@a…\` (id 7), oauth, scopes \`api\`, access token expires 2026-11-20T12:01:30.000Z (in 90 s), in use

### Local server

- state: running, started by this window (process 99, version \`0.1.0\`, port 4711)
- data profile: \`default\`
- last port: 4711
- previous states:
  - 2026-11-20T11:59:59.000Z failed (\`ended\`): \`ended in ~/data\` \`It starts again.\`

### Activity

- \`signalbox.activity.mine\`
  - last successful response: 2026-11-20T11:59:55.000Z, 20 events
  - last failure: 2026-11-20T11:59:51.000Z, unavailable (502), request \`01H\`: \`it has a fault\`

### Log

\`\`\`text
2026-11-20T12:00:00.000Z info Signed in as @a… on https://gitlab.example.com.
two
lines
'''
\`\`\`
`,
    );
  });

  for (const [value, message] of [
    [[{ url: 'https://ana:hunter2@gitlab.example.com/x?private=1#y' }], 'https://gitlab.example.com/x'],
    [[{ url: 'ana hunter2' }, 'hunter2'], 'not an address; not an instance'],
    [[{ url: 'https://a.test', clientId: 'hunter2', secret: 'hunter2' }], 'https://a.test, custom client ID'],
    [{ url: 'hunter2' }, 'not a list'],
  ] as const) {
    it(`the diagnostics show ${JSON.stringify(value)} in signalbox.instances as “${message}”`, () => {
      const text = report({ settings: [{ id: 'signalbox.instances', value, from: 'user' }] });
      assert.ok(text.includes(`(user): \`${message}\``), text);
      assert.doesNotMatch(text, /hunter2/);
    });
  }

  it('the diagnostics hide values of settings with an unexpected type', () => {
    const text = report({ settings: [{ id: 'signalbox.local.profile', value: { password: 'hunter2' }, from: 'user' }] });
    assert.match(text, /\(user\): `object`/);
  });

  it('the diagnostics contain no full names and no home folder', () => {
    const text = report({
      log: [
        'Ana Novak (@ana), not @anabel or Ana Novakova',
        String.raw`C:\Users\ana\x C:\\Users\\ben\\y /home/ben/z /Users/ben/z ${HOME}/w`,
      ],
    });
    assert.ok(text.includes('A… (@a…), not @anabel or Ana Novakova'), text);
    assert.ok(text.includes(String.raw`~\x ~\\y ~/z ~/z ~/w`), text);
  });

  it('the diagnostics contain no secrets', () => {
    const letters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789';
    const word = (min: number, max: number, unit = letters): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom(...unit), minLength: min, maxLength: max });
    const shaped = fc.oneof(
      word(4, 30).map((secret) => ({ text: `glpat-${secret}`, secret })),
      word(4, 64).map((secret) => ({ text: `gloas-${secret}`, secret })),
      word(6, 30).map((secret) => ({ text: `Authorization: Bearer ${secret}`, secret })),
      word(6, 30).map((secret) => ({ text: `authorization: Basic ${secret}=`, secret })),
      word(6, 30).map((secret) => ({ text: `GET /x?access_token=${secret}&page=2`, secret })),
      word(6, 30).map((secret) => ({ text: `{"refresh_token":"${secret}"}`, secret })),
      word(6, 30).map((secret) => ({ text: `PRIVATE-TOKEN: ${secret}`, secret })),
      word(6, 30).map((secret) => ({ text: `Set-Cookie: session=${secret}; Path=/`, secret })),
      word(6, 30).map((secret) => ({ text: `https://me:${secret}@gitlab.example.com/a.git`, secret })),
      word(6, 30).map((secret) => ({ text: `https://${secret}@gitlab.example.com/a.git`, secret })),
      word(32, 32, '0123456789abcdef').map((secret) => ({ text: `key glet_${secret}`, secret })),
      word(36, 36).map((secret) => ({ text: `ghp_${secret}`, secret })),
      word(6, 30).map((secret) => ({ text: `POST /users?user[password]=${secret}&x=1`, secret })),
      word(6, 30).map((secret) => ({ text: `user%5Bpassword%5D=${secret}`, secret })),
      word(20, 30).map((secret) => ({ text: `/api/v4/personal_access_tokens/glpat-${secret}`, secret })),
      word(6, 64).map((secret) => ({ text: `/users/sign_in_links/${secret}`, secret })),
    );
    /** Secrets registered with the mask; they have no recognizable shape. */
    const registered = word(12, 40, `${letters}\`'"\\*_ `).map((secret) => ({ text: `about ${secret}.`, secret: secret.trim() }));
    const applied = fc.oneof(shaped, registered);
    const places = fc.tuple(applied, applied, applied, applied, applied, applied, applied, applied);
    fc.assert(
      fc.property(places, shaped, word(20, 40), word(20, 40), (inTexts, inLog, access, renew) => {
        const mask = createMask();
        for (const { secret } of inTexts) mask.hide(secret);
        const [version, value, code, message, hint, problem, requestId, line] = inTexts.map(({ text }) => text);
        const failed = { kind: 'failed', code: code ?? '', text: message ?? '', hint: hint ?? '' } as const;
        const outcomes = createFeedOutcomes(() => NOW);
        outcomes.record('signalbox.activity.mine', {
          kind: 'failed',
          failure: new ApiFailure('refused', problem ?? '', { requestId: requestId ?? '' }),
        });
        const tail = createLogTail(fakeLog(), () => NOW);
        createLog(tail, mask).info(line ?? '');
        const url = `https://${access}:${renew}@gitlab.example.com/?private_token=${access}#${renew}`;
        const text = report(
          {
            software: { Signalbox: version ?? '' },
            settings: [
              { id: 'signalbox.local.profile', value, from: 'user' },
              { id: 'signalbox.instances', value: [{ url, clientId: access, ca: `/${renew}/ca.pem` }, renew], from: 'user' },
              { id: 'signalbox.local.seed', value: { [access]: renew }, from: 'user' },
            ],
            instances: [
              {
                instance: { ...remote, key: url, label: access, clientId: access, ca: renew },
                isCurrent: true,
                accounts: [
                  {
                    session: { ...session, id: access, accessToken: access, refreshToken: renew },
                    isInUse: true,
                    isRefused: false,
                  },
                ],
                isUnreadable: false,
                hasEnded: false,
              },
            ],
            server: { state: failed, profile: value ?? '', lastPort: 0, history: [{ at: NOW, state: failed }] },
            feeds: outcomes.all(),
            log: [...tail.lines(), inLog.text],
          },
          mask,
        );
        for (const secret of [...inTexts.map((one) => one.secret), inLog.secret, access, renew]) {
          if (bare(secret).length >= 6) assert.ok(!bare(text).includes(bare(secret)), `${secret} in\n${text}`);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Removes all other characters, because a secret without its punctuation is still disclosed. */
function bare(text: string): string {
  return text.replace(/[^0-9A-Za-z]/g, '');
}

describe('the outcomes of a view', () => {
  it('the outcomes of a view are its latest successful response and its latest failure, with their times', () => {
    let now = NOW;
    const outcomes = createFeedOutcomes(() => now);
    const ready = { kind: 'ready', events: [], next: undefined, at: NOW - 1, isCached: false, problem: undefined } as const;
    outcomes.record('a', { kind: 'loading' });
    outcomes.record('a', ready);
    now += 5;
    const problem = new ApiFailure('unavailable', 'gone', { status: 502, requestId: 'r1' });
    outcomes.record('a', { ...ready, at: NOW, problem });
    outcomes.record('b', { kind: 'idle' });
    assert.deepEqual(outcomes.all(), [
      {
        view: 'a',
        success: { at: NOW - 1, events: 0, isCached: false },
        failure: { at: NOW + 5, kind: 'unavailable', status: 502, requestId: 'r1', text: 'gone' },
      },
      { view: 'b' },
    ]);
  });
});

describe('the log tail', () => {
  it('the log tail keeps the last 100 lines of all levels and forwards them to the channel', () => {
    const channel = fakeLog();
    const tail = createLogTail(channel, () => NOW);
    for (let count = 1; count <= 101; count += 1) tail.debug(`line ${count}`);
    tail.error('the last');
    assert.equal(channel.lines.length, 102);
    assert.equal(tail.lines().length, 100);
    assert.equal(tail.lines()[0], '2026-11-20T12:00:00.000Z debug line 3');
    assert.equal(tail.lines().at(-1), '2026-11-20T12:00:00.000Z error the last');
  });
});
