import assert from 'node:assert/strict';
import { compareReleases } from '../../../../src/contract/releases.ts';
import { createGroup } from '../../../../server/features/groups/manageGroups.ts';
import { actor, projectWith } from '../../projects/cast.ts';
import { assign, run, scanPolicy, writePolicies } from '../../securityPolicies/policies.ts';
import type { Scenarios } from '../stage.ts';
import { send } from './groups.ts';

/** Scenarios of security policies. */
export const policyScenarios: Scenarios = {
  'scan-result-policies': async ({ server, phase, release }) => {
    const ada = actor(server.platform, 'ada');
    const { group } = createGroup(server.platform, ada.user, { name: 'Crew', path: 'crew' });
    const lamps = projectWith(server.platform, ada, { name: 'Lamps', namespaceId: group.id });
    const policies = projectWith(server.platform, ada, { name: 'Policies', namespaceId: group.id });
    await writePolicies(server, ada, policies, 'scan_result_policy:\n  - name: Two eyes\n    enabled: true\n');
    for (const path of ['crew', lamps.project.full_path]) assert.deepEqual(await assign(server, ada.token, path, policies), []);
    const shown = { nodes: [{ name: 'Two eyes', enabled: true }] };
    for (const [type, path] of [
      ['project', lamps.project.full_path],
      ['group', 'crew'],
      ['namespace', 'crew'],
    ] as const) {
      const ask = (field: string) =>
        send(server, ada.token, `{ ${type}(fullPath: "${path}") { ${field} { nodes { name enabled } } } }`);
      const old = await ask('scanResultPolicies');
      if (phase === 'after') assert.match(old.errors.join(), /^Cannot query field "scanResultPolicies" on type/);
      else assert.deepEqual(old.data, { [type]: { scanResultPolicies: shown } });
      assert.equal(old.isMarked, phase !== 'before');
      if (compareReleases(release, '16.9') < 0) continue;
      const replacement = await ask('approvalPolicies');
      assert.deepEqual(replacement, { data: { [type]: { approvalPolicies: shown } }, errors: [], isMarked: false });
    }
  },
  'scan-execution-policy-limits': async ({ server, phase }) => {
    const ada = actor(server.platform, 'ada');
    const lamps = projectWith(server.platform, ada, { name: 'Lamps' });
    const policies = projectWith(server.platform, ada, { name: 'Policies' });
    for (const found of [lamps, policies]) {
      const path = `/api/v4/projects/${found.project.id}/repository/files/readme`;
      const json = { branch: 'main', commit_message: 'Begin', content: 'Lamps' };
      assert.equal((await server.request('POST', path, { token: ada.token, json })).status, 201);
    }
    const many = scanPolicy(
      'Many',
      Array.from({ length: 12 }, () => 'sast'),
    );
    const others = ['b', 'c', 'd', 'e', 'f'].map((name) => scanPolicy(name, ['dast']));
    await writePolicies(server, ada, policies, `scan_execution_policy:\n${many}${others.join('')}`);
    assert.deepEqual(await assign(server, ada.token, lamps.project.full_path, policies), []);
    const excessive = await run(server, ada.token, lamps);
    const count = (scan: string): number => excessive.names.filter((name) => name.startsWith(scan)).length;
    assert.deepEqual([count('sast-'), count('dast-')], phase === 'after' ? [10, 4] : [12, 5]);
    assert.equal(excessive.response.headers.get('deprecation') !== null, phase !== 'before');
    const within = scanPolicy('Few', ['sast', 'secret_detection']);
    await writePolicies(server, ada, policies, `scan_execution_policy:\n${within}`, 'PUT');
    const modest = await run(server, ada.token, lamps);
    assert.deepEqual(modest.names, ['sast-0', 'secret-detection-1']);
    assert.equal(modest.response.headers.get('deprecation'), null);
  },
};
