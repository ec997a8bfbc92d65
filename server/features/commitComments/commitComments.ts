import type { Feature } from '../../http/feature.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { commitCommentRoutes } from './routes.ts';

export { commitNoteable } from './commentable.ts';
export { commentedCommitById, commentedCommitTitleSql } from './store.ts';

/** Comments on commits and on lines of their changes. */
export const commitComments: Feature<GitCore> = { routes: commitCommentRoutes };
