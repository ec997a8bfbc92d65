import { Unavailable } from '../../../server/core/errors.ts';
import assert from 'node:assert/strict';
import { routeDefinitions } from '../../../server/app.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import { createTestPlatform, startTestServer, TEST_ADMIN_TOKEN as token } from '../../support/server.ts';

describe('a machine without git', () => {
  it('a server without git responds with 503 where a repository is required, and serves everything else', async () => {
    await using server = await startTestServer({ git: 'no-such-program' });
    const made = await server.request('POST', '/api/v4/projects', { token, json: { name: 'Lamps', visibility: 'public' } });
    assert.equal(made.status, 201);
    for (const [method, rest, json] of [
      ['GET', 'tree', undefined],
      ['GET', 'branches', undefined],
      ['GET', 'commits/main', undefined],
      ['POST', 'branches', { branch: 'a', ref: 'main' }],
      ['POST', 'commits', { branch: 'main', commit_message: 'x', actions: [{ action: 'create', file_path: 'a', content: '' }] }],
    ] as const) {
      const response = await server.request(method, `/api/v4/projects/1/repository/${rest}`, {
        token,
        ...(json === undefined ? {} : { json }),
      });
      assert.equal(response.status, 503, response.text);
      assert.match(
        response.text,
        /^\{"message":"503 Service Unavailable - Git is not installed where this server runs\. Install Git /,
      );
    }
    const refused = await server.request('POST', '/api/v4/projects', {
      token,
      json: { name: 'Points', initialize_with_readme: true },
    });
    assert.equal(refused.status, 503);
    assert.equal(
      (await server.request('GET', '/api/v4/projects/root%2Fpoints', { token })).status,
      404,
      'nothing incomplete is left behind',
    );
    const changed = await server.request('PUT', '/api/v4/projects/1', { token, json: { default_branch: 'trunk' } });
    assert.partialDeepStrictEqual(changed.json(), { default_branch: 'trunk', empty_repo: true, readme_url: null });
  });

  it('missing git is detected at the first request, not at the start', async () => {
    const platform = createTestPlatform({ git: 'no-such-program' });
    assert.ok(routeDefinitions(platform).length > 0);
    await assert.rejects(platform.repositories.git.demand(), Unavailable);
    endPlatform(platform);
  });
});
