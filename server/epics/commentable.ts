import type { FoundGroup } from '../groups/groups.ts';
import type { Commentable } from '../notes/notes.ts';
import { holdsRole } from '../projects/projects.ts';
import type { Epic } from './epics.ts';

/** Returns an epic as a commentable. Like epics themselves, its comments create no activity events. */
export function commentableEpic({ access }: FoundGroup, epic: Epic): Commentable {
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
    added: () => undefined,
    quickActions: [],
    act: () => [],
    checkPosition: undefined,
  };
}
