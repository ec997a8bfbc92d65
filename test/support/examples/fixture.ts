import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import type { User } from '../../../server/core/caller.ts';
import { createUser, findUser } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { commentOnIssue, createIssue, type Issue } from '../../../server/features/issues/manageIssues.ts';
import type { Note } from '../../../server/features/notes/notes.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { addMember } from '../../../server/features/members/projectMembers.ts';
import { cheapHash } from '../passwords.ts';
import { TEST_ADMIN_TOKEN, type TestServer } from '../server.ts';

export interface Fixture {
  readonly server: TestServer;
  readonly ada: User;
  readonly adaToken: string;
  readonly root: User;
  readonly project: FoundProject;
  readonly group: FoundGroup;
  readonly issue: Issue;
  readonly note: Note;
  /** Hash of PASSWORD. */
  readonly passwordHash: string;
  /** Returns a name that was not used before. */
  fresh(prefix: string): string;
}

export const PASSWORD = 'a password of an example';

export function makeFixture(server: TestServer): Fixture {
  let count = 0;
  const { platform } = server;
  const root = findUser(platform, 1);
  if (root === undefined) throw new Error('user root is missing');
  const ada = person(server, 'ada');
  const project = createProject(platform, root, { name: 'Lamps', visibility: 'public', topics: ['Signals'] });
  const group = createGroup(platform, root, { name: 'Signals', path: 'signals', visibility: 'public' });
  const issue = createIssue(platform, project, root, { title: 'Lamp 7 stays dark' });
  const note = commentOnIssue(platform, project, issue, root, { body: 'The fuse is blown.' });
  return {
    server,
    root,
    ada,
    adaToken: tokenOf(server, ada),
    project,
    group,
    issue,
    note,
    passwordHash: cheapHash(PASSWORD),
    fresh: (prefix) => `${prefix}${(count += 1)}`,
  };
}

export function freshProject({ server, root, fresh }: Fixture): FoundProject {
  return createProject(server.platform, root, { name: fresh('project') });
}

export function freshGroup({ server, root, fresh }: Fixture): FoundGroup {
  const path = fresh('group');
  return createGroup(server.platform, root, { name: path, path });
}

export function groupWithAda(fixture: Fixture): FoundGroup {
  const group = freshGroup(fixture);
  addGroupMember(fixture.server.platform, group.group, fixture.ada, { level: 30 }, { user: fixture.root });
  return group;
}

/** Returns the path parameters of a group resource, with the given ones added. */
export function inGroup({ group }: FoundGroup, more: Readonly<Record<string, number>> = {}): Readonly<Record<string, string>> {
  const rest = Object.entries(more).map(([name, value]) => [name, String(value)]);
  return { id: String(group.id), ...Object.fromEntries(rest) };
}

/** Returns the path parameters of a project resource, with the given ones added. */
export function inProject(project: FoundProject, more: Readonly<Record<string, number>> = {}): Readonly<Record<string, string>> {
  const rest = Object.entries(more).map(([name, value]) => [name, String(value)]);
  return { id: String(project.project.id), ...Object.fromEntries(rest) };
}

export function person(server: TestServer, username: string): User {
  const user = createUser(server.platform, { username, name: username, email: `${username}@example.com` });
  if (typeof user === 'string') throw new Error(`${username}: ${user}`);
  return user;
}

export function tokenIdOf(server: TestServer, user: User): string {
  return String(issuePersonalToken(server.platform, user, { name: 'example', scopes: ['api'], expiresAt: null }).row.id);
}

export function tokenOf(server: TestServer, user: User): string {
  return issuePersonalToken(server.platform, user, { name: 'example', scopes: ['api'], expiresAt: null }).token;
}

export const admin = TEST_ADMIN_TOKEN;

export function containerOf(location: FoundProject | FoundGroup): { readonly kind: 'project' | 'group'; readonly id: number } {
  return 'project' in location ? { kind: 'project', id: location.project.id } : { kind: 'group', id: location.group.id };
}

export function projectWithAda(fixture: Fixture): FoundProject {
  const project = freshProject(fixture);
  addMember(
    fixture.server.platform,
    project.project,
    fixture.ada,
    { level: 30, expiresAt: null },
    { user: fixture.root, access: project.access },
  );
  return project;
}
