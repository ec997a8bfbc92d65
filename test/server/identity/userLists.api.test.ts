import assert from 'node:assert/strict';
import { actor, projectWith } from '../projects/cast.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';

describe('filters of the list of users', () => {
  let server: TestServer;
  let adaToken: string;
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    const ada = actor(platform, 'ada');
    adaToken = ada.token;
    actor(platform, 'eve', { external: true });
    const ben = actor(platform, 'ben');
    projectWith(platform, ada, { name: 'Lamps' });
    await server.request('POST', `/api/v4/users/${ben.user.id}/block`, { token: admin });
    // The first deletion creates the ghost user.
    await server.request('DELETE', `/api/v4/users/${actor(platform, 'gone').user.id}`, { token: admin });
  });
  after(() => server.close());

  for (const [query, ofAdmin, ofAda] of [
    ['', 'ghost ben eve ada root', undefined],
    ['active=true', 'eve ada root', undefined],
    ['humans=true', 'ben eve ada root', undefined],
    ['exclude_active=true', 'ben', undefined],
    ['exclude_active=false', 'ghost ben eve ada root', undefined],
    ['exclude_external=true', 'ghost ben ada root', undefined],
    ['exclude_humans=true', 'ghost', undefined],
    ['exclude_internal=true&without_project_bots=true', 'ben eve ada root', undefined],
    ['exclude_humans=true&humans=true', '', undefined],
    ['without_projects=true', 'ghost ben eve root', 'ghost ben eve ada root'],
    ['extern_uid=7&provider=ldap', '', 'ghost ben eve ada root'],
  ] as const) {
    it(`the list of users is correct ${query === '' ? 'without filters' : `with ${query}`}`, async () => {
      for (const [token, wanted] of [
        [admin, ofAdmin],
        [adaToken, ofAda ?? ofAdmin],
      ] as const) {
        const response = await server.request('GET', `/api/v4/users?${query}`, { token });
        const found = (response.json() as { username: string }[]).map(({ username }) => username);
        assert.equal(found.join(' '), wanted);
      }
    });
  }

  scenarios(
    () => server,
    ['extern_uid=7', 'provider=ldap'].map((query) => ({
      name: `${query} requires another parameter`,
      path: `/api/v4/users?${query}`,
      token: admin,
      status: 400,
      body: { error: 'extern_uid, provider provide all or none of parameters' },
    })),
  );
});
