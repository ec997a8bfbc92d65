import assert from 'node:assert/strict';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitObject, gitObject, pushObjects, treeBomb, treeObject } from '../../support/gitPacks.ts';
import { addressOf } from '../../support/gitClient.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('a tree of a kilobyte with a billion paths', () => {
  let server: TestServer;
  let ada: Actor;
  let found: FoundProject;
  before(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    found = projectWith(server.platform, ada, { name: 'Paths', visibility: 'public' });
    const address = addressOf(server, found.project.full_path);
    const bomb = treeBomb(9);
    const blob = gitObject('blob', 'lamp\n');
    const small = treeObject([['100644', 'a.txt', blob.id]]);
    const first = commitObject(small, 'Lamp');
    const other = commitObject(small, 'Other', [bomb.head]);
    const objects = [...bomb.objects, blob, small, first, other];
    assert.match(await pushObjects(address, ada.token, objects, bomb.head), /ok refs/);
    assert.match(await pushObjects(address, ada.token, objects, other, 'other'), /ok refs/);
  });
  after(() => server.close());

  const get = async (path: string): Promise<{ readonly status: number; readonly json: unknown }> => {
    const { status, text } = await server.request('GET', path, { token: ada.token });
    return { status, json: text.startsWith('<') ? text : (JSON.parse(text) as unknown) };
  };
  const inProject = (path: string): Promise<{ readonly status: number; readonly json: unknown }> =>
    get(`/api/v4/projects/${found.project.id}${path}`);

  for (const ref of ['main', 'other']) {
    it(`the diff of the commit on ${ref} has the first files, collapsed`, async () => {
      const { status, json } = await inProject(`/repository/commits/${ref}/diff?per_page=2`);
      assert.equal(status, 200);
      assert.partialDeepStrictEqual(json, [
        { collapsed: true, diff: '' },
        { collapsed: true, diff: '' },
      ]);
    });

    it(`the commit on ${ref} has no counted lines`, async () => {
      const { json } = await inProject(`/repository/commits/${ref}?stats=true`);
      assert.partialDeepStrictEqual(json, { stats: { additions: 0, deletions: 0, total: 0 } });
    });
  }

  it('lists of commits leave its counted lines out', async () => {
    const { status, json } = await inProject('/repository/commits?with_stats=true');
    assert.equal(status, 200);
    assert.partialDeepStrictEqual(json, [{ stats: { total: 0 } }]);
  });

  it('a comparison has the first files, collapsed', async () => {
    const { status, json } = await inProject('/repository/compare?from=main&to=other');
    assert.equal(status, 200);
    assert.partialDeepStrictEqual(json, { commits: [{ title: 'Other' }], diffs: [{ collapsed: true }] });
  });

  it('the languages are unknown', async () => {
    assert.deepEqual(await inProject('/languages'), { status: 200, json: {} });
  });

  for (const [name, path] of [
    ['a recursive listing', '/repository/tree?recursive=true'],
    ['an archive', '/repository/archive.tar'],
    ['a search', '/search?scope=blobs&search=hello'],
  ] as const) {
    it(`${name} is refused`, async () => {
      const { status, json } = await inProject(path);
      assert.equal(status, 400);
      assert.match(JSON.stringify(json), /more than 1000000 paths/);
    });
  }

  for (const path of ['/-/commit/', '/-/compare/main...']) {
    it(`the page ${path} shows the first files and says that there are more`, async function () {
      const { json: commit } = await inProject('/repository/commits/other');
      const { id } = commit as { readonly id: string };
      const { status, json } = await get(`/${found.project.full_path}${path}${id}`);
      assert.equal(status, 200);
      assert.match(String(json), /more than 100000 changed files/);
    });
  }

  it('a merge request says that it has more changes, and cannot be merged', async () => {
    const created = await server.request('POST', `/api/v4/projects/${found.project.id}/merge_requests`, {
      token: ada.token,
      json: { source_branch: 'other', target_branch: 'main', title: 'Paths' },
    });
    assert.equal(created.status, 201);
    const changes = await inProject('/merge_requests/1/changes');
    assert.partialDeepStrictEqual(changes, { status: 200, json: { overflow: true, changes: [{ collapsed: true }] } });
    assert.equal((await inProject('/merge_requests/1/raw_diffs')).status, 400);
    assert.partialDeepStrictEqual(await inProject('/merge_requests/1'), { json: { has_conflicts: true } });
  });
});
