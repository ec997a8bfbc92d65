import type { GitCore } from '../repositories/repositories.ts';
import {
  adoptHistory,
  discardHistory,
  type PlannedCommit,
  type PlannedPush,
  type PlannedTag,
  preparedCopy,
  type PreparedHistory,
  type PreparedPush,
  prepareHistory,
  pushPrepared,
  type RepositoryCopy,
} from '../features/preparedRepositories/preparedRepositories.ts';
import type { CommitObject } from '../repositories/objects.ts';
import { isoDate } from '../core/clock.ts';
import { createIssue, findIssue, type Issue, commentableIssue, updateIssue } from '../features/issues/issues.ts';
import { findMilestoneByTitle } from '../features/milestones/milestones.ts';
import type { Core } from '../core/core.ts';
import { findProject, type FoundProject } from '../features/projectAccess/projectAccess.ts';
import { holdsRole } from '../features/abilities/abilities.ts';
import { type Commented, planNotes } from './comments.ts';
import type { Path } from './document.ts';
import type { Epics } from './epics.ts';
import type { SeedCommit, SeedIssue, SeedTag } from './format.ts';
import type { PlannedProject } from './namespaces.ts';
import { type Person, type Plan, projectOf, stepsOf, userOf } from './plan.ts';
import { type Step, StepRefused, type TimedStep } from './timeline.ts';

/** A push to a repository whose time is not known yet. */
type Input = { readonly step: Step; readonly path: Path } & (
  | ({ readonly kind: 'commit'; readonly by: Person } & Omit<PlannedCommit, 'user' | 'at' | 'kind'>)
  | ({ readonly kind: 'tag'; readonly by: Person } & Omit<PlannedTag, 'user' | 'at' | 'kind'>)
  | MergeInput
);

/** The merge commit of a merge request. Its message contains the number of the merge request. */
interface MergeInput {
  readonly kind: 'merge';
  readonly by: Person;
  readonly source: string;
  readonly branch: string;
  readonly opened: Step;
  message(iid: number): string;
}

/** A push to a repository, with its position among all steps. */
interface PlacedPush {
  readonly position: number;
  readonly path: Path;
  readonly push: PlannedPush;
}

/** Repositories of a file, which are written before everything else. */
export interface Histories {
  prepare(core: GitCore, timeline: readonly TimedStep[]): Promise<void>;
  /** Plans the commits and tags of a project. */
  add(planned: PlannedProject): void;
  /** Returns the code that a new fork copies from its source, as seen by a user. Undefined if the source has none yet. */
  copyFor(core: Core, fork: PlannedProject, source: FoundProject): RepositoryCopy | undefined;
  /** Returns the steps of all commits and tags. */
  stepsOf(planned: PlannedProject): Step[];
  /** Returns the steps of commits on some branches. */
  stepsOn(planned: PlannedProject, branches: readonly string[]): Step[];
  /** Registers a step that opens a merge request, which gets the next number of its project. */
  addMergeRequest(planned: PlannedProject, opened: Step): void;
  /** Adds a merge commit. Returns a function that returns its prepared push while the steps run. */
  addMerge(planned: PlannedProject, path: Path, step: Step, input: MergeInput): () => PreparedPush | undefined;
  /** Returns a commit of the file, once it is written. */
  commitOf(planned: PlannedProject, sha: string): CommitObject | undefined;
  /** Removes the repositories after a refusal. */
  discard(core: GitCore): void;
}

