import type { Feature } from '../../http/feature.ts';
import { pipelineScheduleRoutes } from './routes.ts';
import { scheduleRuns } from './schedules.ts';

export { pipelineSchedulesOf, pipelineSchedulesSdl } from './graphql.ts';

/** Pipelines that start at certain times. */
export const pipelineSchedules: Feature = { routes: pipelineScheduleRoutes, start: scheduleRuns };
