import assert from 'node:assert/strict';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';
import { type Actor, actor, projectWith } from './cast.ts';

describe('topics and filters of projects', () => {
  let server: TestServer;
  let ada: Actor;
  let ben: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    ben = actor(server.platform, 'ben');
    for (const [name, topics] of [
      ['Signal lamps', ['Rail', 'Light']],
      ['Lamps', ['light']],
      ['Lampshades', []],
    ] as const) {
      projectWith(server.platform, ada, { name, topics, visibility: 'public' });
    }
  });
  afterEach(() => server.close());

  const names = async (query: string, token?: string): Promise<string[]> => {
    const response = await server.request('GET', `/api/v4/projects?${query}`, token === undefined ? {} : { token });
    assert.equal(response.status, 200, response.text);
    return (response.json() as { name: string }[]).map(({ name }) => name);
  };
  const put = async (json: object): Promise<unknown> =>
    (await server.request('PUT', '/api/v4/projects/1', { token: ada.token, json })).json();

  it('topics are set, kept in order, and removed', async () => {
    assert.partialDeepStrictEqual(await put({ topics: ['Sea', ' Rail ', 'SEA', ''] }), {
      topics: ['Sea', 'Rail'],
      tag_list: ['Sea', 'Rail'],
    });
    assert.partialDeepStrictEqual(await put({ tag_list: 'Rail,Harbour' }), { topics: ['Rail', 'Harbour'] });
    assert.partialDeepStrictEqual(await put({ name: 'Signals' }), { topics: ['Rail', 'Harbour'] });
    assert.deepEqual(await put({ topics: ['a'.repeat(256)] }), { message: { topic_list: ['must be 1 to 255 characters long'] } });
    assert.deepEqual(await put({ topics: ['a\nb'] }), { message: { topic_list: ['must not contain line breaks'] } });
    const emptied = (await put({ topics: [] })) as { topics: string[] };
    assert.deepEqual(emptied.topics, []);
    const json = { name: 'New', topics: 'one, two' };
    const made = await server.request('POST', '/api/v4/projects', { token: ada.token, json });
    assert.partialDeepStrictEqual(made.json(), { topics: ['one', 'two'] });
    assert.deepEqual(
      server.platform.store.all('SELECT name FROM topics ORDER BY id'),
      ['Light', 'one', 'two'].map((name) => ({ name })),
      'topics without projects are not listed',
    );
  });

  it('projects are found by topics or by topic id', async () => {
    for (const [topics, wanted] of [
      ['topic=light', ['Lamps', 'Signal lamps']],
      ['topic=LIGHT,rail', ['Signal lamps']],
      ['topic[]=light&topic[]=Light', ['Lamps', 'Signal lamps']],
      ['topic=light,none', []],
      ['topic=', ['Lampshades', 'Lamps', 'Signal lamps']],
      ['topic_id=1', ['Signal lamps']],
      ['topic_id=2', ['Lamps', 'Signal lamps']],
      ['topic_id=77', []],
    ] as const) {
      assert.deepEqual(await names(topics), wanted, topics);
    }
  });

  it('similarity sorts exact names first, among the caller’s projects only', async () => {
    const similar = 'search=lamps&order_by=similarity';
    assert.deepEqual(await names(similar, ada.token), ['Lamps', 'Lampshades', 'Signal lamps']);
    assert.deepEqual(await names(`${similar}&sort=asc`, ada.token), ['Signal lamps', 'Lampshades', 'Lamps']);
    assert.deepEqual(await names(similar, ben.token), []);
    for (const [query, token] of [
      ['order_by=similarity', ada.token],
      [similar, undefined],
    ] as const) {
      assert.deepEqual(await names(query, token), ['Lampshades', 'Lamps', 'Signal lamps'], query);
    }
  });

  it('projects are filtered by their attributes', async () => {
    await server.request('POST', '/api/v4/projects/2/archive', { token: ada.token });
    const all = ['Lampshades', 'Lamps', 'Signal lamps'];
    for (const [query, token, wanted] of [
      ['active=true', ben.token, ['Lampshades', 'Signal lamps']],
      ['active=false', ben.token, ['Lamps']],
      ['imported=true', ada.token, []],
      ['imported=true', undefined, all],
      ['imported=false', ada.token, all],
      ['marked_for_deletion_on=2026-05-01', ada.token, []],
      ['repository_storage=elsewhere', ada.token, all],
      ['repository_storage=elsewhere', admin, []],
      ['repository_storage=default', admin, all],
    ] as const) {
      assert.deepEqual(await names(query, token), wanted, query);
    }
  });
});
