import * as z from 'zod';
import { isoTime } from '../../core/clock.ts';
import { address, id, moment, named, type ResponseOf } from '../../http/responses.ts';
import type { Core } from '../../core/core.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { sources, statuses } from './rules.ts';
import { listPipelines, type PipelineRow } from './store.ts';

// The form in which other resources contain a pipeline.

export type ProjectPath = Pick<Project, 'full_path'>;

export const basicMembers = () => ({
  id: id(),
  iid: id(),
  project_id: id(),
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  ref: z.string(),
  status: z.enum(statuses),
  source: z.enum(sources),
  created_at: moment(),
  updated_at: moment(),
  web_url: address(),
});

/** A pipeline inside other resources. */
export const pipelineBasic = named('PipelineBasic', () => z.strictObject(basicMembers()));

export function presentPipelineBasic(
  pipeline: PipelineRow,
  project: ProjectPath,
  baseUrl: string,
): ResponseOf<typeof pipelineBasic> {
  return {
    id: pipeline.id,
    iid: pipeline.iid,
    project_id: pipeline.project_id,
    sha: pipeline.sha,
    ref: pipeline.ref,
    status: pipeline.status,
    source: pipeline.source,
    created_at: isoTime(pipeline.created_at),
    updated_at: isoTime(pipeline.updated_at),
    web_url: `${baseUrl}/${pipelinePath(pipeline, project)}`,
  };
}

export function pipelinePath({ id }: Pick<PipelineRow, 'id'>, { full_path }: ProjectPath): string {
  return `${full_path}/-/pipelines/${id}`;
}

/** Returns the newest pipeline of a commit in the form of other resources; null if there is none. */
export function presentLastPipeline(
  { store }: Pick<Core, 'store'>,
  project: Pick<Project, 'id' | 'full_path'>,
  sha: string,
  baseUrl: string,
): ResponseOf<typeof pipelineBasic> | null {
  const page = { order: 'id', sort: 'desc', limit: 1, offset: 0 } as const;
  const [newest] = listPipelines(store, { projectId: project.id, sha }, page);
  return newest === undefined ? null : presentPipelineBasic(newest, project, baseUrl);
}
