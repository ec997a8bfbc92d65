import { type Caller, isAdministrator } from '../../core/caller.ts';
import { refusedChange, type Refused } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import { holdsRole, isMoreVisible, mayCreateProjects } from '../abilities/abilities.ts';
import { accessOf, type FoundProject } from '../projectAccess/projectAccess.ts';
import { containerOf, makeOwner } from '../members/members.ts';
import { deleteRedirect, insertRedirect, isTaken, namespaceById, type NamespaceRow, writeNamespace } from './store.ts';

/** Returns the refusal of a transfer, formatted like a Ruby hash on GitLab. */
function refused(text: string): Refused {
  return refusedChange(`Failed to transfer project {:new_namespace=>${JSON.stringify([text])}}`, text);
}

/**
 * Returns true if the caller can transfer projects to the namespace: their own, or a group where they are a maintainer and can
 * create projects.
 */
function mayTransferTo(namespace: NamespaceRow, caller: Caller): boolean {
  if (isAdministrator(caller)) return true;
  if (namespace.kind === 'user') return namespace.owner_id === caller.user.id;
  const access = { ...accessOf(caller), level: namespace.level };
  return holdsRole(access, 'maintainer') && mayCreateProjects(namespace, access);
}

/**
 * Transfers a project to another namespace. The caller has checked that the user owns it. The old path redirects to the new one,
 * the members of the new ancestor groups gain access, and the visibility is reduced to theirs. Throws `Refused` if the transfer is not
 * possible.
 */
export function transferProject(core: Core, { project }: FoundProject, namespaceId: number, caller: Caller): void {
  const { store } = core;
  store.transaction(() => {
    const namespace = namespaceById(store, namespaceId, caller.user.id);
    if (namespace === undefined) throw refused('Please select a new namespace for your project.');
    if (namespace.id === project.namespace_id) throw refused('Project is already in this namespace.');
    if (!mayTransferTo(namespace, caller)) {
      throw refused("You don't have permission to transfer projects into that namespace.");
    }
    const fullPath = `${namespace.full_path}/${project.path}`;
    if (isTaken(store, { namespaceId, name: project.name, path: project.path, fullPath }, project.id)) {
      throw refused('Project with same name or path in target namespace already exists');
    }
    const isTooOpen = namespace.kind === 'group' && isMoreVisible(project.visibility, namespace.visibility);
    const visibility = isTooOpen ? namespace.visibility : project.visibility;
    writeNamespace(store, project.id, { namespaceId, fullPath, visibility }, core.clock.now());
    const attributes = [
      { attribute: 'namespace', from: project.namespace_full_path, to: namespace.full_path },
      ...(isTooOpen ? [{ attribute: 'visibility', from: project.visibility, to: visibility }] : []),
    ];
    core.changes.publish({ kind: 'projectChanged', projectId: project.id, attributes });
    core.changes.publish({
      kind: 'projectMoved',
      projectId: project.id,
      formerPath: project.full_path,
      authorId: caller.user.id,
    });
    deleteRedirect(store, fullPath);
    insertRedirect(store, project.full_path, project.id);
    if (namespace.kind === 'user' && namespace.owner_id !== null) makeOwner(core, containerOf(project), namespace.owner_id);
  });
}
