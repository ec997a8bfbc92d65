import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { pipelineRoutes } from './routes.ts';
import { pipelinePages } from './pages.ts';

export { pipelineBasic, presentLastPipeline, presentPipelineBasic } from './basic.ts';
export { pipelinesGraphql } from './graphql.ts';
export {
  createJob,
  createPipeline,
  demandRef,
  demandWritable,
  findJob,
  findPipeline,
  findPipelines,
  type Job,
  listedPipelines,
  mayRunOn,
  type Pipeline,
  pipelineContributions,
  startOf,
} from './managePipelines.ts';
export { presentJobs, presentPipeline, presentPipelinesWithPeople } from './present.ts';
export { jobResponse, pipelineResponse, pipelineWithPerson } from './responses.ts';
export { detailsOf, failureReasons, sources, statuses } from './rules.ts';
export {
  type CommitRow,
  commitsOf,
  countRetries,
  currentJobs,
  failedJobs,
  insertScheduledPipeline,
  jobOfAnyProject,
  jobsThatDoNotRun,
  listJobs,
  newestScheduledPipeline,
  pipelineColumnSql,
} from './store.ts';

/** Pipelines, jobs and commit statuses. */
export const pipelines: Feature<GitCore> = { routes: pipelineRoutes, pages: pipelinePages };
