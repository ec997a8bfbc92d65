import { recordNotFound, refusedChange } from '../http/failures.ts';
import { findUser, type User } from '../identity/identity.ts';
import { changeLabels, labelsOf } from '../labels/labels.ts';
import { findMilestoneByTitle, milestonesById } from '../milestones/milestones.ts';
import { addNote, noteList } from '../notes/notes.ts';
import type { Platform } from '../platform.ts';
import { findProject, type FoundProject, holdsRole } from '../projects/projects.ts';
import { abilitiesOnIssue, type Issue, mustFind, noteableOf, noteOnIssue, updateIssue } from './issues.ts';
import {
  assigneesOf,
  insertIssue,
  nextPosition,
  POSITION_GAP,
  renumberPositions,
  takeIid,
  writeAssignees,
  writeMovedTo,
  writePosition,
} from './store.ts';

/** Notes that are copied at once. */
const NOTES_AT_ONCE = 100;

/**
 * Moves an issue to another project: there it is opened anew, with its author and notes, and the old one is closed and leads to it. What
 * the other project does not have (labels, milestone) is left behind. Throws 400.
 */
export function moveIssue(platform: Platform, found: FoundProject, issue: Issue, target: FoundProject, by: User): Issue {
  if (found.project.id === target.project.id) throw refusedChange('Cannot move issue to project it originates from!');
  if (!mayBring(platform, found, issue, target, by)) throw refusedChange('Cannot move issue due to insufficient permissions!');
  const author = findUser(platform, issue.author_id) ?? by;
  return platform.store.transaction(() => {
    const copy = copyIssue(platform, issue, target, author, issue.created_at);
    copyNotes(platform, issue, copy);
    noteOnIssue(platform, issue, by, `moved to ${target.project.full_path}#${copy.iid}`);
    noteOnIssue(platform, copy, by, `moved from ${found.project.full_path}#${issue.iid}`);
    writeMovedTo(platform.store, issue.id, copy.id);
    if (issue.state === 'opened') updateIssue(platform, found, mustFind(platform, issue.id), by, { stateEvent: 'close' });
    publishOpened(platform, copy, by);
    return mustFind(platform, copy.id);
  });
}

/** Opens an issue with the words of another one, whose notes may come along. Throws 400. */
export function cloneIssue(
  platform: Platform,
  found: FoundProject,
  issue: Issue,
  target: FoundProject,
  by: User,
  { withNotes }: { readonly withNotes: boolean },
): Issue {
  if (!mayBring(platform, found, issue, target, by)) throw refusedChange('Cannot clone issue due to insufficient permissions!');
  return platform.store.transaction(() => {
    const copy = copyIssue(platform, issue, target, by, platform.clock.now());
    if (withNotes) copyNotes(platform, issue, copy);
    noteOnIssue(platform, issue, by, `cloned to ${target.project.full_path}#${copy.iid}`);
    noteOnIssue(platform, copy, by, `cloned from ${found.project.full_path}#${issue.iid}`);
    publishOpened(platform, copy, by);
    return mustFind(platform, copy.id);
  });
}

function mayBring(platform: Platform, found: FoundProject, issue: Issue, target: FoundProject, by: User): boolean {
  const can = abilitiesOnIssue(platform, found, issue, by);
  return can.administer && target.can.writeIssues && holdsRole(target.access, 'reporter');
}

function copyIssue(platform: Platform, issue: Issue, target: FoundProject, author: User, createdAt: number): Issue {
  const { store } = platform;
  const { project } = target;
  const id = insertIssue(store, {
    projectId: project.id,
    iid: takeIid(store, project.id),
    title: issue.title,
    description: issue.description,
    authorId: author.id,
    confidential: issue.confidential === 1,
    dueDate: issue.due_date,
    milestoneId: milestoneIn(platform, issue, project.id),
    issueType: issue.issue_type,
    weight: issue.weight,
    createdAt,
    now: platform.clock.now(),
  });
  const titles = (labelsOf(platform, 'Issue', [issue.id]).get(issue.id) ?? []).map(({ title }) => title);
  changeLabels(
    platform,
    { type: 'Issue', id, container: { kind: 'project', id: project.id } },
    { labels: titles },
    { mayCreate: false },
  );
  const assignees = assigneesOf(store, [issue.id]).map(({ user_id }) => user_id);
  const able = assignees.filter((userId) => {
    const user = findUser(platform, userId);
    return user !== undefined && findProject(platform, project.id, { user })?.can.readIssues === true;
  });
  writeAssignees(store, id, able);
  return mustFind(platform, id);
}

