import { isoDate } from '../core/clock.ts';
import { addIssueToEpic, createEpic, type Epic, findEpic, updateEpic } from '../features/epics/epics.ts';
import { findGroup } from '../features/groups/groups.ts';
import type { Core } from '../core/core.ts';
import { holdsRole } from '../features/abilities/abilities.ts';
import type { Path } from './document.ts';
import type { SeedEpic } from './format.ts';
import type { PlannedGroup } from './namespaces.ts';
import { type Person, type Plan, stepsOf, userOf } from './plan.ts';
import { type Step, StepRefused } from './timeline.ts';

/** Epics of a file, which issues refer to. */
export interface Epics {
  /** Returns the step of the epic with a title in a parent group of a project. */
  stepOf(fullPath: string, title: string): Step | undefined;
  /** Adds an issue to the epic, as the author of the epic. */
  add(core: Core, path: Path, step: Step, issueId: number): void;
}

export function planEpics(plan: Plan, groups: readonly PlannedGroup[]): Epics {
  const made = new Map<Step, Epic>();
  for (const planned of groups) {
    for (const [index, epic] of (planned.group.epics ?? []).entries())
      planEpic(plan, planned, epic, [...planned.path, 'epics', index], made);
  }
  return {
    stepOf: (fullPath, title) => plan.stepThatCreates('epic', fullPath, title),
    add: (core, path, step, issueId) => {
      const epic = made.get(step);
      if (epic === undefined) throw new StepRefused(path, 'is not possible: the epic does not exist');
      addIssueToEpic(core, epic, issueId);
    },
  };
}

/** Returns the group as seen by a user who edits its epics. Throws StepRefused without the Reporter role. */
function seenBy(core: Core, path: Path, { group }: PlannedGroup, by: Person) {
  const user = userOf(core, path, by);
  const found = findGroup(core, group.path, { user });
  if (found === undefined || !holdsRole(found.access, 'reporter'))
    throw new StepRefused(path, `is not possible: ${user.username} needs the Reporter role in ${group.path} to edit its epics`);
  return { user, found };
}

function planEpic(plan: Plan, planned: PlannedGroup, input: SeedEpic, path: Path, made: Map<Step, Epic>): void {
  const { group, creator } = planned;
  const author = input.author === undefined ? creator : plan.person([...path, 'author'], input.author);
  const date = (field: 'start_date' | 'due_date'): string | undefined => {
    const day = plan.day([...path, field], input[field]);
    return day === undefined ? undefined : isoDate(day);
  };
  const [start, due] = [date('start_date'), date('due_date')];
  if (input.state === 'opened' && input.closed_at !== undefined)
    plan.addProblem([...path, 'state'], 'is opened, but closed_at is set');
  if (author === undefined) return;
  const labels = (input.labels ?? []).map((label) => plan.stepThatCreates('label', group.path, label.trim()));
  const follows = [...plan.membershipsOf(group.path, author.username), ...labels.filter((one) => one !== undefined)];
  const step: Step = plan.add({
    path,
    at: plan.time([...path, 'created_at'], input.created_at),
    needs: [...stepsOf(author), planned.step],
    follows,
    run: (core) => {
      const { user, found } = seenBy(core, path, planned, author);
      const epic = createEpic(core, found, user, {
        title: input.title,
        description: input.description,
        labels: input.labels,
        confidential: input.confidential,
        ...(start === undefined ? {} : { startIsFixed: true, startFixed: start }),
        ...(due === undefined ? {} : { dueIsFixed: true, dueFixed: due }),
      });
      made.set(step, epic);
    },
  });
  plan.addCreation('epic', group.path, input.title, step);
  if (input.state !== 'closed' && input.closed_at === undefined) return;
  const at: Path = [...path, input.closed_at === undefined ? 'state' : 'closed_at'];
  plan.add({
    path: at,
    at: plan.time([...path, 'closed_at'], input.closed_at),
    needs: [step],
    follows: [],
    run: (core) => {
      const { user, found } = seenBy(core, at, planned, author);
      const opened = made.get(step);
      const epic = opened === undefined ? undefined : findEpic(core, found, opened.iid, user);
      if (epic === undefined) throw new StepRefused(at, 'is not possible: the epic does not exist');
      updateEpic(core, found, epic, user, { stateEvent: 'close' });
    },
  });
}
