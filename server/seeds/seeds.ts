import type { SeedCore } from './seedCore.ts';
import type { GitCore } from '../repositories/repositories.ts';
import { Invalid, isDomainError, Refused, Unavailable } from '../core/errors.ts';
import { ensureRoot, hasPeopleBesidesRoot, isUnclaimed, storePassword } from '../features/users/users.ts';
import { skipDueNotices } from '../features/issues/issues.ts';
import type { Core } from '../core/core.ts';
import { randomPassword } from '../core/secrets.ts';
import { planApplications, planTokens, planUsers } from './accounts.ts';
import { fieldName, lineOf, type Path, type Problem, refusal } from './document.ts';
import type { Seed, SeedGroup } from './format.ts';
import { pastOf } from './past.ts';
import { planDeliveries } from './deliveries.ts';
import { planEpics } from './epics.ts';
import { planErrorTracking } from './errorTracking.ts';
import { planForks } from './forks.ts';
import { startMail } from './mail.ts';
import { planMergeRequests } from './mergeRequests.ts';
import { planArchive, planGroups, planProjects } from './namespaces.ts';
import { planNotifications } from './notifications.ts';
import { planPlanning } from './planning.ts';
import { planSnippets } from './snippets.ts';
import { createPlan, type MadeSecrets } from './plan.ts';
import { type ReadSeed, readSeed } from './reading.ts';
import type { Progress } from './progress.ts';
import { StepRefused, timelineOf, type Step, type TimedStep } from './timeline.ts';
import { planIssues, planRepositories } from './work.ts';

export { MAX_SEED_BYTES, SeedRefused, textOf } from './document.ts';
export { type DemoPassword, seedDemo } from './demo.ts';
export { DEMO_ARCHIVE, type DemoArchive, unpackDemo } from './demoArchive.ts';
export { loadDemo } from './loadDemo.ts';
export type { Progress } from './progress.ts';

/** Result of a seed file. It is the only place where generated secrets are reported. */
export interface AppliedSeed extends MadeSecrets {
  readonly counts: Readonly<Record<SeedCount, number>>;
}

type SeedCount =
  | 'users'
  | 'groups'
  | 'projects'
  | 'commits'
  | 'tags'
  | 'labels'
  | 'milestones'
  | 'epics'
  | 'issues'
  | 'merge_requests'
  | 'notes'
  | 'snippets'
  | 'releases'
  | 'pipelines'
  | 'jobs'
  | 'packages'
  | 'container_repositories'
  | 'client_keys'
  | 'personal_access_tokens'
  | 'applications';

/**
 * Applies a seed file completely or not at all, in one transaction. Users act at the times in the file, through the functions of the
 * features. Throws SeedRefused with all validation errors; each is a line that begins with `name`. With `progress` the event loop turns in
 * between, which is allowed only for a server that serves no requests yet.
 */
export async function applySeed(core: SeedCore, name: string, text: string, progress?: Progress): Promise<AppliedSeed> {
  const read = await readSeed(name, text);
  const { seed, root } = read;
  const plan = createPlan(core, seed, core.clock.now());
  const hashPasswords = planUsers(plan);
  const groups = planGroups(plan);
  const initial = planProjects(plan);
  const repositories = planRepositories(plan);
  for (const planned of initial.planned) repositories.add(planned);
  const projects = planForks(plan, initial, repositories);
  planPlanning(plan, groups, projects);
  planIssues(plan, projects, planEpics(plan, groups));
  planMergeRequests(plan, projects, repositories);
  planDeliveries(plan, projects, repositories);
  planErrorTracking(plan, projects);
  planNotifications(plan, groups, projects);
  const snippets = planSnippets(plan, projects);
  planTokens(plan);
  planApplications(plan);
  planArchive(plan, projects);
  const { timeline, problems } = timelineOf(plan.steps, plan.now, (path) => `${fieldName(path)} on line ${lineOf(root, path)}`);
  const refuseFor = (found: readonly Problem[]): void => {
    if (found.length > 0) throw refusal(name, root, found);
  };
  refuseFor([...plan.problems, ...problems]);
  try {
    await demandGit(core, read);
    await repositories.prepare(core, timeline);
    await snippets.prepare(core, timeline);
    refuseFor(plan.problems);
    await hashPasswords();
    const refused: Problem[] = [];
    const work = function* (): Generator<number, void> {
      ensureRoot(core);
      yield* walk(core, timeline, refused, seed.send_mail === true);
      skipDueNotices(core);
      refuseFor(refused);
    };
    if (progress === undefined) core.store.transaction(() => [...work()]);
    else await core.store.transactionInSteps(work, (done) => progress('Adding the seed file', done, timeline.length));
  } catch (error) {
    repositories.discard(core);
    snippets.discard(core);
    throw error;
  }
  // The page that sets the first password is no longer shown.
  const administrator = ensureRoot(core);
  if (administrator.password_hash === null) {
    const { password, hash } = randomPassword();
    storePassword(core, administrator, hash);
    plan.made.passwords.unshift({ username: administrator.username, password });
  }
  return { ...plan.made, counts: countsOf(seed) };
}

/** Number of steps between two progress reports. */
const STEPS_PER_REPORT = 50;

/**
 * Runs every step at its time. Steps that need a refused step are skipped. Adds the refusals to `problems`. Yields the number of completed
 * steps.
 */
