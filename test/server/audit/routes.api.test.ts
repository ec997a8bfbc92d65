import assert from 'node:assert/strict';
import { writeAuditEvent } from '../../../server/features/audit/auditEvents.ts';
import { DAY, isoTime } from '../../../server/core/clock.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import type { Profile } from '../../../server/core/profile.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestResponse, type TestServer } from '../../support/server.ts';

const keysetRefusal = { error: 'Keyset pagination is not yet available for this type of request' };
const NOW = Date.UTC(2030, 5, 15, 12);

describe('the audit events API', () => {
  let server: TestServer;
  let people: Readonly<Record<'owner' | 'maintainer' | 'developer' | 'reporter' | 'stranger', Actor>>;

  async function start(profile: Partial<Profile> = {}): Promise<void> {
    server = await startTestServer({ profile });
    const { platform } = server;
    platform.clock.freeze(NOW);
    people = {
      owner: actor(platform, 'owner'),
      maintainer: actor(platform, 'maintainer'),
      developer: actor(platform, 'developer'),
      reporter: actor(platform, 'reporter'),
      stranger: actor(platform, 'stranger'),
    };
    const { owner, maintainer, developer, reporter } = people;
    const lower = [
      [maintainer, 40],
      [developer, 30],
      [reporter, 20],
    ] as const;
    projectWith(platform, owner, { name: 'Lamps' }, lower);
    const { group } = createGroup(platform, owner.user, { name: 'Signals', path: 'signals' });
    for (const [{ user }, level] of lower) addGroupMember(platform, group, user, { level }, { user: owner.user });
  }
  afterEach(() => server.close());

  const get = (path: string, token: string = admin): Promise<TestResponse> => server.request('GET', `/api/v4${path}`, { token });
  const post = (path: string, json: object, token: string = admin): Promise<TestResponse> =>
    server.request('POST', `/api/v4${path}`, { token, json });
  const list = async (path: string, token?: string): Promise<readonly Record<string, unknown>[]> => {
    const response = await get(path, token);
    assert.equal(response.status, 200, `${path}: ${response.text}`);
    const events = response.json();
    assert.ok(Array.isArray(events));
    return events;
  };
  const custom = async (path: string, more: object = {}): Promise<number> => {
    const response = await post(path, { event_name: 'lamp_replaced', custom_message: 'Replaced lamp 7', ...more });
    assert.equal(response.status, 201, response.text);
    return Number(Object(response.json()).id);
  };

  it('audit events are visible to administrators, to owners and maintainers of their group or project, and to developers their own', async () => {
    await start();
    const { owner, maintainer, developer, reporter, stranger } = people;
    const location = {
      entity: { type: 'Project', id: 1, name: 'Lamps', path: 'owner/lamps' },
      target: { type: 'Lamp', id: 7, details: 'Lamp 7' },
    } as const;
    const own = { name: 'own', message: 'Own', action: {}, address: null, authorId: developer.user.id };
    writeAuditEvent(server.platform, { ...location, ...own });
    const inGroup = (await list('/groups/signals/audit_events')).at(-1)?.['id'];
    const inProject = (await list('/projects/1/audit_events')).at(-1)?.['id'];
    const rows: readonly (readonly [path: string, ...statuses: readonly (number | string)[]])[] = [
      // Path, then the status for owner, maintainer, developer, reporter, other users and requests without a token.
      ['/audit_events', 403, 403, 403, 403, 403, 401],
      [`/audit_events/${inGroup}`, 403, 403, 403, 403, 403, 401],
      ['/projects/1/audit_events', 200, 200, 200, 403, 404, 401],
      ['/projects/owner%2Flamps/audit_events', 200, 200, 200, 403, 404, 401],
      [`/projects/1/audit_events/${inProject}`, 200, 200, 403, 403, 404, 401],
      [`/projects/1/audit_events/${inGroup}`, 404, 404, 403, 403, 404, 401],
      ['/groups/signals/audit_events', 200, 200, 200, 403, 404, 401],
      [`/groups/signals/audit_events/${inGroup}`, 200, 403, 403, 403, 404, 401],
      [`/groups/signals/audit_events/${inProject}`, 404, 403, 403, 403, 404, 401],
    ];
    for (const [path, ...wanted] of rows) {
      const statuses = [];
      for (const { token } of [owner, maintainer, developer, reporter, stranger]) statuses.push((await get(path, token)).status);
      statuses.push((await server.request('GET', `/api/v4${path}`)).status);
      assert.deepEqual(statuses, wanted, path);
    }
    const authors = async (path: string, { token }: Actor) =>
      [...new Set((await list(path, token)).map(({ author_id }) => author_id))].toSorted();
    assert.deepEqual(await authors('/projects/1/audit_events', maintainer), [owner.user.id, developer.user.id]);
    assert.deepEqual(await authors('/projects/1/audit_events', developer), [developer.user.id]);
    assert.deepEqual(await authors('/groups/signals/audit_events', owner), [owner.user.id]);
    assert.deepEqual(await authors('/groups/signals/audit_events', maintainer), []);
    const missing = await get('/audit_events/4711');
    assert.deepEqual([missing.status, missing.json()], [404, { message: '404 Not found' }]);
  });

  it('audit events have the form of GitLab, and those of the instance repeat some details', async () => {
    await start();
    const more = {
      ip_address: '192.0.2.7',
      target_id: 7,
      target_type: 'Lamp',
      target_details: 'Lamp 7',
      created_at: '2030-06-01T00:00:00Z',
    };
    const event = {
      author_id: 1,
      event_name: 'lamp_replaced',
      details: {
        event_name: 'lamp_replaced',
        author_name: 'Administrator',
        author_class: 'User',
        author_email: 'root@signalbox.example',
        target_id: 7,
        target_type: 'Lamp',
        target_details: 'Lamp 7',
        custom_message: 'Replaced lamp 7',
        ip_address: '192.0.2.7',
      },
      created_at: '2030-06-01T00:00:00.000Z',
    };
    const inProject = await custom('/projects/1/audit_events', more);
    assert.deepEqual((await get(`/audit_events/${inProject}`)).json(), {
      ...event,
      id: inProject,
      entity_type: 'Project',
      entity_id: 1,
      details: { ...event.details, entity_path: 'owner/lamps' },
    });
    const ofInstance = await custom('/audit_events', more);
    assert.deepEqual((await get(`/audit_events/${ofInstance}`)).json(), {
      ...event,
      id: ofInstance,
      entity_type: 'Gitlab::Audit::InstanceScope',
      entity_id: 1,
      details: { ...event.details, entity_path: 'gitlab_instance' },
      ip_address: '192.0.2.7',
      author_name: 'Administrator',
      entity_path: 'gitlab_instance',
      target_details: 'Lamp 7',
      target_type: 'Lamp',
      target_id: 7,
      event_type: 'lamp_replaced',
    });
  });

  it('audit events are listed for at most 30 days, up to created_before or now, in any order of creation', async () => {
    await start();
    const at = (days: number) => isoTime(NOW - days * DAY);
    const ids = new Map<number, number>();
    // More events than fit in one block of the schema, so that blocks are skipped and read in part.
    const { platform } = server;
    const location = { type: 'User', id: 99, name: 'Lamp', path: 'lamp' } as const;
    const target = { type: 'Lamp', id: 7, details: 'Lamp 7' };
    const old = {
      name: 'old',
      message: 'Old',
      entity: location,
      target,
      action: {},
      authorId: 1,
      address: null,
      at: NOW - 400 * DAY,
    };
    platform.store.transaction(() => {
      for (let count = 0; count < 2500; count += 1) writeAuditEvent(platform, old);
    });
    for (const days of [31, 0, 100, 30, 5, 90, 71, 70]) {
      ids.set(days, await custom('/audit_events', { created_at: at(days), entity_type: 'User', entity_id: 99 }));
    }
    const days = async (query: string) => {
      const events = await list(`/audit_events?entity_type=User&entity_id=99&per_page=100&${query}`);
      const found = events.map(({ id }) => [...ids].find(([, known]) => known === id)?.[0]);
      const byId = await list(`/audit_events?entity_type=User&entity_id=99&per_page=100&pagination=keyset&${query}`);
      assert.deepEqual(
        byId.map(({ id }) => id),
        events.map(({ id }) => id),
      );
      return found;
    };
    assert.deepEqual(await days(''), [5, 30, 0]);
    assert.deepEqual(await days(`created_after=${at(20)}`), [5, 0]);
    assert.deepEqual(await days(`created_after=${at(500)}`), [5, 30, 0]);
    assert.deepEqual(await days(`created_before=${at(70)}`), [70, 71, 90, 100]);
    assert.deepEqual(await days(`created_before=${at(70)}&created_after=${at(500)}`), [70, 71, 90, 100]);
    assert.deepEqual(await days(`created_before=${at(71)}&created_after=${at(90)}`), [71, 90]);
    assert.deepEqual(await days(`created_before=${at(5)}&created_after=${at(0)}`), []);
    const oldest = await list(`/audit_events?entity_type=User&per_page=100&created_before=${at(399)}`);
    assert.equal(oldest.length, 100);
    assert.ok(oldest.every(({ event_name }) => event_name === 'old'));
  });

  it('audit events can be filtered by their entity', async () => {
    await start();
    const of = async (query: string) => (await list(`/audit_events?per_page=100&${query}`)).map(({ entity_type }) => entity_type);
    await custom('/audit_events');
    for (const type of ['User', 'Group', 'Project', 'Gitlab::Audit::InstanceScope']) {
      const found = await of(`entity_type=${type}`);
      assert.ok(found.length > 0 && found.every((one) => one === type), type);
    }
    assert.deepEqual(await of('entity_type=Project&entity_id=4711'), []);
    for (const [query, error] of [
      ['entity_id=1', 'entity_type is missing'],
      ['entity_type=Lamp', 'entity_type does not have a valid value'],
      ['created_after=yesterday', 'created_after is invalid'],
    ] as const) {
      const response = await get(`/audit_events?${query}`);
      assert.deepEqual([response.status, response.json()], [400, { error }]);
    }
  });

  it('audit events have a single order with keyset pagination, and the same with offset pagination', async () => {
    await start();
    for (const path of ['/audit_events', '/groups/signals/audit_events', '/projects/1/audit_events']) {
      for (const query of ['order_by=created_at', 'order_by=id&sort=asc', 'sort=asc']) {
        const refused = await get(`${path}?pagination=keyset&${query}`);
        assert.deepEqual([refused.status, refused.json()], [405, keysetRefusal], `${path}?${query}`);
        assert.equal((await get(`${path}?${query}`)).status, 200);
      }
      const byOffset = (await list(`${path}?per_page=100`)).map(({ id }) => Number(id));
      assert.deepEqual(
        byOffset,
        byOffset.toSorted((one, other) => other - one),
      );
    }
  });

  it('from release 19.0 audit events have keyset pagination only, and a later page is refused instead of repeating the first', async () => {
    await start({ release: '19.0' });
    for (const path of ['/audit_events', '/groups/signals/audit_events', '/projects/1/audit_events']) {
      for (const query of ['per_page=2', 'per_page=2&page=1', 'per_page=2&pagination=legacy']) {
        const { status, headers } = await get(`${path}?${query}`);
        assert.deepEqual([status, headers.get('x-page'), headers.get('x-total')], [200, null, null]);
        const link = headers.get('link') ?? '';
        assert.match(link, /[?&]cursor=/);
        assert.match(link, /pagination=keyset/);
        assert.doesNotMatch(link, /[?&]page=|rel="first"/);
      }
      const refused = await get(`${path}?page=2`);
      assert.equal(refused.status, 405);
      assert.match(refused.text, /Offset pagination has a maximum allowed offset of 0 .* type AuditEvent\. Remaining records/);
    }
    await server.close();
    await start({ release: '18.11' });
    assert.equal((await get('/audit_events?per_page=2&page=2')).headers.get('x-page'), '2');
  });

  it('audit events require the premium tier, and those of the instance do not exist on the multi-tenant offering', async () => {
    for (const [profile, ofInstance, ofPlaces] of [
      [{ tier: 'free' }, 404, 404],
      [{ tier: 'premium' }, 200, 200],
      [{ offering: 'multi-tenant' }, 404, 200],
      [{ offering: 'dedicated' }, 200, 200],
    ] as const) {
      await start(profile);
      const reported = JSON.stringify(profile);
      assert.equal((await get('/audit_events')).status, ofInstance, reported);
      assert.equal((await get('/groups/signals/audit_events')).status, ofPlaces, reported);
      assert.equal((await get('/projects/1/audit_events')).status, ofPlaces, reported);
      await server.close();
    }
  });

  it('only administrators can create audit events through the API, for existing users, groups and projects', async () => {
    await start();
    const event = { event_name: 'lamp_replaced', custom_message: 'Replaced lamp 7' };
    for (const path of ['/audit_events', '/groups/signals/audit_events', '/projects/1/audit_events']) {
      assert.equal((await post(path, event, people.owner.token)).status, 403, path);
      assert.equal((await post(path, {})).status, 400, path);
      assert.equal((await post(path, { ...event, author_id: 4711 })).status, 404, path);
    }
    for (const path of ['/groups/nothing/audit_events', '/projects/4711/audit_events']) {
      assert.equal((await post(path, event)).status, 404, path);
    }
    const id = await custom('/groups/signals/audit_events', { author_id: people.developer.user.id });
    const [latest] = await list('/groups/signals/audit_events', people.developer.token);
    assert.deepEqual(
      [latest?.['id'], latest?.['entity_id']],
      [id, (await list('/groups/signals/audit_events')).at(-1)?.['entity_id']],
    );
  });
});