function milestoneIn(platform: Platform, issue: Issue, projectId: number): number | null {
  if (issue.milestone_id === null) return null;
  const title = milestonesById(platform, [issue.milestone_id], '').get(issue.milestone_id)?.title ?? '';
  return findMilestoneByTitle(platform, { kind: 'project', id: projectId }, title, true)?.id ?? null;
}

function copyNotes(platform: Platform, from: Issue, to: Issue): void {
  const list = noteList(platform, { noteable: noteableOf(from), withInternal: true }, 'created_at', 'asc');
  const target = noteableOf(to);
  for (let offset = 0; ; offset += NOTES_AT_ONCE) {
    const notes = list.rows(NOTES_AT_ONCE, offset);
    for (const note of notes) {
      addNote(platform, target, {
        body: note.body,
        authorId: note.author_id,
        system: note.system === 1,
        internal: note.internal === 1,
        createdAt: note.created_at,
      });
    }
    if (notes.length < NOTES_AT_ONCE) return;
  }
}

function publishOpened(platform: Platform, issue: Issue, by: User): void {
  const { id, iid, title } = issue;
  platform.changes.publish({
    kind: 'issueOpened',
    issue: { id, iid, projectId: issue.project_id, title, confidential: issue.confidential === 1 },
    authorId: by.id,
  });
}

/** Puts an issue behind one of its project, in front of one, or between two; both by their ids. Throws 404 for others. */
export function reorderIssue(
  platform: Platform,
  issue: Issue,
  input: { readonly behind: Issue | undefined; readonly before: Issue | undefined },
): Issue {
  const { store } = platform;
  const projectId = issue.project_id;
  if (input.behind === undefined && input.before === undefined)
    throw recordNotFound('neither neighbour is an issue of the project');
  return store.transaction(() => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const pathParameters = placeBetween(platform, issue, input);
      if (pathParameters !== undefined) {
        writePosition(store, issue.id, pathParameters);
        return mustFind(platform, issue.id);
      }
      renumberPositions(store, projectId);
    }
    throw new Error(`issue ${issue.id} finds no place`);
  });
}

/** A place between the neighbours; undefined when there is no room, or a neighbour has none itself. */
function placeBetween(
  platform: Platform,
  issue: Issue,
  input: { readonly behind: Issue | undefined; readonly before: Issue | undefined },
): number | undefined {
  const { store } = platform;
  const positionOf = (neighbour: Issue | undefined): number | null | undefined =>
    neighbour === undefined ? undefined : mustFind(platform, neighbour.id).relative_position;
  const behind = positionOf(input.behind);
  const requestedBefore = positionOf(input.before);
  if (behind === null || requestedBefore === null) return undefined;
  // Neighbours in the wrong order: the first one counts.
  const before = behind !== undefined && requestedBefore !== undefined && requestedBefore <= behind ? undefined : requestedBefore;
  const next = (position: number, side: 'before' | 'after'): number =>
    nextPosition(store, issue.project_id, position, side, issue.id) ??
    position + (side === 'after' ? 2 * POSITION_GAP : -2 * POSITION_GAP);
  const lower = behind ?? next(before ?? 0, 'before');
  const upper = before ?? next(lower, 'after');
  const pathParameters = Math.floor((lower + upper) / 2);
  return pathParameters > lower && pathParameters < upper ? pathParameters : undefined;
}
