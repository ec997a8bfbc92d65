import type { FoundGroup } from '../groups/groups.ts';
import type { Noted } from '../notes/notes.ts';
import { holdsRole } from '../projects/projects.ts';
import type { Epic } from './epics.ts';

/** An epic as something that whoever sees it reads and writes comments on; they make no events, as epics make none. */
export function notedEpic({ standing }: FoundGroup, epic: Epic): Noted {
  const isReporter = holdsRole(standing, 'reporter');
  return {
    noteable: { type: 'Epic', id: epic.id, iid: epic.iid, projectId: null },
    can: {
      readInternal: isReporter,
      write: standing.isSignedIn,
      writeInternal: isReporter,
      administer: holdsRole(standing, 'maintainer'),
      backdate: holdsRole(standing, 'owner'),
      resolve: false,
    },
    added: () => undefined,
    quickActions: [],
    act: () => [],
    checkPosition: undefined,
  };
}
