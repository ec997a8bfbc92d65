import type { NoteCreated } from '../notes/notes.ts';

declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    snippets: SnippetChange;
  }
}

/** Changes of project snippets. Those of personal snippets are not published. */
export type SnippetChange =
  | { readonly kind: 'snippetChanged'; readonly snippet: ChangedSnippet }
  | NoteCreated<{ readonly type: 'Snippet'; readonly snippet: ChangedSnippet }>;

interface ChangedSnippet {
  readonly id: number;
  readonly projectId: number;
  readonly title: string;
  readonly visibility: 'private' | 'internal' | 'public';
}
