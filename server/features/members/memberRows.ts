import { eitherOf, listOf, type ResponseOf } from '../../http/responses.ts';
import { isSentEmpty } from '../../http/combinations.ts';
import { conflict, invalidParameters, notFound } from '../../core/errors.ts';
import { offsetResponse, type OffsetRequest, pageParameters } from '../../http/pagination.ts';
import { date, integer, integers, opaque, required, string } from '../../http/params.ts';
import { RawResponse, type RequestOf, type Route } from '../../http/route.ts';
import type { User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectRole } from '../abilities/abilities.ts';
import { member, membersAdded } from './responses.ts';
import { type Member, type Membership, mustBeMember } from './memberships.ts';
import { countMembers, listMembers, type MemberFilter, type MemberContainer, type MemberRow } from './store.ts';
import { presentMember } from './present.ts';
import type { ContainerRoute } from '../projectAccess/projectAccess.ts';

/** The differences between members of projects and members of groups. */
export interface MembersOf<Found> {
  readonly path: '/api/v4/projects/:id' | '/api/v4/groups/:id';
  readonly route: ContainerRoute<Found>;
  /** Minimum role that can change memberships. */
  readonly role: ProjectRole;
  containerOf(found: Found): MemberContainer;
  add(found: Found, user: User, membership: Membership, by: User): Member | undefined;
  update(found: Found, userId: number, input: Partial<Membership>): Member;
}

export const memberMetadata = { specRef: 'Members', status: 'inferred', key: 'id' } as const;

const oneParameters = () => ({ id: required(string), user_id: required(integer) });
const values = () => ({ access_level: required(integer), expires_at: date() });

const listParameters = () => ({
  id: required(string),
  query: string(),
  user_ids: integers(),
  skip_users: integers(),
  ...pageParameters(),
});

const addParameters = () => ({ id: required(string), user_id: required(opaque), ...values() });

const changeParameters = () => ({ ...oneParameters(), ...values() });

/** The lists of members; those under `all` include inherited members. */
export function memberLists<Found>(core: Core, of: MembersOf<Found>): Route[] {
  return ['members', 'members/all'].map((list) =>
    of.route(
      { ...memberMetadata, method: 'GET', path: `${of.path}/${list}`, body: listOf(member), params: listParameters },
      'visible',
      (request) => listMembersOf(core, request, list === 'members/all', of),
    ),
  );
}

function listMembersOf<Found>(
  core: Core,
  request: RequestOf<typeof listParameters> & Found,
  withInherited: boolean,
  of: MembersOf<Found>,
): RawResponse {
  const { params, baseUrl } = request;
  const filter: MemberFilter = {
    container: of.containerOf(request),
    withInherited,
    query: params.query,
    userIds: params.user_ids,
    without: params.skip_users,
  };
  return memberPage(core, request, params, filter, (row) => presentMember(core, row, baseUrl));
}

export function memberPage(
  core: Core,
  request: Parameters<typeof offsetResponse>[0],
  page: OffsetRequest,
  filter: MemberFilter,
  present: (row: MemberRow) => unknown,
): RawResponse {
  const pages = {
    count: (cap: number) => countMembers(core.store, filter, cap),
    rows: (limit: number, offset: number) => listMembers(core.store, filter, limit, offset),
  };
  return new RawResponse(offsetResponse(request, page, pages, present));
}

/** The routes to read, add and change a member. */
export function memberRows<Found>(core: Core, of: MembersOf<Found>): Route[] {
  const { path, route } = of;
  return [
    ...['members', 'members/all'].map((list) =>
      route(
        { ...memberMetadata, method: 'GET', path: `${path}/${list}/:user_id`, body: member, params: oneParameters },
        'visible',
        (request) => show(core, request, list === 'members/all', of),
      ),
    ),
    route(
      {
        ...memberMetadata,
        method: 'POST',
        path: `${path}/members`,
        body: eitherOf(member, membersAdded),
        params: addParameters,
      },
      of.role,
      (request) => add(core, request, of),
    ),
    route(
      { ...memberMetadata, method: 'PUT', path: `${path}/members/:user_id`, body: member, params: changeParameters },
      of.role,
      (request) => change(core, request, of),
    ),
  ];
}

function show<Found>(
  core: Core,
  request: RequestOf<typeof oneParameters> & Found,
  withInherited: boolean,
  of: MembersOf<Found>,
): ResponseOf<typeof member> {
  const found = mustBeMember(core, of.containerOf(request), request.params.user_id, withInherited);
  return presentMember(core, found, request.baseUrl);
}

/** Adds the user with an ID, or the users with several IDs. */
function add<Found>(
  core: Core,
  request: RequestOf<typeof addParameters> & Found,
  of: MembersOf<Found>,
): ResponseOf<typeof member | typeof membersAdded> {
  const { params, caller } = request;
  const membership = { level: params.access_level, expiresAt: params.expires_at };
  const ids = params.user_id.split(',').map((text) => text.trim());
  if (ids.some((text) => !/^\d+$/.test(text))) throw invalidParameters(['user_id is invalid']);
  if (ids.length === 1) {
    const user = findUser(core, Number(ids[0]));
    if (user === undefined) throw notFound('User');
    const added = of.add(request, user, membership, caller.user);
    if (added === undefined) throw conflict('Member already exists');
    return presentMember(core, added, request.baseUrl);
  }
  return core.store.transaction(() => {
    const refused: Record<string, string> = {};
    for (const id of new Set(ids)) {
      const user = findUser(core, Number(id));
      if (user === undefined) refused[id] = 'User not found';
      else if (of.add(request, user, membership, caller.user) === undefined) {
        refused[user.username] = 'Member already exists';
      }
    }
    return Object.keys(refused).length === 0 ? { status: 'success' } : { status: 'error', message: refused };
  });
}

function change<Found>(
  core: Core,
  request: RequestOf<typeof changeParameters> & Found,
  of: MembersOf<Found>,
): ResponseOf<typeof member> {
  const { params } = request;
  const expiresAt = isSentEmpty(request.linkParameters(), 'expires_at') ? null : params.expires_at;
  const input = { level: params.access_level, ...(expiresAt === undefined ? {} : { expiresAt }) };
  return presentMember(core, of.update(request, params.user_id, input), request.baseUrl);
}
