import { eitherOf, listOf } from '../http/answers.ts';
import { isSentEmpty } from '../http/combinations.ts';
import { conflict, invalidParameters, notFound, recordNotFound } from '../http/failures.ts';
import { offsetAnswer, pageParameters } from '../http/pagination.ts';
import { date, integer, integers, opaque, required, string } from '../http/params.ts';
import { Prepared, type Route } from '../http/route.ts';
import { findUser, peopleOf, userBasic } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { member, membersAdded } from './answers.ts';
import { addMember, removeMember, updateMember } from './members.ts';
import { presentMember } from './present.ts';
import { openProjectRoute, projectRoute } from './route.ts';
import { anyMemberOf, countMembers, listMembers, type MemberFilter, memberOf } from './memberStore.ts';

/** Members of a project, as such and as people; the lists under `all` hold those of the groups around it too. */
export function memberRoutes(platform: Platform): Route[] {
  const { store } = platform;
  const facts = { clause: 'Activity events', status: 'inferred', key: 'id' } as const;

  return [
    ...['members', 'members/all'].map((list) =>
      projectRoute(
        platform,
        {
          ...facts,
          method: 'GET',
          path: `/api/v4/projects/:id/${list}`,
          body: listOf(member),
          params: () => ({
            id: required(string),
            query: string(),
            user_ids: integers(),
            skip_users: integers(),
            ...pageParameters(),
          }),
        },
        'visible',
        (request) => {
          const { params, project } = request;
          const filter: MemberFilter = {
            projectId: project.id,
            withInherited: list === 'members/all',
            query: params.query,
            userIds: params.user_ids,
            without: params.skip_users,
          };
          return new Prepared(
            offsetAnswer(
              request,
              params,
              {
                count: (cap) => countMembers(store, filter, cap),
                rows: (limit, offset) => listMembers(store, filter, limit, offset),
              },
              (member) => presentMember(platform, member, request.baseUrl),
            ),
          );
        },
      ),
    ),
    openProjectRoute(
      platform,
      {
        ...facts,
        method: 'GET',
        path: '/api/v4/projects/:id/users',
        body: listOf(userBasic),
        params: () => ({ id: required(string), search: string(), skip_users: integers(), ...pageParameters() }),
      },
      (request) => {
        const { params, project, baseUrl } = request;
        const filter: MemberFilter = {
          projectId: project.id,
          withInherited: true,
          query: params.search,
          without: params.skip_users,
        };
        const personOf = peopleOf(platform, baseUrl);
        const pages = {
          count: (cap: number) => countMembers(store, filter, cap),
          rows: (limit: number, offset: number) => listMembers(store, filter, limit, offset),
        };
        return new Prepared(offsetAnswer(request, params, pages, (found) => personOf(found.user_id)));
      },
    ),
    ...['members', 'members/all'].map((list) =>
      projectRoute(
        platform,
        {
          ...facts,
          method: 'GET',
          path: `/api/v4/projects/:id/${list}/:user_id`,
          body: member,
          params: () => ({ id: required(string), user_id: required(integer) }),
        },
        'visible',
        ({ params, project, baseUrl }) => {
          const find = list === 'members/all' ? anyMemberOf : memberOf;
          const member = find(store, project.id, params.user_id);
          if (member === undefined) throw recordNotFound('no such member');
          return presentMember(platform, member, baseUrl);
        },
      ),
    ),
    projectRoute(
      platform,
      {
        ...facts,
        method: 'POST',
        path: '/api/v4/projects/:id/members',
        body: eitherOf(member, membersAdded),
        params: () => ({
          id: required(string),
          user_id: required(opaque),
          access_level: required(integer),
          expires_at: date(),
        }),
      },
      'maintainer',
      (request) => {
        const { params, project, caller } = request;
        const membership = { level: params.access_level, expiresAt: params.expires_at ?? null };
        const by = { user: caller.user, standing: request.standing };
        const ids = params.user_id.split(',').map((id) => id.trim());
        if (ids.some((id) => !/^\d+$/.test(id))) throw invalidParameters(['user_id is invalid']);
        if (ids.length === 1) {
          const user = findUser(platform, Number(ids[0]));
          if (user === undefined) throw notFound('User');
          const member = addMember(platform, project, user, membership, by);
          if (member === undefined) throw conflict('Member already exists');
          return presentMember(platform, member, request.baseUrl);
        }
        return platform.store.transaction(() => {
          const refused: Record<string, string> = {};
          for (const id of new Set(ids)) {
            const user = findUser(platform, Number(id));
            if (user === undefined) refused[id] = 'User not found';
            else if (addMember(platform, project, user, membership, by) === undefined)
              refused[user.username] = 'Member already exists';
          }
          return Object.keys(refused).length === 0 ? { status: 'success' } : { status: 'error', message: refused };
        });
      },
    ),
    projectRoute(
      platform,
      {
        ...facts,
        method: 'PUT',
        path: '/api/v4/projects/:id/members/:user_id',
        body: member,
        params: () => ({
          id: required(string),
          user_id: required(integer),
          access_level: required(integer),
          expires_at: date(),
        }),
      },
      'maintainer',
      (request) => {
        const { params, project, standing } = request;
        const expiresAt = isSentEmpty(request.linkParameters(), 'expires_at') ? null : params.expires_at;
        const wish = { level: params.access_level, ...(expiresAt === undefined ? {} : { expiresAt }) };
        return presentMember(platform, updateMember(platform, project, params.user_id, wish, { standing }), request.baseUrl);
      },
    ),
    projectRoute(
      platform,
      {
        ...facts,
        method: 'DELETE',
        path: '/api/v4/projects/:id/members/:user_id',
        params: () => ({ id: required(string), user_id: required(integer) }),
      },
      'visible',
      ({ params, project, caller, standing }) => {
        removeMember(platform, project, params.user_id, { user: caller.user, standing });
      },
    ),
  ];
}
