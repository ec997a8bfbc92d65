import assert from 'node:assert/strict';
import { createIssue } from '../../../../server/features/issues/issues.ts';
import { writeSettings } from '../../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import type { TrackedError } from '../../../../server/features/errorTracking/read/readErrors.ts';
import { findProject, type FoundProject } from '../../../../server/features/projectAccess/projectAccess.ts';
import { type Actor, actor, projectWith } from '../../projects/cast.ts';
import { PageClient } from '../../../support/pages.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../../support/server.ts';
import { fullEvent, reportError } from '../reports.ts';

interface Shown {
  readonly fingerprint: number;
  readonly assignee: { readonly id: number } | null;
  readonly issue: { readonly iid: number } | null;
  readonly last_change: { readonly id: number } | null;
  readonly groupings: readonly { readonly hash: string; readonly title: string | null }[];
}

describe('errors that became part of another one', () => {
  let server: TestServer;
  let owner: Actor;
  let reporter: Actor;
  let guest: Actor;
  let found: FoundProject;
  let path: string;
  let sail: TrackedError;
  let dive: TrackedError;

  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    owner = actor(platform, 'olga');
    reporter = actor(platform, 'rita');
    guest = actor(platform, 'gina');
    const { project } = projectWith(platform, owner, { name: 'Ship', visibility: 'private' }, [
      [reporter, 20],
      [guest, 10],
    ]);
    writeSettings(platform, project.id, { active: true, integrated: true });
    const own = findProject(platform, project.id, { user: owner.user });
    assert.ok(own);
    found = own;
    path = `/api/v4/projects/${project.id}/error_tracking/errors`;
    sail = reportError(platform, project.id, fullEvent('sail'));
    dive = reportError(platform, project.id, fullEvent('dive'));
  });
  afterEach(() => server.close());

  const request = (method: string, rest: string, json?: object, who: Actor = owner): Promise<TestResponse> =>
    server.request(method, `${path}${rest}`, { token: who.token, ...(json === undefined ? {} : { json }) });
  async function ask(method: string, rest: string, json?: object): Promise<Shown> {
    const response = await request(method, rest, json);
    assert.ok(response.status < 300, `${method} ${rest}: ${response.text}`);
    return response.json() as Shown;
  }
  const show = (error: Pick<Shown, 'fingerprint'>) => ask('GET', `/${error.fingerprint}`);
  const change = (error: Pick<Shown, 'fingerprint'>, json: object) => ask('PUT', `/${error.fingerprint}`, json);
  const merge = (into: Pick<Shown, 'fingerprint'>, other: Pick<Shown, 'fingerprint'>) =>
    ask('POST', `/${into.fingerprint}/merge`, { fingerprints: [other.fingerprint] });
  const undo = async (error: Pick<Shown, 'fingerprint'>) =>
    ask('POST', `/${error.fingerprint}/undo`, { change_id: (await show(error)).last_change?.id });
  const newIssue = (title: string) => createIssue(server.platform, found, owner.user, { title });

  async function issueState(iid: number): Promise<string> {
    const response = await server.request('GET', `/api/v4/projects/${found.project.id}/issues/${iid}`, { token: owner.token });
    return (response.json() as { readonly state: string }).state;
  }

  async function notesOf(iid: number): Promise<readonly string[]> {
    const address = `/api/v4/projects/${found.project.id}/issues/${iid}/notes?sort=asc`;
    const response = await server.request('GET', address, { token: owner.token });
    return (response.json() as readonly { readonly body: string }[]).map(({ body }) => body);
  }

  it('reads of a merged error are redirected, other requests are refused with the new address, also after further merges', async () => {
    const last = reportError(server.platform, found.project.id, fullEvent('row'));
    await merge(dive, sail);
    await merge(last, dive);
    for (const merged of [sail, dive]) {
      for (const rest of ['', '/events?per_page=2']) {
        const response = await request('GET', `/${merged.fingerprint}${rest}`, undefined, reporter);
        assert.deepEqual(
          [response.status, response.headers.get('location')],
          [301, `${server.origin}${path}/${last.fingerprint}${rest}`],
        );
      }
      for (const [method, rest, json] of [
        ['PUT', '', { status: 'resolved' }],
        ['POST', '/merge', { fingerprints: [last.fingerprint] }],
        ['POST', '/split', { hash: '00' }],
        ['POST', '/undo', { change_id: 1 }],
      ] as const) {
        const response = await request(method, `/${merged.fingerprint}${rest}`, json);
        assert.deepEqual(
          [response.status, response.headers.get('location')],
          [405, `${server.origin}${path}/${last.fingerprint}${rest}`],
        );
      }
    }
    assert.equal((await request('GET', `/${last.fingerprint}`)).status, 200);
  });

  it('who may not read the errors does not learn where a merged one is', async () => {
    await merge(dive, sail);
    for (const who of [guest, actor(server.platform, 'sven')]) {
      const response = await request('GET', `/${sail.fingerprint}`, undefined, who);
      assert.ok([403, 404].includes(response.status), String(response.status));
      assert.equal(response.headers.get('location'), null);
    }
  });

  it('the page and the GraphQL ID of a merged error lead to the error that it is part of', async () => {
    await merge(dive, sail);
    const client = new PageClient(server);
    await client.signIn(owner.user.username);
    const pageOf = ({ fingerprint }: TrackedError) => `/${found.project.full_path}/-/error_tracking/${fingerprint}/details`;
    const response = await client.open(pageOf(sail));
    assert.equal(response.headers.get('location'), pageOf(dive));
    const query = `{ project(fullPath: "${found.project.full_path}") { sentryErrors {
      detailedError(id: "gid://gitlab/Gitlab::ErrorTracking::DetailedError/${sail.fingerprint}") { sentryId } } } }`;
    const detailed = await server.request('POST', '/api/graphql', { token: owner.token, json: { query } });
    assert.deepEqual(detailed.json(), {
      data: { project: { sentryErrors: { detailedError: { sentryId: String(dive.fingerprint) } } } },
    });
  });

  it('all issues stay linked, get a note, and are closed when the whole is resolved', async () => {
    const [one, two] = [newIssue('one'), newIssue('two')];
    await change(sail, { issue_iid: one.iid });
    await change(dive, { issue_iid: two.iid });
    await merge(dive, sail);
    assert.equal((await show(dive)).issue?.iid, two.iid);
    const note = `merged the error of this issue into [another one](/${found.project.full_path}/-/error_tracking/${dive.fingerprint}/details)`;
    assert.deepEqual([await notesOf(one.iid), await notesOf(two.iid)], [[note], []]);
    await change(dive, { status: 'resolved' });
    assert.deepEqual([await issueState(one.iid), await issueState(two.iid)], ['closed', 'closed']);
    await undo(dive);
    assert.deepEqual([await issueState(one.iid), await issueState(two.iid)], ['opened', 'opened']);
  });

  it('an error without an issue has that of the merged one until it is unlinked, and again after undo', async () => {
    const { iid } = newIssue('one');
    await change(sail, { issue_iid: iid });
    assert.equal((await merge(dive, sail)).issue?.iid, iid);
    assert.equal((await change(dive, { issue_iid: 0 })).issue, null);
    assert.equal((await undo(dive)).issue?.iid, iid);
  });

  it('undoing a merge and splitting give assignee, issue and address back, also of what had been merged before', async () => {
    const { iid } = newIssue('one');
    await change(sail, { issue_iid: iid, assignee_id: owner.user.id });
    const last = reportError(server.platform, found.project.id, fullEvent('row'));
    await merge(dive, sail);
    const whole = await merge(last, dive);
    assert.deepEqual([whole.assignee?.id, whole.issue?.iid], [owner.user.id, iid]);
    const undone = await undo(last);
    assert.deepEqual([undone.assignee, undone.issue], [null, null]);
    assert.equal((await show(dive)).issue?.iid, iid);
    assert.equal(
      (await request('GET', `/${sail.fingerprint}`)).headers.get('location'),
      `${server.origin}${path}/${dive.fingerprint}`,
    );

    const { groupings } = await show(dive);
    const hash = groupings.find(({ title }) => title?.includes('sail'))?.hash;
    const split = await ask('POST', `/${dive.fingerprint}/split`, { hash });
    assert.deepEqual([split.fingerprint, split.assignee?.id, split.issue?.iid], [sail.fingerprint, owner.user.id, iid]);
    assert.equal((await show(sail)).issue?.iid, iid);
    assert.equal((await show(dive)).issue, null);
  });

  it('a new error does not take the address of a merged one', async () => {
    await merge(dive, sail);
    server.platform.store.run(
      'DELETE FROM tracked_groupings WHERE error_id = $id AND hash IS NOT (SELECT hash FROM tracked_groupings WHERE error_id = $id ORDER BY id LIMIT 1)',
      {
        id: dive.id,
      },
    );
    const again = reportError(server.platform, found.project.id, { ...fullEvent('sail'), id: 'f'.repeat(32) });
    assert.notEqual(again.fingerprint, sail.fingerprint);
  });
});
