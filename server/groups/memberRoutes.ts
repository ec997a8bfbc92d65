import { eitherOf, listOf } from '../http/answers.ts';
import { isSentEmpty } from '../http/combinations.ts';
import { conflict, invalidParameters, notFound, recordNotFound } from '../http/failures.ts';
import { offsetAnswer, pageParameters } from '../http/pagination.ts';
import { boolean, date, fallback, integer, integers, opaque, required, string } from '../http/params.ts';
import { Prepared, type Route } from '../http/route.ts';
import { findUser } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { member, membersAdded, presentMember } from '../projects/projects.ts';
import { addGroupMember, removeGroupMember, updateGroupMember } from './members.ts';
import { groupRoute } from './route.ts';
import { countMembers, listMembers, type MemberFilter, memberOf } from './store.ts';

/** Members of a group; the lists under `all` hold those of the groups around it too. */
export function groupMemberRoutes(platform: Platform): Route[] {
  const { store } = platform;
  const facts = { clause: 'Activity events', status: 'inferred', key: 'id' } as const;

  return [
    ...['members', 'members/all'].map((list) =>
      groupRoute(
        platform,
        {
          ...facts,
          method: 'GET',
          path: `/api/v4/groups/:id/${list}`,
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
          const { params, group } = request;
          const filter: MemberFilter = {
            groupId: group.id,
            withInherited: list === 'members/all',
            query: params.query,
            userIds: params.user_ids,
            without: params.skip_users,
          };
          const rows = {
            count: (cap: number) => countMembers(store, filter, cap),
            rows: (limit: number, offset: number) => listMembers(store, filter, limit, offset),
          };
          return new Prepared(offsetAnswer(request, params, rows, (member) => presentMember(platform, member, request.baseUrl)));
        },
      ),
    ),
    ...['members', 'members/all'].map((list) =>
      groupRoute(
        platform,
        {
          ...facts,
          method: 'GET',
          path: `/api/v4/groups/:id/${list}/:user_id`,
          body: member,
          params: () => ({ id: required(string), user_id: required(integer) }),
        },
        'visible',
        ({ params, group, baseUrl }) => {
          const member = memberOf(store, group.id, params.user_id, list === 'members/all');
          if (member === undefined) throw recordNotFound('no such member');
          return presentMember(platform, member, baseUrl);
        },
      ),
    ),
    groupRoute(
      platform,
      {
        ...facts,
        method: 'POST',
        path: '/api/v4/groups/:id/members',
        body: eitherOf(member, membersAdded),
        params: () => ({
          id: required(string),
          user_id: required(opaque),
          access_level: required(integer),
          expires_at: date(),
        }),
      },
      'owner',
      (request) => {
        const { params, group, caller } = request;
        const ids = params.user_id.split(',').map((text) => text.trim());
        if (ids.some((text) => !/^\d{1,15}$/.test(text))) throw invalidParameters(['user_id is invalid']);
        const membership = { level: params.access_level, expiresAt: params.expires_at };
        const by = { user: caller.user };
        if (ids.length === 1) {
          const user = findUser(platform, Number(ids[0]));
          if (user === undefined) throw notFound('User');
          const member = addGroupMember(platform, group, user, membership, by);
          if (member === undefined) throw conflict('Member already exists');
          return presentMember(platform, memberOf(store, group.id, user.id) ?? member, request.baseUrl);
        }
        return store.transaction(() => {
          const refused: Record<string, string> = {};
          for (const id of new Set(ids)) {
            const user = findUser(platform, Number(id));
            if (user === undefined) refused[id] = 'User not found';
            else if (addGroupMember(platform, group, user, membership, by) === undefined)
              refused[user.username] = 'Member already exists';
          }
          return Object.keys(refused).length === 0 ? { status: 'success' } : { status: 'error', message: refused };
        });
      },
    ),
    groupRoute(
      platform,
      {
        ...facts,
        method: 'PUT',
        path: '/api/v4/groups/:id/members/:user_id',
        body: member,
        params: () => ({
          id: required(string),
          user_id: required(integer),
          access_level: required(integer),
          expires_at: date(),
        }),
      },
      'owner',
      (request) => {
        const { params, group } = request;
        const expiresAt = isSentEmpty(request.linkParameters(), 'expires_at') ? null : params.expires_at;
        const wish = { level: params.access_level, ...(expiresAt === undefined ? {} : { expiresAt }) };
        return presentMember(platform, updateGroupMember(platform, group, params.user_id, wish), request.baseUrl);
      },
    ),
    groupRoute(
      platform,
      {
        ...facts,
        method: 'DELETE',
        path: '/api/v4/groups/:id/members/:user_id',
        params: () => ({
          id: required(string),
          user_id: required(integer),
          skip_subresources: fallback(false, boolean),
        }),
      },
      'visible',
      ({ params, group, caller, standing }) => {
        const by = { user: caller.user, standing };
        removeGroupMember(platform, group, params.user_id, by, params.skip_subresources);
      },
    ),
  ];
}
