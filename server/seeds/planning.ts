import { isoDate } from '../core/clock.ts';
import { findGroup } from '../features/groups/groups.ts';
import { createLabel, type LabelContainer } from '../features/labels/labels.ts';
import { createMilestone, type Milestone, updateMilestone } from '../features/milestones/milestones.ts';
import type { Core } from '../core/core.ts';
import type { Path } from './document.ts';
import type { SeedLabel, SeedMilestone } from './format.ts';
import type { PlannedGroup, PlannedProject } from './namespaces.ts';
import { type Person, type Plan, projectOf, stepsOf, userOf } from './plan.ts';
import { type Step, StepRefused } from './timeline.ts';

/** A project or group of a file with its labels and milestones. */
interface Container {
  readonly path: Path;
  readonly fullPath: string;
  readonly kind: LabelContainer['kind'];
  readonly step: Step;
  readonly creator: Person;
  readonly labels: readonly SeedLabel[];
  readonly milestones: readonly SeedMilestone[];
}

/** Default color of a label, the same as for labels that are created by name only. */
const COLOR = '#6699cc';

/** Plans the labels and milestones of projects and groups. */
export function planPlanning(plan: Plan, groups: readonly PlannedGroup[], projects: readonly PlannedProject[]): void {
  const containers: Container[] = [
    ...groups.map(({ group, ...rest }) => ({ ...rest, kind: 'group' as const, fullPath: group.path, ...contentOf(group) })),
    ...projects.map(({ project, ...rest }) => ({
      ...rest,
      kind: 'project' as const,
      fullPath: project.path,
      ...contentOf(project),
    })),
  ];
  for (const container of containers) {
    for (const [index, label] of container.labels.entries()) {
      const path: Path = [...container.path, 'labels', index];
      const step = plan.add({
        path,
        at: plan.time([...path, 'created_at'], label.created_at),
        needs: [container.step],
        follows: [],
        run: (core) => {
          const { name: title, color = COLOR, description } = label;
          createLabel(core, idOf(core, path, container), { title, color, description });
        },
      });
      plan.addCreation('label', container.fullPath, label.name.trim(), step);
    }
    for (const [index, milestone] of container.milestones.entries())
      planMilestone(plan, container, milestone, [...container.path, 'milestones', index]);
  }
}

function contentOf({
  labels = [],
  milestones = [],
}: {
  labels?: SeedLabel[] | undefined;
  milestones?: SeedMilestone[] | undefined;
}) {
  return { labels, milestones };
}

function planMilestone(plan: Plan, container: Container, milestone: SeedMilestone, path: Path): void {
  const author = milestone.author === undefined ? container.creator : plan.person([...path, 'author'], milestone.author);
  const startDate = dateOf(plan.day([...path, 'start_date'], milestone.start_date));
  const dueDate = dateOf(plan.day([...path, 'due_date'], milestone.due_date));
  if (milestone.state === 'active' && milestone.closed_at !== undefined)
    plan.addProblem([...path, 'state'], 'is active, but closed_at is set');
  if (author === undefined) return;
  let made: Milestone | undefined;
  const step = plan.add({
    path,
    at: plan.time([...path, 'created_at'], milestone.created_at),
    needs: [...stepsOf(author), container.step],
    follows: plan.membershipsOf(container.fullPath, author.username),
    run: (core) => {
      const { title, description } = milestone;
      const user = userOf(core, path, author);
      made = createMilestone(core, idOf(core, path, container), user, { title, description, startDate, dueDate });
    },
  });
  plan.addCreation('milestone', container.fullPath, milestone.title, step);
  if (milestone.state !== 'closed' && milestone.closed_at === undefined) return;
  const at: Path = [...path, milestone.closed_at === undefined ? 'state' : 'closed_at'];
  plan.add({
    path: at,
    at: plan.time([...path, 'closed_at'], milestone.closed_at),
    needs: [step],
    follows: [],
    run: (core) => {
      if (made === undefined) throw new StepRefused(at, 'is not possible: the milestone does not exist');
      updateMilestone(core, made, userOf(core, at, author), { stateEvent: 'close' });
    },
  });
}

function dateOf(day: number | undefined): string | undefined {
  return day === undefined ? undefined : isoDate(day);
}

function idOf(core: Core, path: Path, { kind, fullPath, creator }: Container): LabelContainer {
  const user = userOf(core, path, creator);
  if (kind === 'project') return { kind, id: projectOf(core, path, fullPath, user).project.id };
  const found = findGroup(core, fullPath, { user });
  if (found === undefined) throw new StepRefused(path, 'is not possible: the group does not exist');
  return { kind, id: found.group.id };
}
