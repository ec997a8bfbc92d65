import type { User } from '../core/caller.ts';
import type { GitCore } from '../repositories/repositories.ts';
import {
  approve,
  createMergeRequest,
  findMergeRequest,
  type MergeRequest,
  updateMergeRequest,
  mergeMessage,
  mergePrepared,
  commentableMergeRequest,
} from '../features/mergeRequests/mergeRequests.ts';
import { findMilestoneByTitle } from '../features/milestones/milestones.ts';
import { findProject, type FoundProject } from '../features/projectAccess/projectAccess.ts';
import { holdsRole } from '../features/abilities/abilities.ts';
import { planNotes } from './comments.ts';
import type { Path } from './document.ts';
import type { SeedMergeRequest } from './format.ts';
import type { PlannedProject } from './namespaces.ts';
import { type Person, type Plan, projectOf, stepsOf, userOf } from './plan.ts';
import { type Step, StepRefused } from './timeline.ts';
import type { Histories } from './work.ts';

export function planMergeRequests(plan: Plan, projects: readonly PlannedProject[], histories: Histories): void {
  for (const planned of projects) {
    for (const [index, mergeRequest] of (planned.project.merge_requests ?? []).entries()) {
      const path: Path = [...planned.path, 'merge_requests', index];
      const { source_project: name } = mergeRequest;
      const source =
        name === undefined ? planned : projects.find(({ project }) => project.path.toLowerCase() === name.toLowerCase());
      if (source === undefined) plan.addProblem([...path, 'source_project'], 'is not a project in this file');
      else planMergeRequest(plan, { planned, source }, histories, mergeRequest, path);
    }
  }
}

function planMergeRequest(
  plan: Plan,
  { planned, source }: { readonly planned: PlannedProject; readonly source: PlannedProject },
  histories: Histories,
  input: SeedMergeRequest,
  path: Path,
): void {
  const { project } = planned;
  const people = (field: string, names: readonly string[] = []) =>
    names.map((username, index) => ({ at: [...path, field, index], one: plan.person([...path, field, index], username) }));
  const author = input.author === undefined ? source.creator : plan.person([...path, 'author'], input.author);
  const assignees = people('assignees', input.assignees);
  const reviewers = people('reviewers', input.reviewers);
  const target = targetOf(input, project);
  const labels = (input.labels ?? []).map((label) => plan.stepThatCreates('label', project.path, label.trim()));
  const milestone = input.milestone === undefined ? undefined : plan.stepThatCreates('milestone', project.path, input.milestone);
  const ends = endOf(input);
  if (typeof ends === 'object') plan.addProblem([...path, 'state'], ends.problem);
  if (ends === 'merged' && source !== planned)
    plan.addProblem(
      [...path, input.merged_at === undefined ? 'state' : 'merged_at'],
      'is not possible: a merge request from a fork cannot be merged by a seed file',
    );
  if (author === undefined || typeof ends === 'object') return;
  const asked = [...assignees, ...reviewers].map(({ one }) => one);
  let made: MergeRequest | undefined;
  const opened = plan.add({
    path,
    at: plan.time([...path, 'created_at'], input.created_at),
    needs: [...stepsOf(author, ...asked), planned.step, source.step, ...(milestone === undefined ? [] : [milestone])],
    follows: [
      ...membershipsOfAll(plan, project.path, author, ...asked),
      ...labels.filter((one) => one !== undefined),
      ...plan.membershipsOf(source.project.path, author.username),
      ...histories.stepsOn(source, [input.source_branch]),
      ...histories.stepsOn(planned, [target]),
    ],
    run: (core) => {
      const user = userOf(core, path, author);
      const found = projectOf(core, path, project.path, user);
      const isPlain = labels.length + asked.length === 0 && input.milestone === undefined;
      if (!isPlain && !holdsRole(found.access, 'reporter'))
        throw new StepRefused(
          path,
          `is not possible: ${user.username} needs the Reporter role to set labels, assignees, reviewers or a milestone`,
        );
      const ids = (some: typeof assignees): number[] =>
        some.map(({ at, one }) => {
          const other = userOf(core, at, one ?? author);
          if (findProject(core, found.project.id, { user: other })?.can.readMergeRequests !== true)
            throw new StepRefused(at, 'cannot see the merge requests of the project');
          return other.id;
        });
      const milestoneId =
        input.milestone === undefined
          ? undefined
          : findMilestoneByTitle(core, { kind: 'project', id: found.project.id }, input.milestone, true)?.id;
      if (input.milestone !== undefined && milestoneId === undefined)
        throw new StepRefused([...path, 'milestone'], 'is not a milestone of the project or its parent groups');
      const from = source === planned ? found : projectOf(core, [...path, 'source_project'], source.project.path, user);
      made = createMergeRequest(core, { source: from, target: found }, user, {
        title: input.title,
        description: input.description,
        sourceBranch: input.source_branch,
        targetBranch: target,
        labels: input.labels,
        assigneeIds: ids(assignees),
        reviewerIds: ids(reviewers),
        milestoneId,
      });
    },
  });
  histories.addMergeRequest(planned, opened);
  const seenBy: PlannedMergeRequest['seenBy'] = (core, at, one) => {
    const user = userOf(core, at, one);
    const found = projectOf(core, at, project.path, user);
    const seen = made === undefined ? undefined : findMergeRequest(core, found, made.iid);
    if (seen === undefined) throw new StepRefused(at, `is not possible: ${user.username} cannot see the merge request`);
    return { user, found, mergeRequest: seen };
  };
  planNotes(
    plan,
    {
      path,
      fullPath: project.path,
      step: opened,
      author,
      seenBy: (core, at, one) => {
        const { user, found, mergeRequest } = seenBy(core, at, one);
        return { user, commentable: commentableMergeRequest(core, found, mergeRequest, user) };
      },
    },
    input.notes ?? [],
  );
  const merge = { path, planned, input, author, opened, seenBy };
  const approvals = planApprovals(plan, merge);
  if (ends !== 'opened') planEnd(plan, histories, merge, ends, approvals);
}

