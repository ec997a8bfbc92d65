import { type ApprovalRule, createRule } from '../../../server/features/approvalRules/manageApprovalRules.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, inProject } from './fixture.ts';

/** Creates a project of its own, because the number of rules of a project is limited. */
function newProject({ server, root, fresh }: Fixture): FoundProject {
  return createProject(server.platform, root, { name: fresh('project') });
}

function ruleOf(fixture: Fixture): { readonly found: FoundProject; readonly rule: ApprovalRule } {
  const { server, root, group, fresh } = fixture;
  const found = newProject(fixture);
  const caller = { user: root, credential: { kind: 'session' } } as const;
  const rule = createRule(server.platform, found.project, caller, {
    name: fresh('rule'),
    approvalsRequired: 1,
    ruleType: 'regular',
    userIds: [root.id],
    groupIds: [group.group.id],
  });
  return { found, rule };
}

function pathOf(fixture: Fixture): Readonly<Record<string, string>> {
  const { found, rule } = ruleOf(fixture);
  return inProject(found, { approval_rule_id: rule.id });
}

export const approvalRuleExamples: Examples = {
  'GET /api/v4/projects/:id/approval_rules': (fixture) => ({ token: admin, path: inProject(ruleOf(fixture).found) }),
  'POST /api/v4/projects/:id/approval_rules': (fixture) => ({
    token: admin,
    path: inProject(newProject(fixture)),
    params: {
      name: fixture.fresh('rule'),
      approvals_required: 1,
      user_ids: [fixture.root.id],
      group_ids: [fixture.group.group.id],
    },
  }),
  'GET /api/v4/projects/:id/approval_rules/:approval_rule_id': (fixture) => ({ token: admin, path: pathOf(fixture) }),
  'PUT /api/v4/projects/:id/approval_rules/:approval_rule_id': (fixture) => ({
    token: admin,
    path: pathOf(fixture),
    params: { name: fixture.fresh('rule'), user_ids: [fixture.root.id] },
  }),
  'DELETE /api/v4/projects/:id/approval_rules/:approval_rule_id': (fixture) => ({ token: admin, path: pathOf(fixture) }),
};
