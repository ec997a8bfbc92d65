import { adoptHistory, prepareHistory, type PreparedHistory, pushPrepared } from '../git/prepared.ts';
import { WireFailure } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import { createJob, createPipeline } from '../pipelines/pipelines.ts';
import type { Platform } from '../platform.ts';
import type { FoundProject } from '../projects/projects.ts';
import { releaseTag } from '../releases/releases.ts';
import { type DemoPush, pushesTo } from './demoCode.ts';
import { projects } from './demoPeople.ts';

/** The repository of a project, written ahead, and who pushes it. */
export interface DemoRepository {
  readonly project: string;
  readonly history: PreparedHistory;
  readonly pushes: readonly DemoPush[];
}

/** Without git there are no repositories, and everything else is there. */
export async function prepareRepositories(platform: Platform, start: number, days: number): Promise<DemoRepository[]> {
  try {
    await platform.repositories.git.demand();
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    platform.log.info(`the demo data has no repositories: ${error.reason}`);
    return [];
  }
  return Promise.all(
    projects.map(async (project, index) => {
      const pushes = pushesTo(project, openingDay(index), start, days);
      const plans = pushes.map(({ plan }) => plan);
      const history = await prepareHistory(platform, 'main', plans);
      if ('impossible' in history) throw new Error(`${project.name}: ${history.impossible[0]?.refusal ?? ''}`);
      return { project: project.name, history, pushes };
    }),
  );
}

/** The day of the span on which the project of an index is opened. */
export function openingDay(index: number): number {
  return Math.floor(index * 1.5);
}

/** Does the push of an index, by somebody who sees the project: commits get a pipeline, tags a release. */
export function pushNext(platform: Platform, { history }: DemoRepository, index: number, found: FoundProject, user: User): void {
  const prepared = history.pushes[index];
  if (prepared === undefined) throw new Error(`nothing is left to push to ${found.project.name}`);
  if (index === 0) adoptHistory(platform, found, history);
  pushPrepared(platform, found, user, prepared);
  const { name, commit_id: sha } = prepared.ref;
  if (prepared.kind === 'tag') {
    releaseTag(platform, found, user, {
      tag: name,
      name: `${found.project.name} ${name.slice(1)}`,
      description: 'What we wrote since the last one.',
    });
    return;
  }
  const pipeline = createPipeline(platform, found, user, { ref: name, sha, commit: history.commits.get(sha), source: 'push' });
  // Every seventh does not get through; the same ones every time.
  const isBad = index % 7 === 5;
  createJob(platform, pipeline, user, { name: 'lint', stage: 'check', status: 'success' });
  createJob(platform, pipeline, user, {
    name: 'test',
    stage: 'test',
    status: isBad ? 'failed' : 'success',
    coverage: 70 + (index % 20),
  });
  createJob(platform, pipeline, user, { name: 'pages', stage: 'deploy', status: isBad ? 'skipped' : 'success' });
}
