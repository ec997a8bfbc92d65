import type { GitCore } from '../../repositories/repositories.ts';
import {
  adoptCopy,
  copyRepository,
  discardCopy,
  hasBranch,
  type RepositoryCopy,
} from '../preparedRepositories/preparedRepositories.ts';
import { conflict, forbidden, nothingFound, notFound, refusedChange } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import { personalNamespaceId } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { createProject, errorsOfNew, mayCreateProjectIn, type NewProject, setSource } from '../projects/projects.ts';
import { type FoundProject, goesBackTo } from '../projectAccess/projectAccess.ts';
import { isMoreVisible, type Visibility } from '../abilities/abilities.ts';

export interface ForkInput {
  /** Namespace of the fork; defaults to the user's personal namespace. */
  readonly namespace?: { readonly id: number; readonly kind: 'user' | 'group'; readonly visibility: Visibility } | undefined;
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  readonly description?: string | undefined;
  readonly visibility?: Visibility | undefined;
  /** The only branch to copy; defaults to all branches and tags. */
  readonly branch?: string | undefined;
  readonly mrDefaultTargetSelf?: boolean | undefined;
}

/** Returns true if the user can read the code, which is required to fork a project. */
function mayFork({ can, access }: FoundProject): boolean {
  return access.isSignedIn && can.readCode;
}

function lower(one: Visibility, other: Visibility): Visibility {
  return isMoreVisible(one, other) ? other : one;
}

/**
 * Forks a project. Throws `NotFound` if the user cannot read the code, the branch does not exist or the user cannot create projects in
 * the namespace, and `Refused` with the validation errors of the names.
 */
export async function forkProject(core: GitCore, source: FoundProject, user: User, input: ForkInput): Promise<FoundProject> {
  newFork(core, source, user, input);
  const copy = await copyRepository(core, source.project, input.branch);
  try {
    return addFork(core, source, user, input, copy);
  } catch (error) {
    if (copy !== undefined) discardCopy(core, copy);
    throw error;
  }
}

/** Creates a fork of a copied repository. Throws like `forkProject`, because the state may have changed since the copy. */
export function addFork(
  core: GitCore,
  source: FoundProject,
  user: User,
  input: ForkInput,
  copy: RepositoryCopy | undefined,
): FoundProject {
  return core.store.transaction(() => {
    const made = createProject(core, user, newFork(core, source, user, input));
    if (copy !== undefined) adoptCopy(core, made.project.id, copy);
    return made;
  });
}

/** Returns the attributes of the fork; throws if it cannot be created. */
function newFork(core: Core, source: FoundProject, user: User, input: ForkInput): NewProject {
  const { project } = source;
  const { namespace, branch } = input;
  if (!mayFork(source)) throw nothingFound('the caller cannot view the code of the project');
  if (branch !== undefined && !hasBranch(core, project.id, branch)) throw notFound('Source Branch');
  if (!mayCreateProjectIn(core, user, namespace?.id ?? personalNamespaceId(core, user))) {
    throw notFound('Target Namespace', 'the caller cannot create projects in this namespace');
  }
  const limit = namespace?.kind === 'group' ? lower(project.visibility, namespace.visibility) : project.visibility;
  const fork: NewProject = {
    name: input.name ?? project.name,
    path: input.path ?? project.path,
    namespaceId: namespace?.id,
    description: input.description ?? project.description,
    visibility: input.visibility === undefined ? limit : lower(limit, input.visibility),
    defaultBranch: branch ?? project.default_branch,
    issuesAccess: project.issues_access,
    forkedFromId: project.id,
    mrDefaultTargetSelf: input.mrDefaultTargetSelf,
  };
  const validationErrors = Object.entries(errorsOfNew(core, user, fork));
  if (validationErrors.length > 0)
    throw conflict(validationErrors.flatMap(([field, texts]) => texts.map((text) => sentence(field, text))));
  return fork;
}

/** Formats a validation error of a field as one sentence, as in the API. */
function sentence(field: string, text: string): string {
  const message = field.replaceAll(/[._]/g, ' ');
  return `${message.charAt(0).toUpperCase()}${message.slice(1)} ${text}`;
}

/**
 * Marks a project as a fork of another one without copying anything. Throws `Forbidden`, and `Refused` if it already is a fork and for
 * the project itself.
 */
export function linkFork(core: Core, { project }: FoundProject, source: FoundProject): void {
  if (!mayFork(source)) throw forbidden(undefined, 'the caller cannot view the code of the source project');
  core.store.transaction(() => {
    if (source.project.id === project.id) throw refusedChange('Target project cannot be equal to source project');
    if (project.forked_from_id !== null || goesBackTo(core, source.project, project)) throw conflict('Project already forked');
    setSource(core, project, source.project);
  });
}

/** Removes the fork relation of a project. Returns false if it was not a fork. */
export function unlinkFork(core: Core, { project }: FoundProject, by: User): boolean {
  if (project.forked_from_id === null) return false;
  core.store.transaction(() => {
    setSource(core, project, undefined);
    core.changes.publish({ kind: 'forkUnlinked', projectId: project.id, authorId: by.id });
  });
  return true;
}
