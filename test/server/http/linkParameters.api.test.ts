import assert from 'node:assert/strict';
import { routeDefinitions } from '../../../server/app.ts';
import { isSecretParameter } from '../../../server/core/masking.ts';
import { actor, projectWith } from '../projects/cast.ts';
import { startTestServer } from '../../support/server.ts';

describe('the Link header of a list', () => {
  it('the Link header contains all declared parameters of a list except credentials', async () => {
    await using server = await startTestServer();
    const leftOut = routeDefinitions(server.platform)
      .filter(({ method, area }) => method === 'GET' && area === 'api')
      .flatMap(({ path, schema }) =>
        Object.keys(schema?.().shape ?? {})
          .filter((name) => isSecretParameter(name) && !path.includes(`/:${name}`))
          .map((name) => `${path}: ${name}`),
      );
    assert.deepEqual(leftOut, []);
  });

  it('the Link header keeps the values of positions and filters', async () => {
    await using server = await startTestServer();
    const owner = actor(server.platform, 'owner');
    for (const name of ['One', 'Two']) projectWith(server.platform, owner, { name });
    const sent = {
      page_token: 'next',
      continuation_token: 'abc',
      search: 'o',
      name: 'token',
      search_namespaces: 'true',
      id_after: '0',
      cursor: 'eyJpZCI6MX0',
      owned: 'true',
      'custom[tokens]': '2',
      per_page: '1',
    };
    const response = await server.request('GET', `/api/v4/projects?${new URLSearchParams(sent).toString()}`, {
      token: owner.token,
    });
    assert.equal(response.status, 200, response.text);
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
    const parameters = new URL(next).searchParams;
    for (const [name, value] of Object.entries(sent)) assert.equal(parameters.get(name), value, `${name} in ${next}`);
  });

  it('the Link header contains no credentials and passwords', async () => {
    await using server = await startTestServer();
    const owner = actor(server.platform, 'owner');
    for (const name of ['One', 'Two']) projectWith(server.platform, owner, { name });
    const secrets = { private_token: owner.token, 'user[password]': 'hunter2hunter2', client_secret: 'plain-secret-1' };
    const response = await server.request('GET', `/api/v4/projects?per_page=1&${new URLSearchParams(secrets).toString()}`, {});
    assert.equal(response.status, 200, response.text);
    const link = decodeURIComponent(response.headers.get('link') ?? '');
    assert.match(link, /rel="next"/);
    for (const [name, value] of Object.entries(secrets)) assert.ok(!link.includes(value) && !link.includes(name), link);
  });
});
