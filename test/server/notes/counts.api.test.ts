import assert from 'node:assert/strict';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith, rootOf } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';

describe('counts of comments and issues', () => {
  let server: TestServer;
  let people: Readonly<Record<string, { readonly token: string } | undefined>>;
  let owner: Actor;
  let at: string;

  const call = async (method: string, path: string, json: object): Promise<unknown> => {
    const response = await server.request(method, `${at}${path}`, { token: owner.token, json });
    assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`);
    return response.json();
  };

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    owner = actor(platform, 'ada');
    const [reporter, guest, stranger] = [actor(platform, 'rita'), actor(platform, 'gus'), actor(platform, 'sam')];
    const { token } = issuePersonalToken(platform, rootOf(platform), { name: 'test', scopes: ['api'], expiresAt: null });
    people = { reporter, guest, stranger, anonymous: undefined, administrator: { token } };
    const found = projectWith(platform, owner, { name: 'Lamps', visibility: 'public' }, [
      [reporter, 20],
      [guest, 10],
    ]);
    at = `/api/v4/projects/${found.project.id}`;
    await commitFiles(platform, found, owner, { 'a.txt': 'a' });
    await commitFiles(platform, found, owner, { 'b.txt': 'b' }, { branch: 'feature', startBranch: 'main' });
    const milestone = await call('POST', '/milestones', { title: 'One' });
    const inMilestone = { milestone_id: Object(milestone).id, labels: 'bug' };
    await call('POST', '/issues', { title: 'Open', ...inMilestone });
    await call('POST', '/issues', { title: 'Hidden', confidential: true, ...inMilestone });
    await call('POST', '/issues', { title: 'Hidden and closed', confidential: true, ...inMilestone });
    await call('PUT', '/issues/3', { state_event: 'close' });
    await call('POST', '/merge_requests', {
      source_branch: 'feature',
      target_branch: 'main',
      title: 'Request',
      description: 'Closes #1 and closes #2',
    });
    for (const noteable of ['/issues/1', '/merge_requests/1']) {
      await call('POST', `${noteable}/notes`, { body: 'For everybody' });
      await call('POST', `${noteable}/notes`, { body: 'For the team', internal: true });
      await call('POST', `${noteable}/discussions`, { body: 'A thread' });
    }
    await call('POST', '/repository/tags', { tag_name: 'v1', ref: 'main' });
    await call('POST', '/releases', { tag_name: 'v1', milestones: ['One'] });
  });
  after(() => server.close());

  const read = async (who: string, path: string): Promise<{ readonly value: unknown; readonly headers: Headers }> => {
    const token = people[who]?.token;
    const response = await server.request(
      'GET',
      path.startsWith('/api') ? path : `${at}${path}`,
      token === undefined ? {} : { token },
    );
    assert.equal(response.status, 200, `${who} ${path}: ${response.text}`);
    return { value: response.json(), headers: response.headers };
  };
  const noteCount = (value: unknown): unknown =>
    Object(Array.isArray(value) ? value.find(({ iid }) => iid === 1) : value).user_notes_count;

  for (const [who, seesInternal] of [
    ['administrator', true],
    ['reporter', true],
    ['guest', false],
    ['stranger', false],
    ['anonymous', false],
  ] as const) {
    it(`counts of comments and issues leave out what is internal unless the caller may read it: ${who}`, async () => {
      const comments = seesInternal ? 3 : 2;
      for (const path of [
        '/issues/1',
        '/issues',
        '/merge_requests/1',
        '/merge_requests',
        '/issues/1/related_merge_requests',
        '/issues/1/closed_by',
        '/merge_requests/1/closes_issues',
        '/api/v4/issues?scope=all',
        '/api/v4/merge_requests?scope=all',
      ]) {
        if (who === 'anonymous' && path.startsWith('/api/v4/')) continue;
        assert.equal(noteCount((await read(who, path)).value), comments, path);
      }
      if (who === 'anonymous') return;
      for (const path of [
        '/issues/1/notes?activity_filter=only_comments',
        '/issues/1/discussions',
        '/merge_requests/1/notes',
        '/merge_requests/1/discussions',
      ]) {
        const { value, headers } = await read(who, path);
        assert.ok(Array.isArray(value));
        assert.equal(headers.get('x-total'), String(value.length), path);
        assert.equal(JSON.stringify(value).includes('For the team'), seesInternal, path);
      }
    });

    it(`counts of comments and issues leave out confidential issues unless the caller may read them: ${who}`, async () => {
      const { value: release } = await read(who, '/releases/v1');
      assert.deepEqual(
        Object(release).milestones[0].issue_stats,
        seesInternal ? { total: 3, closed: 1 } : { total: 1, closed: 0 },
      );
      const { value: releases } = await read(who, '/releases');
      assert.deepEqual(Object(releases)[0].milestones[0].issue_stats, Object(release).milestones[0].issue_stats);
      const { value: project } = await read(who, '');
      assert.equal(Object(project).open_issues_count, seesInternal ? 2 : 1);
      const { value: statistics } = await read(who, '/issues_statistics?scope=all');
      assert.deepEqual(
        Object(statistics).statistics.counts,
        seesInternal ? { all: 3, closed: 1, opened: 2 } : { all: 1, closed: 0, opened: 1 },
      );
      assert.equal((await read(who, '/issues?scope=all')).headers.get('x-total'), seesInternal ? '3' : '1');
      assert.equal((await read(who, '/merge_requests/1/closes_issues')).headers.get('x-total'), seesInternal ? '2' : '1');
      if (who === 'anonymous') return;
      const { value: labels } = await read(who, '/labels?with_counts=true');
      assert.equal(Object(labels)[0].open_issues_count, seesInternal ? 2 : 1);
      assert.equal(Object(labels)[0].closed_issues_count, seesInternal ? 1 : 0);
      const { value: milestones } = await read(who, '/milestones');
      assert.equal(
        (await read(who, `/milestones/${Object(milestones)[0].id}/issues`)).headers.get('x-total'),
        seesInternal ? '3' : '1',
      );
    });
  }
});
