import type { Contributions } from '../../core/contributions.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { currentActor } from '../../core/actor.ts';
import { changedAttributes } from '../../core/changes.ts';
import { HOUR } from '../../core/clock.ts';
import { forbidden, invalidRecord } from '../../core/errors.ts';
import { pickStorage } from '../../repositories/storages.ts';
import type { User } from '../../core/caller.ts';
import { personalNamespaceId } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import {
  type FeatureAccess,
  holdsRole,
  isMoreVisible,
  mayCreateProjects,
  visibilitiesBeyond,
  type Visibility,
} from '../abilities/abilities.ts';
import { accessOf, findProject, type FoundProject, type Project } from '../projectAccess/projectAccess.ts';
import { containerOf, makeOwner } from '../members/members.ts';
import { nameErrors, pathErrors, pathFromName, tidyTopics, topicErrors } from './rules.ts';
import {
  deleteProjectRow,
  deleteRedirect,
  followNamespacePaths,
  handOverProjects,
  hasProjectOf,
  insertProject,
  insertRedirect,
  isTaken,
  markProjectActivity,
  namespaceById,
  type NamespaceRow,
  type ProjectValues,
  removeProjectsOfGroup,
  writeDefaultBranch,
  writeProject,
  writeSource,
  writeTopics,
  writeVisibilityBelow,
} from './store.ts';

export interface NewProject {
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  /** Defaults to the creator's personal namespace. */
  readonly namespaceId?: number | undefined;
  readonly description?: string | null | undefined;
  readonly visibility?: Visibility | undefined;
  readonly defaultBranch?: string | undefined;
  readonly issuesAccess?: FeatureAccess | undefined;
  readonly topics?: readonly string[] | undefined;
  /** Id of the fork source. */
  readonly forkedFromId?: number | undefined;
  /** For forks: true if merge requests target the fork itself by default. */
  readonly mrDefaultTargetSelf?: boolean | undefined;
}

type ValidationErrors = Readonly<Record<string, readonly string[]>>;

const TAKEN = {
  'project_namespace.name': ['has already been taken'],
  name: ['has already been taken'],
  path: ['has already been taken'],
};

/** Returns an error if a project would be more visible than its group. */
function visibilityErrors(
  visibility: Visibility,
  parent: { readonly kind: 'user' | 'group'; readonly visibility: Visibility },
): ValidationErrors {
  return parent.kind === 'group' && isMoreVisible(visibility, parent.visibility)
    ? { visibility_level: [`${visibility} is not allowed in a ${parent.visibility} group.`] }
    : {};
}

function nameListErrors(
  core: Core,
  namespace: { readonly id: number; readonly full_path: string },
  { name, path }: { readonly name: string; readonly path: string },
  exceptId: number,
): ValidationErrors {
  const ofName = nameErrors(name);
  const ofPath = pathErrors(path);
  if (ofName.length > 0 || ofPath.length > 0) {
    return { ...(ofName.length > 0 ? { name: ofName } : {}), ...(ofPath.length > 0 ? { path: ofPath } : {}) };
  }
  const input = { namespaceId: namespace.id, name, path, fullPath: `${namespace.full_path}/${path}` };
  return isTaken(core.store, input, exceptId) ? TAKEN : {};
}

function refuseInvalid(validationErrors: ValidationErrors): void {
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
}

/** Returns the validation errors of a new project by field; empty if it can be created. */
export function errorsOfNew(core: Core, creator: User, input: NewProject): ValidationErrors {
  const own = personalNamespaceId(core, creator);
  const namespace = namespaceById(core.store, input.namespaceId ?? own, creator.id);
  if (namespace === undefined || !mayCreateIn(namespace, creator, own)) return { namespace: ['is not valid'] };
  const named = nameListErrors(core, namespace, namesOf(input), 0);
  return Object.keys(named).length > 0 ? named : visibilityErrors(input.visibility ?? 'private', namespace);
}

/** Returns true if a user can create projects in a namespace. */
export function mayCreateProjectIn(core: Core, creator: User, namespaceId: number): boolean {
  const namespace = namespaceById(core.store, namespaceId, creator.id);
  const own = personalNamespaceId(core, creator);
  return creator.external === 0 && namespace !== undefined && mayCreateIn(namespace, creator, own);
}

function namesOf({ name, path }: NewProject): { readonly name: string; readonly path: string } {
  const known = name ?? path ?? '';
  return { name: known, path: path ?? pathFromName(known) };
}

