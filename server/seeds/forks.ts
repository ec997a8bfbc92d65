import { addFork } from '../forks/forks.ts';
import { namespaceOf, type PlannedProject, planPeople, type Projects } from './namespaces.ts';
import { type Plan, projectOf, userOf } from './plan.ts';
import { StepRefused } from './timeline.ts';
import type { Histories } from './work.ts';

/** What a fork has from its source, so that the file cannot say it. */
const INHERITED = ['default_branch', 'issues_access_level', 'topics'] as const;

/** Adds the forks of a file, each behind what it is a fork of. Returns all projects in the order in which they are planned. */
export function planForks(plan: Plan, { planned, forks }: Projects, histories: Histories): PlannedProject[] {
  const known = new Map(planned.map((one) => [one.project.path.toLowerCase(), one]));
  let waiting = forks;
  for (;;) {
    const ready = waiting.filter(({ project }) => known.has(project.forked_from?.toLowerCase() ?? ''));
    if (ready.length === 0) break;
    for (const fork of ready) {
      const source = known.get(fork.project.forked_from?.toLowerCase() ?? '');
      if (source !== undefined) known.set(fork.project.path.toLowerCase(), planFork(plan, fork, source, histories));
    }
    waiting = waiting.filter((fork) => !ready.includes(fork));
  }
  for (const { project, path } of waiting) {
    const isOfFile = forks.some((other) => other.project.path.toLowerCase() === project.forked_from?.toLowerCase());
    const text = isOfFile ? 'leads back to itself, or to a project that is not there' : 'names no project of this file';
    plan.addProblem([...path, 'forked_from'], text);
  }
  return [...known.values()];
}

function planFork(
  plan: Plan,
  { project, path, repository }: Projects['forks'][number],
  source: PlannedProject,
  histories: Histories,
): PlannedProject {
  for (const field of INHERITED)
    if (project[field] !== undefined) plan.addProblem([...path, field], 'is that of the project that it is forked from');
  const { parent, own, holder, creator } = repository;
  const step = plan.add({
    path,
    at: plan.time([...path, 'created_at'], project.created_at),
    needs: [...repository.needs, source.step],
    follows: [...repository.follows, ...plan.membershipsOf(source.project.path, creator.username), ...histories.stepsOf(source)],
    run: (platform) => {
      const user = userOf(platform, path, creator);
      const seen = projectOf(platform, [...path, 'forked_from'], source.project.path, user);
      const { name = own, description, visibility } = project;
      const input = { namespace: namespaceOf(platform, path, parent, user, holder), name, path: own, description, visibility };
      const made = addFork(platform, seen, user, input, histories.copyFor(platform, planned, seen));
      if (visibility !== undefined && made.project.visibility !== visibility)
        throw new StepRefused(
          [...path, 'visibility'],
          'is more than that of the project that it is forked from, or of its group',
        );
    },
  });
  const planned: PlannedProject = {
    project: { ...project, default_branch: source.project.default_branch },
    path,
    creator,
    step,
    source,
  };
  planPeople(plan, planned);
  histories.add(planned);
  return planned;
}