export function planRepositories(plan: Plan): Histories {
  const histories = new Map<PlannedProject, Input[]>();
  const opened = new Map<PlannedProject, Step[]>();
  const prepared = new Map<PlannedProject, PreparedHistory>();
  const order = new Map<Step, number>();
  const adopted = new Set<PlannedProject>();

  const push = (planned: PlannedProject, path: Path, by: Person, step: () => Step): Step['run'] => {
    return (core) => {
      const history = prepared.get(planned);
      const index = order.get(step()) ?? 0;
      const ready = history?.pushes[index];
      if (history === undefined || ready === undefined) throw new StepRefused(path, 'was not prepared');
      const user = userOf(core, path, by);
      const found = projectOf(core, path, planned.project.path, user);
      if (!adopted.has(planned)) adoptHistory(core, found, history);
      adopted.add(planned);
      pushPrepared(core, found, user, ready);
    };
  };

  const add = (planned: PlannedProject): void => {
    const { project, path, creator } = planned;
    const inputs: Input[] = [];
    const defaultBranch = project.default_branch ?? 'main';
    const planOne = (
      at: Path,
      author: string | undefined,
      createdAt: string | undefined,
    ): { by: Person; step: Step } | undefined => {
      const by = author === undefined ? creator : plan.person([...at, 'author'], author);
      if (by === undefined) return undefined;
      const step: Step = plan.add({
        path: at,
        at: plan.time([...at, 'created_at'], createdAt),
        needs: [...stepsOf(by), planned.step],
        follows: plan.membershipsOf(project.path, by.username),
        run: push(planned, at, by, () => step),
      });
      return { by, step };
    };
    for (const [index, commit] of (project.commits ?? []).entries()) {
      const at: Path = [...path, 'commits', index];
      const one = planOne(at, commit.author, commit.created_at);
      if (Object.keys(commit.files).length === 0) plan.addProblem([...at, 'files'], 'is empty');
      if (one !== undefined) inputs.push({ ...one, kind: 'commit', path: at, ...commitInput(commit, defaultBranch) });
    }
    for (const [index, tag] of (project.tags ?? []).entries()) {
      const at: Path = [...path, 'tags', index];
      const one = planOne(at, tag.author, tag.created_at);
      if (one === undefined) continue;
      inputs.push({ ...one, kind: 'tag', path: at, ...tagInput(tag, defaultBranch) });
      plan.addCreation('tag', project.path, tag.name, one.step);
    }
    histories.set(planned, inputs);
    opened.set(planned, []);
  };

  return {
    add,
    prepare: async (core, timeline) => {
      const positions = new Map(timeline.map(({ step, time }, index) => [step, { time, index }]));
      const positionOf = (step: Step): number => positions.get(step)?.index ?? 0;
      const pushes = new Map<PlannedProject, PlacedPush[]>();
      for (const [planned, inputs] of histories) {
        const sorted = inputs.toSorted((one, other) => positionOf(one.step) - positionOf(other.step));
        const numbered = (opened.get(planned) ?? []).toSorted((one, other) => positionOf(one) - positionOf(other));
        const own = sorted.map(({ step, path, by, ...input }): PlacedPush => {
          const at = { user: by, at: positions.get(step)?.time ?? 0 };
          if (input.kind !== 'merge') return { position: positionOf(step), path, push: { ...input, ...at } };
          const { kind, source, branch } = input;
          const message = input.message(numbered.indexOf(input.opened) + 1);
          return { position: positionOf(step), path, push: { kind, source, branch, message, ...at } };
        });
        // The pushes of the source come before those of the fork. Equal commits have equal IDs.
        const inherited =
          planned.source === undefined
            ? []
            : (pushes.get(planned.source) ?? []).filter(({ position }) => position < positionOf(planned.step));
        const all = [...inherited, ...own];
        pushes.set(planned, all);
        for (const [index, { step }] of sorted.entries()) order.set(step, inherited.length + index);
        if (all.length === 0) continue;
        const history = await prepareHistory(
          core,
          planned.project.default_branch ?? 'main',
          all.map(({ push: one }) => one),
        );
        if ('location' in history) prepared.set(planned, history);
        else
          for (const { index, refusal } of history.impossible.filter((one) => one.index >= inherited.length))
            plan.addProblem(all[index]?.path ?? planned.path, `is not possible: ${refusal}`);
      }
    },
    copyFor: (core, fork, { project }) => {
      const history = prepared.get(fork);
      const copy = history === undefined ? undefined : preparedCopy(core, project, history);
      if (copy !== undefined) adopted.add(fork);
      return copy;
    },
    stepsOf: (planned) => (histories.get(planned) ?? []).map(({ step }) => step),
    stepsOn: (planned, branches) =>
      (histories.get(planned) ?? []).flatMap((input) =>
        input.kind === 'commit' && branches.includes(input.branch) ? [input.step] : [],
      ),
    addMergeRequest: (planned, step) => void opened.get(planned)?.push(step),
    addMerge: (planned, path, step, input) => {
      histories.get(planned)?.push({ ...input, path, step });
      return () => prepared.get(planned)?.pushes[order.get(step) ?? -1];
    },
    commitOf: (planned, sha) => prepared.get(planned)?.commits.get(sha),
    discard: (core) => {
      for (const history of prepared.values()) discardHistory(core, history);
    },
  };
}

