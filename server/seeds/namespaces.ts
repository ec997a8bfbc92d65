import { accessLevels, holdsRole } from '../features/abilities/abilities.ts';
import { addMember } from '../features/members/members.ts';
import { createProject, setArchived } from '../features/projects/projects.ts';
import { insertStar } from '../features/stars/stars.ts';
import { addGroupMember, createGroup, findGroup } from '../features/groups/groups.ts';
import type { User } from '../core/caller.ts';
import { findUserByName, personalNamespaceId } from '../features/users/users.ts';
import type { Core } from '../core/core.ts';
import type { Path } from './document.ts';
import type { SeedGroup, SeedMember, SeedProject } from './format.ts';
import { type Person, type Plan, projectOf, splitPath, stepsOf, userOf } from './plan.ts';
import { type Step, StepRefused } from './timeline.ts';

/** Plans groups, parent groups first, independent of the order in the file. */
export function planGroups(plan: Plan): PlannedGroup[] {
  const planned: PlannedGroup[] = [];
  const groups = (plan.seed.groups ?? []).map((group, index) => ({ group, path: ['groups', index] as Path }));
  const depth = (path: string): number => path.split('/').length;
  for (const { group, path } of groups.toSorted((one, other) => depth(one.group.path) - depth(other.group.path))) {
    const { parent: parentPath, own } = splitPath(group.path);
    const creator = plan.person([...path, 'creator'], group.creator ?? 'root');
    if (parentPath !== undefined && !plan.hasGroup(parentPath))
      plan.addProblem([...path, 'path'], `is in the group "${parentPath}", which is neither in this file nor on the server`);
    if (plan.groupStep(group.path) !== undefined) plan.addProblem([...path, 'path'], 'is used by another group in this file');
    if (creator === undefined) continue;
    const outer = parentPath === undefined ? undefined : plan.groupStep(parentPath);
    const step = plan.add({
      path,
      at: plan.time([...path, 'created_at'], group.created_at),
      needs: [...stepsOf(creator), ...(outer === undefined ? [] : [outer])],
      follows: parentPath === undefined ? [] : plan.membershipsOf(parentPath, creator.username),
      run: (core) => {
        const user = userOf(core, path, creator);
        const parent = parentPath === undefined ? undefined : findGroup(core, parentPath, { user });
        if (parentPath !== undefined && parent === undefined)
          throw new StepRefused([...path, 'path'], `is in a group that ${user.username} cannot see`);
        createGroup(core, user, {
          path: own,
          name: group.name ?? own,
          parent,
          description: group.description,
          visibility: group.visibility,
          projectCreation: group.project_creation_level,
          subgroupCreation: group.subgroup_creation_level,
        });
      },
    });
    plan.addGroup(group.path, creator.username, step);
    plan.addMembership(group.path, creator.username, step);
    planMembers(plan, path, group.path, step, group.members ?? [], (core, memberPath, user, membership) => {
      const by = userOf(core, memberPath, creator);
      const found = findGroup(core, group.path, { user: by });
      if (found === undefined) throw new StepRefused(memberPath, 'is not possible: the group does not exist');
      return addGroupMember(core, found.group, user, membership, { user: by });
    });
    planned.push({ group, path, creator, step });
  }
  return planned;
}

/** A group of a file with its creator. */
export interface PlannedGroup {
  readonly group: SeedGroup;
  readonly path: Path;
  readonly creator: Person;
  readonly step: Step;
}

/** A project of a file with its creator. */
export interface PlannedProject {
  readonly project: SeedProject;
  readonly path: Path;
  readonly creator: Person;
  readonly step: Step;
  /** Project that it is forked from. */
  readonly source?: PlannedProject;
}

/** Projects of a file while they are being planned. */
export interface Projects {
  readonly planned: readonly PlannedProject[];
  /** Forks, which are planned after the code of their sources. */
  readonly forks: readonly { readonly project: SeedProject; readonly path: Path; readonly location: ProjectLocation }[];
}

/** Namespace of a project: that of a user or of a group. */
export interface ProjectLocation {
  /** Path of the namespace. */
  readonly parent: string;
  /** Path within the namespace. */
  readonly own: string;
  /** Owner of a personal namespace. Undefined for a group. */
  readonly owner: Person | undefined;
  readonly creator: Person;
  readonly needs: readonly Step[];
  readonly follows: readonly Step[];
}

