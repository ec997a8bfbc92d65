import { isGranted, isGrantedToDevelopers, type ProtectionRule, rulesFor } from '../protectedRefs/protectedRefs.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject, Project } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { hasBranches, type RefKind } from '../git/git.ts';

/** Change of a branch or tag. `force` is an update that drops commits. */
export interface RefChange {
  readonly kind: RefKind;
  readonly name: string;
  readonly action: 'create' | 'update' | 'delete' | 'force';
  /** Git clients cannot delete protected branches and tags, which the API can. Defaults to `git`. */
  readonly by?: 'git' | 'api';
}

/** Refusal of a change of a branch or tag: the message of GitLab, and a sentence that says what would be allowed. */
export interface PushRefusal {
  readonly text: string;
  readonly remedy: string;
}

/** Returns true if the caller can push to any branch of the project. */
export function mayPush({ project, access }: FoundProject): boolean {
  return access.isSignedIn && project.archived === 0 && holdsRole(access, 'developer');
}

/** Rules for a branch. In an empty project, the default branch is protected although there is no rule yet. */
interface BranchProtection {
  readonly rules: readonly ProtectionRule[];
  readonly isInitial: boolean;
}

function protectionOf(core: Core, project: Project, branch: string): BranchProtection {
  const rules = rulesFor(core, project, 'branch', branch);
  const isInitial = rules.length === 0 && branch === project.default_branch && !hasBranches(core.store, project.id);
  return { rules, isInitial };
}

/** Returns true if a branch is protected. */
export function isProtected(core: Core, project: Project, branch: string): boolean {
  const { rules, isInitial } = protectionOf(core, project, branch);
  return isInitial || rules.length > 0;
}

/** Returns true if a tag is protected. */
export function isProtectedTag(core: Core, project: Pick<Project, 'id'>, tag: string): boolean {
  return rulesFor(core, project, 'tag', tag).length > 0;
}

/** Returns true if the caller can push commits to a branch. */
export function mayPushTo(core: Core, found: FoundProject, branch: string): boolean {
  return mayPush(found) && permits(core, found, branch, ['push']);
}

/** Returns true if the caller can merge merge requests into a branch. */
export function mayMergeInto(core: Core, found: FoundProject, branch: string): boolean {
  return mayPush(found) && permits(core, found, branch, ['push', 'merge']);
}

function permits(core: Core, found: FoundProject, branch: string, actions: readonly ('push' | 'merge')[]): boolean {
  const { rules, isInitial } = protectionOf(core, found.project, branch);
  if (rules.length === 0) return !isInitial || holdsRole(found.access, 'maintainer');
  return actions.some((action) => isGranted(core, found, rules, action));
}

/** Returns what all developers can do with a protected branch. */
export function developerAccess(
  core: Core,
  project: Project,
  branch: string,
): { readonly push: boolean; readonly merge: boolean } {
  const rules = rulesFor(core, project, 'branch', branch);
  return {
    push: isGrantedToDevelopers(core, rules, 'push'),
    merge: isGrantedToDevelopers(core, rules, 'merge'),
  };
}

/** Returns why the caller cannot make a change; undefined if the change is allowed. */
export function pushRefusal(core: Core, found: FoundProject, change: RefChange): PushRefusal | undefined {
  if (!mayPush(found)) {
    const remedy =
      found.project.archived === 1
        ? 'The project is archived. Unarchive it to push to it.'
        : 'Pushing requires at least the developer role.';
    return { text: 'You are not allowed to push code to this project.', remedy };
  }
  if (change.kind === 'note') return undefined;
  return change.kind === 'branch' ? branchRefusal(core, found, change) : tagRefusal(core, found, change);
}

function branchRefusal(core: Core, found: FoundProject, { name, action, by }: RefChange): PushRefusal | undefined {
  const { project, access } = found;
  if (action === 'delete' && name === project.default_branch) {
    return {
      text: 'The default branch of a project cannot be deleted.',
      remedy: 'Make another branch the default branch first.',
    };
  }
  const { rules, isInitial } = protectionOf(core, project, name);
  if (rules.length === 0 && !isInitial) return undefined;
  if (action === 'delete') {
    if (!holdsRole(access, 'maintainer')) {
      return {
        text: 'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.',
        remedy: 'Ask a maintainer to delete the branch.',
      };
    }
    return by === 'api'
      ? undefined
      : {
          text: 'You can only delete protected branches using the web interface.',
          remedy: 'Delete the branch with the API, or unprotect it first.',
        };
  }
  if (action === 'force' && !rules.some((rule) => rule.allow_force_push === 1)) {
    return {
      text: 'You are not allowed to force push code to a protected branch on this project.',
      remedy: 'Push commits that follow those of the branch, or allow force pushes to the protected branch.',
    };
  }
  if (permits(core, found, name, ['push'])) return undefined;
  return action === 'create' && !isInitial
    ? {
        text: 'You are not allowed to create protected branches on this project.',
        remedy: 'Push to a branch with another name.',
      }
    : {
        text: 'You are not allowed to push code to protected branches on this project.',
        remedy: 'Push to another branch and create a merge request.',
      };
}

function tagRefusal(core: Core, found: FoundProject, { name, action, by }: RefChange): PushRefusal | undefined {
  const rules = rulesFor(core, found.project, 'tag', name);
  if (rules.length === 0) return undefined;
  if (action === 'create') {
    return isGranted(core, found, rules, 'create')
      ? undefined
      : {
          text: 'You are not allowed to create this tag as it is protected.',
          remedy: 'Use another name, or ask a maintainer to create the tag.',
        };
  }
  if (action !== 'delete') return { text: 'Protected tags cannot be updated.', remedy: 'Create a tag with another name.' };
  if (!holdsRole(found.access, 'maintainer')) {
    return {
      text: 'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.',
      remedy: 'Ask a maintainer to delete the tag.',
    };
  }
  return by === 'api'
    ? undefined
    : {
        text: 'You can only delete protected tags using the web interface.',
        remedy: 'Delete the tag with the API, or unprotect it first.',
      };
}
