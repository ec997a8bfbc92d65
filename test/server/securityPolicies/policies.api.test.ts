import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../server/features/members/projectMembers.ts';
import { ask, at } from '../graphql/queries.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { assign, run, scanPolicy, writePolicies } from './policies.ts';

const NOT_AVAILABLE =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

describe('security policies', () => {
  let server: TestServer;
  let ada: Actor;
  let mia: Actor;
  let rob: Actor;
  let count = 0;
  before(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    mia = actor(server.platform, 'mia');
    rob = actor(server.platform, 'rob');
  });
  after(() => server.close());

  const freshGroup = (parent?: FoundGroup): FoundGroup => {
    const path = `crew${(count += 1)}`;
    return createGroup(server.platform, ada.user, { name: path, path, parent });
  };
  /** Creates a project with code. */
  const withCode = async (group?: FoundGroup, on: TestServer = server, owner: Actor = ada): Promise<FoundProject> => {
    const found = projectWith(on.platform, owner, {
      name: `lamps${(count += 1)}`,
      ...(group === undefined ? {} : { namespaceId: group.group.id }),
    });
    const path = `/api/v4/projects/${found.project.id}/repository/files/readme`;
    const json = { branch: 'main', commit_message: 'Begin', content: 'Lamps' };
    assert.equal((await on.request('POST', path, { token: owner.token, json })).status, 201);
    return found;
  };
  const withPolicies = async (content: string): Promise<FoundProject> => {
    const found = await withCode();
    await writePolicies(server, ada, found, content);
    return found;
  };
  const names = (value: unknown, ...path: string[]): unknown =>
    (at(value, ...path, 'nodes') as { name: string }[]).map(({ name }) => name);

  it('owners assign a policy project to a project, replace it and unassign it', async () => {
    const [found, first, second] = [await withCode(), await withCode(), await withCode()];
    const path = found.project.full_path;
    const assigned = async (): Promise<unknown> => {
      const { data } = await ask(server, ada.token, `{ project(fullPath: "${path}") { securityPolicyProject { fullPath } } }`);
      return at(data, 'project', 'securityPolicyProject', 'fullPath');
    };
    assert.equal(await assigned(), undefined);
    for (const policies of [first, second]) {
      assert.deepEqual(await assign(server, ada.token, path, policies), []);
      assert.equal(await assigned(), policies.project.full_path);
    }
    const unassign = `mutation { securityPolicyProjectUnassign(input: { fullPath: "${path}" }) { errors } }`;
    assert.deepEqual((await ask(server, ada.token, unassign)).data, { securityPolicyProjectUnassign: { errors: [] } });
    assert.equal(await assigned(), undefined);
    const again = (await ask(server, ada.token, unassign)).data;
    assert.deepEqual(again, { securityPolicyProjectUnassign: { errors: ["Policy project doesn't exist"] } });
  });

  it('maintainers cannot assign a policy project, and nobody assigns one below the role Developer in it', async () => {
    const [found, policies] = [await withCode(), await withCode()];
    for (const [one, level] of [
      [found, 40],
      [policies, 40],
    ] as const) {
      addMember(server.platform, one.project, mia.user, { level }, { user: ada.user, access: one.access });
    }
    assert.deepEqual(await assign(server, mia.token, found.project.full_path, policies), [NOT_AVAILABLE]);
    const own = await withCode(undefined, server, rob);
    assert.deepEqual(await assign(server, rob.token, own.project.full_path, policies), [NOT_AVAILABLE]);
    addMember(server.platform, policies.project, rob.user, { level: 20 }, { user: ada.user, access: policies.access });
    assert.deepEqual(await assign(server, rob.token, own.project.full_path, policies), [NOT_AVAILABLE]);
    assert.deepEqual(await assign(server, ada.token, 'no/such', policies), [NOT_AVAILABLE]);
  });

  it('a policy shows its text, its source, the page that edits it and when it was changed', async () => {
    const found = await withCode();
    const policies = await withPolicies('approval_policy:\n  - name: Two eyes\n    description: For all\n    enabled: false\n');
    await assign(server, ada.token, found.project.full_path, policies);
    const fields = `name description enabled yaml updatedAt editPath
      source { __typename ... on ProjectSecurityPolicySource { project { fullPath } } }`;
    const query = `{ project(fullPath: "${found.project.full_path}") { approvalPolicies { nodes { ${fields} } } } }`;
    const { data, errors } = await ask(server, ada.token, query);
    assert.deepEqual(errors, []);
    const [{ updatedAt, ...rest }] = at(data, 'project', 'approvalPolicies', 'nodes') as [{ updatedAt: string }];
    assert.match(updatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(rest, {
      name: 'Two eyes',
      description: 'For all',
      enabled: false,
      yaml: '---\nname: Two eyes\ndescription: For all\nenabled: false\n',
      editPath: `${server.origin}/${found.project.full_path}/-/security/policies/Two%20eyes/edit?type=approval_policy`,
      source: { __typename: 'ProjectSecurityPolicySource', project: { fullPath: found.project.full_path } },
    });
  });

  it('a project inherits the policies of its groups', async () => {
    const crew = freshGroup();
    const inner = freshGroup(crew);
    const found = await withCode(inner);
    for (const [path, name] of [
      [crew.group.full_path, 'Outer'],
      [inner.group.full_path, 'Inner'],
      [found.project.full_path, 'Own'],
    ] as const) {
      const policies = await withPolicies(`scan_execution_policy:\n${scanPolicy(name, ['sast'])}`);
      assert.deepEqual(await assign(server, ada.token, path, policies), []);
    }
    const lists = ['', '(relationship: INHERITED)', '(relationship: INHERITED_ONLY)'];
    const fields = lists.map((list, index) => `l${index}: scanExecutionPolicies${list} { nodes { name } }`).join(' ');
    const inProject = (await ask(server, ada.token, `{ project(fullPath: "${found.project.full_path}") { ${fields} } }`)).data;
    assert.deepEqual(names(inProject, 'project', 'l0'), ['Own']);
    assert.deepEqual(names(inProject, 'project', 'l1'), ['Outer', 'Inner', 'Own']);
    assert.deepEqual(names(inProject, 'project', 'l2'), ['Outer', 'Inner']);
    const inGroup = (await ask(server, ada.token, `{ group(fullPath: "${inner.group.full_path}") { ${fields} } }`)).data;
    assert.deepEqual(names(inGroup, 'group', 'l1'), ['Outer', 'Inner']);
    assert.deepEqual(names(inGroup, 'group', 'l2'), ['Outer']);
    assert.deepEqual((await run(server, ada.token, found)).names, ['sast-0', 'sast-1', 'sast-2']);
  });

  it('reporters read no policies, and developers do', async () => {
    const crew = freshGroup();
    const policies = await withPolicies(`scan_execution_policy:\n${scanPolicy('Scans', ['sast'])}`);
    await assign(server, ada.token, crew.group.full_path, policies);
    addGroupMember(server.platform, crew.group, mia.user, { level: 20 }, { user: ada.user });
    addGroupMember(server.platform, crew.group, rob.user, { level: 30 }, { user: ada.user });
    const query = `{ group(fullPath: "${crew.group.full_path}") { scanExecutionPolicies { nodes { name } } } }`;
    assert.deepEqual((await ask(server, mia.token, query)).data, { group: { scanExecutionPolicies: null } });
    assert.deepEqual(names((await ask(server, rob.token, query)).data, 'group', 'scanExecutionPolicies'), ['Scans']);
  });

  it('each content of a policy file is read once, in a thread, however many fields show it', async () => {
    const found = await withCode();
    const policies = await withPolicies(`scan_execution_policy:\n${scanPolicy('First', ['sast'])}`);
    await assign(server, ada.token, found.project.full_path, policies);
    const fields = Array.from({ length: 8 }, (_, index) => `l${index}: scanExecutionPolicies { nodes { name yaml } }`).join(' ');
    const query = `{ project(fullPath: "${found.project.full_path}") { ${fields} approvalPolicies { nodes { name } } } }`;
    let threads = 0;
    const count = (): void => void (threads += 1);
    process.on('worker', count);
    try {
      for (const [name, expected] of [
        ['First', 1],
        ['Second', 2],
      ] as const) {
        if (name === 'Second') {
          await writePolicies(server, ada, policies, `scan_execution_policy:\n${scanPolicy(name, ['sast'])}`, 'PUT');
        }
        const responses = await Promise.all([ask(server, ada.token, query), ask(server, ada.token, query)]);
        for (const { data } of responses) assert.deepEqual(names(data, 'project', 'l7'), [name]);
        assert.equal(threads, expected);
      }
    } finally {
      process.off('worker', count);
    }
  });

  for (const [name, content, message] of [
    [
      'texts that aliases make long',
      `a: &a "${'x'.repeat(100_000)}"\nb: [${Array.from({ length: 200 }, () => '*a').join(', ')}]\n`,
      /is invalid: line 2: the file has more than 16777216 characters$/,
    ],
    ['too many values', `a: [${'1,'.repeat(120_000)}]\n`, /is invalid: line \d+: the file has more than 100000 values$/],
    [
      'values that are nested too deeply',
      `a: ${'['.repeat(50_000)}`,
      /is invalid: line 1: values are nested more than 40 levels deep$/,
    ],
    ['no YAML', 'scan_execution_policy: [', /is invalid: line 1: /],
    ['no map', '- a\n', /is invalid: the file: /],
    [
      'policies without rules',
      'scan_execution_policy:\n- { name: a, enabled: true }\n',
      /is invalid: scan_execution_policy\.0\.rules: /,
    ],
    ['nothing', '', /is invalid: line 1: the file is empty$/],
  ] as const) {
    it(`a policy file with ${name} has no policies, and the list says why`, async () => {
      const found = await withCode();
      const policies = await withPolicies(content);
      await assign(server, ada.token, found.project.full_path, policies);
      const query = `{ project(fullPath: "${found.project.full_path}") { scanExecutionPolicies { nodes { name } } } }`;
      const { data, errors } = await ask(server, ada.token, query);
      assert.deepEqual(data, { project: { scanExecutionPolicies: null } });
      assert.match(errors.join(), message);
      assert.ok(errors.join().startsWith(`.gitlab/security-policies/policy.yml of ${policies.project.full_path}`));
      assert.deepEqual((await run(server, ada.token, found)).names, []);
    });
  }

  it('a policy project without a policy file or without a repository has no policies', async () => {
    const found = await withCode();
    for (const policies of [await withCode(), projectWith(server.platform, ada, { name: `empty${(count += 1)}` })]) {
      await assign(server, ada.token, found.project.full_path, policies);
      const query = `{ project(fullPath: "${found.project.full_path}") { approvalPolicies { nodes { name } } } }`;
      assert.deepEqual(await ask(server, ada.token, query), {
        status: 200,
        data: { project: { approvalPolicies: { nodes: [] } } },
        errors: [],
      });
    }
  });

  it('the pipelines of a branch have a job for each scan that the policies require there', async () => {
    const found = await withCode();
    const rules = [
      scanPolicy('Default', ['dast', 'secret_detection'], '{ type: pipeline, branch_type: default }'),
      scanPolicy('Topics', ['sast'], '{ type: pipeline, branches: ["topic/*"] }'),
    ];
    await assign(server, ada.token, found.project.full_path, await withPolicies(`scan_execution_policy:\n${rules.join('')}`));
    for (const kind of ['branches?branch=topic/1&', 'tags?tag_name=v1&'] as const) {
      const path = `/api/v4/projects/${found.project.id}/repository/${kind}ref=main`;
      assert.equal((await server.request('POST', path, { token: ada.token })).status, 201);
    }
    const { jobs, names: onMain, pipeline } = await run(server, ada.token, found);
    assert.deepEqual(onMain, ['dast-0', 'secret-detection-1']);
    assert.equal(pipeline.status, 'pending');
    for (const job of jobs) assert.deepEqual([job.stage, job.allow_failure], ['test', true]);
    assert.deepEqual((await run(server, ada.token, found, 'topic/1')).names, ['sast-0']);
    assert.deepEqual((await run(server, ada.token, found, 'v1')).names, []);
  });

  it('the list of policies of a project marks policies beyond the limits as deprecated', async () => {
    await using old = await startTestServer({ profile: { release: '17.11' } });
    const owner = actor(old.platform, 'ada');
    const [found, policies] = [await withCode(undefined, old, owner), await withCode(undefined, old, owner)];
    const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => scanPolicy(name, ['sast'])).join('');
    await writePolicies(old, owner, policies, `scan_execution_policy:\n${six}`);
    await assign(old, owner.token, found.project.full_path, policies);
    const query = `{ project(fullPath: "${found.project.full_path}") { scanExecutionPolicies { nodes { name } } } }`;
    const response = await old.request('POST', '/api/graphql', { token: owner.token, json: { query } });
    assert.ok(response.headers.get('link')?.includes('scan-execution-policy-limits'));
    assert.equal((names((response.json() as { data: unknown }).data, 'project', 'scanExecutionPolicies') as []).length, 6);
  });

  describe('the limit of actions', () => {
    const limitTo = (on: TestServer, limit: number) =>
      on.request('PUT', '/api/v4/application/settings', {
        token: on.adminToken,
        json: { scan_execution_policies_action_limit: limit },
      });
    const jobsOf = async (on: TestServer): Promise<number> => {
      const owner = actor(on.platform, `owner${(count += 1)}`);
      const [found, policies] = [await withCode(undefined, on, owner), await withCode(undefined, on, owner)];
      const scans = Array.from({ length: 12 }, () => 'sast');
      await writePolicies(on, owner, policies, `scan_execution_policy:\n${scanPolicy('Many', scans)}`);
      await assign(on, owner.token, found.project.full_path, policies);
      return (await run(on, owner.token, found)).names.length;
    };

    it('administrators change the number of actions that count, 0 for all', async () => {
      await using own = await startTestServer();
      assert.equal(await jobsOf(own), 10);
      for (const [limit, jobs] of [
        [3, 3],
        [20, 12],
        [0, 12],
      ] as const) {
        assert.equal((await limitTo(own, limit)).status, 200);
        assert.equal(await jobsOf(own), jobs);
      }
      const refused = await limitTo(own, 21);
      assert.deepEqual(
        [refused.status, refused.json()],
        [400, { message: { scan_execution_policies_action_limit: ['must be less than or equal to 20'] } }],
      );
    });

    it('a hosted offering ignores the number of actions that a self-managed instance was given', async () => {
      await using own = await startTestServer();
      assert.equal((await limitTo(own, 3)).status, 200);
      const json = { offering: 'multi-tenant' };
      const switched = await own.request('PUT', '/_local/profile', { token: own.adminToken, json });
      assert.equal(switched.status, 200, switched.text);
      assert.equal(await jobsOf(own), 10);
    });

    it('lower tiers have no policies', async () => {
      await using premium = await startTestServer({ profile: { tier: 'premium' } });
      const owner = actor(premium.platform, 'ada');
      const [found, policies] = [await withCode(undefined, premium, owner), await withCode(undefined, premium, owner)];
      assert.deepEqual(await assign(premium, owner.token, found.project.full_path, policies), [NOT_AVAILABLE]);
    });
  });
});
