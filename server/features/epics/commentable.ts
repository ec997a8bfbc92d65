import type { FoundGroup } from '../groups/groups.ts';
import { changedNote, type Commentable } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { changed, type Epic } from './manageEpics.ts';

/** Returns an epic as a commentable. Like epics themselves, its comments create no activity events. */
export function commentableEpic(core: Core, { access }: FoundGroup, epic: Epic): Commentable {
  const isReporter = holdsRole(access, 'reporter');
  return {
    noteable: { type: 'Epic', id: epic.id, iid: epic.iid, projectId: null },
    can: {
      readInternal: isReporter,
      write: access.isSignedIn,
      writeInternal: isReporter,
      administer: holdsRole(access, 'maintainer'),
      backdate: holdsRole(access, 'owner'),
      resolve: false,
    },
    added: (note, author) => {
      const on = { type: 'Epic', epic: changed(epic) } as const;
      core.changes.publish({ kind: 'noteCreated', note: changedNote(note), on, authorId: author.id });
    },
    quickActions: [],
    act: () => [],
    checkPosition: undefined,
  };
}