/** A merge request of the file, and the step that opens it. */
interface PlannedMergeRequest {
  readonly path: Path;
  readonly planned: PlannedProject;
  readonly input: SeedMergeRequest;
  readonly author: Person;
  readonly opened: Step;
  /** Returns the merge request as seen by a user who acts on it. Throws StepRefused if the user cannot see it. */
  seenBy(
    core: GitCore,
    at: Path,
    one: Person,
  ): { readonly user: User; readonly found: FoundProject; readonly mergeRequest: MergeRequest };
}

/** Returns the steps that make people members of a project or of its parent groups. */
function membershipsOfAll(plan: Plan, fullPath: string, ...people: readonly (Person | undefined)[]): Step[] {
  return people.flatMap((one) => (one === undefined ? [] : plan.membershipsOf(fullPath, one.username)));
}

/** Returns the steps that approve the merge request. */
function planApprovals(plan: Plan, { path, planned, input, opened, seenBy }: PlannedMergeRequest): Step[] {
  const approvals: Step[] = [];
  for (const [index, approval] of (input.approvals ?? []).entries()) {
    const at: Path = [...path, 'approvals', index];
    const by = plan.person([...at, 'user'], approval.user);
    if (by === undefined) continue;
    const step = plan.add({
      path: at,
      at: plan.time([...at, 'created_at'], approval.created_at),
      needs: [...stepsOf(by), opened],
      follows: membershipsOfAll(plan, planned.project.path, by),
      run: (core) => {
        const { user, found, mergeRequest } = seenBy(core, at, by);
        approve(core, found, mergeRequest, user, undefined);
      },
    });
    approvals.push(step);
  }
  return approvals;
}

/** Plans the step that merges or closes the merge request, which happens after its approvals. */
function planEnd(
  plan: Plan,
  histories: Histories,
  { path, planned, input, author, opened, seenBy }: PlannedMergeRequest,
  end: 'merged' | 'closed',
  approvals: readonly Step[],
): void {
  const { project, creator } = planned;
  const [username, otherwise] = end === 'merged' ? [input.merged_by, creator] : [input.closed_by, author];
  const by = username === undefined ? otherwise : plan.person([...path, `${end}_by`], username);
  if (by === undefined) return;
  const field = `${end}_at` as const;
  const time = input[field];
  const at: Path = [...path, time === undefined ? 'state' : field];
  let prepared: ReturnType<Histories['addMerge']> = () => undefined;
  const step = plan.add({
    path: at,
    at: plan.time([...path, field], time),
    needs: [...stepsOf(by), opened],
    follows: [...membershipsOfAll(plan, project.path, by), ...approvals],
    run: (core) => {
      const { user, found, mergeRequest } = seenBy(core, at, by);
      if (end === 'closed') {
        updateMergeRequest(core, found, mergeRequest, user, { stateEvent: 'close' });
        return;
      }
      const push = prepared();
      if (push === undefined) throw new StepRefused(at, 'was not prepared');
      mergePrepared(core, found, mergeRequest, user, push);
    },
  });
  if (end === 'closed') return;
  const { source_branch: branch, title } = input;
  const target = targetOf(input, project);
  prepared = histories.addMerge(planned, at, step, {
    kind: 'merge',
    by,
    source: branch,
    branch: target,
    opened,
    message: (iid) => mergeMessage({ source_branch: branch, target_branch: target, title, project_path: project.path, iid }),
  });
}

function targetOf(input: SeedMergeRequest, project: PlannedProject['project']): string {
  return input.target_branch ?? project.default_branch ?? 'main';
}

/** Returns how the merge request ends, or the problem if the fields contradict each other. */
function endOf(input: SeedMergeRequest): 'opened' | 'merged' | 'closed' | { readonly problem: string } {
  const isMerged = input.merged_at !== undefined || input.merged_by !== undefined;
  const isClosed = input.closed_at !== undefined || input.closed_by !== undefined;
  const state = input.state ?? (isMerged ? 'merged' : isClosed ? 'closed' : 'opened');
  if (isMerged && state !== 'merged') return { problem: `is ${state}, but merged_at or merged_by is set` };
  if (isClosed && state !== 'closed') return { problem: `is ${state}, but closed_at or closed_by is set` };
  return state;
}
