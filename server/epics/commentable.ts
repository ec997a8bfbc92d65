import type { FoundGroup } from '../groups/groups.ts';
import type { Commentable } from '../notes/notes.ts';
import { holdsRole } from '../projects/projects.ts';
import type { Epic } from './epics.ts';

/** An epic as something that whoever sees it reads and writes comments on; they make no events, as epics make none. */
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
