import assert from 'node:assert/strict';
import { HOUR } from '../../../../server/core/clock.ts';
import { writeSettings } from '../../../../server/features/errorTracking/settings/errorTrackingSettings.ts';
import { findError, type TrackedError } from '../../../../server/features/errorTracking/read/readErrors.ts';
import { deleteUser } from '../../../../server/features/users/accounts.ts';
import { createIssue } from '../../../../server/features/issues/issues.ts';
import { findProject, type FoundProject } from '../../../../server/features/projectAccess/projectAccess.ts';
import { type Actor, actor, projectWith } from '../../projects/cast.ts';
import { PageClient } from '../../../support/pages.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { fullEvent, reportError } from '../reports.ts';
import { recount } from '../write/recount.ts';

interface Shown {
  readonly fingerprint: number;
  readonly title: string;
  readonly status: string;
  readonly status_changed_at: string | null;
  readonly status_releases: readonly string[];
  readonly ignored_count: number | null;
  readonly count: number;
  readonly assignee: { readonly username: string } | null;
  readonly issue: { readonly iid: number; readonly state: string; readonly web_url: string } | null;
  readonly last_change: { readonly id: number; readonly kind: string } | null;
}

describe('changes of tracked errors by users', () => {
  let server: TestServer;
  let owner: Actor;
  let developer: Actor;
  let reporter: Actor;
  let guest: Actor;
  let found: FoundProject;
  let path: string;
  let sail: TrackedError;
  let dive: TrackedError;

  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    platform.clock.freeze(Date.UTC(2027, 0, 2, 3));
    owner = actor(platform, 'olga');
    developer = actor(platform, 'dora');
    reporter = actor(platform, 'rita');
    guest = actor(platform, 'gina');
    const { project } = projectWith(platform, owner, { name: 'Ship', visibility: 'private' }, [
      [developer, 30],
      [reporter, 20],
      [guest, 10],
    ]);
    writeSettings(platform, project.id, { active: true, integrated: true });
    const own = findProject(platform, project.id, { user: owner.user });
    assert.ok(own);
    found = own;
    path = `/api/v4/projects/${project.id}/error_tracking/errors`;
    sail = report('sail');
    dive = report('dive');
  });
  afterEach(() => server.close());

  const report = (name: string): TrackedError =>
    reportError(server.platform, found.project.id, { ...fullEvent(name), appRelease: 'ship@1.0.0' });

  async function ask(method: string, rest: string, json?: unknown, who: Actor = developer): Promise<Shown> {
    const response = await server.request(method, `${path}${rest}`, {
      token: who.token,
      ...(json === undefined ? {} : { json }),
    });
    assert.ok(response.status < 300, `${method} ${rest}: ${response.text}`);
    return response.json() as Shown;
  }
  async function refused(method: string, rest: string, json: unknown, who: Actor = developer): Promise<string> {
    const response = await server.request(method, `${path}${rest}`, { token: who.token, json });
    assert.ok(response.status >= 400 && response.status < 500, response.text);
    return `${response.status} ${response.text}`;
  }
  const change = (error: TrackedError, json: object) => ask('PUT', `/${error.fingerprint}`, json);
  const show = (error: Pick<TrackedError, 'fingerprint'>) => ask('GET', `/${error.fingerprint}`, undefined, reporter);
  const undo = async (error: Pick<TrackedError, 'fingerprint'>): Promise<Shown> =>
    ask('POST', `/${error.fingerprint}/undo`, { change_id: (await show(error)).last_change?.id });
  const list = async (query: string): Promise<readonly string[]> => {
    const response = await server.request('GET', `${path}?${query}`, { token: reporter.token });
    assert.equal(response.status, 200, response.text);
    return (response.json() as readonly Shown[]).map(({ title }) => title.replace('ValueError: cannot ', ''));
  };
  const newIssue = (title: string) => createIssue(server.platform, found, owner.user, { title });

  it('an error is assigned to a member, listed by assignee, and unassigned', async () => {
    assert.equal((await show(sail)).assignee, null);
    const assigned = await change(sail, { assignee_id: reporter.user.id });
    assert.deepEqual(
      [assigned.assignee?.username, assigned.last_change?.kind, assigned.status],
      ['rita', 'assignee', 'unresolved'],
    );
    assert.deepEqual(await list(`assignee_id=${reporter.user.id}`), ['sail']);
    assert.deepEqual([await list('assignee_id=None'), await list('assignee_id=any')], [['dive'], ['sail']]);
    assert.deepEqual(await list('assignee_id='), ['dive', 'sail']);
    assert.equal((await undo(sail)).assignee, null);
    await change(sail, { assignee_id: reporter.user.id });
    assert.equal((await change(sail, { assignee_id: 0 })).assignee, null);
    assert.equal((await undo(sail)).assignee?.username, 'rita');
  });

  it('only users who may read the errors can be assigned', async () => {
    for (const id of [guest.user.id, 999_999, -1]) {
      assert.match(await refused('PUT', `/${sail.fingerprint}`, { assignee_id: id }), /^400 .*Reporter role/, String(id));
    }
    assert.match(await refused('PUT', `/${sail.fingerprint}`, { assignee_id: 0 }, reporter), /^403/);
    const odd = await server.request('GET', `${path}?assignee_id=rita`, { token: reporter.token });
    assert.deepEqual([odd.status, odd.text.includes("'None' or 'Any'")], [400, true]);
  });

  it('an error of a deleted user is assigned to nobody, also after undo', async () => {
    await change(sail, { assignee_id: reporter.user.id });
    await change(sail, { assignee_id: developer.user.id });
    deleteUser(server.platform, reporter.user);
    const edit = findError(server.platform, found.project.id, sail.fingerprint)?.edit_id;
    assert.equal((await ask('POST', `/${sail.fingerprint}/undo`, { change_id: edit })).assignee, null);
  });

  it('an error is linked with an issue of its project, which resolving closes and undo reopens', async () => {
    const issue = newIssue('Sails tear');
    const linked = await change(sail, { issue_iid: issue.iid });
    assert.deepEqual([linked.issue?.iid, linked.issue?.state], [issue.iid, 'opened']);
    assert.equal(linked.issue?.web_url, `${server.origin}/olga/ship/-/issues/${issue.iid}`);
    assert.equal((await change(sail, { status: 'resolved' })).issue?.state, 'closed');
    const undone = await undo(sail);
    assert.deepEqual([undone.status, undone.issue?.state, undone.last_change?.kind], ['unresolved', 'opened', 'issue']);
    assert.equal((await undo(sail)).issue, null);
    assert.match(await refused('PUT', `/${sail.fingerprint}`, { issue_iid: 77 }), /^400 .*issue of the project/);
    await change(sail, { issue_iid: issue.iid });
    assert.equal((await change(sail, { issue_iid: 0 })).issue, null);
  });

  it('GraphQL and the JSON of pages name the issue of an error', async () => {
    const issue = newIssue('Sails tear');
    await change(sail, { issue_iid: issue.iid });
    const query = `{ project(fullPath: "olga/ship") { sentryErrors { detailedError(
      id: "gid://gitlab/Gitlab::ErrorTracking::DetailedError/${sail.fingerprint}") { gitlabIssuePath } } } }`;
    const response = await server.request('POST', '/api/graphql', { token: reporter.token, json: { query } });
    assert.match(response.text, new RegExp(`"gitlabIssuePath":"/olga/ship/-/issues/${issue.iid}"`));
    const page = new PageClient(server);
    await page.signIn('rita');
    const details = await page.open(`/olga/ship/-/error_tracking/${sail.fingerprint}/details.json`);
    assert.match(details.text, new RegExp(`"gitlab_issue":"[^"]*/olga/ship/-/issues/${issue.iid}"`));
  });

  it('undo of a status restores time, release and condition', async () => {
    const { clock } = server.platform;
    const resolved = await change(sail, { status: 'resolved' });
    clock.advance(HOUR);
    const ignored = await change(sail, { status: 'ignored', ignored_until: 'occurrences', ignored_count: 7 });
    clock.advance(HOUR);
    await change(sail, { status: 'unresolved' });
    const again = await undo(sail);
    assert.deepEqual([again.status, again.ignored_count, again.status_changed_at], ['ignored', 7, ignored.status_changed_at]);
    const first = await undo(sail);
    assert.deepEqual(
      [first.status, first.status_releases, first.status_changed_at],
      ['resolved', ['ship@1.0.0'], resolved.status_changed_at],
    );
    assert.equal((await undo(sail)).last_change, null);
  });

  it('a status that events ended cannot be restored', async () => {
    await change(sail, { assignee_id: developer.user.id });
    await change(sail, { status: 'resolved' });
    server.platform.clock.advance(HOUR);
    report('sail');
    const back = await show(sail);
    assert.deepEqual([back.status, back.last_change?.kind], ['unresolved', 'assignee']);
  });

  it('undo of a merge restores the errors with status, assignee and issue, and the events that came since', async () => {
    const issue = newIssue('Diving fails');
    await change(dive, { assignee_id: reporter.user.id, issue_iid: issue.iid });
    await change(dive, { status: 'ignored' });
    const moor = report('moor');
    const merged = await ask('POST', `/${sail.fingerprint}/merge`, { fingerprints: [dive.fingerprint, moor.fingerprint] });
    assert.deepEqual([merged.count, merged.assignee?.username, merged.issue?.iid], [3, 'rita', issue.iid]);
    report('dive');
    const into = await undo(sail);
    recount(server.platform);
    assert.deepEqual([into.count, into.assignee, into.issue, into.last_change], [1, null, null, null]);
    const restored = await show(dive);
    assert.deepEqual(
      [restored.count, restored.status, restored.assignee?.username, restored.issue?.iid, restored.title],
      [2, 'ignored', 'rita', issue.iid, dive.title],
    );
    assert.deepEqual([(await show(moor)).count, (await show(moor)).status], [1, 'unresolved']);
    report('dive');
    assert.equal((await show(dive)).count, 3);
  });

  it('undo of a merge does not restore a fix that events have disproved meanwhile', async () => {
    await change(dive, { status: 'resolved' });
    server.platform.clock.advance(HOUR);
    await ask('POST', `/${sail.fingerprint}/merge`, { fingerprints: [dive.fingerprint] });
    report('dive');
    await undo(sail);
    assert.equal((await show(dive)).status, 'unresolved');
  });

  it('undo of a split returns the events to the error they came from', async () => {
    const hash = hashOf(dive);
    await ask('POST', `/${sail.fingerprint}/merge`, { fingerprints: [dive.fingerprint] });
    const split = await ask('POST', `/${sail.fingerprint}/split`, { hash });
    assert.deepEqual([split.fingerprint, split.last_change?.kind], [dive.fingerprint, 'split']);
    const whole = await undo(split);
    recount(server.platform);
    assert.deepEqual([whole.fingerprint, whole.count], [sail.fingerprint, 2]);
    assert.equal(findError(server.platform, found.project.id, dive.fingerprint), undefined);
    assert.equal((await undo(whole)).count, 1, 'the merge can be undone after the split was');
  });

  it('only the latest change can be undone, by developers', async () => {
    await change(sail, { status: 'resolved' });
    const first = (await show(sail)).last_change?.id;
    await change(sail, { assignee_id: developer.user.id });
    const undoPath = `/${sail.fingerprint}/undo`;
    for (const id of [first, 0, 999_999]) {
      assert.match(await refused('POST', undoPath, { change_id: id }), /^400 .*latest change/);
    }
    assert.match(await refused('POST', undoPath, { change_id: first }, reporter), /^403/);
    assert.match(await refused('POST', undoPath, {}), /^400 .*change_id/);
    assert.match(await refused('PUT', `/${sail.fingerprint}`, {}), /^400/);
    assert.match(await refused('PUT', `/${sail.fingerprint}`, { ignored_until: 'next_occurrence' }), /^400/);
  });

  it('a request with several changes makes all of them or none', async () => {
    await refused('PUT', `/${sail.fingerprint}`, { assignee_id: developer.user.id, issue_iid: 77, status: 'resolved' });
    const same = await show(sail);
    assert.deepEqual([same.assignee, same.status, same.last_change], [null, 'unresolved', null]);
  });

  const hashOf = (error: TrackedError): string | undefined =>
    server.platform.store
      .get<{ readonly hash: Buffer }>('SELECT hash FROM tracked_groupings WHERE error_id = $id AND event_count > 0', {
        id: error.id,
      })
      ?.hash.toString('hex');
});
