import { inspected, recordNotFound, refusedChange } from '../http/failures.ts';
import type { ResponseOf } from '../http/responses.ts';
import type { ChangedMilestone } from '../changes.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
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

// Milestones of projects and groups. A feature whose things have one keeps its number in a column that refers to `milestones` (ON DELETE SET
// NULL) and
//   - presents it by `milestonesById(platform, ids, baseUrl)`, with `milestoneResponse` as its schema,
//   - looks a wish up by `findMilestone(platform, { kind: 'project', id }, milestoneId, true)`,
//   - filters lists by `milestoneSql('mr.milestone_id', params.milestone_id ?? requestedByTitle(params.milestone), today)`,
//   - has the rows `/milestones/:milestone_id/<its name>` itself, with `mustFindMilestone` (as server/issues/milestoneRoutes.ts).

export { milestoneResponse } from './responses.ts';
export { milestoneSql } from './filters.ts';
export { milestoneFilters, requestedByTitle, type RequestedMilestone } from './rules.ts';
export type { MilestoneContainer } from './store.ts';

export type Milestone = MilestoneRow;

/** A milestone of a project or group by its id, and with `withAncestors` also one of the groups around it. */
export function findMilestone(
  platform: Platform,
  container: MilestoneContainer,
  id: number,
  withAncestors = false,
): Milestone | undefined {
  return listMilestones(platform.store, { container, withAncestors, id }, 1, 0)[0];
}

/** A milestone of a project or group by the number that it has there. */
export function findMilestoneByIid(platform: Platform, container: MilestoneContainer, iid: number): Milestone | undefined {
  return listMilestones(platform.store, { container, withAncestors: false, iids: [iid] }, 1, 0)[0];
}

/** A milestone by its title, of a project or group and with `withAncestors` also of the groups around it. */
export function findMilestoneByTitle(
  platform: Platform,
  container: MilestoneContainer,
  title: string,
  withAncestors: boolean,
): Milestone | undefined {
  return listMilestones(platform.store, { container, withAncestors, title }, 1, 0)[0];
}

/** A milestone of a project or group by its id, without those of the groups around it. Throws 404. */
export function mustFindMilestone(platform: Platform, container: MilestoneContainer, id: number): Milestone {
  const milestone = findMilestone(platform, container, id);
  if (milestone === undefined) throw recordNotFound('no such milestone; the path takes the id, not the iid');
  return milestone;
}

/** Presents milestones by their ids, each once. */
export function milestonesById(
  platform: Platform,
  ids: readonly (number | null)[],
  baseUrl: string,
): ReadonlyMap<number, ResponseOf<typeof milestoneResponse>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  const now = platform.clock.now();
  return new Map(milestonesByIds(platform.store, wanted).map((row) => [row.id, presentMilestone(row, baseUrl, now)]));
}

export interface NewMilestone {
  readonly title: string;
  readonly description?: string | undefined;
  /** `YYYY-MM-DD` */
  readonly startDate?: string | undefined;
  readonly dueDate?: string | undefined;
}

/** Makes a milestone. Throws 400 in the platform's own words for what is wrong with it. */
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
  /** Null takes it away. */
  readonly startDate?: string | null | undefined;
  readonly dueDate?: string | null | undefined;
  readonly stateEvent?: 'close' | 'activate' | undefined;
}

/** Changes a milestone; what is left out stays. Throws 400. */
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
      platform.changes.publish({ kind: 'milestoneRetitled', milestone: changed(after, after.project_id) });
    }
    if (after.state !== milestone.state) {
      publish(platform, after.state === 'closed' ? 'milestoneClosed' : 'milestoneReopened', after, by);
    }
    return after;
  });
}

/** Deletes a milestone; what had it has none. */
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
  platform.changes.publish({ kind, milestone: changed(milestone, milestone.project_id), authorId: author.id });
}

function changed({ id, iid, title }: Milestone, projectId: number): ChangedMilestone {
  return { id, iid, projectId, title };
}

function mustFind(platform: Platform, id: number): Milestone {
  const [milestone] = milestonesByIds(platform.store, [id]);
  if (milestone === undefined) throw new Error(`milestone ${id} is not there`);
  return milestone;
}
