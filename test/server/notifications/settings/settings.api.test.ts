import assert from 'node:assert/strict';
import { listedEvents, notificationEvents, notificationLevels } from '../../../../src/contract/notifications.ts';
import { createGroup } from '../../../../server/features/groups/manageGroups.ts';
import { type Profile, tiers } from '../../../../server/core/profile.ts';
import { type Actor, actor, projectWith } from '../../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../../support/server.ts';

const account = '/api/v4/notification_settings';
const project = '/api/v4/projects/lamps%2Fsignals/notification_settings';
const group = '/api/v4/groups/lamps/notification_settings';

interface Stage extends AsyncDisposable {
  readonly server: TestServer;
  readonly ada: Actor;
  readonly rita: Actor;
  readonly get: (path: string, who?: Actor) => Promise<TestResponse>;
  readonly put: (path: string, json: unknown, who?: Actor) => Promise<TestResponse>;
}

/** Starts a server with the public project `lamps/signals`, whose group Ada owns. */
async function stage(profile: Partial<Profile> = {}): Promise<Stage> {
  const server = await startTestServer({ profile });
  const ada = actor(server.platform, 'ada');
  const rita = actor(server.platform, 'rita');
  const lamps = createGroup(server.platform, ada.user, { name: 'Lamps', path: 'lamps', visibility: 'public' });
  projectWith(server.platform, ada, {
    name: 'Signals',
    path: 'signals',
    namespaceId: lamps.group.id,
    visibility: 'public',
  });
  return {
    server,
    ada,
    rita,
    get: (path, who = ada) => server.request('GET', path, { token: who.token }),
    put: (path, json, who = ada) => server.request('PUT', path, { token: who.token, json }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

describe('notification settings', () => {
  describe('in every dialect, tier and release', () => {
    for (const dialect of ['documented', 'observed'] as const) {
      for (const release of ['15.1', '17.1', '18.11', '19.0'] as const) {
        for (const tier of tiers) {
          it(`${dialect}, ${release}, ${tier}: levels and switches of the account, a group and a project`, async () => {
            await using own = await stage({ dialect, release, tier });
            assert.deepEqual((await own.get(account)).json(), { level: 'participating', notification_email: 'ada@example.com' });
            for (const path of [group, project]) {
              assert.deepEqual((await own.get(path)).json(), { level: 'global' });
              for (const level of notificationLevels.filter((one) => one !== 'custom')) {
                const response = await own.put(path, { level });
                assert.deepEqual([response.status, response.json()], [200, { level }]);
              }
              const custom = await own.put(path, { level: 'custom', new_epic: true, new_note: false, approver: true });
              assert.equal(custom.status, 200, custom.text);
              const { events } = custom.json() as { events: Record<string, boolean | null> };
              const expected = listedEvents.filter((event) => event !== 'new_epic' || tier !== 'free');
              assert.deepEqual(Object.keys(events), expected);
              for (const event of expected) {
                const value = event === 'new_epic' ? true : event === 'new_note' ? false : null;
                assert.equal(events[event], value, event);
              }
              assert.deepEqual((await own.get(path)).json(), custom.json());
            }
            for (const level of notificationLevels) {
              const response = await own.put(account, { level, new_issue: true });
              assert.deepEqual([response.status, response.json()], [200, { level, notification_email: 'ada@example.com' }]);
            }
          });
        }
      }
    }
  });

  describe('switches', () => {
    it('every switch is set and returned, except approver', async () => {
      await using own = await stage();
      for (const value of [true, false]) {
        const json = { level: 'custom', ...Object.fromEntries(notificationEvents.map((event) => [event, value])) };
        const { events } = (await own.put(project, json)).json() as { events: Record<string, boolean | null> };
        assert.deepEqual(events, Object.fromEntries(listedEvents.map((event) => [event, value])));
      }
    });

    it('switches survive another level', async () => {
      await using own = await stage();
      await own.put(project, { level: 'custom', new_note: true });
      assert.deepEqual((await own.put(project, { level: 'watch' })).json(), { level: 'watch' });
      await own.put(project, { new_issue: false });
      const { events } = (await own.put(project, { level: 'custom' })).json() as { events: Record<string, boolean | null> };
      assert.deepEqual([events['new_note'], events['new_issue'], events['close_issue']], [true, false, null]);
    });

    it('a switch that is sent empty uses its default again', async () => {
      await using own = await stage();
      for (const empty of ['', null]) {
        await own.put(project, { level: 'custom', new_note: true, failed_pipeline: false });
        const { events } = (await own.put(project, { new_note: empty, failed_pipeline: empty })).json() as {
          events: Record<string, boolean | null>;
        };
        assert.deepEqual([events['new_note'], events['failed_pipeline']], [null, null]);
      }
    });

    it('a query, a form and JSON mean the same', async () => {
      await using own = await stage();
      const { token } = own.ada;
      const responses = [
        await own.server.request('PUT', `${project}?level=custom&new_note=true&new_issue=0`, { token }),
        await own.server.request('PUT', project, { token, form: { level: 'custom', new_note: 'true', new_issue: '0' } }),
        await own.put(project, { level: 'custom', new_note: true, new_issue: false }),
      ];
      for (const response of responses) {
        const { events } = response.json() as { events: Record<string, boolean | null> };
        assert.deepEqual([events['new_note'], events['new_issue']], [true, false]);
      }
    });

    it('a switch of an event that the tier or release does not have is ignored', async () => {
      await using free = await stage({ tier: 'free', release: '16.6' });
      const response = await free.put(group, { level: 'custom', new_epic: 'nonsense', approver: 'nonsense' });
      assert.equal(response.status, 200, response.text);
    });
  });

  describe('refusals', () => {
    for (const [json, status, body] of [
      [{ level: 'foo' }, 400, { message: "'foo' is not a valid level" }],
      [{ level: 'Watch' }, 400, { message: "'Watch' is not a valid level" }],
      [{ level: 2 }, 400, { message: "'2' is not a valid level" }],
      [{ level: '' }, 400, { message: { level: ["can't be blank"] } }],
      [{ new_note: 'maybe' }, 400, { error: 'new_note is invalid' }],
      [{ new_note: 'x', close_issue: 7, level: 'foo' }, 400, { error: 'new_note is invalid, close_issue is invalid' }],
      [{ level: ['watch'] }, 400, { error: 'level is invalid' }],
    ] as const) {
      for (const path of [account, group, project]) {
        it(`${JSON.stringify(json)} is refused at ${path}`, async () => {
          await using own = await stage();
          const response = await own.put(path, json);
          assert.deepEqual([response.status, response.json()], [status, body]);
        });
      }
    }

    it('without a token every request is 401', async () => {
      await using own = await stage();
      for (const path of [account, group, project]) {
        for (const method of ['GET', 'PUT']) {
          const response = await own.server.request(method, path);
          assert.deepEqual([response.status, response.json()], [401, { message: '401 Unauthorized' }]);
        }
      }
    });

    it('an unknown or invisible group or project is not found', async () => {
      await using own = await stage();
      projectWith(own.server.platform, own.ada, { name: 'Hidden', path: 'hidden', visibility: 'private' });
      for (const [path, kind] of [
        ['/api/v4/groups/4711/notification_settings', 'Group'],
        ['/api/v4/projects/4711/notification_settings', 'Project'],
        ['/api/v4/projects/ada%2Fhidden/notification_settings', 'Project'],
      ] as const) {
        for (const response of [await own.get(path, own.rita), await own.put(path, { level: 'watch' }, own.rita)]) {
          assert.deepEqual([response.status, response.json()], [404, { message: `404 ${kind} Not Found` }]);
        }
      }
    });

    it('an invalid level changes neither the address nor the switches', async () => {
      await using own = await stage();
      await own.put(project, { level: 'custom', new_note: true });
      await own.put(project, { level: 'foo', new_note: false });
      const { events } = (await own.get(project)).json() as { events: Record<string, boolean | null> };
      assert.equal(events['new_note'], true);
    });
  });

  it('a PUT without parameters changes nothing', async () => {
    await using own = await stage();
    await own.put(project, { level: 'mention' });
    for (const response of [await own.put(project, {}), await own.server.request('PUT', project, { token: own.ada.token })]) {
      assert.deepEqual([response.status, response.json()], [200, { level: 'mention' }]);
    }
    assert.deepEqual((await own.put(account, {})).json(), { level: 'participating', notification_email: 'ada@example.com' });
  });

  it('the primary address can be sent in any case, or be chosen by an empty text', async () => {
    await using own = await stage();
    for (const address of ['ada@example.com', 'ADA@EXAMPLE.com', '']) {
      const response = await own.put(account, { notification_email: address });
      assert.deepEqual(
        [response.status, response.json()],
        [200, { level: 'participating', notification_email: 'ada@example.com' }],
      );
    }
  });

  it('whoever sees a group or project has own settings for it without being a member', async () => {
    await using own = await stage();
    for (const path of [group, project]) {
      assert.deepEqual((await own.put(path, { level: 'watch' }, own.rita)).json(), { level: 'watch' });
      assert.deepEqual((await own.get(path)).json(), { level: 'global' });
    }
  });

  it('settings stay when a group or project is renamed or moved, and end with it', async () => {
    await using own = await stage();
    const { token } = own.ada;
    await own.put(project, { level: 'watch' });
    await own.put(group, { level: 'mention' });
    const { id } = (await own.get('/api/v4/projects/lamps%2Fsignals')).json() as { id: number };
    assert.equal((await own.put(`/api/v4/projects/${id}`, { path: 'masts' })).status, 200);
    assert.deepEqual((await own.get('/api/v4/projects/lamps%2Fmasts/notification_settings')).json(), { level: 'watch' });
    assert.equal((await own.put('/api/v4/groups/lamps', { path: 'bulbs' })).status, 200);
    assert.deepEqual((await own.get('/api/v4/groups/bulbs/notification_settings')).json(), { level: 'mention' });
    assert.equal((await own.put(`/api/v4/projects/${id}/transfer`, { namespace: 'ada' })).status, 200);
    assert.deepEqual((await own.get('/api/v4/projects/ada%2Fmasts/notification_settings')).json(), { level: 'watch' });
    const removed = await own.server.request('DELETE', `/api/v4/projects/${id}`, { token });
    assert.equal(removed.status, 202, removed.text);
    const rows = own.server.platform.store.all('SELECT 1 FROM notification_settings WHERE project_id IS NOT NULL');
    assert.deepEqual(rows, []);
  });

  describe('in projects', () => {
    interface Presented {
      readonly permissions: Record<'project_access' | 'group_access', { readonly notification_level: number } | null>;
    }

    it('permissions contain the levels of the caller as numbers', async () => {
      await using own = await stage();
      for (const [number, level] of notificationLevels.entries()) {
        await own.put(group, { level });
        const { permissions } = (await own.get('/api/v4/projects/lamps%2Fsignals')).json() as Presented;
        assert.equal(permissions.group_access?.notification_level, number);
      }
      projectWith(own.server.platform, own.ada, { name: 'Masts', path: 'masts' }, [[own.rita, 30]]);
      await own.put('/api/v4/projects/ada%2Fmasts/notification_settings', { level: 'watch' });
      for (const [who, number] of [
        [own.ada, 2],
        [own.rita, 3],
      ] as const) {
        const list = (await own.get('/api/v4/projects?membership=true', who)).json() as (Presented & { path: string })[];
        const masts = list.find(({ path }) => path === 'masts');
        assert.equal(masts?.permissions.project_access?.notification_level, number);
      }
    });
  });
});