function commitInput(commit: SeedCommit, defaultBranch: string): Omit<PlannedCommit, 'user' | 'at' | 'kind'> {
  const files = Object.entries(commit.files).map(([path, file]) => {
    if (file === null) return [path, undefined] as const;
    const { content, encoding = 'text', executable = false } = typeof file === 'string' ? { content: file } : file;
    return [path, { content: Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'), executable }] as const;
  });
  return {
    branch: commit.branch ?? defaultBranch,
    startBranch: commit.start_branch,
    message: commit.message,
    files: new Map(files),
  };
}

function tagInput(tag: SeedTag, defaultBranch: string): Omit<PlannedTag, 'user' | 'at' | 'kind'> {
  return { name: tag.name, branch: tag.branch ?? defaultBranch, message: tag.message };
}

export function planIssues(plan: Plan, projects: readonly PlannedProject[], epics: Epics): void {
  for (const planned of projects) {
    for (const [index, issue] of (planned.project.issues ?? []).entries()) {
      planIssue(plan, planned, issue, [...planned.path, 'issues', index], epics);
    }
  }
}

function planIssue(plan: Plan, { project, step, creator }: PlannedProject, issue: SeedIssue, path: Path, epics: Epics): void {
  const person = (field: Path, username: string | undefined, otherwise: Person): Person | undefined =>
    username === undefined ? otherwise : plan.person(field, username);
  const author = person([...path, 'author'], issue.author, creator);
  const assignees = (issue.assignees ?? []).map((name, index) => plan.person([...path, 'assignees', index], name));
  const dueDate = plan.day([...path, 'due_date'], issue.due_date);
  const labels = (issue.labels ?? []).map((label) => plan.stepThatCreates('label', project.path, label.trim()));
  const milestone = issue.milestone === undefined ? undefined : plan.stepThatCreates('milestone', project.path, issue.milestone);
  const epic = issue.epic === undefined ? undefined : epics.stepOf(project.path, issue.epic);
  if (issue.epic !== undefined && epic === undefined)
    plan.addProblem([...path, 'epic'], 'is not an epic in this file of a parent group of the project');
  if (issue.state === 'opened' && (issue.closed_at !== undefined || issue.closed_by !== undefined))
    plan.addProblem([...path, 'state'], 'is opened, but closed_at or closed_by is set');
  if (author === undefined) return;
  const belongs = (...people: readonly (Person | undefined)[]): Step[] =>
    people.flatMap((one) => (one === undefined ? [] : plan.membershipsOf(project.path, one.username)));
  let opened: Issue | undefined;
  const issueStep = plan.add({
    path,
    at: plan.time([...path, 'created_at'], issue.created_at),
    needs: [
      ...stepsOf(author, ...assignees),
      step,
      ...(milestone === undefined ? [] : [milestone]),
      ...(epic === undefined ? [] : [epic]),
    ],
    follows: [...belongs(author, ...assignees), ...labels.filter((one) => one !== undefined)],
    run: (core) => {
      const user = userOf(core, path, author);
      const found = projectOf(core, path, project.path, user);
      const isPlain =
        labels.length === 0 &&
        assignees.length === 0 &&
        dueDate === undefined &&
        issue.milestone === undefined &&
        issue.weight === undefined;
      if (!isPlain && !holdsRole(found.access, 'guest'))
        throw new StepRefused(
          path,
          `is not possible: ${user.username} must be a member to set labels, assignees, a milestone, a weight or a due date`,
        );
      const assigneeIds = assignees.map((one, index) => {
        const field = [...path, 'assignees', index];
        const assignee = userOf(core, field, one ?? author);
        if (findProject(core, found.project.id, { user: assignee })?.can.readIssues !== true)
          throw new StepRefused(field, 'cannot see the issues of the project');
        return assignee.id;
      });
      const milestoneId =
        issue.milestone === undefined
          ? undefined
          : findMilestoneByTitle(core, { kind: 'project', id: found.project.id }, issue.milestone, true)?.id;
      if (issue.milestone !== undefined && milestoneId === undefined)
        throw new StepRefused([...path, 'milestone'], 'is not a milestone of the project or its parent groups');
      opened = createIssue(core, found, user, {
        title: issue.title,
        description: issue.description,
        labels: issue.labels,
        assigneeIds,
        dueDate: dueDate === undefined ? undefined : isoDate(dueDate),
        confidential: issue.confidential,
        milestoneId,
        weight: issue.weight,
        type: issue.issue_type,
      });
      if (epic !== undefined) epics.add(core, [...path, 'epic'], epic, opened.id);
    },
  });
  /** Returns the issue as seen by a user who acts on it. Throws StepRefused if the user cannot see it. */
  const seenBy = (core: Core, at: Path, one: Person) => {
    const user = userOf(core, at, one);
    const found = projectOf(core, at, project.path, user);
    const seen = opened === undefined ? undefined : findIssue(core, found, opened.iid, user);
    if (seen === undefined) throw new StepRefused(at, `is not possible: ${user.username} cannot see the issue`);
    return { user, found, issue: seen };
  };
  const commented: Commented = {
    path,
    fullPath: project.path,
    step: issueStep,
    author,
    seenBy: (core, at, one) => {
      const { user, found, issue: seen } = seenBy(core, at, one);
      return { user, commentable: commentableIssue(core, found, seen) };
    },
  };
  planNotes(plan, commented, issue.notes ?? []);
  if (issue.state !== 'closed' && issue.closed_at === undefined && issue.closed_by === undefined) return;
  const closer = person([...path, 'closed_by'], issue.closed_by, author);
  if (closer === undefined) return;
  const at: Path = [...path, issue.closed_at === undefined ? 'state' : 'closed_at'];
  plan.add({
    path: at,
    at: plan.time([...path, 'closed_at'], issue.closed_at),
    needs: [...stepsOf(closer), issueStep],
    follows: belongs(closer),
    run: (core) => {
      const { user, found, issue: seen } = seenBy(core, at, closer);
      updateIssue(core, found, seen, user, { stateEvent: 'close' });
    },
  });
}
