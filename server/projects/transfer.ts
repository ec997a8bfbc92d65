import { type Caller, isAdministrator } from '../identity/identity.ts';
import { refusedChange, type WireFailure } from '../http/failures.ts';
import type { Platform } from '../platform.ts';
import { holdsRole, isMoreVisible, mayCreateProjects } from './abilities.ts';
import { type FoundProject, accessOf } from './access.ts';
import { containerOf } from './members.ts';
import { makeOwner } from './memberships.ts';
import { deleteRedirect, insertRedirect, isTaken, namespaceById, type NamespaceRow, writeNamespace } from './store.ts';

/** A refusal, which the platform words as Ruby prints a hash. */
function refused(text: string): WireFailure {
  return refusedChange(`Failed to transfer project {:new_namespace=>${JSON.stringify([text])}}`, text);
}

/** Projects are moved into one's own namespace, and as maintainer into a group in which one may create projects. */
function mayTransferTo(namespace: NamespaceRow, caller: Caller): boolean {
  if (isAdministrator(caller)) return true;
  if (namespace.kind === 'user') return namespace.owner_id === caller.user.id;
  const access = { ...accessOf(caller), level: namespace.level };
  return holdsRole(access, 'maintainer') && mayCreateProjects(namespace, access);
}

/**
 * Moves a project into another namespace; whoever calls has checked that the caller owns it. Its former path leads to it, the members of
 * the groups that now lie around it have it, and it is no more visible than they are. Throws 400 when it cannot be there.
 */
export function transferProject(platform: Platform, { project }: FoundProject, namespaceId: number, caller: Caller): void {
  const { store } = platform;
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
    writeNamespace(store, project.id, { namespaceId, fullPath, visibility }, platform.clock.now());
    const attributes = [
      { attribute: 'namespace', from: project.namespace_full_path, to: namespace.full_path },
      ...(isTooOpen ? [{ attribute: 'visibility', from: project.visibility, to: visibility }] : []),
    ];
    platform.changes.publish({ kind: 'projectChanged', projectId: project.id, attributes });
    deleteRedirect(store, fullPath);
    insertRedirect(store, project.full_path, project.id);
    if (namespace.kind === 'user' && namespace.owner_id !== null) makeOwner(platform, containerOf(project), namespace.owner_id);
  });
}