/**
 * Creates a project in a personal namespace, whose owner becomes the project's owner, or in a group, whose members inherit
 * access. Throws `Invalid` for invalid or taken names, for a namespace in which the creator cannot create projects and for a visibility
 * beyond that of the group, and `Forbidden` for external users.
 */
export function createProject(core: GitCore, creator: User, input: NewProject): FoundProject {
  const { store } = core;
  if (creator.external === 1) throw forbidden(undefined, 'external users cannot create projects', 'project.create');
  return store.transaction(() => {
    refuseInvalid(errorsOfNew(core, creator, input));
    const namespace = namespaceById(store, input.namespaceId ?? personalNamespaceId(core, creator), creator.id);
    if (namespace === undefined) throw new Error('the namespace of the new project does not exist');
    const { name, path } = namesOf(input);
    const fullPath = `${namespace.full_path}/${path}`;
    const id = insertProject(store, {
      namespaceId: namespace.id,
      creatorId: creator.id,
      name,
      path,
      fullPath,
      description: input.description ?? null,
      visibility: input.visibility ?? 'private',
      defaultBranch: input.defaultBranch ?? 'main',
      issuesAccess: input.issuesAccess ?? 'enabled',
      forkedFromId: input.forkedFromId ?? null,
      importStatus: input.forkedFromId === undefined ? 'none' : 'finished',
      mrDefaultTargetSelf: input.mrDefaultTargetSelf === true ? 1 : 0,
      storage: pickStorage(core),
      now: core.clock.now(),
    });
    deleteRedirect(store, fullPath);
    setTopics(core, id, input.topics);
    core.changes.publish({ kind: 'projectCreated', projectId: id, authorId: creator.id });
    if (namespace.kind === 'user') makeOwner(core, containerOf({ id }), namespace.owner_id ?? creator.id);
    return mustFind(core, id, creator);
  });
}

function mayCreateIn(namespace: NamespaceRow, creator: User, own: number): boolean {
  if (namespace.kind === 'user') return namespace.id === own || creator.admin === 1;
  return mayCreateProjects(namespace, { ...accessOf({ user: creator }), level: namespace.level });
}

/** Throws `Invalid` for invalid topics. */
function setTopics(core: Core, projectId: number, topics: readonly string[] | undefined): void {
  if (topics === undefined) return;
  const tidy = tidyTopics(topics);
  const validationErrors = topicErrors(tidy);
  refuseInvalid(validationErrors.length === 0 ? {} : { topic_list: validationErrors });
  writeTopics(core.store, projectId, tidy);
}

export interface ProjectInput {
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  readonly description?: string | null | undefined;
  readonly visibility?: Visibility | undefined;
  readonly defaultBranch?: string | undefined;
  readonly issuesAccess?: FeatureAccess | undefined;
  readonly topics?: readonly string[] | undefined;
}

/**
 * Changes a project; omitted values are kept. A new path leaves a redirect from the old one. Throws `Invalid` for invalid or taken
 * names, and `Forbidden` if someone who is not an owner changes the visibility.
 */
export function updateProject(core: Core, { project, access }: FoundProject, input: ProjectInput): void {
  const { store } = core;
  if (input.visibility !== undefined && input.visibility !== project.visibility && !holdsRole(access, 'owner')) {
    throw forbidden(undefined, 'only owners can change the visibility of a project', 'role.project.owner');
  }
  const name = input.name ?? project.name;
  const path = input.path ?? project.path;
  store.transaction(() => {
    const namespace = { id: project.namespace_id, full_path: project.namespace_full_path };
    refuseInvalid(nameListErrors(core, namespace, { name, path }, project.id));
    if (input.visibility !== undefined) {
      const parent = { kind: project.namespace_kind, visibility: project.namespace_visibility };
      refuseInvalid(visibilityErrors(input.visibility, parent));
    }
    const values: ProjectValues = {
      name,
      path,
      full_path: `${project.namespace_full_path}/${path}`,
      description: input.description === undefined ? project.description : input.description,
      visibility: input.visibility ?? project.visibility,
      default_branch: input.defaultBranch ?? project.default_branch,
      archived: project.archived,
      issues_access: input.issuesAccess ?? project.issues_access,
    };
    writeProject(store, project.id, values, core.clock.now());
    setTopics(core, project.id, input.topics);
    publishChanged(core, project, values);
    if (values.full_path === project.full_path) return;
    publishMoved(core, project.id, project.full_path);
    deleteRedirect(store, values.full_path);
    // Paths that differ only in case are equal.
    if (values.full_path.toLowerCase() !== project.full_path.toLowerCase()) insertRedirect(store, project.full_path, project.id);
  });
}

