import assert from 'node:assert/strict';
import { isoTime } from '../../../server/core/clock.ts';
import { applySeed, SeedRefused } from '../../../server/seeds/seeds.ts';
import { startTestServer, TEST_ADMIN_TOKEN as token, type TestServer } from '../../support/server.ts';

const NOW = Date.UTC(2026, 4, 10, 15, 30);

const SEED = `
users:
  - username: ines
    created_at: 20 days ago
    emails:
      - { email: ines@harbour.example }
      - { email: ines@boats.example, confirmed: false, created_at: 2 days ago }
  - { username: bo, created_at: 20 days ago }
groups:
  - { path: harbour, creator: ines, created_at: 10 days ago, members: [{ user: bo, access_level: developer, created_at: 10 days ago }] }
projects:
  - path: harbour/berths
    created_at: 9 days ago
    issues:
      - title: Berth 2 is too short
        author: ines
        created_at: 5 days ago
        notes: [{ body: How long is it?, author: bo, created_at: 4 days ago }]
notification_settings:
  - user: ines
    level: watch
    notification_email: INES@harbour.example
    own_activity: true
    events: { new_epic: true }
  - user: bo
    groups: [{ path: harbour, level: disabled }]
    projects: [{ path: harbour/berths, level: custom, events: { new_issue: true, failed_pipeline: false } }]
  - user: root
    projects: [{ path: harbour/berths, level: mention }]
`;

describe('notifications in seed files', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer({ systemNow: () => NOW });
  });
  afterEach(() => server.close());

  const get = async (path: string, sudo?: string): Promise<unknown> => {
    const headers = sudo === undefined ? {} : { Sudo: sudo };
    const response = await server.request('GET', `/api/v4${path}`, { token, headers });
    assert.equal(response.status, 200, response.text);
    return response.json();
  };
  interface SentMail {
    readonly subject: string;
    readonly to: string;
    readonly created_at: string;
  }
  const mailsOf = async (sudo: string): Promise<SentMail[]> => {
    const mails = (await get('/user/mails', sudo)) as SentMail[];
    return mails.map(({ subject, to, created_at }) => ({ subject, to, created_at })).toReversed();
  };

  it('users have the addresses and settings of the file', async () => {
    await applySeed(server.platform, 'seed.yaml', SEED);
    const emails = (await get('/user/emails', 'ines')) as { email: string; confirmed_at: string | null }[];
    assert.deepEqual(
      emails.map(({ email, confirmed_at }) => [email, confirmed_at]),
      [
        ['ines@harbour.example', isoTime(NOW - 20 * 86_400_000)],
        ['ines@boats.example', null],
      ],
    );
    assert.deepEqual(await get('/notification_settings', 'ines'), {
      level: 'watch',
      notification_email: 'ines@harbour.example',
    });
    assert.deepEqual(await get('/groups/harbour/notification_settings', 'bo'), { level: 'disabled' });
    const custom = (await get('/projects/harbour%2Fberths/notification_settings', 'bo')) as {
      level: string;
      events: Record<string, boolean | null>;
    };
    const { new_issue: issue, new_note: note, failed_pipeline: failed } = custom.events;
    assert.deepEqual([custom.level, issue, note, failed], ['custom', true, null, false]);
    assert.deepEqual(await get('/projects/harbour%2Fberths/notification_settings'), { level: 'mention' });
    const own = server.platform.store.all(
      'SELECT u.username FROM notification_settings s JOIN users u ON u.id = s.user_id WHERE own_activity',
    );
    assert.deepEqual(own, [{ username: 'ines' }]);
  });

  it('seeding mails nobody unless the file says so', async () => {
    await applySeed(server.platform, 'seed.yaml', SEED);
    server.platform.schedule.runDue();
    assert.deepEqual(server.platform.store.all('SELECT 1 FROM mails UNION ALL SELECT 1 FROM notification_events'), []);
  });

  it('mails have the time of their event and follow the settings of the file', async () => {
    await applySeed(server.platform, 'seed.yaml', `${SEED}\nsend_mail: true\n`);
    assert.deepEqual(await mailsOf('bo'), [
      { subject: 'berths | Berth 2 is too short (#1)', to: 'bo@signalbox.example', created_at: isoTime(NOW - 5 * 86_400_000) },
    ]);
    const [own, comment, confirmation, ...rest] = await mailsOf('ines');
    assert.deepEqual(rest, []);
    assert.deepEqual(own, {
      subject: 'berths | Berth 2 is too short (#1)',
      to: 'ines@harbour.example',
      created_at: isoTime(NOW - 5 * 86_400_000),
    });
    assert.deepEqual(comment?.subject, 'Re: berths | Berth 2 is too short (#1)');
    assert.deepEqual(confirmation, {
      subject: 'Confirmation instructions',
      to: 'ines@boats.example',
      created_at: isoTime(NOW - 2 * 86_400_000),
    });
    assert.deepEqual(await mailsOf('root'), []);
  });

  for (const [name, text, problem] of [
    [
      'an address that is taken',
      'users: [{username: bo, emails: [{email: root@signalbox.example}]}]',
      /emails\[0\]\.email has already been taken/,
    ],
    [
      'a notification address that is not confirmed',
      'users: [{username: bo, emails: [{email: bo@b.example, confirmed: false}]}]\nnotification_settings: [{user: bo, notification_email: bo@b.example}]',
      /notification_settings\[0\]\.notification_email must be a confirmed address of the user/,
    ],
    ['an unknown level', 'notification_settings: [{user: root, level: loud}]', /notification_settings\[0\]\.level/],
    ['an unknown event', 'notification_settings: [{user: root, events: {new_boat: true}}]', /notification_settings\[0\]\.events/],
    [
      'a project that the user cannot see',
      'users: [{username: bo}]\nprojects: [{path: root/a}]\nnotification_settings: [{user: bo, projects: [{path: root/a, level: watch}]}]',
      /notification_settings\[0\]\.projects\[0\] is not possible: bo cannot see the project/,
    ],
    [
      'a group that does not exist',
      'notification_settings: [{user: root, groups: [{path: nowhere, level: watch}]}]',
      /notification_settings\[0\]\.groups\[0\] is not possible: root cannot see the group/,
    ],
  ] as const) {
    it(`${name} is refused`, async () => {
      await assert.rejects(applySeed(server.platform, 'seed.yaml', text), (error: unknown) => {
        assert.ok(error instanceof SeedRefused);
        assert.match(error.message, problem);
        return true;
      });
    });
  }
});
