import assert from 'node:assert/strict';
import { approversOf } from '../../../server/features/approvalRules/manageApprovalRules.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const RULES = '/api/v4/projects/1/approval_rules';

interface Rule {
  readonly id: number;
  readonly users: readonly { readonly username: string }[];
  readonly groups: readonly { readonly full_path: string }[];
  readonly eligible_approvers: readonly { readonly username: string }[];
  readonly [member: string]: unknown;
}

describe('approval rules', () => {
  let server: TestServer;
  let people: Readonly<Record<'ada' | 'mia' | 'dev' | 'rita' | 'gus' | 'otto' | 'eve', Actor>>;
  let crew: FoundGroup;

  const prepare = async (profile = {}): Promise<void> => {
    server = await startTestServer({ profile });
    const { platform } = server;
    const named = (name: string): Actor => actor(platform, name);
    people = {
      ada: named('ada'),
      mia: named('mia'),
      dev: named('dev'),
      rita: named('rita'),
      gus: named('gus'),
      otto: named('otto'),
      eve: named('eve'),
    };
    const { ada, mia, dev, rita, gus, otto, eve } = people;
    projectWith(platform, ada, { name: 'Lamps', visibility: 'private' }, [
      [mia, 40],
      [dev, 30],
      [rita, 20],
      [gus, 10],
    ]);
    // A private group that mia belongs to, but no other member of the project.
    crew = createGroup(platform, otto.user, { name: 'Crew', path: 'crew' });
    addGroupMember(platform, crew.group, mia.user, { level: 30 }, { user: otto.user });
    addGroupMember(platform, crew.group, eve.user, { level: 30 }, { user: otto.user });
  };
  afterEach(() => server.close());

  const send = (method: string, path: string, who: Actor | undefined, json?: object): Promise<TestResponse> =>
    server.request(method, path, {
      ...(who === undefined ? {} : { token: who.token }),
      ...(json === undefined ? {} : { json }),
    });
  const make = async (who: Actor, more: object = {}): Promise<Rule> => {
    const response = await send('POST', RULES, who, { name: 'Light', approvals_required: 2, ...more });
    assert.equal(response.status, 201, response.text);
    return response.json() as Rule;
  };
  const names = (list: readonly { readonly username: string }[]): string[] => list.map(({ username }) => username);
  const ids = (...who: readonly Actor[]): number[] => who.map(({ user }) => user.id);

  it('a rule is returned with all members in order', async () => {
    await prepare();
    const { mia, dev } = people;
    const rule = await make(mia, { user_ids: ids(dev), group_ids: [crew.group.id] });
    assert.deepEqual(Object.keys(rule), [
      'id',
      'name',
      'rule_type',
      'report_type',
      'eligible_approvers',
      'approvals_required',
      'users',
      'groups',
      'contains_hidden_groups',
      'protected_branches',
      'applies_to_all_protected_branches',
    ]);
    assert.partialDeepStrictEqual(rule, {
      name: 'Light',
      rule_type: 'regular',
      report_type: null,
      approvals_required: 2,
      contains_hidden_groups: false,
    });
    assert.deepEqual(names(rule.users), ['dev']);
    assert.deepEqual(
      rule.groups.map(({ full_path: path }) => path),
      ['crew'],
    );
    assert.deepEqual(names(rule.eligible_approvers), ['mia', 'dev', 'otto', 'eve']);
    assert.deepEqual((await send('GET', `${RULES}/${rule.id}`, mia)).json(), rule);
    assert.deepEqual((await send('GET', RULES, mia)).json(), [rule]);
  });

  it('groups that the caller does not see are left out with their members', async () => {
    await prepare();
    const { mia, dev } = people;
    const { id } = await make(mia, { user_ids: ids(dev), group_ids: [crew.group.id] });
    const seen = (await send('GET', `${RULES}/${id}`, dev)).json() as Rule;
    assert.deepEqual([names(seen.eligible_approvers), seen.groups, seen['contains_hidden_groups']], [['dev'], [], true]);
    const other = await make(people.ada, { name: 'Other', group_ids: [crew.group.id, 4711] });
    assert.deepEqual([other.groups, other['contains_hidden_groups']], [[], false]);
  });

  it('users who are not members of the project are ignored, and blocked users cannot approve', async () => {
    await prepare();
    const { ada, dev, otto, gus } = people;
    const rule = await make(ada, { user_ids: [...ids(dev, otto, gus, dev), 4711] });
    assert.deepEqual(names(rule.users), ['dev', 'gus']);
    assert.deepEqual(approversOf(server.platform, 1), ids(dev, gus));
    assert.deepEqual(approversOf(server.platform, 1, dev.user.id, 10), ids(gus));
    server.platform.store.run("UPDATE users SET state = 'blocked' WHERE username = 'gus'", {});
    assert.deepEqual(approversOf(server.platform, 1), ids(dev));
    const seen = (await send('GET', `${RULES}/${rule.id}`, ada)).json() as Rule;
    assert.deepEqual([names(seen.users), names(seen.eligible_approvers)], [['dev', 'gus'], ['dev']]);
  });

  it('changes replace the given values only', async () => {
    await prepare();
    const { ada, dev, rita } = people;
    const { id } = await make(ada, { user_ids: ids(dev) });
    const change = async (json: object): Promise<Rule> => {
      const response = await send('PUT', `${RULES}/${id}`, ada, json);
      assert.equal(response.status, 200, response.text);
      return response.json() as Rule;
    };
    assert.partialDeepStrictEqual(await change({ approvals_required: 0 }), { name: 'Light', approvals_required: 0 });
    assert.deepEqual(names((await change({ name: 'Light' })).users), ['dev']);
    assert.deepEqual(names((await change({ user_ids: ids(rita) })).users), ['rita']);
    assert.deepEqual(names((await change({ user_ids: [] })).users), []);
  });

  it('a rule for any approver has neither users nor groups, and there is only one', async () => {
    await prepare();
    const { ada, dev } = people;
    const any = await make(ada, { rule_type: 'any_approver', user_ids: ids(dev) });
    assert.deepEqual([any['rule_type'], any.users, any.eligible_approvers], ['any_approver', [], []]);
    const second = await send('POST', RULES, ada, { name: 'All', approvals_required: 1, rule_type: 'any_approver' });
    assert.deepEqual(
      [second.status, second.json()],
      [400, { message: { rule_type: ['any-approver for the project already exists'] } }],
    );
    await make(ada);
  });

  it('invalid values are refused with their reasons', async () => {
    await prepare();
    const { ada } = people;
    const { id } = await make(ada);
    const cases: readonly (readonly [json: object, body: object])[] = [
      [{}, { error: 'name is missing, approvals_required is missing' }],
      [{ name: 'Light', approvals_required: 1 }, { message: { name: ['has already been taken'] } }],
      [{ name: ' ', approvals_required: 1 }, { message: { name: ["can't be blank"] } }],
      [{ name: 'x'.repeat(1025), approvals_required: 1 }, { message: { name: ['is too long (maximum is 1024 characters)'] } }],
      [{ name: 'New', approvals_required: -1 }, { message: { approvals_required: ['must be greater than or equal to 0'] } }],
      [{ name: 'New', approvals_required: 101 }, { message: { approvals_required: ['must be less than or equal to 100'] } }],
      [{ name: 'New', approvals_required: 1, rule_type: 'odd' }, { error: 'rule_type does not have a valid value' }],
      [
        { name: 'New', approvals_required: 1, user_ids: Array.from({ length: 501 }, (_, index) => index) },
        { message: { users: ['total must be less than or equal to 500'] } },
      ],
    ];
    for (const [json, body] of cases) {
      const response = await send('POST', RULES, ada, json);
      assert.deepEqual([response.status, response.json()], [400, body]);
    }
    const other = await make(ada, { name: 'Other' });
    const renamed = await send('PUT', `${RULES}/${other.id}`, ada, { name: 'Light' });
    assert.deepEqual([renamed.status, renamed.json()], [400, { message: { name: ['has already been taken'] } }]);
    const missing = await send('DELETE', `${RULES}/4711`, ada);
    assert.deepEqual([missing.status, missing.json()], [404, { message: '404 Not Found' }]);
    const foreign = projectWith(server.platform, ada, { name: 'Kiln' });
    assert.equal((await send('GET', `/api/v4/projects/${foreign.project.id}/approval_rules/${id}`, ada)).status, 404);
  });

  it('a project has at most 100 rules', async () => {
    await prepare();
    for (let index = 0; index < 100; index += 1) await make(people.ada, { name: `Rule ${index}` });
    const response = await send('POST', RULES, people.ada, { name: 'One more', approvals_required: 1 });
    assert.deepEqual(
      [response.status, response.json()],
      [400, { message: { base: ['A project can have at most 100 approval rules'] } }],
    );
  });

  it('rules end with their project, and lose users and groups that are deleted', async () => {
    await prepare();
    const { ada, mia, dev } = people;
    const { id } = await make(mia, { user_ids: ids(dev), group_ids: [crew.group.id] });
    server.platform.store.run('DELETE FROM namespaces WHERE id = $id', { id: crew.group.id });
    const seen = (await send('GET', `${RULES}/${id}`, mia)).json() as Rule;
    assert.deepEqual([names(seen.users), seen.groups], [['dev'], []]);
    assert.equal((await send('DELETE', '/api/v4/projects/1', ada)).status, 202);
    const { n } = server.platform.store.get<{ n: number }>('SELECT count(*) AS n FROM approval_rules') ?? { n: -1 };
    assert.equal(n, 0);
  });

  describe('access', () => {
    /** Status of reading, creating, changing and deleting by user. */
    const statuses: Readonly<Record<string, readonly [read: number, create: number, change: number, remove: number]>> = {
      ada: [200, 201, 200, 204],
      mia: [200, 201, 200, 204],
      dev: [200, 403, 403, 403],
      rita: [200, 403, 403, 403],
      gus: [403, 403, 403, 403],
      otto: [404, 404, 404, 404],
      nobody: [401, 401, 401, 401],
    };

    const attempt = async (who: Actor | undefined): Promise<readonly number[]> => {
      const { id } = await make(people.ada);
      const found: number[] = [];
      for (const [method, path, json] of [
        ['GET', RULES, undefined],
        ['POST', RULES, { name: 'New', approvals_required: 1 }],
        ['PUT', `${RULES}/${id}`, { name: 'Changed' }],
        ['DELETE', `${RULES}/${id}`, undefined],
      ] as const) {
        found.push((await send(method, path, who, json)).status);
      }
      return found;
    };

    for (const [name, expected] of Object.entries(statuses)) {
      it(`${name} may read: ${expected[0]}, create: ${expected[1]}, change: ${expected[2]}, delete: ${expected[3]}`, async () => {
        await prepare({ tier: 'premium' });
        assert.deepEqual(await attempt(Object.entries(people).find(([key]) => key === name)?.[1]), expected);
      });
    }

    it('the rules of an archived project are read by maintainers only, and not changed', async () => {
      await prepare();
      const { id } = await make(people.ada);
      assert.equal((await send('POST', '/api/v4/projects/1/archive', people.ada)).status, 201);
      assert.equal((await send('GET', RULES, people.mia)).status, 200);
      assert.equal((await send('GET', RULES, people.dev)).status, 403);
      assert.equal((await send('PUT', `${RULES}/${id}`, people.ada, { name: 'Changed' })).status, 403);
    });

    it('the free tier has no approval rules', async () => {
      await prepare({ tier: 'free' });
      for (const method of ['GET', 'POST']) assert.equal((await send(method, RULES, people.ada)).status, 404);
      assert.deepEqual(approversOf(server.platform, 1), []);
    });
  });
});
