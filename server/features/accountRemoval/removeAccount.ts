import type { User } from '../../core/caller.ts';
import type { Contributions } from '../../core/contributions.ts';
import type { Core } from '../../core/core.ts';
import { conflict, forbidden } from '../../core/errors.ts';
import { callContributions } from '../deprecations/deprecations.ts';
import { epicContributions } from '../epics/epics.ts';
import { deleteGroup, findNamespace, soloOwnedGroups } from '../groups/groups.ts';
import { deleteUser, ensureGhost, isLastAdministrator } from '../users/users.ts';
import { issueContributions } from '../issues/issues.ts';
import { mergeRequestContributions } from '../mergeRequests/mergeRequests.ts';
import { noteContributions } from '../notes/notes.ts';
import { pipelineContributions } from '../pipelines/pipelines.ts';
import { deleteMembershipsOf } from '../members/members.ts';
import { deletePersonalProjects, projectContributions } from '../projects/projects.ts';
import { releaseContributions } from '../releases/releases.ts';
import { requirementContributions } from '../requirements/requirements.ts';
import { snippetContributions } from '../snippets/snippets.ts';
import { todoContributions } from '../todos/todos.ts';

const contributions: readonly Contributions[] = [
  issueContributions,
  mergeRequestContributions,
  epicContributions,
  requirementContributions,
  snippetContributions,
  noteContributions,
  releaseContributions,
  pipelineContributions,
  todoContributions,
  callContributions,
  projectContributions,
];

/**
 * Deletes an account with its credentials, settings, activity and personal projects (docs/interface.md#users). The ghost user takes over
 * issues, merge requests, comments and the like. With `withContributions` they are deleted, too, and so are groups that have no other owner.
 *
 * @throws {Refused} for the only owner of a group unless `withContributions`.
 * @throws {Forbidden} for the ghost user, the user with ID 1, who belongs to the server, and the last administrator.
 */
export function removeAccount(core: Core, user: User, { withContributions }: { readonly withContributions: boolean }): void {
  if (user.is_ghost === 1) throw forbidden(undefined, 'the ghost user cannot be deleted');
  if (user.id === 1) throw forbidden(undefined, 'the user with ID 1 belongs to the server and cannot be deleted');
  if (isLastAdministrator(core, user)) throw forbidden(undefined, 'the last administrator cannot be deleted');
  core.store.transaction(() => {
    const groups = soloOwnedGroups(core, user.id);
    if (groups.length > 0 && !withContributions) throw conflict('User cannot be removed while is the sole-owner of a group');
    for (const group of groups) {
      // A subgroup is gone when its turn comes.
      if (findNamespace(core, group.id, undefined) !== undefined) deleteGroup(core, group);
    }
    deletePersonalProjects(core, user.id);
    const ghost = ensureGhost(core);
    for (const { remove, handOver } of contributions) {
      if (withContributions) remove(core, user.id, ghost.id);
      else handOver(core, user.id, ghost.id);
    }
    deleteMembershipsOf(core.store, user.id);
    deleteUser(core, user);
  });
}