/** Sets the fork source of a project; undefined removes the fork relation. */
export function setSource(core: Core, project: Project, source: Project | undefined): void {
  writeSource(core.store, project.id, source?.id ?? null);
}

/** Sets the default branch. The caller has checked that the branch exists. */
export function setDefaultBranch(core: Core, projectId: number, branch: string): void {
  writeDefaultBranch(core.store, projectId, branch);
}

/** Archives a project, which makes it read-only, or unarchives it. */
export function setArchived(core: Core, project: Project, archived: boolean): void {
  core.store.transaction(() => {
    const values = { ...project, archived: archived ? 1 : 0 } as const;
    writeProject(core.store, project.id, values, core.clock.now());
    publishChanged(core, project, values);
  });
}

const reportedAttributes = {
  name: 'name',
  full_path: 'path',
  visibility: 'visibility',
  description: 'description',
  archived: 'archived',
  issues_access: 'issues_access_level',
} as const;

function publishChanged(core: Core, before: Project, after: ProjectValues): void {
  const attributes = changedAttributes(reportedAttributes, before, after);
  if (attributes.length > 0) core.changes.publish({ kind: 'projectChanged', projectId: before.id, attributes });
}

/** Deletes a project with all its content, including its events. */
export function deleteProject(core: Core, project: Project): void {
  core.store.transaction(() => {
    deleteProjectRow(core.store, project.id);
    const removed = { id: project.id, name: project.name, fullPath: project.full_path };
    const groupId = project.namespace_kind === 'group' ? project.namespace_id : null;
    core.changes.publish({ kind: 'projectRemoved', project: removed, groupId });
  });
}

/** Publishes that a project has another full path. */
export function publishMoved(core: Core, projectId: number, formerPath: string): void {
  core.changes.publish({ kind: 'projectMoved', projectId, formerPath, authorId: currentActor()?.userId ?? null });
}

/** Updates the paths of the projects in a group whose path has changed, with redirects from the old paths. */
export function moveProjectsWithGroup(core: Core, groupId: number): void {
  for (const { id, former_path } of followNamespacePaths(core.store, groupId)) publishMoved(core, id, former_path);
}

/** Moves the personal projects of users whose username changes, in the same transaction. */
export function followUsernames(core: Core): void {
  core.changes.subscribe((change) => {
    if (change.kind !== 'userChanged' || !change.attributes.some(({ attribute }) => attribute === 'username')) return;
    moveProjectsWithGroup(core, personalNamespaceId(core, { id: change.userId }));
  });
}

/** Deletes the projects of a group and its subgroups with all their content. */
export function deleteProjectsWithGroup(core: Core, groupId: number): void {
  for (const { namespace_id: parent, ...project } of removeProjectsOfGroup(core.store, groupId)) {
    core.changes.publish({ kind: 'projectRemoved', project, groupId: parent });
  }
}

/** Deletes the projects in the personal namespace of a user with all their content. */
export function deletePersonalProjects(core: Core, userId: number): void {
  const namespaceId = personalNamespaceId(core, { id: userId });
  for (const { namespace_id: _, ...project } of removeProjectsOfGroup(core.store, namespaceId)) {
    core.changes.publish({ kind: 'projectRemoved', project, groupId: null });
  }
}

/** Projects that deleted accounts created in groups, which stay. */
export const projectContributions: Contributions = {
  handOver: ({ store }, fromUserId, toUserId) => handOverProjects(store, fromUserId, toUserId),
  remove: ({ store }, userId, toUserId) => handOverProjects(store, userId, toUserId),
};

/** Returns true if a group contains, at any depth, a project that is more visible than `visibility`. */
export function hasProjectBeyond(core: Core, groupId: number, visibility: Visibility): boolean {
  return hasProjectOf(core.store, groupId, visibilitiesBeyond(visibility));
}

/** Reduces the visibility of a group's projects to at most `visibility`, for example after the group was moved. */
export function limitProjectVisibility(core: Core, groupId: number, visibility: Visibility): void {
  writeVisibilityBelow(core.store, groupId, visibilitiesBeyond(visibility), visibility);
}

/** Minimum interval between updates of a project's last activity, in milliseconds (docs/interface.md#activity-events). */
const ACTIVITY_RESOLUTION = HOUR;

export function noteProjectActivity(core: Core, projectId: number): void {
  markProjectActivity(core.store, projectId, core.clock.now(), ACTIVITY_RESOLUTION);
}

function mustFind(core: Core, id: number, user: User): FoundProject {
  const found = findProject(core, id, { user });
  if (found === undefined) throw new Error(`project ${id} does not exist or is not visible to user ${user.id}`);
  return found;
}
