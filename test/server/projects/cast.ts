import type { User } from '../../../server/core/caller.ts';
import { createUser, findUser } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { createProject, type NewProject } from '../../../server/features/projects/manageProjects.ts';
import { addMember } from '../../../server/features/members/projectMembers.ts';
import { type FoundProject, findProject } from '../../../server/features/projectAccess/access.ts';
import type { Platform } from '../../../server/platform.ts';

/** A user with a token of scope `api`. */
export interface Actor {
  readonly user: User;
  readonly token: string;
}

export function actor(
  platform: Platform,
  username: string,
  options: { readonly external?: boolean; readonly privateProfile?: boolean; readonly scopes?: readonly string[] } = {},
): Actor {
  const { scopes = ['api'], ...rest } = options;
  const user = createUser(platform, { username, name: `${username} Example`, email: `${username}@example.com`, ...rest });
  if (typeof user === 'string') throw new Error(`${username}: ${user}`);
  return withToken(platform, user, scopes);
}

/** Issues a token to a user, for example of a copy of a server, where earlier tokens are invalid. */
export function withToken(platform: Platform, user: User, scopes: readonly string[] = ['api']): Actor {
  const { token } = issuePersonalToken(platform, user, { name: 'test', scopes, expiresAt: null });
  return { user, token };
}

export function rootOf(platform: Platform): User {
  const root = findUser(platform, 1);
  if (root === undefined) throw new Error('there is no root');
  return root;
}

/** Creates a project with members at these access levels, as seen by its owner. */
export function projectWith(
  platform: Platform,
  owner: Actor,
  input: NewProject,
  members: readonly (readonly [member: Actor, level: number])[] = [],
): FoundProject {
  const found = createProject(platform, owner.user, input);
  for (const [member, level] of members) {
    addMember(platform, found.project, member.user, { level }, { user: owner.user, access: found.access });
  }
  return found;
}

/** Returns a project as seen by a user; throws if it is not visible. */
export function seenBy(platform: Platform, found: FoundProject, viewer: Actor | { readonly user: User }): FoundProject {
  const seen = findProject(platform, found.project.id, { user: viewer.user });
  if (seen === undefined) throw new Error(`${viewer.user.username} does not see ${found.project.full_path}`);
  return seen;
}
