import type { Contributions } from '../../core/contributions.ts';
import { compareReleases } from '../../../src/contract/releases.ts';
import { takeWorkItemIid } from '../issues/issues.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { isAvailable } from '../../core/profile.ts';
import type { FoundProject, Project } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { isLongerThan } from '../../support/textLength.ts';
import {
  deleteRequirementsOf,
  handOverRequirements,
  insertRequirement,
  listRequirements,
  requirementById,
  type RequirementRow,
  writeRequirement,
} from './store.ts';

// Requirements of projects: work items with an additional IID of their own (docs/interface.md#issues).

export type Requirement = RequirementRow;

const MAX_TITLE_LENGTH = 255;
const MAX_DESCRIPTION_LENGTH = 1_048_576;

/** Returns true if the emulated tier has requirements and the user sees those of a project: whoever sees its issues. */
export function mayRead({ profile }: Core, { can }: FoundProject): boolean {
  return isAvailable({ tiers: ['ultimate'] }, profile) && can.readIssues;
}

/** Returns true if the user can create and change requirements of a project. */
export function mayChange(core: Core, found: FoundProject): boolean {
  return mayRead(core, found) && found.project.archived === 0 && holdsRole(found.access, 'reporter');
}

/** Returns true if the IIDs of requests are those of work items, and no longer the legacy ones: since release 19.0. */
export function hasWorkItemIids({ profile }: Pick<Core, 'profile'>): boolean {
  return compareReleases(profile.release, '19.0') >= 0;
}

/** Returns the IID of a requirement in requests and responses of the emulated release. */
export function iidOf(core: Pick<Core, 'profile'>, requirement: Requirement): number {
  return hasWorkItemIids(core) ? requirement.work_item_iid : requirement.iid;
}

/** Finds a requirement by the IID of the emulated release, or by its IID as work item. */
export function findRequirement(
  core: Core,
  project: Project,
  sent: { readonly iid: number } | { readonly workItemIid: number },
): Requirement | undefined {
  const workItemIid = 'workItemIid' in sent ? sent.workItemIid : hasWorkItemIids(core) ? sent.iid : undefined;
  const key = workItemIid === undefined && 'iid' in sent ? { iids: [sent.iid] } : { workItemIids: [workItemIid ?? 0] };
  return listRequirements(core.store, { projectId: project.id, ...key }, { sort: 'asc', limit: 1 })[0];
}

export interface RequirementInput {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly state?: Requirement['state'] | undefined;
}

/** Creates a requirement. Returns the validation errors instead if there are any. The caller must have checked the permission. */
export function createRequirement(
  core: Core,
  project: Project,
  author: User,
  input: RequirementInput,
): Requirement | readonly string[] {
  const { store, clock } = core;
  const title = input.title ?? '';
  const errors = errorsOf({ title, description: input.description ?? '' });
  if (errors.length > 0) return errors;
  return store.transaction(() =>
    mustFind(
      core,
      insertRequirement(
        store,
        {
          project_id: project.id,
          work_item_iid: takeWorkItemIid(core, project.id),
          title,
          description: input.description ?? null,
          author_id: author.id,
        },
        clock.now(),
      ),
    ),
  );
}

/** Changes the given attributes. Returns the validation errors instead if there are any. */
export function updateRequirement(
  core: Core,
  requirement: Requirement,
  input: RequirementInput,
): Requirement | readonly string[] {
  const { store, clock } = core;
  const values = {
    title: input.title ?? requirement.title,
    description: input.description ?? requirement.description,
    state: input.state ?? requirement.state,
  };
  const errors = errorsOf({ title: values.title, description: values.description ?? '' });
  if (errors.length > 0) return errors;
  writeRequirement(store, requirement.id, values, clock.now());
  return mustFind(core, requirement.id);
}

function errorsOf({ title, description }: { readonly title: string; readonly description: string }): readonly string[] {
  const tooLong = (name: string, text: string, limit: number): readonly string[] =>
    isLongerThan(text, limit) ? [`${name} is too long (maximum is ${limit} characters)`] : [];
  return [
    ...(title.trim() === '' ? ["Title can't be blank"] : []),
    ...tooLong('Title', title, MAX_TITLE_LENGTH),
    ...tooLong('Description', description, MAX_DESCRIPTION_LENGTH),
  ];
}

function mustFind({ store }: Core, id: number): Requirement {
  const requirement = requirementById(store, id);
  if (requirement === undefined) throw new Error(`requirement ${id} does not exist`);
  return requirement;
}

/** Requirements of deleted accounts. */
export const requirementContributions: Contributions = {
  handOver: ({ store }, fromUserId, toUserId) => handOverRequirements(store, fromUserId, toUserId),
  remove: ({ store }, userId) => deleteRequirementsOf(store, userId),
};
