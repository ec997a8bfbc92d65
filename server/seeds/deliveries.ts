import { refHead } from '../features/preparedRepositories/preparedRepositories.ts';
import { addFile, createPackage } from '../features/packages/packages.ts';
import { createJob, createPipeline, type Pipeline } from '../features/pipelines/pipelines.ts';
import type { Core } from '../core/core.ts';
import { createContainerRepository, type ContainerRepository, writeContainerTag } from '../features/registry/registry.ts';
import { releaseTag } from '../features/releases/releases.ts';
import type { Path } from './document.ts';
import type { PlannedProject } from './namespaces.ts';
import { type Person, type Plan, projectOf, stepsOf, userOf } from './plan.ts';
import { type Step, StepRefused } from './timeline.ts';
import type { Histories } from './work.ts';

/** Plans releases, pipelines with their jobs, packages and container images. */
export function planDeliveries(plan: Plan, projects: readonly PlannedProject[], histories: Histories): void {
  for (const planned of projects) {
    planReleases(plan, planned);
    planPipelines(plan, planned, histories);
    planPackages(plan, planned);
    planContainers(plan, planned);
  }
}

/** Returns a user and the project as that user sees it. */
function projectSeenBy(core: Core, path: Path, { project }: PlannedProject, by: Person) {
  const user = userOf(core, path, by);
  return { user, found: projectOf(core, path, project.path, user) };
}

function planReleases(plan: Plan, planned: PlannedProject): void {
  const { project, step: projectStep, creator } = planned;
  for (const [index, release] of (project.releases ?? []).entries()) {
    const path: Path = [...planned.path, 'releases', index];
    const author = release.author === undefined ? creator : plan.person([...path, 'author'], release.author);
    const tag = plan.stepThatCreates('tag', project.path, release.tag);
    if (tag === undefined) plan.addProblem([...path, 'tag'], 'is not a tag of the project in this file');
    if (author === undefined) continue;
    const milestones = (release.milestones ?? []).map((title) => plan.stepThatCreates('milestone', project.path, title));
    plan.add({
      path,
      at: plan.time([...path, 'created_at'], release.created_at),
      needs: [...stepsOf(author), projectStep, ...defined(tag, ...milestones)],
      follows: plan.membershipsOf(project.path, author.username),
      run: (core) => {
        const { user, found } = projectSeenBy(core, path, planned, author);
        releaseTag(core, found, user, {
          tag: release.tag,
          name: release.name,
          description: release.description,
          links: release.links,
          ...(release.milestones === undefined ? {} : { milestones: { titles: release.milestones } }),
        });
      },
    });
  }
}

function planPipelines(plan: Plan, planned: PlannedProject, histories: Histories): void {
  const { project, step: projectStep, creator } = planned;
  for (const [index, pipeline] of (project.pipelines ?? []).entries()) {
    const path: Path = [...planned.path, 'pipelines', index];
    const author = pipeline.author === undefined ? creator : plan.person([...path, 'author'], pipeline.author);
    if (author === undefined) continue;
    const ref = pipeline.ref ?? project.default_branch ?? 'main';
    const jobs = pipeline.jobs ?? [];
    if (jobs.length > 0 && pipeline.status !== undefined)
      plan.addProblem([...path, 'status'], 'must be omitted, because it follows from the jobs');
    const step = plan.add({
      path,
      at: plan.time([...path, 'created_at'], pipeline.created_at),
      needs: [...stepsOf(author), projectStep],
      follows: plan.membershipsOf(project.path, author.username),
      run: (core) => {
        const { user, found } = projectSeenBy(core, path, planned, author);
        const head = refHead(core, found.project.id, ref);
        const sha = pipeline.sha ?? head?.sha;
        if (sha === undefined) throw new StepRefused([...path, 'ref'], `is not possible: ${ref} has no commit at that time`);
        const created = createPipeline(core, found, user, {
          ref,
          sha,
          commit: histories.commitOf(planned, sha),
          isTag: head?.isTag,
          source: pipeline.source,
          name: pipeline.name,
          status: pipeline.status ?? (jobs.length === 0 ? 'success' : undefined),
        });
        for (const job of jobs) {
          createJob(core, created, user, {
            name: job.name,
            stage: job.stage,
            status: job.status ?? 'success',
            allowFailure: job.allow_failure,
            failureReason: job.failure_reason,
            coverage: job.coverage,
            tags: job.tags,
          });
        }
        if (pipeline.name !== undefined) pipelinesOf(planned).set(pipeline.name, created);
      },
    });
    if (pipeline.name !== undefined) plan.addCreation('pipeline', project.path, pipeline.name, step);
  }
}

const createdPipelines = new WeakMap<PlannedProject, Map<string, Pipeline>>();

/** Returns the created pipelines of a project by name. */
function pipelinesOf(planned: PlannedProject): Map<string, Pipeline> {
  const pipelines = createdPipelines.get(planned) ?? new Map<string, Pipeline>();
  createdPipelines.set(planned, pipelines);
  return pipelines;
}

function planPackages(plan: Plan, planned: PlannedProject): void {
  const { project, step: projectStep, creator } = planned;
  for (const [index, input] of (project.packages ?? []).entries()) {
    const path: Path = [...planned.path, 'packages', index];
    const pipelines = (input.pipelines ?? []).map((name, at) => {
      const step = plan.stepThatCreates('pipeline', project.path, name);
      if (step === undefined) plan.addProblem([...path, 'pipelines', at], 'is not a pipeline of the project');
      return step;
    });
    plan.add({
      path,
      at: plan.time([...path, 'created_at'], input.created_at),
      needs: [projectStep, ...defined(...pipelines)],
      follows: [],
      run: (core) => {
        const { found } = projectSeenBy(core, path, planned, creator);
        const pipelineIds = (input.pipelines ?? []).map((name) => pipelinesOf(planned).get(name)?.id ?? 0);
        const { name, version, type, status, tags } = input;
        const created = createPackage(core, found, { name, version, type, status, tags, pipelineIds });
        for (const file of input.files ?? []) addFile(core, created, file);
      },
    });
  }
}

function planContainers(plan: Plan, planned: PlannedProject): void {
  const { project, step: projectStep, creator } = planned;
  for (const [index, input] of (project.container_repositories ?? []).entries()) {
    const path: Path = [...planned.path, 'container_repositories', index];
    let repository: ContainerRepository | undefined;
    const step = plan.add({
      path,
      at: plan.time([...path, 'created_at'], input.created_at),
      needs: [projectStep],
      follows: [],
      run: (core) => {
        repository = createContainerRepository(core, projectSeenBy(core, path, planned, creator).found, input.name ?? '');
      },
    });
    for (const [at, tag] of (input.tags ?? []).entries()) {
      const tagPath: Path = [...path, 'tags', at];
      plan.add({
        path: tagPath,
        at: plan.time([...tagPath, 'created_at'], tag.created_at),
        needs: [step],
        follows: [],
        run: (core) => {
          if (repository === undefined) throw new StepRefused(tagPath, 'is not possible: its repository does not exist');
          writeContainerTag(core, repository, { name: tag.name, digest: tag.digest, totalSize: tag.size });
        },
      });
    }
  }
}

function defined(...steps: readonly (Step | undefined)[]): Step[] {
  return steps.filter((step) => step !== undefined);
}
