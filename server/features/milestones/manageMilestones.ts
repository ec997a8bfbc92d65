import { recordNotFound, refusedChange } from '../../core/errors.ts';
import { inspected } from '../../support/rubyHash.ts';
import type { OffsetList } from '../../http/pagination.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import { readableMilestonesSql } from '../abilities/abilities.ts';
import type { ChangedMilestone } from './changes.ts';
import type { Caller, User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { milestoneResponse } from './responses.ts';
import { presentMilestone } from './present.ts';
import { milestoneErrors } from './rules.ts';
import {
  countFoundMilestones,
  deleteMilestoneRow,
  findMilestones,
  insertMilestone,
  isTitleTaken,
  listMilestones,
  type MilestoneContainer,
  type MilestoneRow,
  type MilestoneSearch,
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

export type Milestone = MilestoneRow;

/** Finds a milestone of a project or group by ID. With `withAncestors`, milestones of the ancestor groups are included. */
export function findMilestone(
  core: Core,
  container: MilestoneContainer,
  id: number,
  withAncestors = false,
): Milestone | undefined {
  return listMilestones(core.store, { container, withAncestors, id }, 1, 0)[0];
}

/** Finds a milestone of a project or group by its number there. */
export function findMilestoneByIid(core: Core, container: MilestoneContainer, iid: number): Milestone | undefined {
  return listMilestones(core.store, { container, withAncestors: false, iids: [iid] }, 1, 0)[0];
}

/** Finds a milestone of a project or group by title. With `withAncestors`, milestones of the ancestor groups are included. */
export function findMilestoneByTitle(
  core: Core,
  container: MilestoneContainer,
  title: string,
  withAncestors: boolean,
): Milestone | undefined {
  return listMilestones(core.store, { container, withAncestors, title }, 1, 0)[0];
}

/**
 * Returns a milestone of a project or group by ID, without those of the ancestor groups.
 *
 * @throws {NotFound} If there is no such milestone.
 */
export function mustFindMilestone(core: Core, container: MilestoneContainer, id: number): Milestone {
  const milestone = findMilestone(core, container, id);
  if (milestone === undefined) throw recordNotFound('no such milestone; the path requires the ID, not the IID');
  return milestone;
}

/** Returns the presented milestones by ID. */
export function milestonesById(
  core: Core,
  ids: readonly (number | null)[],
  baseUrl: string,
): ReadonlyMap<number, ResponseOf<typeof milestoneResponse>> {
  const requested = [...new Set(ids)].filter((id) => id !== null);
  if (requested.length === 0) return new Map();
  const now = core.clock.now();
  return new Map(milestonesByIds(core.store, requested).map((row) => [row.id, presentMilestone(row, baseUrl, now)]));
}

/** Returns the milestones of projects that the caller can see and whose title or description contains a text. */
export function searchMilestones(
  core: Core,
  { caller, baseUrl, now }: { readonly caller: Caller; readonly baseUrl: string; readonly now: number },
  search: Pick<MilestoneSearch, 'search' | 'projectId' | 'groupId' | 'withoutArchived'>,
  sort: 'asc' | 'desc',
): OffsetList<ResponseOf<typeof milestoneResponse>> {
  const filter: MilestoneSearch = { ...search, viewer: viewerId(caller), readable: readableMilestonesSql(accessOf(caller)) };
  return {
    count: (cap) => countFoundMilestones(core.store, filter, cap),
    rows: (limit, offset) =>
      findMilestones(core.store, filter, { sort, limit, offset }).map((row) => presentMilestone(row, baseUrl, now)),
  };
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
 * @throws {Refused} For validation errors.
 */
export function createMilestone(core: Core, container: MilestoneContainer, author: User, input: NewMilestone): Milestone {
  const { store } = core;
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
    const milestone = mustFind(core, insertMilestone(store, container, takeIid(store, container), values, core.clock.now()));
    publish(core, 'milestoneOpened', milestone, author);
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
 * @throws {Refused} For validation errors.
 */
export function updateMilestone(core: Core, milestone: Milestone, by: User, input: MilestoneInput): Milestone {
  const { store } = core;
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
    writeMilestone(store, milestone.id, values, core.clock.now());
    const after = mustFind(core, milestone.id);
    if (after.title !== milestone.title && after.project_id !== null) {
      core.changes.publish({ kind: 'milestoneRetitled', milestone: asChanged(after, after.project_id) });
    }
    if (after.state !== milestone.state) {
      publish(core, after.state === 'closed' ? 'milestoneClosed' : 'milestoneReopened', after, by);
    }
    return after;
  });
}

/** Deletes a milestone and removes it from issues and merge requests. */
export function deleteMilestone(core: Core, milestone: Milestone, by: User): void {
  core.store.transaction(() => {
    deleteMilestoneRow(core.store, milestone.id);
    publish(core, 'milestoneDestroyed', milestone, by);
  });
}

function containerOf({ project_id: projectId, group_id: groupId }: Milestone): MilestoneContainer {
  return projectId === null ? { kind: 'group', id: groupId ?? 0 } : { kind: 'project', id: projectId };
}

function publish(
  core: Core,
  kind: 'milestoneOpened' | 'milestoneClosed' | 'milestoneReopened' | 'milestoneDestroyed',
  milestone: Milestone,
  author: User,
): void {
  if (milestone.project_id === null) return;
  core.changes.publish({ kind, milestone: asChanged(milestone, milestone.project_id), authorId: author.id });
}

function asChanged({ id, iid, title }: Milestone, projectId: number): ChangedMilestone {
  return { id, iid, projectId, title };
}

function mustFind(core: Core, id: number): Milestone {
  const [milestone] = milestonesByIds(core.store, [id]);
  if (milestone === undefined) throw new Error(`milestone ${id} does not exist`);
  return milestone;
}
