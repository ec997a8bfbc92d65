import assert from 'node:assert/strict';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { ask, at } from '../graphql/queries.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const WEBHOOK = 'https://chat.example/hooks/only-the-server-knows';

describe('integrations of projects', () => {
  let server: TestServer;
  let ada: Actor;
  let bob: Actor;
  let found: FoundProject;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    bob = actor(server.platform, 'bob');
    found = projectWith(server.platform, ada, { name: 'Lamps', path: 'lamps' }, [[bob, 30]]);
  });
  afterEach(() => server.close());

  const send = (method: string, path: string, json?: object, who = ada) =>
    server.request(method, `/api/v4/projects/${found.project.id}/${path}`, {
      token: who.token,
      ...(json === undefined ? {} : { json }),
    });

  it('settings are stored and shown without secrets, and later changes keep what they omit', async () => {
    const made = await send('PUT', 'integrations/slack', { webhook: WEBHOOK, channel: 'alerts', push_events: false });
    assert.equal(made.status, 200, made.text);
    const changed = await send('PUT', 'integrations/slack', { webhook: WEBHOOK, username: 'lamps' });
    const shown = await send('GET', 'services/slack');
    for (const response of [changed, shown]) {
      assert.partialDeepStrictEqual(response.json(), {
        title: 'Slack notifications',
        slug: 'slack',
        active: true,
        push_events: false,
        issues_events: true,
        properties: { username: 'lamps', channel: 'alerts', notify_only_broken_pipelines: null },
      });
      assert.ok(!response.text.includes(WEBHOOK));
    }
    assert.ok(!JSON.stringify(server.platform.store.all('SELECT * FROM integrations')).includes(WEBHOOK));
  });

  it('a deactivated integration loses its settings and leaves the list', async () => {
    await send('PUT', 'integrations/external-wiki', { external_wiki_url: 'https://wiki.example' });
    await send('PUT', 'services/emails-on-push', { recipients: 'ada@example.com' });
    const slugs = async () => ((await send('GET', 'integrations')).json() as { slug: string }[]).map(({ slug }) => slug);
    assert.deepEqual(await slugs(), ['external-wiki', 'emails-on-push']);
    assert.equal((await send('DELETE', 'integrations/external-wiki')).status, 204);
    assert.deepEqual(await slugs(), ['emails-on-push']);
    assert.partialDeepStrictEqual((await send('GET', 'integrations/external-wiki')).json(), {
      active: false,
      properties: { external_wiki_url: null },
    });
  });

  it('missing and invalid settings, unknown integrations and callers without the role are refused', async () => {
    for (const [method, path, json, status, error] of [
      ['PUT', 'integrations/jira', { url: 'https://jira.example' }, 400, { error: 'password is missing, password is empty' }],
      [
        'PUT',
        'integrations/slack',
        { webhook: WEBHOOK, branches_to_be_notified: 'some' },
        400,
        { error: 'branches_to_be_notified does not have a valid value' },
      ],
      ['GET', 'integrations/pigeon', undefined, 400, { error: 'slug does not have a valid value' }],
      ['GET', 'integrations/jira', undefined, 404, undefined],
      ['DELETE', 'integrations/jira', undefined, 404, undefined],
    ] as const) {
      const response = await send(method, path, json);
      assert.equal(response.status, status, response.text);
      if (error !== undefined) assert.deepEqual(response.json(), error);
    }
    assert.equal((await send('GET', 'integrations', undefined, bob)).status, 403);
    assert.equal((await send('PUT', 'integrations/slack', { webhook: WEBHOOK }, bob)).status, 403);
  });

  it('GraphQL filters them by type and state, and shows them to maintainers only', async () => {
    await send('PUT', 'integrations/slack', { webhook: WEBHOOK });
    await send('PUT', 'integrations/mattermost', { webhook: WEBHOOK });
    await send('DELETE', 'integrations/slack');
    const types = async (args: string): Promise<unknown> =>
      at(
        (await ask(server, ada.token, `{ project(fullPath: "ada/lamps") { integrations${args} { nodes { type } } } }`)).data,
        'project',
        'integrations',
        'nodes',
      );
    assert.deepEqual(await types(''), [{ type: 'SLACK' }, { type: 'MATTERMOST' }]);
    assert.deepEqual(await types('(first: 1)'), [{ type: 'SLACK' }]);
    assert.deepEqual(await types('(active: true)'), [{ type: 'MATTERMOST' }]);
    assert.deepEqual(await types('(active: false)'), [{ type: 'SLACK' }]);
    assert.deepEqual(await types('(type: JIRA)'), []);
    const others = await ask(server, bob.token, '{ project(fullPath: "ada/lamps") { integrations { nodes { type } } } }');
    assert.deepEqual(others.data, { project: { integrations: null } });
  });
});
