import { recordNotFound, refusedChange } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { changeLabels, labelsOf } from '../labels/labels.ts';
import { findMilestoneByTitle, milestonesById } from '../milestones/milestones.ts';
import { addNote, noteList } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type FoundProject } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { takeIid } from '../projects/projects.ts';
import { abilitiesOnIssue, type Issue, mustFind, noteableOf, noteOnIssue, updateIssue } from './manageIssues.ts';
import {
  assigneesOf,
  insertIssue,
  nextPosition,
  POSITION_GAP,
  renumberPositions,
  writeAssignees,
  writeMovedTo,
  writePosition,
} from './store.ts';

/** Number of notes copied per batch. */
const NOTES_PER_BATCH = 100;

/**
 * Moves an issue to another project: opens a copy there with its author and notes, then closes the original, which refers to the copy.
 * Labels and milestones that do not exist in the target project are dropped.
 *
 * @throws {Refused} if the issue cannot be moved.
 */
export function moveIssue(core: Core, found: FoundProject, issue: Issue, target: FoundProject, by: User): Issue {
  if (found.project.id === target.project.id) throw refusedChange('Cannot move issue to project it originates from!');
  if (!canCopy(core, found, issue, target, by)) throw refusedChange('Cannot move issue due to insufficient permissions!');
  const author = findUser(core, issue.author_id) ?? by;
  return core.store.transaction(() => {
    const copy = copyIssue(core, issue, target, author, issue.created_at);
    copyNotes(core, issue, copy);
    noteOnIssue(core, issue, by, `moved to ${target.project.full_path}#${copy.iid}`);
    noteOnIssue(core, copy, by, `moved from ${found.project.full_path}#${issue.iid}`);
    writeMovedTo(core.store, issue.id, copy.id);
    if (issue.state === 'opened') updateIssue(core, found, mustFind(core, issue.id), by, { stateEvent: 'close' });
    publishOpened(core, copy, by);
    return mustFind(core, copy.id);
  });
}

/**
 * Opens an issue with the title and description of another one and, on request, its notes.
 *
 * @throws {Refused} if the issue cannot be cloned.
 */
export function cloneIssue(
  core: Core,
  found: FoundProject,
  issue: Issue,
  target: FoundProject,
  by: User,
  { withNotes }: { readonly withNotes: boolean },
): Issue {
  if (!canCopy(core, found, issue, target, by)) throw refusedChange('Cannot clone issue due to insufficient permissions!');
  return core.store.transaction(() => {
    const copy = copyIssue(core, issue, target, by, core.clock.now());
    if (withNotes) copyNotes(core, issue, copy);
    noteOnIssue(core, issue, by, `cloned to ${target.project.full_path}#${copy.iid}`);
    noteOnIssue(core, copy, by, `cloned from ${found.project.full_path}#${issue.iid}`);
    publishOpened(core, copy, by);
    return mustFind(core, copy.id);
  });
}

function canCopy(core: Core, found: FoundProject, issue: Issue, target: FoundProject, by: User): boolean {
  const can = abilitiesOnIssue(core, found, issue, by);
  return can.administer && target.can.writeIssues && holdsRole(target.access, 'reporter');
}

function copyIssue(core: Core, issue: Issue, target: FoundProject, author: User, createdAt: number): Issue {
  const { store } = core;
  const { project } = target;
  const id = insertIssue(store, {
    projectId: project.id,
    iid: takeIid(store, project.id, 'issue'),
    title: issue.title,
    description: issue.description,
    authorId: author.id,
    confidential: issue.confidential === 1,
    dueDate: issue.due_date,
    milestoneId: milestoneIn(core, issue, project.id),
    issueType: issue.issue_type,
    weight: issue.weight,
    createdAt,
    now: core.clock.now(),
  });
  const titles = (labelsOf(core, 'Issue', [issue.id]).get(issue.id) ?? []).map(({ title }) => title);
  changeLabels(
    core,
    { type: 'Issue', id, container: { kind: 'project', id: project.id } },
    { labels: titles },
    { mayCreate: false },
  );
  const assignees = assigneesOf(store, [issue.id]).map(({ user_id }) => user_id);
  const able = assignees.filter((userId) => {
    const user = findUser(core, userId);
    return user !== undefined && findProject(core, project.id, { user })?.can.readIssues === true;
  });
  writeAssignees(store, id, able);
  return mustFind(core, id);
}

function milestoneIn(core: Core, issue: Issue, projectId: number): number | null {
  if (issue.milestone_id === null) return null;
  const title = milestonesById(core, [issue.milestone_id], '').get(issue.milestone_id)?.title ?? '';
  return findMilestoneByTitle(core, { kind: 'project', id: projectId }, title, true)?.id ?? null;
}

function copyNotes(core: Core, from: Issue, to: Issue): void {
  const list = noteList(core, { noteable: noteableOf(from), withInternal: true }, 'created_at', 'asc');
  const target = noteableOf(to);
  for (let offset = 0; ; offset += NOTES_PER_BATCH) {
    const notes = list.rows(NOTES_PER_BATCH, offset);
    for (const note of notes) {
      addNote(core, target, {
        body: note.body,
        authorId: note.author_id,
        system: note.system === 1,
        internal: note.internal === 1,
        createdAt: note.created_at,
      });
    }
    if (notes.length < NOTES_PER_BATCH) return;
  }
}

function publishOpened(core: Core, issue: Issue, by: User): void {
  const { id, iid, title } = issue;
  core.changes.publish({
    kind: 'issueOpened',
    issue: { id, iid, projectId: issue.project_id, title, confidential: issue.confidential === 1 },
    authorId: by.id,
  });
}

/**
 * Moves an issue after, before or between other issues of its project.
 *
 * @throws {NotFound} without a neighbor in the project.
 */
export function reorderIssue(
  core: Core,
  issue: Issue,
  input: { readonly behind: Issue | undefined; readonly before: Issue | undefined },
): Issue {
  const { store } = core;
  const projectId = issue.project_id;
  if (input.behind === undefined && input.before === undefined)
    throw recordNotFound('neither neighbor is an issue of the project');
  return store.transaction(() => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const position = positionBetween(core, issue, input);
      if (position !== undefined) {
        writePosition(store, issue.id, position);
        return mustFind(core, issue.id);
      }
      renumberPositions(store, projectId);
    }
    throw new Error(`issue ${issue.id} could not be positioned`);
  });
}

/** Returns a position between the neighbors; undefined if there is no gap or a neighbor has no position. */
function positionBetween(
  core: Core,
  issue: Issue,
  input: { readonly behind: Issue | undefined; readonly before: Issue | undefined },
): number | undefined {
  const { store } = core;
  const positionOf = (neighbor: Issue | undefined): number | null | undefined =>
    neighbor === undefined ? undefined : mustFind(core, neighbor.id).relative_position;
  const behind = positionOf(input.behind);
  const requestedBefore = positionOf(input.before);
  if (behind === null || requestedBefore === null) return undefined;
  // If the neighbors are in the wrong order, only the first one counts.
  const before = behind !== undefined && requestedBefore !== undefined && requestedBefore <= behind ? undefined : requestedBefore;
  const next = (position: number, side: 'before' | 'after'): number =>
    nextPosition(store, issue.project_id, position, side, issue.id) ??
    position + (side === 'after' ? 2 * POSITION_GAP : -2 * POSITION_GAP);
  const lower = behind ?? next(before ?? 0, 'before');
  const upper = before ?? next(lower, 'after');
  const middle = Math.floor((lower + upper) / 2);
  return middle > lower && middle < upper ? middle : undefined;
}
