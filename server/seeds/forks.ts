import { addFork } from '../features/forks/forks.ts';
import { namespaceOf, type PlannedProject, planPeople, type Projects } from './namespaces.ts';
import { type Plan, projectOf, userOf } from './plan.ts';
import { StepRefused } from './timeline.ts';
import type { Histories } from './work.ts';

/** Fields that a fork inherits, so the file must not set them. */
const INHERITED = ['default_branch', 'issues_access_level', 'topics'] as const;

/** Plans the forks of a file, each after its source. Returns all projects in the order in which they are planned. */
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
    const isInFile = forks.some((other) => other.project.path.toLowerCase() === project.forked_from?.toLowerCase());
    const text = isInFile ? 'is circular, or refers to a project that does not exist' : 'is not a project in this file';
    plan.addProblem([...path, 'forked_from'], text);
  }
  return [...known.values()];
}

function planFork(
  plan: Plan,
  { project, path, location }: Projects['forks'][number],
  source: PlannedProject,
  histories: Histories,
): PlannedProject {
  for (const field of INHERITED)
    if (project[field] !== undefined)
      plan.addProblem([...path, field], 'is inherited from the forked project and must be omitted');
  const { parent, own, owner, creator } = location;
  const step = plan.add({
    path,
    at: plan.time([...path, 'created_at'], project.created_at),
    needs: [...location.needs, source.step],
    follows: [...location.follows, ...plan.membershipsOf(source.project.path, creator.username), ...histories.stepsOf(source)],
    run: (core) => {
      const user = userOf(core, path, creator);
      const seen = projectOf(core, [...path, 'forked_from'], source.project.path, user);
      const { name = own, description, visibility } = project;
      const input = { namespace: namespaceOf(core, path, parent, user, owner), name, path: own, description, visibility };
      const made = addFork(core, seen, user, input, histories.copyFor(core, planned, seen));
      if (visibility !== undefined && made.project.visibility !== visibility)
        throw new StepRefused([...path, 'visibility'], 'is higher than that of the forked project or of the group');
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
