import { demandOneOf } from '../../http/combinations.ts';
import { forbidden } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { fallback, integer, integers, oneOf, required, string, type ParametersOf } from '../../http/params.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, type Project, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { approvalRuleTiers, createRule, deleteRule, mustFindRule, updateRule } from './manageApprovalRules.ts';
import { rulePresenter } from './present.ts';
import { approvalRule } from './responses.ts';
import { countRules, listRules } from './store.ts';

const oneRule = () => ({ id: required(string), approval_rule_id: required(integer) });

const changes = () => ({
  name: string(),
  approvals_required: integer(),
  user_ids: integers(),
  group_ids: integers(),
});

const all = '/api/v4/projects/:id/approval_rules';

const one = `${all}/:approval_rule_id`;

const metadata = { specRef: 'Approval rules', status: 'inferred', key: 'id', tiers: approvalRuleTiers } as const;

const showRulesParameters = () => ({ id: required(string), ...pageParameters() });

const addRuleParameters = () => ({
  id: required(string),
  name: required(string),
  approvals_required: required(integer),
  rule_type: fallback<'regular' | 'any_approver'>('regular', oneOf(['regular', 'any_approver'])),
  user_ids: integers(),
  group_ids: integers(),
});

const changeRuleParameters = () => ({ ...oneRule(), ...changes() });

/**
 * Returns the routes of approval rules. Whoever can open merge requests in the project can read them, changes require at least the maintainer
 * role.
 */
export function approvalRuleRoutes(core: Core): Route[] {
  return [
    projectRoute(
      { ...metadata, method: 'GET', path: all, body: listOf(approvalRule), params: showRulesParameters },
      'visible',
      (request) => showRules(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'POST', path: all, body: approvalRule, params: addRuleParameters },
      'maintainer',
      (request) => addRule(core, request),
    ),
    projectRoute({ ...metadata, method: 'GET', path: one, body: approvalRule, params: oneRule }, 'visible', (request) =>
      showRule(core, request),
    ),
    projectRoute(
      { ...metadata, method: 'PUT', path: one, body: approvalRule, params: changeRuleParameters },
      'maintainer',
      (request) => changeRule(core, request),
    ),
    projectRoute({ ...metadata, method: 'DELETE', path: one, params: oneRule }, 'maintainer', (request) =>
      removeRule(core, request),
    ),
  ];
}

function showRules(core: Core, request: ProjectRequest<ParametersOf<typeof showRulesParameters>>): RawResponse {
  const { id } = readable(request);
  const pages = {
    count: (cap: number) => countRules(core.store, id, cap),
    rows: (limit: number, offset: number) => listRules(core.store, id, limit, offset),
  };
  return new RawResponse(offsetResponse(request, request.params, pages, rulePresenter(core, request)));
}

function addRule(core: Core, request: ProjectRequest<ParametersOf<typeof addRuleParameters>>): ResponseOf<typeof approvalRule> {
  const { params, caller } = request;
  const rule = createRule(core, writable(request), caller, {
    name: params.name,
    approvalsRequired: params.approvals_required,
    ruleType: params.rule_type,
    userIds: params.user_ids,
    groupIds: params.group_ids,
  });
  return rulePresenter(core, request)(rule);
}

function showRule(core: Core, request: ProjectRequest<ParametersOf<typeof oneRule>>): ResponseOf<typeof approvalRule> {
  const rule = mustFindRule(core, readable(request), request.params.approval_rule_id);
  return rulePresenter(core, request)(rule);
}

function changeRule(
  core: Core,
  request: ProjectRequest<ParametersOf<typeof changeRuleParameters>>,
): ResponseOf<typeof approvalRule> {
  const { params, caller } = request;
  demandOneOf(request, Object.keys(changes()));
  const project = writable(request);
  const rule = updateRule(core, project, mustFindRule(core, project, params.approval_rule_id), caller, {
    name: params.name,
    approvalsRequired: params.approvals_required,
    userIds: params.user_ids,
    groupIds: params.group_ids,
  });
  return rulePresenter(core, request)(rule);
}

function removeRule(core: Core, request: ProjectRequest<ParametersOf<typeof oneRule>>): void {
  deleteRule(core, mustFindRule(core, writable(request), request.params.approval_rule_id));
}

/** @throws {Forbidden} unless the caller can open merge requests in the project or administers it. */
function readable({ project, can, access }: FoundProject): Project {
  if (holdsRole(access, 'maintainer') || (can.readMergeRequests && project.archived === 0)) return project;
  throw forbidden(undefined, 'reading approval rules requires permission to open merge requests', 'approvalRule.read');
}

/** @throws {Forbidden} if the project is archived. */
function writable({ project }: FoundProject): Project {
  if (project.archived === 1) throw forbidden(undefined, 'the project is archived and read-only', 'project.archived');
  return project;
}
