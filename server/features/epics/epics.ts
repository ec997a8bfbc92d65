import type { Feature } from '../../http/feature.ts';
import { epicRoutes } from './routes.ts';
import { epicPages } from './pages.ts';

export type { ChangedEpic } from './changes.ts';
export { commentableEpic } from './commentable.ts';
export { addIssueToEpic, createEpic, type Epic, epicContributions, findEpic, updateEpic } from './manageEpics.ts';
export { epicById, epicColumnSql, readableEpicSql } from './store.ts';

/** Epics of groups. */
export const epics: Feature = { routes: epicRoutes, pages: epicPages };
