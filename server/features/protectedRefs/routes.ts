import { forbidden } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, filled, type Parameter, required, string, limited, type ParametersOf } from '../../http/params.ts';
import { listOf } from '../../http/responses.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';

import { type Project, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { grants, level } from './parameters.ts';
import { granularTiers, presentProtectedBranch, presentProtectedTag } from './present.ts';
import { createRule, type GrantInput, grantLevels, mustFindRule, removeRule, updateRule } from './manageProtectedRefs.ts';
import { protectedBranch, protectedTag } from './responses.ts';
import { countRules, listRules, type RuleFilter } from './store.ts';

const metadata = { specRef: 'Protected branches and tags', status: 'inferred', key: 'id' } as const;

const branches = '/api/v4/projects/:id/protected_branches';

const tags = '/api/v4/projects/:id/protected_tags';

const named = () => ({ id: required(string), name: required(string) });

const listBranchesParameters = () => ({ id: required(string), search: string(), ...pageParameters() });

const protectBranchParameters = (core: Core) => ({
  id: required(string),
  name: filled(),
  push_access_level: level('push'),
  merge_access_level: level('merge'),
  unprotect_access_level: level('unprotect'),
  allow_force_push: boolean(),
  code_owner_approval_required: granular(core, boolean()),
  allowed_to_push: granular(core, grants()),
  allowed_to_merge: granular(core, grants()),
  allowed_to_unprotect: granular(core, grants()),
});

const updateBranchParameters = (core: Core) => ({
  ...named(),
  allow_force_push: boolean(),
  code_owner_approval_required: granular(core, boolean()),
  allowed_to_push: granular(core, grants()),
  allowed_to_merge: granular(core, grants()),
  allowed_to_unprotect: granular(core, grants()),
});

const listTagsParameters = () => ({ id: required(string), ...pageParameters() });

const protectTagParameters = (core: Core) => ({
  id: required(string),
  name: filled(),
  create_access_level: level('create'),
  allowed_to_create: granular(core, grants()),
});

/** Returns the routes of protected branches and tags. All require at least the maintainer role. */
export function protectedRefRoutes(core: Core): Route[] {
  return [
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: branches,
        body: listOf(protectedBranch),
        params: listBranchesParameters,
      },
      'maintainer',
      listBranches,
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: branches,
        body: protectedBranch,
        params: () => protectBranchParameters(core),
      },
      'maintainer',
      protectBranch,
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${branches}/:name`, body: protectedBranch, params: named },
      'maintainer',
      showBranch,
    ),
    projectRoute(
      {
        ...metadata,
        method: 'PATCH',
        path: `${branches}/:name`,
        body: protectedBranch,
        params: () => updateBranchParameters(core),
      },
      'maintainer',
      updateBranch,
    ),
    projectRoute({ ...metadata, method: 'DELETE', path: `${branches}/:name`, params: named }, 'maintainer', unprotectBranch),
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: tags,
        body: listOf(protectedTag),
        params: listTagsParameters,
      },
      'maintainer',
      listTags,
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: tags,
        body: protectedTag,
        params: () => protectTagParameters(core),
      },
      'maintainer',
      protectTag,
    ),
    projectRoute({ ...metadata, method: 'GET', path: `${tags}/:name`, body: protectedTag, params: named }, 'maintainer', showTag),
    projectRoute({ ...metadata, method: 'DELETE', path: `${tags}/:name`, params: named }, 'maintainer', unprotectTag),
  ];
}

function listBranches(request: ProjectRequest<ParametersOf<typeof listBranchesParameters>>) {
  const { params, project, context } = request;
  const { core } = context;
  const search = params.search === undefined || params.search === '' ? null : params.search;
  const pages = pagesOf(core, { projectId: project.id, kind: 'branch', search });
  return new RawResponse(offsetResponse(request, params, pages, (rule) => presentProtectedBranch(core, rule)));
}

function protectBranch({ params, project, context }: ProjectRequest<ParametersOf<typeof protectBranchParameters>>) {
  const { core } = context;
  const rule = createRule(core, writable(project), 'branch', params.name, {
    allowForcePush: params.allow_force_push,
    codeOwnerApprovalRequired: params.code_owner_approval_required,
    grants: {
      push: grantsOf(params.push_access_level, params.allowed_to_push),
      merge: grantsOf(params.merge_access_level, params.allowed_to_merge),
      unprotect: grantsOf(params.unprotect_access_level, params.allowed_to_unprotect),
    },
  });
  return presentProtectedBranch(core, rule);
}

function showBranch({ params, project, context }: ProjectRequest<ParametersOf<typeof named>>) {
  const { core } = context;
  return presentProtectedBranch(core, mustFindRule(core, project, 'branch', params.name));
}

function updateBranch({ params, project, context }: ProjectRequest<ParametersOf<typeof updateBranchParameters>>) {
  const { core } = context;
  const rule = mustFindRule(core, writable(project), 'branch', params.name);
  const changed = updateRule(core, project, rule, {
    allowForcePush: params.allow_force_push,
    codeOwnerApprovalRequired: params.code_owner_approval_required,
    grants: {
      push: params.allowed_to_push ?? [],
      merge: params.allowed_to_merge ?? [],
      unprotect: params.allowed_to_unprotect ?? [],
    },
  });
  return presentProtectedBranch(core, changed);
}

function unprotectBranch(request: ProjectRequest<ParametersOf<typeof named>>) {
  const { core } = request.context;
  removeRule(core, request, mustFindRule(core, writable(request.project), 'branch', request.params.name));
}

function listTags(request: ProjectRequest<ParametersOf<typeof listTagsParameters>>) {
  const { core } = request.context;
  const pages = pagesOf(core, { projectId: request.project.id, kind: 'tag', search: null });
  return new RawResponse(offsetResponse(request, request.params, pages, (rule) => presentProtectedTag(core, rule)));
}

function protectTag({ params, project, context }: ProjectRequest<ParametersOf<typeof protectTagParameters>>) {
  const { core } = context;
  const create = grantsOf(params.create_access_level, params.allowed_to_create);
  const rule = createRule(core, writable(project), 'tag', params.name, { grants: { create } });
  return presentProtectedTag(core, rule);
}

function showTag({ params, project, context }: ProjectRequest<ParametersOf<typeof named>>) {
  const { core } = context;
  return presentProtectedTag(core, mustFindRule(core, project, 'tag', params.name));
}

function unprotectTag(request: ProjectRequest<ParametersOf<typeof named>>) {
  const { core } = request.context;
  removeRule(core, request, mustFindRule(core, writable(request.project), 'tag', request.params.name));
}

function granular<T>(core: Core, parameter: Parameter<T | undefined>): Parameter<T | undefined> {
  return limited(core.profile, { tiers: granularTiers }, parameter);
}

function pagesOf(core: Core, filter: RuleFilter) {
  return {
    count: (cap: number) => countRules(core.store, filter, cap),
    rows: (limit: number, offset: number) => listRules(core.store, filter, limit, offset),
  };
}

/** Returns the grants of a new rule. Without any, maintainers have the permission. */
function grantsOf(accessLevel: number | undefined, granted: readonly GrantInput[] | undefined): readonly GrantInput[] {
  const list = granted ?? [];
  if (accessLevel !== undefined) return [{ access_level: accessLevel }, ...list];
  return list.length > 0 ? list : [{ access_level: grantLevels.maintainer }];
}

/** @throws {Forbidden} if the project is archived. */
function writable(project: Project): Project {
  if (project.archived === 1) throw forbidden(undefined, 'the project is archived and read-only', 'project.archived');
  return project;
}
