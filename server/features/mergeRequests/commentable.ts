import type { GitCore } from '../../repositories/repositories.ts';
import { badRequest } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import { labelsOf } from '../labels/labels.ts';
import {
  hasOpenThreads,
  issuableActions,
  type Commentable,
  type Position,
  type QuickAction,
  readQuickActions,
} from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { approve, mayApprove, unapprove } from './approvals.ts';
import {
  abilitiesOn,
  mayWrite,
  type MergeRequest,
  type MergeRequestInput,
  mustFindMergeRequest,
  noteableOf,
  noteChange,
  peopleOn,
  systemNote,
  tellOfNote,
  updateMergeRequest,
} from './manageMergeRequests.ts';
import { mergeIfDue } from './merging.ts';
import { titleAs } from './rules.ts';
import { approvalsOf } from './store.ts';
import { changesOf, knownVersion, shownVersion } from './versions.ts';

/** Returns a merge request as a target of comments for one user. */
export function commentableMergeRequest(core: GitCore, found: FoundProject, mergeRequest: MergeRequest, user: User): Commentable {
  const { access } = found;
  const isDeveloper = holdsRole(access, 'developer');
  const noteable = noteableOf(mergeRequest);
  return {
    noteable,
    can: {
      readInternal: holdsRole(access, 'reporter'),
      write: mayWrite(found) && (mergeRequest.discussion_locked !== 1 || holdsRole(access, 'guest')),
      writeInternal: holdsRole(access, 'reporter'),
      administer: holdsRole(access, 'maintainer'),
      backdate: holdsRole(access, 'owner'),
      resolve: mayWrite(found) && (isDeveloper || mergeRequest.author_id === user.id),
    },
    added: (note, author) => {
      tellOfNote(core, mergeRequest, author.id, note);
      noteChange(core, mergeRequest);
    },
    resolved: (by) => {
      if (!hasOpenThreads(core, noteable)) systemNote(core, mergeRequest, by.id, 'resolved all threads');
      noteChange(core, mergeRequest);
    },
    quickActions: [...issuableActions, 'draft', 'ready', 'target_branch', 'approve', 'unapprove'],
    act: (by, actions) => act(core, found, mergeRequest, by, actions),
    settled: () => mergeIfDue(core, mustFindMergeRequest(core, mergeRequest.id)),
    checkPosition: (position) => checkPosition(core, found, mergeRequest, position),
  };
}

/** Executes the quick actions of a comment. */
function act(
  core: Core,
  found: FoundProject,
  mergeRequest: MergeRequest,
  by: User,
  actions: readonly QuickAction[],
): readonly string[] {
  const can = abilitiesOn(core, found, mergeRequest, by);
  const issuable = {
    noun: 'merge request',
    isOpen: mergeRequest.state === 'opened',
    isClosed: mergeRequest.state === 'closed',
    labels: (labelsOf(core, 'MergeRequest', [mergeRequest.id]).get(mergeRequest.id) ?? []).map(({ title }) => title),
    assigneeIds: peopleOn(core, mergeRequest).assignees,
    can,
  };
  const { input, done } = readQuickActions<MergeRequestInput>(core, issuable, actions, ({ name, argument }) => {
    switch (name) {
      case 'draft':
      case 'ready': {
        const title = titleAs(mergeRequest.title, name === 'draft');
        if (!can.update || title === mergeRequest.title || title === '') return undefined;
        return [{ title }, `Marked this merge request as ${name === 'draft' ? 'a draft' : 'ready'}.`];
      }
      case 'target_branch':
        return can.update && argument !== '' ? [{ targetBranch: argument }, `Set target branch to ${argument}.`] : undefined;
      case 'approve':
        if (!mayApprove(core, found, mergeRequest, by)) return undefined;
        approve(core, found, mergeRequest, by, undefined);
        return [{}, 'Approved the current merge request.'];
      default:
        if (!approvalsOf(core.store, mergeRequest.id).some((row) => row.user_id === by.id)) return undefined;
        unapprove(core, mergeRequest, by);
        return [{}, 'Unapproved the current merge request.'];
    }
  });
  if (Object.keys(input).length > 0) updateMergeRequest(core, found, mergeRequest, by, input);
  return done;
}

/** Throws `Refused` if a position is not within the shown changes of the merge request. */
async function checkPosition(core: GitCore, found: FoundProject, mergeRequest: MergeRequest, position: Position): Promise<void> {
  const known = await knownVersion(core, found, mergeRequest, shownVersion(mergeRequest));
  const change =
    known === undefined || position.head_sha !== known.version.head_sha
      ? undefined
      : (await changesOf(known.repository, known.version)).find(
          (one) => one.newPath === position.new_path || one.oldPath === position.old_path,
        );
  const isLine = position.position_type !== 'text' || position.new_line !== null || position.old_line !== null;
  if (change === undefined || !isLine) {
    const text = 'Note {:line_code=>["can\'t be blank", "must be a valid line code"]}';
    throw badRequest(text, 'the position is not in a changed file, or names no line');
  }
}
