import assert from 'node:assert/strict';
import type { User } from '../../../server/core/caller.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { rootOf, withToken } from '../projects/cast.ts';
import type { TestServer } from '../../support/server.ts';
import { serverTemplate, type ServerTemplate } from '../../support/serverTemplate.ts';

/** `_` matches any character in an SQL pattern. */
const WITH_UNDERSCORE = 'sig_nal';
const WITHOUT = 'sigxnal';
const SEARCH = 'g_n';

type Send = (method: string, path: string, json?: object) => Promise<unknown>;

interface Search {
  /** Creates an item whose name is or contains this text. */
  readonly make: (send: Send, name: string, server: TestServer) => Promise<unknown>;
  /** Path of the list, ending with its search parameter. */
  readonly list: string;
  /** Member of an item that contains the name; `name` by default. */
  readonly member?: string;
}

const commit = (branch: string): object => ({
  branch,
  start_branch: 'main',
  commit_message: `Add ${branch}`,
  actions: [{ action: 'create', file_path: `${branch}.txt`, content: branch }],
});
function addUser(server: TestServer, name: string): User {
  const made = createUser(server.platform, { username: name.replace('_', '-'), name, email: `${name}@example.com` });
  if (typeof made === 'string') throw new Error(made);
  return made;
}

const searches: Readonly<Record<string, Search>> = {
  projects: { make: (send, name) => send('POST', '/projects', { name }), list: '/projects?search=' },
  groups: { make: (send, name) => send('POST', '/groups', { name, path: name }), list: '/groups?search=' },
  users: { make: async (_, name, server) => addUser(server, name), list: '/users?search=' },
  members: {
    make: (send, name, server) => send('POST', '/projects/1/members', { user_id: addUser(server, name).id, access_level: 10 }),
    list: '/projects/1/members?query=',
  },
  starrers: {
    make: async (_, name, server) => {
      const user = addUser(server, name);
      const { token } = issuePersonalToken(server.platform, user, { name: 'test', scopes: ['api'], expiresAt: null });
      assert.equal((await server.request('POST', '/api/v4/projects/1/star', { token })).status, 201);
    },
    list: '/projects/1/starrers?search=',
    member: 'user',
  },
  issues: {
    make: (send, title) => send('POST', '/projects/1/issues', { title }),
    list: '/projects/1/issues?search=',
    member: 'title',
  },
  'merge requests': {
    make: async (send, title) => {
      await send('POST', '/projects/1/repository/commits', commit(title));
      await send('POST', '/projects/1/merge_requests', { title, source_branch: title, target_branch: 'main' });
    },
    list: '/projects/1/merge_requests?search=',
    member: 'title',
  },
  labels: {
    make: (send, name) => send('POST', '/projects/1/labels', { name, color: '#336699' }),
    list: '/projects/1/labels?search=',
  },
  milestones: {
    make: (send, title) => send('POST', '/projects/1/milestones', { title }),
    list: '/projects/1/milestones?search=',
    member: 'title',
  },
  'titles of milestones': {
    make: (send, title) => send('POST', '/projects/1/milestones', { title }),
    list: '/projects/1/milestones?search_title=',
    member: 'title',
  },
  epics: {
    make: (send, title) => send('POST', '/groups/fleet/epics', { title }),
    list: '/groups/fleet/epics?search=',
    member: 'title',
  },
  'personal access tokens': {
    make: (send, name) => send('POST', '/users/1/personal_access_tokens', { name, scopes: ['api'] }),
    list: '/personal_access_tokens?search=',
  },
  packages: {
    make: (send, name) => send('POST', '/projects/1/packages', { name, version: '1.0', package_type: 'generic' }),
    list: '/projects/1/packages?package_name=',
  },
  branches: {
    make: (send, name) => send('POST', `/projects/1/repository/branches?branch=${name}&ref=main`),
    list: '/projects/1/repository/branches?search=',
  },
  tags: {
    make: (send, name) => send('POST', `/projects/1/repository/tags?tag_name=${name}&ref=main`),
    list: '/projects/1/repository/tags?search=',
  },
  'upstreams of a virtual registry': {
    make: (send, name) =>
      send('POST', '/virtual_registries/packages/maven/registries/1/upstreams', { name, url: `https://maven.example/${name}` }),
    list: '/groups/fleet/-/virtual_registries/packages/maven/upstreams?upstream_name=',
  },
  'cache entries of a virtual registry': {
    make: async (send, name) => {
      const upstreams = '/virtual_registries/packages/maven/registries/1/upstreams';
      if (name === WITH_UNDERSCORE) await send('POST', upstreams, { name: 'Central', url: 'https://maven.example/central' });
      const entry = { relative_path: `${name}.jar`, file_sha1: 'c'.repeat(40), size: 12 };
      await send('POST', '/virtual_registries/packages/maven/upstreams/1/cache_entries', entry);
    },
    list: '/virtual_registries/packages/maven/upstreams/1/cache_entries?search=',
    member: 'relative_path',
  },
};

describe('a search for text with characters that SQL patterns use', () => {
  let template: ServerTemplate<void>;
  let server: TestServer;
  let token: string;

  const signIn = (): void => {
    ({ token } = withToken(server.platform, rootOf(server.platform)));
  };
  before(async () => {
    template = await serverTemplate(async (filled) => {
      server = filled;
      signIn();
      await send('POST', '/projects', { name: 'Quay', path: 'quay', visibility: 'public', initialize_with_readme: true });
      await send('POST', '/groups', { name: 'Fleet', path: 'fleet' });
      await send('POST', '/groups/fleet/-/virtual_registries/packages/maven/registries', { name: 'Maven' });
    });
  });
  beforeEach(async () => {
    server = await template.start();
    signIn();
  });
  afterEach(() => server.close());

  const send: Send = async (method, path, json) => {
    const response = await server.request(method, `/api/v4${path}`, { token, ...(json === undefined ? {} : { json }) });
    assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`);
    return response.json();
  };

  for (const [name, { make, list, member = 'name' }] of Object.entries(searches)) {
    it(`a search with an underscore finds only ${name} that contain it`, async () => {
      await make(send, WITH_UNDERSCORE, server);
      await make(send, WITHOUT, server);
      const found = await send('GET', `${list}${SEARCH}`);
      assert.ok(Array.isArray(found));
      assert.equal(found.length, 1, JSON.stringify(found));
      assert.match(JSON.stringify(found[0][member]), /sig_nal/);
      const both = await send('GET', `${list}sig`);
      assert.ok(Array.isArray(both) && both.length === 2, JSON.stringify(both));
    });
  }

  for (const [character, others] of [
    ['%', '50 percent'],
    ['!', 'sale'],
  ] as const) {
    it(`a search takes ${character} literally`, async () => {
      await send('POST', '/projects/1/issues', { title: `sale of 50${character}x` });
      await send('POST', '/projects/1/issues', { title: others });
      const found = await send('GET', `/projects/1/issues?search=${encodeURIComponent(`50${character}x`)}`);
      assert.ok(Array.isArray(found));
      assert.deepEqual(
        found.map(({ title }) => title),
        [`sale of 50${character}x`],
      );
      assert.deepEqual(await send('GET', `/projects/1/issues?search=${encodeURIComponent(`5${character}x`)}`), []);
    });
  }
});
