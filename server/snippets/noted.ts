import { changedNote, type Noted } from '../notes/notes.ts';
import type { Platform } from '../platform.ts';
import { type FoundProject, holdsRole } from '../projects/projects.ts';
import type { SnippetRow } from './store.ts';

/** A snippet of a project as something that whoever sees it reads and writes comments on. Those of people have no comments in the API. */
export function notedSnippet(platform: Platform, { project, standing }: FoundProject, snippet: SnippetRow): Noted {
  const { id, title, visibility } = snippet;
  return {
    noteable: { type: 'Snippet', id, iid: null, projectId: project.id },
    can: {
      readInternal: false,
      write: standing.isSignedIn && project.archived === 0,
      writeInternal: false,
      administer: holdsRole(standing, 'maintainer'),
      backdate: holdsRole(standing, 'owner'),
      resolve: false,
    },
    added: (note, author) => {
      const on = { type: 'Snippet', snippet: { id, projectId: project.id, title, visibility } } as const;
      platform.changes.publish({ kind: 'noteCreated', note: changedNote(note), on, authorId: author.id });
    },
    quickActions: [],
    act: () => [],
    checkPosition: undefined,
  };
}
