import assert from 'node:assert/strict';
import { matches } from '../../../server/features/protectedRefs/manageProtectedRefs.ts';
import {
  countedPolicies,
  exceeds,
  jobNames,
  policiesIn,
  runsFor,
  type ScanPolicy,
} from '../../../server/features/securityPolicies/rules.ts';

function policy(more: Partial<ScanPolicy> = {}): ScanPolicy {
  return { name: 'Scans', enabled: true, rules: [], actions: [{ scan: 'sast' }], ...more };
}

describe('security policies of a file', () => {
  const main = { name: 'main', isDefault: true, isProtected: true };
  const topic = { name: 'topic/7', isDefault: false, isProtected: false };
  const runs = (rule: object, branch: typeof main): boolean =>
    runsFor(policy({ rules: [{ type: 'pipeline', ...rule }] }), branch, matches);

  for (const [name, rule, onMain, onTopic] of [
    ['the name of a branch', { branches: ['main'] }, true, false],
    ['a wildcard', { branches: ['topic/*'] }, false, true],
    ['any branch', { branches: ['*'] }, true, true],
    ['no branch', { branches: [] }, false, false],
    ['all branches', { branch_type: 'all' }, true, true],
    ['the default branch', { branch_type: 'default' }, true, false],
    ['protected branches', { branch_type: 'protected' }, true, false],
    ['an unknown type', { branch_type: 'other' }, false, false],
    ['exceptions by name', { branch_type: 'all', branch_exceptions: ['main'] }, false, true],
    ['exceptions of a project', { branch_type: 'all', branch_exceptions: [{ name: 'main', full_path: 'a/b' }] }, false, true],
    ['a schedule', { type: 'schedule', branches: ['*'] }, false, false],
  ] as const) {
    it(`the rule of a policy with ${name} applies to the branches that it means`, () => {
      assert.deepEqual([runs(rule, main), runs(rule, topic)], [onMain, onTopic]);
    });
  }

  it('disabled policies do not count, and do not use up the limit', () => {
    const policies = [policy({ name: 'off', enabled: false }), policy({ name: 'a' }), policy({ name: 'b' })];
    const counted = countedPolicies(policies, { policies: 1, actions: 1 });
    assert.deepEqual(
      counted.map(({ name }) => name),
      ['a'],
    );
    assert.equal(exceeds(policies.slice(0, 2), { policies: 1, actions: 1 }), false);
    assert.equal(exceeds(policies, { policies: 1, actions: 1 }), true);
  });

  it('the first actions of each policy count', () => {
    const actions = ['sast', 'dast', 'sast_iac'].map((scan) => ({ scan }));
    const counted = countedPolicies([policy({ actions }), policy()], { policies: 5, actions: 2 });
    assert.deepEqual(jobNames(counted), ['sast-0', 'dast-1', 'sast-2']);
    assert.equal(exceeds([policy({ actions })], { policies: 5, actions: 2 }), true);
    assert.equal(exceeds([policy({ actions })], { policies: 5, actions: Infinity }), false);
  });

  it('unknown scans have no job, and keep their number', () => {
    const actions = ['magic', 'secret_detection'].map((scan) => ({ scan }));
    assert.deepEqual(jobNames([policy({ actions })]), ['secret-detection-1']);
  });

  it('approval policies have two names, and are listed together', () => {
    const read = policiesIn({
      scan_result_policy: [{ name: 'Old', enabled: true }],
      approval_policy: [{ name: 'New', enabled: false }],
    });
    assert.ok('approval' in read);
    assert.deepEqual(
      read.approval.map(({ name }) => name),
      ['Old', 'New'],
    );
    assert.deepEqual(policiesIn({}), { scanExecution: [], approval: [] });
  });

  it('a policy without a name, rules or actions is a problem at its place', () => {
    for (const [member, path] of [
      [{ enabled: true, rules: [], actions: [] }, 'name'],
      [{ name: 'a', enabled: 'yes', rules: [], actions: [] }, 'enabled'],
      [{ name: 'a', enabled: true, actions: [] }, 'rules'],
      [{ name: 'a', enabled: true, rules: [], actions: [{}] }, 'actions.0.scan'],
    ] as const) {
      const read = policiesIn({ scan_execution_policy: [member] });
      assert.equal('path' in read && read.path.join('.'), `scan_execution_policy.0.${path}`);
    }
    for (const value of [[], 'text', null]) assert.ok('problem' in policiesIn(value));
  });
});
