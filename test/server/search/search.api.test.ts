import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import type { FoundGroup } from '../../../server/features/groups/access.ts';
import { createBranch } from '../../../server/features/pushes/refUpdates.ts';
import { commentableIssue, commentOnIssue, createIssue, updateIssue } from '../../../server/features/issues/manageIssues.ts';
import { createMergeRequest } from '../../../server/features/mergeRequests/manageMergeRequests.ts';
import { createMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import { comment } from '../../../server/features/notes/notes.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { setArchived } from '../../../server/features/projects/manageProjects.ts';
import { createSnippet } from '../../../server/features/snippets/manageSnippets.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith, seenBy } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

type Item = Readonly<Record<string, unknown>>;

describe('search', () => {
  let server: TestServer;
  let ada: Actor;
  let guest: Actor;
  let stranger: Actor;
  let works: FoundGroup;
  let open: FoundProject;
  let closed: FoundProject;
  let head: string;

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    [ada, guest, stranger] = [actor(platform, 'ada'), actor(platform, 'guest'), actor(platform, 'stranger')];
    works = createGroup(platform, ada.user, { name: 'Works', path: 'works', visibility: 'public' });
    open = projectWith(platform, ada, { name: 'Open lamps', visibility: 'public', namespaceId: works.group.id });
    closed = projectWith(platform, ada, { name: 'Closed lamps', namespaceId: works.group.id }, [[guest, 10]]);
    const old = projectWith(platform, ada, { name: 'Old lamps', visibility: 'public', namespaceId: works.group.id });
    for (const found of [open, closed, old]) {
      const issue = createIssue(platform, found, ada.user, { title: `Lamp of ${found.project.name}` });
      commentOnIssue(platform, found, issue, ada.user, { body: 'A lamp fuse' });
      createMilestone(platform, { kind: 'project', id: found.project.id }, ada.user, {
        title: `Lamp plan of ${found.project.name}`,
      });
    }
    setArchived(platform, old.project, true);
    const secret = createIssue(platform, open, ada.user, { title: 'Secret lamp', confidential: true });
    commentOnIssue(platform, open, secret, ada.user, { body: 'Secret lamp fuse' });
    const done = createIssue(platform, open, ada.user, { title: 'Repaired', description: 'This LAMP shines' });
    updateIssue(platform, open, done, ada.user, { stateEvent: 'close' });
    comment(platform, commentableIssue(platform, open, done), ada.user, { body: 'Internal lamp fuse', internal: true });
    await commitFiles(
      platform,
      open,
      ada,
      {
        'README.md': 'one\ntwo\nthree\nThe lamp is here\nfive\nsix\nseven\n',
        'docs/lamp.txt': 'nothing\n',
        'docs/other.md': 'lamp\n\n\n\n\n\n\nLamp\n',
        'image.bin': 'lamp\0lamp',
      },
      { message: 'Add a lamp' },
    );
    head = await commitFiles(platform, open, ada, { 'src/lens.ts': 'export const lens = 1;\n' }, { message: 'Add a lens' });
    await createBranch(platform, seenBy(platform, open, ada), ada.user, 'topic', 'main');
    await commitFiles(
      platform,
      open,
      ada,
      { 'topic.md': 'A lamp of the topic' },
      { branch: 'topic', message: 'Add a topic lamp' },
    );
    const ends = { source: seenBy(platform, open, ada), target: seenBy(platform, open, ada) };
    createMergeRequest(platform, ends, ada.user, { title: 'Merge a lamp', sourceBranch: 'topic', targetBranch: 'main' });
    for (const visibility of ['public', 'private'] as const) {
      const files = [{ path: 'a.txt', content: 'a' }];
      await createSnippet(platform, ada.user, { title: `A ${visibility} lamp`, description: undefined, visibility, files });
    }
  });
  after(() => server.close());

  const get = (where: string, query: string, who: Actor | undefined = ada): Promise<TestResponse> =>
    server.request('GET', `/api/v4${where}/search?${query}`, who === undefined ? {} : { token: who.token });
  const found = async (where: string, query: string, who: Actor = ada): Promise<Item[]> => {
    const response = await get(where, query, who);
    assert.equal(response.status, 200, response.text);
    const items = response.json() as Item[];
    assert.equal(response.headers.get('x-total'), String(items.length));
    return items;
  };
  const titles = async (where: string, query: string, who: Actor = ada): Promise<unknown[]> =>
    (await found(where, query, who)).map((item) => item['title'] ?? item['name'] ?? item['body'] ?? item['path']);
  const inOpen = (): string => `/projects/${open.project.id}`;
  const inWorks = '/groups/works';

  it('projects, issues, merge requests and milestones are found on the instance and in a group, where the caller sees them', async () => {
    for (const where of ['', inWorks]) {
      const search = (scope: string, who: Actor): Promise<unknown[]> => titles(where, `scope=${scope}&search=lamp`, who);
      assert.deepEqual(await search('projects', ada), ['Closed lamps', 'Open lamps']);
      assert.deepEqual(await search('projects', stranger), ['Open lamps']);
      assert.deepEqual(await search('issues', ada), ['Repaired', 'Secret lamp', 'Lamp of Closed lamps', 'Lamp of Open lamps']);
      assert.deepEqual(await search('issues', guest), ['Repaired', 'Lamp of Closed lamps', 'Lamp of Open lamps']);
      assert.deepEqual(await search('issues', stranger), ['Repaired', 'Lamp of Open lamps']);
      assert.deepEqual(await search('merge_requests', stranger), ['Merge a lamp']);
      assert.deepEqual(await search('milestones', ada), ['Lamp plan of Closed lamps', 'Lamp plan of Open lamps']);
      assert.deepEqual(await search('milestones', stranger), ['Lamp plan of Open lamps']);
      assert.equal((await search('projects', ada)).length, 2);
    }
  });

  it('the parameters choose states, confidential issues, the order and archived projects', async () => {
    assert.deepEqual(await titles('', 'scope=issues&search=lamp&state=closed'), ['Repaired']);
    assert.deepEqual(await titles('', 'scope=issues&search=lamp&state=merged'), []);
    assert.deepEqual(await titles('', 'scope=issues&search=lamp&confidential=true'), ['Secret lamp']);
    assert.deepEqual(await titles('', 'scope=merge_requests&search=lamp&state=merged'), []);
    assert.deepEqual(await titles('', 'scope=milestones&search=lamp&sort=asc&order_by=created_at'), [
      'Lamp plan of Open lamps',
      'Lamp plan of Closed lamps',
    ]);
    assert.deepEqual(await titles(inWorks, 'scope=projects&search=lamp&include_archived=true'), [
      'Old lamps',
      'Closed lamps',
      'Open lamps',
    ]);
    await using earlier = await startTestServer({ profile: { release: '18.8' } });
    const { document } = { document: (await earlier.request('GET', '/api/v4/openapi.json')).text };
    assert.doesNotMatch(document, /include_archived/);
  });

  it('a page has the headers of offset pagination, and only what the caller sees counts', async () => {
    const { headers } = await get('', 'scope=issues&search=lamp&per_page=1', stranger);
    assert.deepEqual([headers.get('x-total'), headers.get('x-total-pages'), headers.get('x-next-page')], ['2', '2', '2']);
    assert.match(headers.get('link') ?? '', /search\?.*page=2.*rel="next"/);
  });

  it('users are found everywhere, and in groups and projects if they are members', async () => {
    const names = async (where: string, who: Actor): Promise<unknown[]> =>
      (await found(where, 'scope=users&search=example', who)).map((user) => user['username']);
    assert.deepEqual(await names('', stranger), ['stranger', 'guest', 'ada']);
    assert.deepEqual(await names(inOpen(), stranger), ['ada']);
    assert.deepEqual(await names(`/projects/${closed.project.id}`, ada), ['guest', 'ada']);
    assert.deepEqual(await names(inWorks, ada), ['guest', 'ada']);
    // The stranger does not see the project in which the guest is.
    assert.deepEqual(await names(inWorks, stranger), ['ada']);
    const inner = createGroup(server.platform, ada.user, { name: 'Inner', path: 'inner', visibility: 'private', parent: works });
    addGroupMember(server.platform, inner.group, stranger.user, { level: 30 }, { user: ada.user });
    assert.deepEqual(await names(inWorks, ada), ['stranger', 'guest', 'ada']);
    assert.deepEqual(await names(inWorks, guest), ['guest', 'ada']);
  });

  it('snippets are found by title', async () => {
    assert.deepEqual(await titles('', 'scope=snippet_titles&search=lamp'), ['A private lamp', 'A public lamp']);
    assert.deepEqual(await titles('', 'scope=snippet_titles&search=lamp', stranger), ['A public lamp']);
  });

  it('comments are found in a project, without those of what the caller does not see, internal ones and system notes', async () => {
    assert.deepEqual(await titles(inOpen(), 'scope=notes&search=lamp'), [
      'Internal lamp fuse',
      'Secret lamp fuse',
      'A lamp fuse',
    ]);
    assert.deepEqual(await titles(inOpen(), 'scope=notes&search=lamp', stranger), ['A lamp fuse']);
    assert.deepEqual(await titles(inOpen(), 'scope=notes&search=changed'), []);
  });

  it('commits are found by message and by ID, in a branch', async () => {
    assert.deepEqual(await titles(inOpen(), 'scope=commits&search=add%20a'), ['Add a lens', 'Add a lamp']);
    assert.deepEqual(await titles(inOpen(), 'scope=commits&search=LAMP'), ['Add a lamp']);
    assert.deepEqual(await titles(inOpen(), 'scope=commits&search=lamp&ref=topic'), ['Add a topic lamp', 'Add a lamp']);
    assert.deepEqual(await titles(inOpen(), `scope=commits&search=${head.slice(0, 10)}`), ['Add a lens']);
    assert.deepEqual(await titles(inOpen(), 'scope=commits&search=lamp&ref=nowhere'), []);
    const second = await get(inOpen(), 'scope=commits&search=add&per_page=1&page=2');
    assert.equal((second.json() as Item[])[0]?.['title'], 'Add a lamp');
    assert.equal(second.headers.get('x-total'), '2');
  });

  it('files are found by path, then by content with the lines around each match', async () => {
    const blob = (path: string, basename: string, startline: number, data: string): Item => ({
      basename,
      data,
      path,
      filename: path,
      id: null,
      ref: 'main',
      startline,
      project_id: open.project.id,
    });
    assert.deepEqual(await found(inOpen(), 'scope=blobs&search=lamp'), [
      blob('docs/lamp.txt', 'docs/lamp', 1, 'nothing\n'),
      blob('README.md', 'README', 2, 'two\nthree\nThe lamp is here\nfive\nsix\n'),
      blob('docs/other.md', 'docs/other', 1, 'lamp\n\n\n'),
      blob('docs/other.md', 'docs/other', 6, '\n\nLamp\n'),
    ]);
    const paths = async (search: string, more = ''): Promise<unknown[]> =>
      titles(inOpen(), `scope=blobs&search=${encodeURIComponent(search)}${more}`);
    assert.deepEqual(await paths('lamp filename:readme.md'), ['README.md']);
    assert.deepEqual(await paths('lamp path:docs -filename:other.md'), ['docs/lamp.txt']);
    assert.deepEqual(await paths('extension:ts'), ['src/lens.ts']);
    assert.deepEqual(await paths('filename:le*.ts'), ['src/lens.ts']);
    assert.deepEqual(await paths('lamp', '&ref=topic&per_page=100'), [
      'docs/lamp.txt',
      'README.md',
      'docs/other.md',
      'docs/other.md',
      'topic.md',
    ]);
    assert.deepEqual(await paths('lamp', '&ref=nowhere'), []);
    assert.deepEqual(await paths('--open-files-in-pager=touch'), []);
  });

  it('a guest of a private project finds no files, commits or merge requests in it', async () => {
    await commitFiles(server.platform, closed, ada, { 'lamp.txt': 'lamp' }, { message: 'A lamp' });
    const where = `/projects/${closed.project.id}`;
    for (const scope of ['blobs', 'commits', 'merge_requests']) {
      assert.deepEqual(await found(where, `scope=${scope}&search=lamp`, guest), []);
      assert.equal((await get(where, `scope=${scope}&search=lamp`, stranger)).status, 404);
    }
    assert.equal((await found(where, 'scope=blobs&search=lamp')).length, 2);
  });

  it('an empty repository, a wiki and an empty text find nothing', async () => {
    const empty = projectWith(server.platform, ada, { name: 'Empty' });
    for (const scope of ['blobs', 'commits', 'wiki_blobs', 'notes']) {
      assert.deepEqual(await found(`/projects/${empty.project.id}`, `scope=${scope}&search=lamp`), []);
    }
    assert.deepEqual(await found('', 'scope=projects&search=%20'), []);
    assert.deepEqual(await found('', `scope=projects&search=${'x'.repeat(4097)}`), []);
  });

  it('a missing or unknown scope, a missing text and a missing token are refused', async () => {
    const refusal = async (where: string, query: string): Promise<unknown> => {
      const response = await get(where, query);
      return [response.status, response.json()];
    };
    const invalid = [400, { error: 'scope does not have a valid value' }];
    assert.deepEqual(await refusal('', 'search=lamp'), [400, { error: 'scope is missing' }]);
    assert.deepEqual(await refusal('', 'scope=issues'), [400, { error: 'search is missing' }]);
    assert.deepEqual(await refusal('', 'search=lamp&scope=lamps'), invalid);
    assert.deepEqual(await refusal(inWorks, 'search=lamp&scope=snippet_titles'), invalid);
    assert.deepEqual(await refusal(inOpen(), 'search=lamp&scope=projects'), invalid);
    for (const where of ['', inWorks]) {
      const advanced = (text: string) => [400, { message: { error: `Scope supported only with advanced search${text}` } }];
      assert.deepEqual(await refusal(where, 'search=lamp&scope=blobs'), advanced(' or exact code search'));
      assert.deepEqual(await refusal(where, 'search=lamp&scope=notes'), advanced(''));
    }
    for (const where of ['', inWorks, inOpen()]) {
      const response = await server.request('GET', `/api/v4${where}/search?scope=issues&search=lamp`);
      assert.deepEqual([response.status, response.json()], [401, { message: '401 Unauthorized' }]);
    }
  });
});
