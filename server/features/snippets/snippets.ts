import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { snippetRoutes } from './routes.ts';
import { snippetPages } from './pages.ts';

export { findSnippet, type FoundSnippet, visibleSnippetsSql } from './access.ts';
export { commentableSnippet } from './commentable.ts';
export { addSnippet, type Snippet, snippetContributions, storePushedFiles } from './manageSnippets.ts';
export { searchSnippets } from './snippetSearch.ts';
export { presentSnippets } from './present.ts';
export { snippetResponse } from './responses.ts';
export { readableSnippetSql, snippetById, snippetTitleSql, touchSnippet } from './store.ts';

/** Snippets of users and projects. */
export const snippets: Feature<GitCore> = { routes: snippetRoutes, pages: snippetPages };
