import * as z from 'zod';
import { commit as commitResponse } from '../code/code.ts';
import { address, id, moment, named } from '../../http/responses.ts';
import { userBasic, userProfile } from '../profiles/profiles.ts';
import { basicMembers, pipelineBasic } from './basic.ts';
import { failureReasons, statuses } from './rules.ts';

const hash = () => z.string().regex(/^[0-9a-f]{40}$/);

/** A pipeline with the user who started it. */
export const pipelineWithPerson = named('PackagePipeline', () =>
  z.strictObject({ ...basicMembers(), user: userBasic().nullable() }),
);

export const listedPipeline = named('ListedPipeline', () => z.strictObject({ ...basicMembers(), name: z.string().nullable() }));

export const pipelineResponse = named('Pipeline', () =>
  z.strictObject({
    ...basicMembers(),
    name: z.string().nullable(),
    before_sha: hash(),
    tag: z.boolean(),
    yaml_errors: z.string().nullable(),
    user: userBasic().nullable(),
    started_at: moment().nullable(),
    finished_at: moment().nullable(),
    committed_at: z.null(),
    duration: z.int().nullable(),
    queued_duration: z.int().nullable(),
    // Percentage with two decimal places.
    coverage: z
      .string()
      .regex(/^\d+\.\d\d$/)
      .nullable(),
    detailed_status: z.strictObject({
      icon: z.string(),
      text: z.string(),
      label: z.string(),
      group: z.string(),
      tooltip: z.string(),
      has_details: z.boolean(),
      details_path: z.string(),
      illustration: z.null(),
      favicon: z.null(),
    }),
  }),
);

export const jobResponse = named('Job', () =>
  z.strictObject({
    id: id(),
    status: z.enum(statuses),
    stage: z.string(),
    name: z.string(),
    ref: z.string(),
    tag: z.boolean(),
    coverage: z.number().nullable(),
    allow_failure: z.boolean(),
    created_at: moment(),
    started_at: moment().nullable(),
    finished_at: moment().nullable(),
    erased_at: z.null(),
    // Seconds.
    duration: z.number().nullable(),
    queued_duration: z.number().nullable(),
    user: userProfile().nullable(),
    // Null if the commit is missing from the repository.
    commit: commitResponse().nullable(),
    pipeline: pipelineBasic(),
    // Only for failed jobs.
    failure_reason: z.enum(failureReasons).exactOptional(),
    web_url: address(),
    project: z.strictObject({ ci_job_token_scope_enabled: z.boolean() }),
    artifacts: z.array(z.never()),
    runner: z.null(),
    runner_manager: z.null(),
    artifacts_expire_at: z.null(),
    archived: z.boolean(),
    tag_list: z.array(z.string()),
  }),
);

/** A job or a commit status, as a status of its commit. */
export const commitStatus = named('CommitStatus', () =>
  z.strictObject({
    id: id(),
    sha: hash(),
    ref: z.string(),
    status: z.enum(statuses),
    name: z.string(),
    target_url: z.string().nullable(),
    description: z.string().nullable(),
    created_at: moment(),
    started_at: moment().nullable(),
    finished_at: moment().nullable(),
    allow_failure: z.boolean(),
    coverage: z.number().nullable(),
    pipeline_id: id(),
    author: userBasic().nullable(),
  }),
);
