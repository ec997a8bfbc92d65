import assert from 'node:assert/strict';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { ask, at } from '../graphql/queries.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const NOT_AUTHORIZED =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

describe('requirements', () => {
  let server: TestServer;
  let ada: Actor;
  let guest: Actor;
  let found: FoundProject;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    guest = actor(server.platform, 'guest');
    found = projectWith(server.platform, ada, { name: 'Lamps', path: 'lamps' }, [[guest, 10]]);
  });
  afterEach(() => server.close());

  const create = (title: string, who = ada) =>
    ask(
      server,
      who.token,
      `mutation ($title: String) { createRequirement(input: { projectPath: "ada/lamps", title: $title }) {
        errors requirement { iid workItemIid title state author { username } } } }`,
      { title },
    );
  const list = async (args = '', who = ada): Promise<unknown> =>
    at(
      (await ask(server, who.token, `{ project(fullPath: "ada/lamps") { requirements${args} { nodes { iid workItemIid } } } }`))
        .data,
      'project',
      'requirements',
      'nodes',
    );

  it('a requirement takes the next IID of the work items, and no issue gets the same', async () => {
    createIssue(server.platform, found, ada.user, { title: 'first' });
    const made = await create('Bright');
    assert.deepEqual(made.data, {
      createRequirement: {
        errors: [],
        requirement: { iid: '1', workItemIid: '2', title: 'Bright', state: 'OPENED', author: { username: 'ada' } },
      },
    });
    assert.equal(createIssue(server.platform, found, ada.user, { title: 'next' }).iid, 3);
    const json = { title: 'taken', iid: 2 };
    const taken = await server.request('POST', `/api/v4/projects/${found.project.id}/issues`, { token: ada.token, json });
    assert.equal(taken.status, 409);
  });

  it('requirements are listed by state and IIDs', async () => {
    createIssue(server.platform, found, ada.user, { title: 'first' });
    for (const title of ['one', 'two']) await create(title);
    const update = await ask(
      server,
      ada.token,
      'mutation { updateRequirement(input: { projectPath: "ada/lamps", iid: "1", state: ARCHIVED, title: "old" }) { requirement { title state } errors } }',
    );
    assert.deepEqual(update.data, { updateRequirement: { requirement: { title: 'old', state: 'ARCHIVED' }, errors: [] } });
    const [one, two] = [
      { iid: '1', workItemIid: '2' },
      { iid: '2', workItemIid: '3' },
    ];
    assert.deepEqual(await list(), [two, one]);
    assert.deepEqual(await list('(first: 1)'), [two]);
    assert.deepEqual(await list('(state: ARCHIVED)'), [one]);
    assert.deepEqual(await list('(iids: [2])'), [two]);
    assert.deepEqual(await list('(workItemIids: [2])'), [one]);
  });

  it('a blank title is an error, guests only read, and outsiders see nothing', async () => {
    assert.deepEqual((await create(' ')).data, { createRequirement: { errors: ["Title can't be blank"], requirement: null } });
    assert.deepEqual((await create('one', guest)).errors, [NOT_AUTHORIZED]);
    await create('one');
    assert.deepEqual(await list('', guest), [{ iid: '1', workItemIid: '1' }]);
    const eve = actor(server.platform, 'eve');
    assert.deepEqual((await create('one', eve)).errors, [NOT_AUTHORIZED]);
    const unnamed = await ask(
      server,
      ada.token,
      'mutation { updateRequirement(input: { projectPath: "ada/lamps" }) { errors } }',
    );
    assert.deepEqual(unnamed.errors, ['One of iid or workItemIid is required']);
  });

  it('other tiers have no requirements', async () => {
    await server.close();
    server = await startTestServer({ profile: { tier: 'premium' } });
    ada = actor(server.platform, 'ada');
    found = projectWith(server.platform, ada, { name: 'Lamps', path: 'lamps' });
    assert.deepEqual((await create('one')).errors, [NOT_AUTHORIZED]);
    const read = await ask(server, ada.token, '{ project(fullPath: "ada/lamps") { requirements { nodes { iid } } } }');
    assert.deepEqual(read.data, { project: { requirements: null } });
  });
});
