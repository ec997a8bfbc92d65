import { html } from 'hono/html';
import { recordNotFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, type ProjectPageRequest, projectPageRoute } from '../projectAccess/projectAccess.ts';
import { ago, type Markup, type PageContent } from '../../web/layout.ts';
import { findJob, findPipeline, type Job, type Pipeline } from './managePipelines.ts';
import { detailsOf } from './rules.ts';
import { commitsOf, currentJobs, pipelinesByIds } from './store.ts';

const SHOWN_JOBS = 200;

/** The read-only pages of pipelines and jobs: the targets of `web_url`. */
export function pipelinePages(core: Core): Route[] {
  const metadata = { method: 'GET', specRef: 'Web addresses', status: 'local' } as const;
  return [
    projectPageRoute({ ...metadata, path: '/*full_path/-/pipelines/:pipeline_id' }, (request) => showPipeline(core, request)),
    projectPageRoute({ ...metadata, path: '/*full_path/-/jobs/:job_id' }, (request) => showJob(core, request)),
  ];
}

function showPipeline(core: Core, found: ProjectPageRequest): PageContent {
  const pipeline = findPipeline(core, found, numberIn(found.rest));
  if (pipeline === undefined) throw recordNotFound('no such pipeline in the project');
  return pipelineContent(core, found, pipeline, found.now);
}

function showJob(core: Core, found: ProjectPageRequest): PageContent {
  const job = findJob(core, found, numberIn(found.rest));
  const pipeline = job === undefined ? undefined : pipelinesByIds(core.store, [job.pipeline_id]).get(job.pipeline_id);
  if (job === undefined || pipeline === undefined) throw recordNotFound('no such job in the project');
  return jobContent(core, found, job, pipeline, found.now);
}

/** Returns the number in a path; 0 if it is none. */
function numberIn(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

function pipelineContent(core: Core, { project, can }: FoundProject, pipeline: Pipeline, now: number): PageContent {
  const jobs = currentJobs(core.store, pipeline.id);
  return {
    title: pipeline.name ?? `Pipeline #${pipeline.id}`,
    width: 'wide',
    body: html`<div class="card">
<p class="muted"><a href="/${project.full_path}">${project.name}</a> pipeline #${pipeline.id}</p>
${badge(pipeline)}
<dl class="facts">
<dt>${pipeline.is_tag === 1 ? 'Tag' : 'Branch'}</dt><dd>${pipeline.ref}</dd>
<dt>Commit</dt><dd class="mono">${
      // The commit may be missing from the repository.
      can.readCode && commitsOf(core.store, project.id, [pipeline.sha]).has(pipeline.sha)
        ? html`<a href="/${project.full_path}/-/commit/${pipeline.sha}">${pipeline.sha.slice(0, 8)}</a>`
        : pipeline.sha.slice(0, 8)
    }</dd>
<dt>Source</dt><dd>${pipeline.source.replaceAll('_', ' ')}</dd>
${times(core, pipeline, now)}
</dl>
</div>
<section class="card" aria-labelledby="jobs">
<h2 id="jobs">Jobs</h2>
${
  jobs.length === 0
    ? html`<p class="muted">No jobs.</p>`
    : html`<ul class="rows">${jobs.slice(0, SHOWN_JOBS).map(
        (job) => html`<li>${jobLink(project, job)}
<span class="muted small">in stage ${job.stage}</span> <span class="badge">${detailsOf(job.status).text}</span></li>`,
      )}</ul>`
}
${jobs.length > SHOWN_JOBS ? html`<p class="muted small">Showing only the first ${SHOWN_JOBS} jobs.</p>` : ''}
</section>`,
  };
}

/** A link to a job. A commit status links to the system that reported it, and has no page here. */
function jobLink({ full_path: path }: Pick<FoundProject['project'], 'full_path'>, job: Job): Markup {
  if (job.external === 0) return html`<a href="/${path}/-/jobs/${job.id}">${job.name}</a>`;
  return job.target_url === null
    ? html`${job.name}`
    : html`<a href="${job.target_url}" rel="noreferrer nofollow">${job.name}</a>`;
}

function jobContent(core: Core, { project }: FoundProject, job: Job, pipeline: Pipeline, now: number): PageContent {
  return {
    title: job.name,
    width: 'wide',
    body: html`<div class="card">
<p class="muted"><a href="/${project.full_path}">${project.name}</a> job #${job.id}</p>
${badge(job)}
<dl class="facts">
<dt>Pipeline</dt><dd><a href="/${project.full_path}/-/pipelines/${pipeline.id}">#${pipeline.id}</a> for ${pipeline.ref}</dd>
<dt>Stage</dt><dd>${job.stage}</dd>
${job.failure_reason === null ? '' : html`<dt>Failure</dt><dd>${job.failure_reason.replaceAll('_', ' ')}</dd>`}
${job.coverage === null ? '' : html`<dt>Coverage</dt><dd>${job.coverage} %</dd>`}
${times(core, job, now)}
</dl>
</div>`,
  };
}

function badge({ status }: Pick<Pipeline, 'status'>): Markup {
  return html`<p class="marks"><span class="badge">${detailsOf(status).text}</span></p>`;
}

function times(core: Core, run: Pick<Job, 'user_id' | 'created_at' | 'started_at' | 'finished_at'>, now: number): Markup {
  const user = run.user_id === null ? undefined : findUser(core, run.user_id);
  return html`<dt>Created</dt><dd>${ago(run.created_at, now)}${user === undefined ? '' : html` by <a href="/${user.username}">${user.name}</a>`}</dd>
${run.started_at === null ? '' : html`<dt>Started</dt><dd>${ago(run.started_at, now)}</dd>`}
${run.finished_at === null ? '' : html`<dt>Finished</dt><dd>${ago(run.finished_at, now)}</dd>`}`;
}
