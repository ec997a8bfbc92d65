import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DAY } from '../../../server/core/clock.ts';
import { createGroup, deleteGroup } from '../../../server/features/groups/manageGroups.ts';
import { transferGroup } from '../../../server/features/groups/transfer.ts';
import { findGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember, removeGroupMember, updateGroupMember } from '../../../server/features/groups/members.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import { listNamespaces, visibleGroupsSql } from '../../../server/features/groups/store.ts';
import type { User } from '../../../server/core/caller.ts';
import { createIssue, findIssue } from '../../../server/features/issues/manageIssues.ts';
import type { Platform } from '../../../server/platform.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { projectsOfGroup, projectsOfMember } from '../../../server/features/projectAccess/seenProjects.ts';
import { transferProject } from '../../../server/features/projects/transfer.ts';
import { scheduleMemberExpiry } from '../../../server/features/members/memberships.ts';
import { findProject, accessOf } from '../../../server/features/projectAccess/access.ts';
import { addMember, removeMember } from '../../../server/features/members/projectMembers.ts';
import { actor, rootOf } from '../projects/cast.ts';
import { createTestPlatform } from '../../support/server.ts';

type Visibility = 'private' | 'internal' | 'public';
const visibilities: readonly Visibility[] = ['private', 'internal', 'public'];

interface ModelGroup {
  readonly id: number;
  parent: ModelGroup | undefined;
  visibility: Visibility;
  readonly members: Map<number, number>;
  gone: boolean;
}

interface ModelProject {
  readonly id: number;
  group: ModelGroup;
  visibility: Visibility;
  readonly members: Map<number, number>;
}

/** Model of the access rules, computed without the database. */
class Model {
  readonly groups: ModelGroup[] = [];
  readonly projects: ModelProject[] = [];

  around(group: ModelGroup | undefined): ModelGroup[] {
    return group === undefined ? [] : [group, ...this.around(group.parent)];
  }

  levelInGroup(group: ModelGroup, user: User): number {
    return Math.max(0, ...this.around(group).map(({ members }) => members.get(user.id) ?? 0));
  }

  level(project: ModelProject, user: User): number {
    return Math.max(project.members.get(user.id) ?? 0, this.levelInGroup(project.group, user));
  }

  isOpen(visibility: Visibility, user: User | undefined): boolean {
    return visibility === 'public' || (visibility === 'internal' && user !== undefined && user.external === 0);
  }

  seesProject(project: ModelProject, user: User | undefined): boolean {
    return this.isOpen(project.visibility, user) || (user !== undefined && (user.admin === 1 || this.level(project, user) > 0));
  }

  /** Returns true if the visibility suffices, or for members of the group, an ancestor, a descendant or a project in one of them. */
  seesGroup(group: ModelGroup, user: User | undefined): boolean {
    if (this.isOpen(group.visibility, user)) return true;
    if (user === undefined) return false;
    if (user.admin === 1 || this.levelInGroup(group, user) > 0) return true;
    const isInside = (inner: ModelGroup): boolean => this.around(inner).includes(group);
    return (
      this.groups.some((inner) => !inner.gone && isInside(inner) && inner.members.has(user.id)) ||
      this.projects.some((project) => isInside(project.group) && project.members.has(user.id))
    );
  }
}

describe('access by groups', () => {
  it('access by groups matches a simple model in every query, after random changes', function () {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(11), fc.nat(997), fc.nat(997), fc.nat(997)), { minLength: 8, maxLength: 40 }), play),
      { numRuns: 25 },
    );
  });
});

