import type { GitCore } from '../repositories/repositories.ts';
import {
  adoptSingle,
  discardHistory,
  type PreparedHistory,
  prepareHistory,
} from '../features/preparedRepositories/preparedRepositories.ts';
import { SINGLE_BRANCH } from '../features/singleBranchRepositories/singleBranchRepositories.ts';
import { holdsRole } from '../features/abilities/abilities.ts';
import { addSnippet } from '../features/snippets/snippets.ts';
import type { Path } from './document.ts';
import type { SeedSnippet } from './format.ts';
import type { PlannedProject } from './namespaces.ts';
import { type Person, type Plan, projectOf, stepsOf, userOf } from './plan.ts';
import { type Step, StepRefused, type TimedStep } from './timeline.ts';

/** Repositories of snippets, which are written before everything else. */
interface SnippetFiles {
  prepare(core: GitCore, timeline: readonly TimedStep[]): Promise<void>;
  /** Removes the repositories after a refusal. */
  discard(core: GitCore): void;
}

interface Input {
  readonly path: Path;
  readonly step: Step;
  readonly by: Person;
  readonly snippet: SeedSnippet;
}

/** Plans personal snippets and project snippets. */
export function planSnippets(plan: Plan, projects: readonly PlannedProject[]): SnippetFiles {
  const inputs: Input[] = [];
  const prepared = new Map<Step, PreparedHistory>();

  const planOne = (snippet: SeedSnippet, path: Path, container: PlannedProject | undefined): void => {
    const by =
      snippet.author === undefined && container !== undefined
        ? container.creator
        : plan.person([...path, 'author'], snippet.author ?? 'root');
    if (by === undefined) return;
    const fullPath = container?.project.path;
    const step: Step = plan.add({
      path,
      at: plan.time([...path, 'created_at'], snippet.created_at),
      needs: [...stepsOf(by), ...(container === undefined ? [] : [container.step])],
      follows: fullPath === undefined ? [] : plan.membershipsOf(fullPath, by.username),
      run: (core) => {
        const history = prepared.get(step);
        if (history === undefined) throw new StepRefused(path, 'was not prepared');
        const user = userOf(core, path, by);
        const found = fullPath === undefined ? undefined : projectOf(core, path, fullPath, user);
        if (found === undefined ? user.external === 1 : !holdsRole(found.access, 'reporter'))
          throw new StepRefused(path, `is not possible: ${user.username} is not allowed to create snippets here`);
        const { title, description, visibility = 'private' } = snippet;
        const files = Object.keys(snippet.files).sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
        const repositoryId = adoptSingle(core, history);
        addSnippet(core, user, { projectId: found?.project.id, title, description, visibility }, { repositoryId, files });
      },
    });
    inputs.push({ path, step, by, snippet });
  };

  for (const [index, snippet] of (plan.seed.snippets ?? []).entries()) planOne(snippet, ['snippets', index], undefined);
  for (const container of projects) {
    for (const [index, snippet] of (container.project.snippets ?? []).entries())
      planOne(snippet, [...container.path, 'snippets', index], container);
  }

  return {
    prepare: async (core, timeline) => {
      const times = new Map(timeline.map(({ step, time }) => [step, time]));
      for (const { path, step, by, snippet } of inputs) {
        const files = new Map(
          Object.entries(snippet.files).map(([name, text]) => [name, { content: Buffer.from(text), executable: false }]),
        );
        const commit = { kind: 'commit', branch: SINGLE_BRANCH, message: 'Initial commit', files } as const;
        const history = await prepareHistory(core, SINGLE_BRANCH, [{ ...commit, user: by, at: times.get(step) ?? 0 }]);
        if ('location' in history) prepared.set(step, history);
        else for (const { refusal } of history.impossible) plan.addProblem([...path, 'files'], `is not possible: ${refusal}`);
      }
    },
    discard: (core) => {
      for (const history of prepared.values()) discardHistory(core, history);
    },
  };
}
