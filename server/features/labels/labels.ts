import type { Feature } from '../../http/feature.ts';
import { labelRoutes } from './routes.ts';

export { labelledSql } from './filters.ts';
export { changeLabels, createLabel, labelsOf, type LinkedLabel } from './manageLabels.ts';
export { presentLabelBasic } from './present.ts';
export { labelBasic } from './responses.ts';
export { type LabelInput, requestedLabels, type RequestedLabels } from './rules.ts';
export { issuePrioritySql, type LabelContainer, linkedLabelIds } from './store.ts';

/** Labels of projects and groups. */
export const labels: Feature = { routes: labelRoutes };
