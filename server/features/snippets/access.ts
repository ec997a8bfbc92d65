import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { accessOf, findProject } from '../projectAccess/projectAccess.ts';
import { type Access, holdsRole } from '../abilities/abilities.ts';
import { snippetById, type SnippetRow } from './store.ts';

/** A snippet with the permissions of one user. */
export interface FoundSnippet {
  readonly snippet: SnippetRow;
  readonly mayChange: boolean;
}

/** Finds a snippet by id; undefined if it does not exist or is not visible to the caller. */
export function findSnippet(core: Core, id: number, caller: Pick<Caller, 'user'> | undefined): FoundSnippet | undefined {
  const snippet = snippetById(core.store, id);
  if (snippet === undefined) return undefined;
  const own = accessOf(caller);
  const isAuthor = caller !== undefined && caller.user.id === snippet.author_id;
  if (snippet.project_id === null) {
    const isSeen = isAuthor || own.isAdministrator || isOpen(snippet, own);
    return isSeen ? { snippet, mayChange: isAuthor || own.isAdministrator } : undefined;
  }
  const found = findProject(core, snippet.project_id, caller);
  if (found === undefined) return undefined;
  const { access, project } = found;
  if (!isAuthor && !holdsRole(access, 'guest') && !isOpen(snippet, own)) return undefined;
  return { snippet, mayChange: project.archived === 0 && (isAuthor || holdsRole(access, 'maintainer')) };
}

function isOpen({ visibility }: SnippetRow, { isSignedIn, isExternal }: Omit<Access, 'level'>): boolean {
  return visibility === 'public' || (visibility === 'internal' && isSignedIn && !isExternal);
}

/**
 * Returns the same rule as an SQL condition for lists: the visible snippets `s` of projects `p`, with the user's row `m` of
 * `project_access`.
 */
export function visibleSnippetsSql(access: Omit<Access, 'level'>, visibleProjects: string): string {
  if (access.isAdministrator) return 'true';
  if (!access.isSignedIn) return `s.visibility = 'public' AND (s.project_id IS NULL OR ${visibleProjects})`;
  const open = access.isExternal ? "s.visibility = 'public'" : "s.visibility <> 'private'";
  return `(s.project_id IS NULL AND (${open} OR s.author_id = $viewer))
    OR (s.project_id IS NOT NULL AND ${visibleProjects} AND (${open} OR s.author_id = $viewer OR m.access_level >= 10))`;
}