function play(moves: readonly (readonly [kind: number, a: number, b: number, c: number])[]): void {
  let now = Date.UTC(2026, 4, 10, 9);
  const platform = createTestPlatform({ systemNow: () => now });
  try {
    scheduleMemberExpiry(platform);
    const root = rootOf(platform);
    const people = [actor(platform, 'ada').user, actor(platform, 'ben').user, actor(platform, 'eve', { external: true }).user];
    const model = new Model();
    // A separate counter: the number of projects repeats after some have been deleted.
    let names = 0;
    const asRoot = { user: root, access: { ...accessOf({ user: root }), level: 0 } };
    const at = <T>(items: readonly T[], index: number): T | undefined => items[index % Math.max(items.length, 1)];
    const level = (index: number): number => [10, 20, 30, 40, 50][index % 5] ?? 10;
    for (const [kind, a, b, c] of moves) {
      const alive = model.groups.filter(({ gone }) => !gone);
      const group = at(alive, a);
      const project = at(model.projects, a);
      const person = at(people, b) ?? root;
      const found = group === undefined ? undefined : findGroup(platform, group.id, { user: root });
      const site = project === undefined ? undefined : findProject(platform, project.id, { user: root });
      if (kind <= 1) {
        const parent = kind === 0 ? undefined : group;
        const allowed = visibilities.slice(0, visibilities.indexOf(parent?.visibility ?? 'public') + 1);
        const visibility = at(allowed, b) ?? 'private';
        const path = `g${model.groups.length}`;
        const created = createGroup(platform, root, {
          name: path,
          path,
          visibility,
          parent: parent === undefined ? undefined : found,
        });
        model.groups.push({ id: created.group.id, parent, visibility, members: new Map([[root.id, 50]]), gone: false });
      } else if (kind === 2 && group !== undefined && found !== undefined) {
        const allowed = visibilities.slice(0, visibilities.indexOf(group.visibility) + 1);
        const visibility = at(allowed, b) ?? 'private';
        const created = createProject(platform, root, {
          name: `p${(names += 1)}`,
          namespaceId: group.id,
          visibility,
        });
        createIssue(platform, created, root, { title: 'Lamp' });
        model.projects.push({ id: created.project.id, group, visibility, members: new Map() });
      } else if ((kind === 3 || kind === 4) && group !== undefined && found !== undefined && !group.members.has(person.id)) {
        const requested = Math.max(level(c), model.levelInGroup(group, person));
        addGroupMember(platform, found.group, person, { level: requested }, { user: root });
        group.members.set(person.id, requested);
      } else if (kind === 5 && group !== undefined && found !== undefined && group.members.has(person.id)) {
        const above = group.parent === undefined ? 0 : model.levelInGroup(group.parent, person);
        const requested = Math.max(level(c), above);
        updateGroupMember(platform, found.group, person.id, { level: requested });
        group.members.set(person.id, requested);
      } else if (kind === 6 && group !== undefined && found !== undefined && group.members.has(person.id)) {
        removeGroupMember(platform, found.group, person.id, asRoot, c % 2 === 0);
        group.members.delete(person.id);
        if (c % 2 === 1) {
          for (const inner of alive) if (model.around(inner).includes(group)) inner.members.delete(person.id);
          for (const inner of model.projects) if (model.around(inner.group).includes(group)) inner.members.delete(person.id);
        }
      } else if (kind === 7 && project !== undefined && site !== undefined) {
        if (project.members.has(person.id)) {
          removeMember(platform, site.project, person.id, asRoot);
          project.members.delete(person.id);
        } else {
          const requested = Math.max(level(c), model.level(project, person));
          addMember(platform, site.project, person, { level: requested }, asRoot);
          project.members.set(person.id, requested);
        }
      } else if (kind === 8 && group !== undefined && found !== undefined && !group.members.has(person.id)) {
        const requested = Math.max(level(c), model.levelInGroup(group, person));
        addGroupMember(
          platform,
          found.group,
          person,
          { level: requested, expiresAt: DAY * Math.ceil(now / DAY) },
          { user: root },
        );
        now += DAY;
        platform.schedule.runDue();
      } else if (kind === 9 && group !== undefined && found !== undefined && c % 3 === 0) {
        deleteGroup(platform, found.group);
        for (const inner of alive) if (model.around(inner).includes(group)) inner.gone = true;
        const left = model.projects.filter((inner) => !inner.group.gone);
        model.projects.splice(0, model.projects.length, ...left);
      } else if (kind === 10 && group !== undefined && found !== undefined) {
        const target = at([undefined, ...alive], b);
        const isPossible = target !== group.parent && !model.around(target).includes(group);
        const parent = target === undefined ? undefined : findGroup(platform, target.id, { user: root });
        const move = () => transferGroup(platform, found, parent, { user: root, credential: { kind: 'session' } });
        if (!isPossible) {
          assert.throws(move);
          continue;
        }
        move();
        group.parent = target;
        if (target === undefined && ![...group.members.values()].includes(50)) group.members.set(root.id, 50);
        const inside = [...alive, ...model.projects].filter((inner) =>
          model.around('group' in inner ? inner.group : inner).includes(group),
        );
        for (const inner of inside) if (target !== undefined) inner.visibility = lower(inner.visibility, target.visibility);
      } else if (kind === 11 && group !== undefined && site !== undefined && project !== undefined) {
        const target = at(alive, b) ?? group;
        const move = () => transferProject(platform, site, target.id, { user: root, credential: { kind: 'session' } });
        if (target === project.group) {
          assert.throws(move);
          continue;
        }
        move();
        project.group = target;
        project.visibility = lower(project.visibility, target.visibility);
      }
    }
    for (const user of [...people, root, undefined]) compare(platform, model, user);
  } finally {
    endPlatform(platform);
  }
}