function* walk(core: SeedCore, timeline: readonly TimedStep[], problems: Problem[], sendsMail: boolean): Generator<number, void> {
  let now = timeline[0]?.time ?? core.clock.now();
  const past = pastOf(core, () => now);
  const deliverMail = sendsMail ? startMail(past.core) : undefined;
  const refused = new Set<Step>();
  try {
    for (const [done, { step, time }] of timeline.entries()) {
      if (done > 0 && done % STEPS_PER_REPORT === 0) yield done;
      if (step.needs.some((needed) => refused.has(needed))) {
        refused.add(step);
        continue;
      }
      now = time;
      try {
        step.run(past.core);
        deliverMail?.();
      } catch (error) {
        refused.add(step);
        problems.push(...problemsOf(step, error));
      }
    }
  } finally {
    past.end();
  }
}

function problemsOf(step: Step, error: unknown): Problem[] {
  if (error instanceof StepRefused) return [{ path: error.path, text: error.message }];
  if (!isDomainError(error)) throw error;
  if (!(error instanceof Invalid)) {
    const texts = error instanceof Refused && typeof error.text !== 'string' ? error.text.join(', ') : error.reason;
    return [{ path: step.path, text: `is not possible: ${texts}` }];
  }
  const names: Readonly<Record<string, string>> = { visibility_level: 'visibility', namespace: 'path', parent_id: 'path' };
  return Object.entries(error.fields)
    .filter(([field]) => !field.includes('.'))
    .map(([field, texts]) => ({ path: [...step.path, names[field] ?? field], text: texts.join(', ') }));
}

/** Throws SeedRefused if the file needs the git program and it is missing. */
async function demandGit(core: GitCore, { name, seed, root }: ReadSeed): Promise<void> {
  const path = firstInGit(seed);
  if (path === undefined) return;
  try {
    await core.repositories.git.demand();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    throw refusal(name, root, [{ path, text: `is not possible: ${error.reason}` }]);
  }
}

/** Returns the path of the first entry that requires git. */
function firstInGit({ projects = [], snippets = [] }: Seed): Path | undefined {
  for (const [index, project] of projects.entries()) {
    const kind = (['commits', 'snippets'] as const).find((one) => (project[one] ?? []).length > 0);
    if (kind !== undefined) return ['projects', index, kind];
  }
  return snippets.length > 0 ? ['snippets'] : undefined;
}

function countsOf(seed: Seed): AppliedSeed['counts'] {
  const projects = seed.projects ?? [];
  const sum = (count: (project: (typeof projects)[number]) => number): number =>
    projects.reduce((total, project) => total + count(project), 0);
  const inGroups = (count: (group: SeedGroup) => number): number =>
    (seed.groups ?? []).reduce((total, group) => total + count(group), 0);
  return {
    users: seed.users?.length ?? 0,
    groups: seed.groups?.length ?? 0,
    projects: projects.length,
    commits: sum(({ commits = [] }) => commits.length),
    tags: sum(({ tags = [] }) => tags.length),
    labels: inGroups(({ labels = [] }) => labels.length) + sum(({ labels = [] }) => labels.length),
    milestones: inGroups(({ milestones = [] }) => milestones.length) + sum(({ milestones = [] }) => milestones.length),
    epics: inGroups(({ epics = [] }) => epics.length),
    issues: sum(({ issues = [] }) => issues.length),
    merge_requests: sum((project) => project.merge_requests?.length ?? 0),
    notes: sum(({ issues = [], merge_requests: mergeRequests = [] }) =>
      [...issues, ...mergeRequests]
        .flatMap(({ notes = [] }) => notes)
        .reduce((total, { replies = [] }) => total + 1 + replies.length, 0),
    ),
    snippets: (seed.snippets?.length ?? 0) + sum((project) => project.snippets?.length ?? 0),
    releases: sum(({ releases = [] }) => releases.length),
    pipelines: sum(({ pipelines = [] }) => pipelines.length),
    jobs: sum(({ pipelines = [] }) => pipelines.reduce((total, { jobs = [] }) => total + jobs.length, 0)),
    packages: sum(({ packages = [] }) => packages.length),
    container_repositories: sum((project) => project.container_repositories?.length ?? 0),
    client_keys: sum((project) => project.error_tracking?.client_keys?.length ?? 0),
    personal_access_tokens: seed.personal_access_tokens?.length ?? 0,
    applications: seed.applications?.length ?? 0,
  };
}

/** Returns the generated secrets as lines for a terminal. */
export function secretLines({ passwords, tokens, applications }: MadeSecrets): string[] {
  return [
    ...passwords.map(({ username, password }) => `password of ${username}: ${password}`),
    ...tokens.map(({ username, name, token }) => `personal access token "${name}" of ${username}: ${token}`),
    ...applications.map(({ name, application_id: id, secret }) =>
      secret === null ? `application "${name}": ${id}` : `application "${name}": ${id}, secret: ${secret}`,
    ),
  ];
}

/** Returns true if a server has no data yet, so that a seed file can be applied at its start. */
export function isUntouched(core: Core): boolean {
  const containers =
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM projects_view) OR EXISTS (SELECT 1 FROM namespaces_view WHERE kind = 'group')";
  return isUnclaimed(core) && !hasPeopleBesidesRoot(core) && core.store.get(containers) === undefined;
}
