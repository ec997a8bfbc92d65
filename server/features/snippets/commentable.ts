import { changedNote, type Commentable } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import type { SnippetRow } from './store.ts';

/** Returns a project snippet as a target of comments. Personal snippets have no comments in the API. */
export function commentableSnippet(core: Core, { project, access }: FoundProject, snippet: SnippetRow): Commentable {
  const { id, title, visibility } = snippet;
  return {
    noteable: { type: 'Snippet', id, iid: null, projectId: project.id },
    can: {
      readInternal: false,
      write: access.isSignedIn && project.archived === 0,
      writeInternal: false,
      administer: holdsRole(access, 'maintainer'),
      backdate: holdsRole(access, 'owner'),
      resolve: false,
    },
    added: (note, author) => {
      const on = { type: 'Snippet', snippet: { id, projectId: project.id, title, visibility } } as const;
      core.changes.publish({ kind: 'noteCreated', note: changedNote(note), on, authorId: author.id });
    },
    quickActions: [],
    act: () => [],
    checkPosition: undefined,
  };
}
