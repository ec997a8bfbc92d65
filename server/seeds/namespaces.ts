import { accessLevels, addMember, createProject, holdsRole, setArchived } from '../projects/projects.ts';
import { addGroupMember, createGroup, findGroup } from '../groups/groups.ts';
import { findUserByName, personalNamespaceId, type User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { insertStar } from '../projects/stars.ts';
import type { Path } from './document.ts';
import type { SeedGroup, SeedMember, SeedProject } from './format.ts';
import { type Person, type Plan, projectOf, splitPath, stepsOf, userOf } from './plan.ts';
import { type Step, StepRefused } from './timeline.ts';

/** Groups, those around others first, whatever the order of the file. */
export function planGroups(plan: Plan): PlannedGroup[] {
  const planned: PlannedGroup[] = [];
  const groups = (plan.seed.groups ?? []).map((group, index) => ({ group, path: ['groups', index] as Path }));
  const depth = (path: string): number => path.split('/').length;
  for (const { group, path } of groups.toSorted((one, other) => depth(one.group.path) - depth(other.group.path))) {
    const { parent: parentPath, own } = splitPath(group.path);
    const creator = plan.person([...path, 'creator'], group.creator ?? 'root');
    if (parentPath !== undefined && !plan.hasGroup(parentPath))
      plan.addProblem([...path, 'path'], `lies in a group "${parentPath}" that is neither in this file nor on the server`);
    if (plan.groupStep(group.path) !== undefined) plan.addProblem([...path, 'path'], 'is that of another group of this file');
    if (creator === undefined) continue;
    const outer = parentPath === undefined ? undefined : plan.groupStep(parentPath);
    const step = plan.add({
      path,
      at: plan.time([...path, 'created_at'], group.created_at),
      needs: [...stepsOf(creator), ...(outer === undefined ? [] : [outer])],
      follows: parentPath === undefined ? [] : plan.membershipsOf(parentPath, creator.username),
      run: (platform) => {
        const user = userOf(platform, path, creator);
        const parent = parentPath === undefined ? undefined : findGroup(platform, parentPath, { user });
        if (parentPath !== undefined && parent === undefined)
          throw new StepRefused([...path, 'path'], `lies in a group that ${user.username} does not see`);
        createGroup(platform, user, {
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
    planMembers(plan, path, group.path, step, group.members ?? [], (platform, memberPath, user, membership) => {
      const by = userOf(platform, memberPath, creator);
      const found = findGroup(platform, group.path, { user: by });
      if (found === undefined) throw new StepRefused(memberPath, 'is not possible: the group is not there');
      return addGroupMember(platform, found.group, user, membership, { user: by });
    });
    planned.push({ group, path, creator, step });
  }
  return planned;
}

/** A group of a file with whoever makes it. */
export interface PlannedGroup {
  readonly group: SeedGroup;
  readonly path: Path;
  readonly creator: Person;
  readonly step: Step;
}

/** A project of a file with whoever makes it. */
export interface PlannedProject {
  readonly project: SeedProject;
  readonly path: Path;
  readonly creator: Person;
  readonly step: Step;
  /** What it is a fork of. */
  readonly source?: PlannedProject;
}

/** Projects of a file while they are being planned. */
export interface Projects {
  readonly planned: readonly PlannedProject[];
  /** Those that are forks; they are planned behind the code of what they are forks of. */
  readonly forks: readonly { readonly project: SeedProject; readonly path: Path; readonly repository: ProjectPlace }[];
}

/** Where a project lies: a namespace of a person, or of a group. */
export interface ProjectPlace {
  /** Path of the namespace. */
  readonly parent: string;
  /** Path in it. */
  readonly own: string;
  /** Whose namespace it is, where it is that of a person. */
  readonly holder: Person | undefined;
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
    if (paths.has(project.path.toLowerCase())) plan.addProblem([...path, 'path'], 'is that of another project of this file');
    paths.add(project.path.toLowerCase());
    if (parent === undefined) {
      plan.addProblem([...path, 'path'], 'needs the username of a person or the path of a group in front: harbour/berths');
      continue;
    }
    const isGroup = plan.hasGroup(parent);
    if (!isGroup && !plan.hasPerson(parent)) {
      plan.addProblem([...path, 'path'], `lies in "${parent}", which is neither a person nor a group of this file or the server`);
      continue;
    }
    const holder = isGroup ? undefined : plan.person([...path, 'path'], parent);
    const creator =
      project.creator === undefined
        ? (holder ?? (isGroup ? plan.person([...path, 'creator'], plan.creatorOfGroup(parent) ?? 'root') : undefined))
        : plan.person([...path, 'creator'], project.creator);
    if (creator === undefined) continue;
    const group = plan.groupStep(parent);
    const needs = [...stepsOf(creator, holder), ...(group === undefined ? [] : [group])];
    const follows = isGroup ? plan.membershipsOf(parent, creator.username) : [];
    if (project.forked_from !== undefined) {
      forks.push({ project, path, repository: { parent, own, holder, creator, needs, follows } });
      continue;
    }
    const step = plan.add({
      path,
      at: plan.time([...path, 'created_at'], project.created_at),
      needs,
      follows,
      run: (platform) => {
        const user = userOf(platform, path, creator);
        createProject(platform, user, {
          name: project.name ?? own,
          path: own,
          description: project.description,
          visibility: project.visibility,
          defaultBranch: project.default_branch,
          issuesAccess: project.issues_access_level,
          topics: project.topics,
          namespaceId: namespaceOf(platform, path, parent, user, holder).id,
        });
      },
    });
    planned.push({ project, path, creator, step });
    planPeople(plan, { project, path, creator, step });
  }
  return { planned, forks };
}

/** Members and stars of a project. */
export function planPeople(plan: Plan, { project, path, creator, step }: PlannedProject): void {
  planMembers(plan, path, project.path, step, project.members ?? [], (platform, memberPath, user, membership) => {
    const by = adderOf(platform, memberPath, project.path, creator);
    return addMember(platform, by.project, user, membership, by);
  });
  planStars(plan, project, path, step);
}

function planStars(plan: Plan, project: SeedProject, repository: Path, step: Step): void {
  for (const [index, username] of (project.starred_by ?? []).entries()) {
    const path: Path = [...repository, 'starred_by', index];
    const person = plan.person(path, username);
    if (person === undefined) continue;
    plan.add({
      path,
      at: undefined,
      needs: [...stepsOf(person), step],
      follows: plan.membershipsOf(project.path, person.username),
      run: (platform) => {
        const user = userOf(platform, path, person);
        const found = projectOf(platform, path, project.path, user);
        if (!insertStar(platform.store, found.project.id, user.id, platform.clock.now()))
          throw new StepRefused(path, 'has starred it already');
      },
    });
  }
}

/** Puts projects into the archive when everything else is done. */
export function planArchive(plan: Plan, projects: readonly PlannedProject[]): void {
  for (const { project, path, step } of projects) {
    if (project.archived !== true) continue;
    plan.add({
      path: [...path, 'archived'],
      at: undefined,
      needs: [step],
      follows: [],
      run: (platform) => {
        const root = rootOf(platform, path);
        setArchived(platform, projectOf(platform, path, project.path, root).project, true);
      },
    });
  }
}

/** The namespace in which somebody makes a project. */
export function namespaceOf(platform: Platform, path: Path, parent: string, user: User, holder: Person | undefined) {
  if (holder !== undefined) {
    const id = personalNamespaceId(platform, userOf(platform, path, holder));
    return { id, kind: 'user', visibility: 'public' } as const;
  }
  const found = findGroup(platform, parent, { user });
  if (found === undefined) throw new StepRefused([...path, 'path'], `lies in a group that ${user.username} does not see`);
  return { id: found.group.id, kind: 'group', visibility: found.group.visibility } as const;
}

/** Who makes others members of a project: whoever made it, or root where the group gives them too little. */
function adderOf(platform: Platform, path: Path, fullPath: string, creator: Person) {
  for (const user of [userOf(platform, path, creator), rootOf(platform, path)]) {
    const found = projectOf(platform, path, fullPath, user);
    if (holdsRole(found.access, 'owner')) return { user, ...found };
  }
  throw new StepRefused(path, 'is not possible: nobody owns the project');
}

function rootOf(platform: Platform, path: Path): User {
  const root = findUserByName(platform, 'root');
  if (root === undefined) throw new StepRefused(path, 'needs root, who is not there');
  return root;
}

type AddMember = (
  platform: Platform,
  path: Path,
  user: User,
  membership: { readonly level: number; readonly expiresAt: number | null },
) => unknown;

function planMembers(
  plan: Plan,
  repository: Path,
  fullPath: string,
  needed: Step,
  members: readonly SeedMember[],
  add: AddMember,
): void {
  for (const [index, member] of members.entries()) {
    const path: Path = [...repository, 'members', index];
    const person = plan.person([...path, 'user'], member.user);
    const expiresAt = plan.day([...path, 'expires_at'], member.expires_at) ?? null;
    if (person === undefined) continue;
    const step = plan.add({
      path,
      at: plan.time([...path, 'created_at'], member.created_at),
      needs: [...stepsOf(person), needed],
      follows: [],
      run: (platform) => {
        const level = accessLevels[member.access_level];
        const added = add(platform, path, userOf(platform, path, person), { level, expiresAt });
        if (added === undefined) throw new StepRefused([...path, 'user'], 'is a member already');
      },
    });
    plan.addMembership(fullPath, person.username, step);
    if (expiresAt === null || expiresAt > plan.now) continue;
    plan.add({
      path: [...path, 'expires_at'],
      at: expiresAt,
      needs: [step],
      follows: [],
      run: (platform) => platform.schedule.runDue(),
    });
  }
}