function lower(one: Visibility, other: Visibility): Visibility {
  return visibilities.indexOf(one) < visibilities.indexOf(other) ? one : other;
}

function compare(platform: Platform, model: Model, user: User | undefined): void {
  const caller = user === undefined ? undefined : { user };
  const viewer = user?.id ?? 0;
  const who = user?.username ?? 'nobody';
  for (const project of model.projects) {
    const found = findProject(platform, project.id, caller);
    assert.equal(found !== undefined, model.seesProject(project, user), `${who} and project ${project.id}`);
    if (found !== undefined) assert.ok(findIssue(platform, found, 1, user), `${who} and the issue of project ${project.id}`);
    if (user !== undefined) assert.equal(found?.access.level ?? 0, model.level(project, user), `${who} in project ${project.id}`);
  }
  for (const group of model.groups) {
    const found = group.gone ? undefined : findGroup(platform, group.id, caller);
    assert.equal(found !== undefined, !group.gone && model.seesGroup(group, user), `${who} and group ${group.id}`);
    if (user !== undefined) assert.equal(found?.access.level ?? 0, group.gone ? 0 : model.levelInGroup(group, user));
  }
  const access = accessOf(caller);
  // Lists and single lookups implement the same rule, once in SQL and once in code.
  for (const group of model.groups.filter(({ gone }) => !gone)) {
    const full = { user: user ?? rootOf(platform), credential: { kind: 'session' } } as const;
    assert.deepEqual(
      projectsOfGroup(platform, group.id, user === undefined ? undefined : full).map(({ project }) => project.id),
      model.projects
        .filter((project) => project.group === group && model.seesProject(project, user))
        .map(({ id }) => id)
        .toReversed(),
      `${who} and the projects of group ${group.id}`,
    );
  }
  const groups = listNamespaces(
    platform.store,
    { viewer, where: ["g.kind = 'group'", visibleGroupsSql(access)] },
    { order: 'id', sort: 'asc', limit: 1000 },
  );
  assert.deepEqual(
    groups.map(({ id }) => id),
    model.groups.filter((group) => !group.gone && model.seesGroup(group, user)).map(({ id }) => id),
    who,
  );
  if (user === undefined) return;
  assert.deepEqual(
    projectsOfMember(platform, user.id).toSorted((a, b) => a - b),
    model.projects.filter((project) => model.level(project, user) > 0).map(({ id }) => id),
    who,
  );
}
