import { forbidden } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, filled, type Parameter, required, string, limited } from '../../http/params.ts';
import { listOf } from '../../http/responses.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';

import { type Project, projectRoute } from '../projects/projects.ts';
import { grants, level } from './parameters.ts';
import { granularTiers, presentProtectedBranch, presentProtectedTag } from './present.ts';
import { createRule, type GrantInput, grantLevels, mustFindRule, removeRule, updateRule } from './manageProtectedRefs.ts';
import { protectedBranch, protectedTag } from './responses.ts';
import { countRules, listRules, type RuleFilter } from './store.ts';

const metadata = { specRef: 'Protected branches and tags', status: 'inferred', key: 'id' } as const;

/** Returns the routes of protected branches and tags. All require at least the maintainer role. */
export function protectedRefRoutes(core: Core): Route[] {
  const { store, profile } = core;
  const branches = '/api/v4/projects/:id/protected_branches';
  const tags = '/api/v4/projects/:id/protected_tags';
  const named = () => ({ id: required(string), name: required(string) });
  const granular = <T>(parameter: Parameter<T | undefined>): Parameter<T | undefined> =>
    limited(profile, { tiers: granularTiers }, parameter);
  const pagesOf = (filter: RuleFilter) => ({
    count: (cap: number) => countRules(store, filter, cap),
    rows: (limit: number, offset: number) => listRules(store, filter, limit, offset),
  });
  return [
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: branches,
        body: listOf(protectedBranch),
        params: () => ({ id: required(string), search: string(), ...pageParameters() }),
      },
      'maintainer',
      (request) => {
        const { params, project } = request;
        const search = params.search === undefined || params.search === '' ? null : params.search;
        const pages = pagesOf({ projectId: project.id, kind: 'branch', search });
        return new RawResponse(offsetResponse(request, params, pages, (rule) => presentProtectedBranch(core, rule)));
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: branches,
        body: protectedBranch,
        params: () => ({
          id: required(string),
          name: filled(),
          push_access_level: level('push'),
          merge_access_level: level('merge'),
          unprotect_access_level: level('unprotect'),
          allow_force_push: boolean(),
          code_owner_approval_required: granular(boolean()),
          allowed_to_push: granular(grants()),
          allowed_to_merge: granular(grants()),
          allowed_to_unprotect: granular(grants()),
        }),
      },
      'maintainer',
      ({ params, project }) => {
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
      },
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${branches}/:name`, body: protectedBranch, params: named },
      'maintainer',
      ({ params, project }) => presentProtectedBranch(core, mustFindRule(core, project, 'branch', params.name)),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'PATCH',
        path: `${branches}/:name`,
        body: protectedBranch,
        params: () => ({
          ...named(),
          allow_force_push: boolean(),
          code_owner_approval_required: granular(boolean()),
          allowed_to_push: granular(grants()),
          allowed_to_merge: granular(grants()),
          allowed_to_unprotect: granular(grants()),
        }),
      },
      'maintainer',
      ({ params, project }) => {
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
      },
    ),
    projectRoute({ ...metadata, method: 'DELETE', path: `${branches}/:name`, params: named }, 'maintainer', (request) => {
      removeRule(core, request, mustFindRule(core, writable(request.project), 'branch', request.params.name));
    }),
    projectRoute(
      {
        ...metadata,
        method: 'GET',
        path: tags,
        body: listOf(protectedTag),
        params: () => ({ id: required(string), ...pageParameters() }),
      },
      'maintainer',
      (request) => {
        const pages = pagesOf({ projectId: request.project.id, kind: 'tag', search: null });
        return new RawResponse(offsetResponse(request, request.params, pages, (rule) => presentProtectedTag(core, rule)));
      },
    ),
    projectRoute(
      {
        ...metadata,
        method: 'POST',
        path: tags,
        body: protectedTag,
        params: () => ({
          id: required(string),
          name: filled(),
          create_access_level: level('create'),
          allowed_to_create: granular(grants()),
        }),
      },
      'maintainer',
      ({ params, project }) => {
        const create = grantsOf(params.create_access_level, params.allowed_to_create);
        const rule = createRule(core, writable(project), 'tag', params.name, { grants: { create } });
        return presentProtectedTag(core, rule);
      },
    ),
    projectRoute(
      { ...metadata, method: 'GET', path: `${tags}/:name`, body: protectedTag, params: named },
      'maintainer',
      ({ params, project }) => presentProtectedTag(core, mustFindRule(core, project, 'tag', params.name)),
    ),
    projectRoute({ ...metadata, method: 'DELETE', path: `${tags}/:name`, params: named }, 'maintainer', (request) => {
      removeRule(core, request, mustFindRule(core, writable(request.project), 'tag', request.params.name));
    }),
  ];
}

/** Returns the grants of a new rule. Without any, maintainers have the permission. */
function grantsOf(accessLevel: number | undefined, granted: readonly GrantInput[] | undefined): readonly GrantInput[] {
  const list = granted ?? [];
  if (accessLevel !== undefined) return [{ access_level: accessLevel }, ...list];
  return list.length > 0 ? list : [{ access_level: grantLevels.maintainer }];
}

/** @throws 403 if the project is archived. */
function writable(project: Project): Project {
  if (project.archived === 1) throw forbidden(undefined, 'the project is archived and read-only', 'project.archived');
  return project;
}
