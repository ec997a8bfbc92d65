import assert from 'node:assert/strict';
import { createIssue } from '../../../../server/features/issues/manageIssues.ts';
import { createMilestone } from '../../../../server/features/milestones/manageMilestones.ts';
import { isoDate } from '../../../../server/core/clock.ts';
import { projectWith, rootOf } from '../../projects/cast.ts';
import type { TestResponse, TestServer } from '../../../support/server.ts';
import type { Scenarios } from '../stage.ts';

const DAY = 86_400_000;

/** Sends a query of the administrator. */
function ask(server: TestServer, query: string): Promise<TestResponse> {
  return server.request('POST', '/api/graphql', { token: server.adminToken, json: { query } });
}

/** Scenarios of work items, projects and audit events. */
export const workScenarios: Scenarios = {
  'misspelled-visibility-event': async ({ server, phase }) => {
    const token = server.adminToken;
    await server.request('PUT', '/api/v4/users/1', { token, json: { private_profile: true } });
    const response = await server.request('GET', '/api/v4/audit_events?pagination=keyset&entity_type=User&entity_id=1', {
      token,
    });
    const names = (response.json() as { event_name: string }[])
      .map(({ event_name }) => event_name)
      .filter((name) => name.startsWith('user_profile'));
    assert.deepEqual(names, [phase === 'after' ? 'user_profile_visibility_updated' : 'user_profile_visiblity_updated']);
  },
  'todo-target': async ({ server, phase, release }) => {
    const { platform, adminToken } = server;
    const root = { user: rootOf(platform), token: adminToken };
    const found = projectWith(platform, root, { name: 'Lamps', path: 'lamps' });
    createIssue(platform, found, root.user, { title: 'Lamp 7 stays dark', assigneeIds: [1] });
    const read = async (member: string) => {
      const response = await ask(
        server,
        `{ currentUser { todos { nodes { ${member} { webUrl ... on Issue { iid title } } } } } }`,
      );
      const { data, errors } = response.json() as {
        data?: { currentUser: { todos: { nodes: Record<string, { iid: string; title: string } | null>[] } } };
        errors?: { message: string }[];
      };
      return { response, target: data?.currentUser.todos.nodes[0]?.[member], problem: errors?.[0]?.message };
    };
    const wanted = { webUrl: `${server.origin}/root/lamps/-/issues/1`, iid: '1', title: 'Lamp 7 stays dark' };
    const old = await read('target');
    assert.equal(old.response.headers.get('deprecation') === null, phase === 'before');
    if (phase === 'after') assert.match(old.problem ?? '', /^Cannot query field "target" on type "Todo"/);
    else assert.deepEqual(old.target, wanted);
    const replacement = await read('targetEntity');
    assert.equal(replacement.response.headers.get('deprecation'), null);
    if (release === '17.3') assert.match(replacement.problem ?? '', /^Cannot query field "targetEntity" on type "Todo"/);
    else assert.deepEqual(replacement.target, wanted);
  },
  'pre-receive-secret-detection': async ({ server, phase }) => {
    const { platform, adminToken: token } = server;
    const found = projectWith(platform, { user: rootOf(platform), token }, { name: 'Lamps', path: 'lamps' });
    const path = `/api/v4/projects/${found.project.id}`;
    const names = ['pre_receive_secret_detection_enabled', 'secret_push_protection_enabled'] as const;
    const valuesAt = async (at: string): Promise<readonly unknown[]> => {
      const shown = (await server.request('GET', at, { token })).json() as Record<string, unknown>;
      return names.map((name) => shown[name]);
    };
    for (const name of names) {
      for (const enabled of [true, false]) {
        const changed = await server.request('PUT', `${path}/security_settings`, { token, json: { [name]: enabled } });
        assert.equal(changed.status, 200, changed.text);
        const isOld = name === 'pre_receive_secret_detection_enabled';
        assert.equal(changed.headers.get('deprecation') === null, !isOld || phase === 'before');
        assert.deepEqual(
          [await valuesAt(path), await valuesAt(`${path}/security_settings`)],
          [
            [enabled, enabled],
            [enabled, enabled],
          ],
        );
      }
    }
  },
  'set-pre-receive-secret-detection': async ({ server, phase }) => {
    const { platform, adminToken: token } = server;
    const found = projectWith(platform, { user: rootOf(platform), token }, { name: 'Lamps', path: 'lamps' });
    for (const [mutation, member] of [
      ['setPreReceiveSecretDetection', 'preReceiveSecretDetectionEnabled'],
      ['setSecretPushProtection', 'secretPushProtectionEnabled'],
    ] as const) {
      for (const enabled of [true, false]) {
        const input = `{ namespacePath: "root/lamps", enable: ${enabled} }`;
        const response = await ask(server, `mutation { ${mutation}(input: ${input}) { ${member} errors } }`);
        assert.deepEqual(response.json(), { data: { [mutation]: { [member]: enabled, errors: [] } } });
        const isOld = mutation === 'setPreReceiveSecretDetection';
        assert.equal(response.headers.get('deprecation') === null, !isOld || phase === 'before');
        const shown = await server.request('GET', `/api/v4/projects/${found.project.id}`, { token });
        assert.partialDeepStrictEqual(shown.json(), {
          pre_receive_secret_detection_enabled: enabled,
          secret_push_protection_enabled: enabled,
        });
      }
    }
  },
  'project-services': async ({ server, phase }) => {
    const { platform, adminToken: token } = server;
    const found = projectWith(platform, { user: rootOf(platform), token }, { name: 'Lamps', path: 'lamps' });
    const json = { webhook: 'https://chat.example/hooks/1' };
    const made = await server.request('PUT', `/api/v4/projects/${found.project.id}/integrations/slack`, { token, json });
    assert.equal(made.status, 200, made.text);
    const read = async (fields: string) => ask(server, `{ project(fullPath: "root/lamps") { ${fields} } }`);
    const old = await read('services(active: true, type: SLACK_SERVICE) { nodes { active serviceType type } }');
    assert.equal(old.headers.get('deprecation') === null, phase === 'before');
    const { data, errors } = old.json() as { data?: unknown; errors?: { message: string }[] };
    if (phase === 'after') assert.match(errors?.[0]?.message ?? '', /^Cannot query field "services" on type "Project"/);
    else {
      const nodes = [{ active: true, serviceType: 'SLACK_SERVICE', type: 'SlackService' }];
      assert.deepEqual(data, { project: { services: { nodes } } });
    }
    const replacement = await read('integrations(active: true, type: SLACK) { nodes { active type } }');
    assert.deepEqual(replacement.json(), { data: { project: { integrations: { nodes: [{ active: true, type: 'SLACK' }] } } } });
    assert.equal(replacement.headers.get('deprecation'), null);
  },
  'requirement-iids': async ({ server, phase }) => {
    const { platform, adminToken: token } = server;
    const root = { user: rootOf(platform), token };
    const found = projectWith(platform, root, { name: 'Lamps', path: 'lamps' });
    createIssue(platform, found, root.user, { title: 'Lamp 7 stays dark' });
    const made = await ask(
      server,
      'mutation { createRequirement(input: { projectPath: "root/lamps", title: "Lamps are bright" }) { requirement { workItemIid } errors } }',
    );
    assert.deepEqual(made.json(), { data: { createRequirement: { requirement: { workItemIid: '2' }, errors: [] } } });
    const find = async (argument: string, fields: string) => {
      const response = await ask(server, `{ project(fullPath: "root/lamps") { requirement(${argument}) { ${fields} } } }`);
      const { data } = response.json() as { data: { project: { requirement: unknown } } };
      return { requirement: data.project.requirement, isMarked: response.headers.get('deprecation') !== null };
    };
    const isMarked = phase !== 'before';
    const shown = { iid: phase === 'after' ? '2' : '1', workItemIid: '2' };
    assert.deepEqual(await find('iid: 1', 'iid workItemIid'), { requirement: phase === 'after' ? null : shown, isMarked });
    assert.deepEqual(await find('iid: 2', 'iid workItemIid'), { requirement: phase === 'after' ? shown : null, isMarked });
    const title = 'Lamps are bright';
    assert.deepEqual(await find('workItemIid: 2', 'title state'), { requirement: { title, state: 'OPENED' }, isMarked: false });
  },
  'milestone-filters': async ({ server, phase }) => {
    const { platform, adminToken } = server;
    const root = { user: rootOf(platform), token: adminToken };
    const found = projectWith(platform, root, { name: 'Lamps', path: 'lamps' });
    const on = (days: number): string => isoDate(platform.clock.now() + days * DAY);
    for (const [title, startDate, dueDate] of [
      ['over', on(-20), on(-10)],
      ['current', on(-5), on(5)],
      ['next', on(10), on(20)],
      ['later', on(30), on(40)],
    ] as const) {
      const milestone = createMilestone(platform, { kind: 'project', id: found.project.id }, root.user, {
        title,
        startDate,
        dueDate,
      });
      createIssue(platform, found, root.user, { title, milestoneId: milestone.id });
    }
    const titles = async (wildcard: string): Promise<readonly string[]> => {
      const response = await ask(
        server,
        `{ project(fullPath: "root/lamps") { issues(milestoneWildcardId: ${wildcard}) { nodes { title } } } }`,
      );
      assert.equal(response.headers.get('deprecation') === null, phase === 'before' || wildcard === 'ANY');
      const { data } = response.json() as { data: { project: { issues: { nodes: { title: string }[] } } } };
      return data.project.issues.nodes.map(({ title }) => title).toReversed();
    };
    assert.deepEqual(await titles('STARTED'), phase === 'after' ? ['current'] : ['over', 'current']);
    assert.deepEqual(await titles('UPCOMING'), phase === 'after' ? ['next', 'later'] : ['current']);
    assert.deepEqual(await titles('ANY'), ['over', 'current', 'next', 'later']);
    for (const [word, wanted] of [
      ['Started', ['over', 'current']],
      ['Upcoming', ['current']],
    ] as const) {
      const path = `/api/v4/projects/${found.project.id}/issues?sort=asc&milestone_id=${word}`;
      const rest = await server.request('GET', path, { token: adminToken });
      assert.deepEqual(
        (rest.json() as { title: string }[]).map(({ title }) => title),
        wanted,
      );
      assert.equal(rest.headers.get('deprecation'), null);
    }
  },
};
