import { inspected, recordNotFound, refusedChange } from '../../http/failures.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { ChangedMilestone } from './changes.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../../platform.ts';
import type { milestoneResponse } from './responses.ts';
import { presentMilestone } from './present.ts';
import { milestoneErrors } from './rules.ts';
import {
  deleteMilestoneRow,
  insertMilestone,
  isTitleTaken,
  listMilestones,
  type MilestoneContainer,
  type MilestoneRow,
  milestonesByIds,
  type MilestoneValues,
  takeIid,
  writeMilestone,
} from './store.ts';

// Milestones of projects and groups. A feature with milestones stores the ID in a column that references `milestones` (ON DELETE SET NULL).
// It
//   - presents milestones with `milestonesById(platform, ids, baseUrl)` and the schema `milestoneResponse`,
//   - looks up a requested milestone with `findMilestone(platform, { kind: 'project', id }, milestoneId, true)`,
//   - filters lists with `milestoneSql('mr.milestone_id', params.milestone_id ?? requestedByTitle(params.milestone), today)`,
//   - defines its own routes `/milestones/:milestone_id/<feature>` with `mustFindMilestone`, see server/features/issues/milestoneRoutes.ts.

export { milestoneResponse } from './responses.ts';
export { milestoneSql } from './filters.ts';
export {
  milestoneFilters,
  milestoneWildcards,
  requestedByTitle,
  requestedByWildcard,
  type RequestedMilestone,
} from './rules.ts';
export type { MilestoneContainer } from './store.ts';

export type Milestone = MilestoneRow;

/** Finds a milestone of a project or group by ID. With `withAncestors`, milestones of the ancestor groups are included. */
export function findMilestone(
  platform: Platform,
  container: MilestoneContainer,
  id: number,
  withAncestors = false,
): Milestone | undefined {
  return listMilestones(platform.store, { container, withAncestors, id }, 1, 0)[0];
}

/** Finds a milestone of a project or group by its number there. */
export function findMilestoneByIid(platform: Platform, container: MilestoneContainer, iid: number): Milestone | undefined {
  return listMilestones(platform.store, { container, withAncestors: false, iids: [iid] }, 1, 0)[0];
}

/** Finds a milestone of a project or group by title. With `withAncestors`, milestones of the ancestor groups are included. */
export function findMilestoneByTitle(
  platform: Platform,
  container: MilestoneContainer,
  title: string,
  withAncestors: boolean,
): Milestone | undefined {
  return listMilestones(platform.store, { container, withAncestors, title }, 1, 0)[0];
}

/**
 * Returns a milestone of a project or group by ID, without those of the ancestor groups.
 *
 * @throws {WireFailure} 404 if there is no such milestone.
 */
export function mustFindMilestone(platform: Platform, container: MilestoneContainer, id: number): Milestone {
  const milestone = findMilestone(platform, container, id);
  if (milestone === undefined) throw recordNotFound('no such milestone; the path requires the ID, not the IID');
  return milestone;
}

/** Returns the presented milestones by ID. */
export function milestonesById(
  platform: Platform,
  ids: readonly (number | null)[],
  baseUrl: string,
): ReadonlyMap<number, ResponseOf<typeof milestoneResponse>> {
  const requested = [...new Set(ids)].filter((id) => id !== null);
  if (requested.length === 0) return new Map();
  const now = platform.clock.now();
  return new Map(milestonesByIds(platform.store, requested).map((row) => [row.id, presentMilestone(row, baseUrl, now)]));
}

export interface NewMilestone {
  readonly title: string;
  readonly description?: string | undefined;
  /** `YYYY-MM-DD` */
  readonly startDate?: string | undefined;
  readonly dueDate?: string | undefined;
}

/**
 * Creates a milestone.
 *
 * @throws {WireFailure} 400 for validation errors, in GitLab's format.
 */
export function createMilestone(platform: Platform, container: MilestoneContainer, author: User, input: NewMilestone): Milestone {
  const { store } = platform;
  return store.transaction(() => {
    const values: MilestoneValues = {
      title: input.title,
      description: input.description ?? null,
      state: 'active',
      start_date: input.startDate ?? null,
      due_date: input.dueDate ?? null,
    };
    const validationErrors = milestoneErrors(values, isTitleTaken(store, container, values.title, 0));
    if (Object.keys(validationErrors).length > 0)
      throw refusedChange(`Failed to create milestone ${inspected(validationErrors)}`);
    const milestone = mustFind(
      platform,
      insertMilestone(store, container, takeIid(store, container), values, platform.clock.now()),
    );
    publish(platform, 'milestoneOpened', milestone, author);
    return milestone;
  });
}

export interface MilestoneInput {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Null removes it. */
  readonly startDate?: string | null | undefined;
  readonly dueDate?: string | null | undefined;
  readonly stateEvent?: 'close' | 'activate' | undefined;
}

/**
 * Changes a milestone. Omitted values do not change.
 *
 * @throws {WireFailure} 400 for validation errors, in GitLab's format.
 */
export function updateMilestone(platform: Platform, milestone: Milestone, by: User, input: MilestoneInput): Milestone {
  const { store } = platform;
  return store.transaction(() => {
    const values: MilestoneValues = {
      title: input.title ?? milestone.title,
      description: input.description ?? milestone.description,
      state: input.stateEvent === undefined ? milestone.state : input.stateEvent === 'close' ? 'closed' : 'active',
      start_date: input.startDate === undefined ? milestone.start_date : input.startDate,
      due_date: input.dueDate === undefined ? milestone.due_date : input.dueDate,
    };
    const validationErrors = milestoneErrors(values, isTitleTaken(store, containerOf(milestone), values.title, milestone.id));
    if (Object.keys(validationErrors).length > 0)
      throw refusedChange(`Failed to update milestone ${inspected(validationErrors)}`);
    writeMilestone(store, milestone.id, values, platform.clock.now());
    const after = mustFind(platform, milestone.id);
    if (after.title !== milestone.title && after.project_id !== null) {
      platform.changes.publish({ kind: 'milestoneRetitled', milestone: asChanged(after, after.project_id) });
    }
    if (after.state !== milestone.state) {
      publish(platform, after.state === 'closed' ? 'milestoneClosed' : 'milestoneReopened', after, by);
    }
    return after;
  });
}

/** Deletes a milestone and removes it from issues and merge requests. */
export function deleteMilestone(platform: Platform, milestone: Milestone, by: User): void {
  platform.store.transaction(() => {
    deleteMilestoneRow(platform.store, milestone.id);
    publish(platform, 'milestoneDestroyed', milestone, by);
  });
}

function containerOf({ project_id: projectId, group_id: groupId }: Milestone): MilestoneContainer {
  return projectId === null ? { kind: 'group', id: groupId ?? 0 } : { kind: 'project', id: projectId };
}

function publish(
  platform: Platform,
  kind: 'milestoneOpened' | 'milestoneClosed' | 'milestoneReopened' | 'milestoneDestroyed',
  milestone: Milestone,
  author: User,
): void {
  if (milestone.project_id === null) return;
  platform.changes.publish({ kind, milestone: asChanged(milestone, milestone.project_id), authorId: author.id });
}

function asChanged({ id, iid, title }: Milestone, projectId: number): ChangedMilestone {
  return { id, iid, projectId, title };
}

function mustFind(platform: Platform, id: number): Milestone {
  const [milestone] = milestonesByIds(platform.store, [id]);
  if (milestone === undefined) throw new Error(`milestone ${id} does not exist`);
  return milestone;
}
