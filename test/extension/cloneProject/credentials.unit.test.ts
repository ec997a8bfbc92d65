import assert from 'node:assert/strict';
import { cloneUrl, createGitCredentials, gitAccess } from '../../../src/cloneProject/credentials.ts';

const REMOTE = 'https://platform.example/gitlab';
const LOCAL = 'local/1';

/** Creates credentials for a remote instance and a local server, each with a session unless `signedOut`. */
function credentials(signedOut: readonly string[] = []) {
  return createGitCredentials({
    instances: () => [LOCAL, REMOTE],
    addresses: (instance) => (instance === LOCAL ? 'http://127.0.0.1:4000' : instance),
    session: async (instance) =>
      signedOut.includes(instance)
        ? undefined
        : {
            id: '1',
            instance,
            credential: 'oauth',
            clientId: 'client',
            account: { id: 1, username: 'ada', name: 'Ada' },
            scopes: ['api'],
            accessToken: `token of ${instance}`,
          },
  });
}

describe('credentials for git', () => {
  it('are the token of the account on the instance with this host', async () => {
    const get = credentials();
    assert.deepEqual(await get({ scheme: 'https', authority: 'platform.example' }), {
      username: 'oauth2',
      password: `token of ${REMOTE}`,
    });
    for (const authority of ['ada@127.0.0.1:4000', 'localhost:4000', '[::1]:4000', 'ada@127.0.0.2:4000'])
      assert.equal((await get({ scheme: 'http', authority }))?.password, `token of ${LOCAL}`, authority);
  });

  it('are not given to other hosts, ports or schemes', async () => {
    const get = credentials();
    for (const [scheme, authority] of [
      ['http', 'platform.example'],
      ['https', 'platform.example.evil.example'],
      ['https', 'platform.example:8443'],
      ['https', 'platform.example@evil.example'],
      ['http', '127.0.0.1:4001'],
      ['http', 'localhost:4001'],
      ['http', '127.corp.example:4000'],
      ['http', 'localhost.corp.example:4000'],
      ['ssh', 'platform.example'],
      ['', ''],
    ] as const)
      assert.equal(await get({ scheme, authority }), undefined, `${scheme}://${authority}`);
  });

  it('are not given while signed out', async () => {
    assert.equal(await credentials([REMOTE])({ scheme: 'https', authority: 'platform.example' }), undefined);
  });
});

describe('access by git', () => {
  it('depends on the scopes of the token', () => {
    assert.equal(gitAccess(['api']), 'push');
    assert.equal(gitAccess(['write_repository', 'read_user']), 'push');
    assert.equal(gitAccess(['read_repository']), 'fetch');
    assert.equal(gitAccess(['read_api', 'read_user']), 'fetch');
    assert.equal(gitAccess(['read_user']), 'none');
  });

  it('is left to the instance if the scopes are unknown', () => {
    assert.equal(gitAccess([]), 'push');
  });
});

describe('the URL of a clone', () => {
  it('has the address of the instance and the path of the project, and no credentials', () => {
    assert.equal(cloneUrl(REMOTE, 'group/sub/lamp'), 'https://platform.example/gitlab/group/sub/lamp.git');
  });
});