export function planProjects(plan: Plan): Projects {
  const planned: PlannedProject[] = [];
  const forks: Projects['forks'][number][] = [];
  const paths = new Set<string>();
  for (const [index, project] of (plan.seed.projects ?? []).entries()) {
    const path: Path = ['projects', index];
    const { parent, own } = splitPath(project.path);
    if (paths.has(project.path.toLowerCase())) plan.addProblem([...path, 'path'], 'is used by another project in this file');
    paths.add(project.path.toLowerCase());
    if (parent === undefined) {
      plan.addProblem([...path, 'path'], 'must begin with the username of a user or the path of a group: harbour/berths');
      continue;
    }
    const isGroup = plan.hasGroup(parent);
    if (!isGroup && !plan.hasPerson(parent)) {
      plan.addProblem([...path, 'path'], `is in "${parent}", which is neither a user nor a group in this file or on the server`);
      continue;
    }
    const owner = isGroup ? undefined : plan.person([...path, 'path'], parent);
    const creator =
      project.creator === undefined
        ? (owner ?? (isGroup ? plan.person([...path, 'creator'], plan.creatorOfGroup(parent) ?? 'root') : undefined))
        : plan.person([...path, 'creator'], project.creator);
    if (creator === undefined) continue;
    const group = plan.groupStep(parent);
    const needs = [...stepsOf(creator, owner), ...(group === undefined ? [] : [group])];
    const follows = isGroup ? plan.membershipsOf(parent, creator.username) : [];
    if (project.forked_from !== undefined) {
      forks.push({ project, path, location: { parent, own, owner, creator, needs, follows } });
      continue;
    }
    const step = plan.add({
      path,
      at: plan.time([...path, 'created_at'], project.created_at),
      needs,
      follows,
      run: (core) => {
        const user = userOf(core, path, creator);
        createProject(core, user, {
          name: project.name ?? own,
          path: own,
          description: project.description,
          visibility: project.visibility,
          defaultBranch: project.default_branch,
          issuesAccess: project.issues_access_level,
          topics: project.topics,
          namespaceId: namespaceOf(core, path, parent, user, owner).id,
        });
      },
    });
    planned.push({ project, path, creator, step });
    planPeople(plan, { project, path, creator, step });
  }
  return { planned, forks };
}

/** Plans the members and stars of a project. */
export function planPeople(plan: Plan, { project, path, creator, step }: PlannedProject): void {
  planMembers(plan, path, project.path, step, project.members ?? [], (core, memberPath, user, membership) => {
    const by = adderOf(core, memberPath, project.path, creator);
    return addMember(core, by.project, user, membership, by);
  });
  planStars(plan, project, path, step);
}

function planStars(plan: Plan, project: SeedProject, parentPath: Path, step: Step): void {
  for (const [index, username] of (project.starred_by ?? []).entries()) {
    const path: Path = [...parentPath, 'starred_by', index];
    const person = plan.person(path, username);
    if (person === undefined) continue;
    plan.add({
      path,
      at: undefined,
      needs: [...stepsOf(person), step],
      follows: plan.membershipsOf(project.path, person.username),
      run: (core) => {
        const user = userOf(core, path, person);
        const found = projectOf(core, path, project.path, user);
        if (!insertStar(core.store, found.project.id, user.id, core.clock.now()))
          throw new StepRefused(path, 'has already starred the project');
      },
    });
  }
}

/** Plans the archiving of projects, after everything else. */
export function planArchive(plan: Plan, projects: readonly PlannedProject[]): void {
  for (const { project, path, step } of projects) {
    if (project.archived !== true) continue;
    plan.add({
      path: [...path, 'archived'],
      at: undefined,
      needs: [step],
      follows: [],
      run: (core) => {
        const root = rootOf(core, path);
        setArchived(core, projectOf(core, path, project.path, root).project, true);
      },
    });
  }
}

/** Returns the namespace in which a user creates a project. */
export function namespaceOf(core: Core, path: Path, parent: string, user: User, owner: Person | undefined) {
  if (owner !== undefined) {
    const id = personalNamespaceId(core, userOf(core, path, owner));
    return { id, kind: 'user', visibility: 'public' } as const;
  }
  const found = findGroup(core, parent, { user });
  if (found === undefined) throw new StepRefused([...path, 'path'], `is in a group that ${user.username} cannot see`);
  return { id: found.group.id, kind: 'group', visibility: found.group.visibility } as const;
}

/** Returns the user who adds members to a project: its creator, or root if the creator is not an owner. */
function adderOf(core: Core, path: Path, fullPath: string, creator: Person) {
  for (const user of [userOf(core, path, creator), rootOf(core, path)]) {
    const found = projectOf(core, path, fullPath, user);
    if (holdsRole(found.access, 'owner')) return { user, ...found };
  }
  throw new StepRefused(path, 'is not possible: the project has no owner');
}

function rootOf(core: Core, path: Path): User {
  const root = findUserByName(core, 'root');
  if (root === undefined) throw new StepRefused(path, 'requires the user root, who does not exist');
  return root;
}

type AddMember = (
  core: Core,
  path: Path,
  user: User,
  membership: { readonly level: number; readonly expiresAt: number | null },
) => unknown;

function planMembers(
  plan: Plan,
  parentPath: Path,
  fullPath: string,
  needed: Step,
  members: readonly SeedMember[],
  add: AddMember,
): void {
  for (const [index, member] of members.entries()) {
    const path: Path = [...parentPath, 'members', index];
    const person = plan.person([...path, 'user'], member.user);
    const expiresAt = plan.day([...path, 'expires_at'], member.expires_at) ?? null;
    if (person === undefined) continue;
    const step = plan.add({
      path,
      at: plan.time([...path, 'created_at'], member.created_at),
      needs: [...stepsOf(person), needed],
      follows: [],
      run: (core) => {
        const level = accessLevels[member.access_level];
        const added = add(core, path, userOf(core, path, person), { level, expiresAt });
        if (added === undefined) throw new StepRefused([...path, 'user'], 'is already a member');
      },
    });
    plan.addMembership(fullPath, person.username, step);
    if (expiresAt === null || expiresAt > plan.now) continue;
    plan.add({
      path: [...path, 'expires_at'],
      at: expiresAt,
      needs: [step],
      follows: [],
      run: (core) => core.schedule.runDue(),
    });
  }
}
