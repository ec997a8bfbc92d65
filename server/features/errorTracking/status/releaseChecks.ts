import type { GitCore } from '../../../repositories/repositories.ts';
import type { LiveCore } from '../../../core/live.ts';
import { isAncestor } from '../../git/git.ts';
import { projectById } from '../../projectAccess/projectAccess.ts';
import type { TrackingCore } from '../trackingCore.ts';
import { commitsOfReleases } from '../releases/releaseCommits.ts';
import { baselineOf } from '../releases/releaseOrder.ts';
import { endState, stateOf } from './errorStatus.ts';
import { checkedError, firstReleaseCheck, firstReleaseCheckAt, type ReleaseCheck, setKnownOlder } from './releaseCheckStore.ts';

type CheckCore = GitCore & LiveCore & TrackingCore;

/**
 * Checks releases that are named by commits in the repository of the project, soon after their events were counted. An error that was
 * resolved in the next release is reopened unless the commit is an ancestor of its baseline.
 */
export function startReleaseChecks(core: CheckCore): void {
  const { store, changes, schedule, live, log } = core;
  let isRunning = false;
  const run = (): void => {
    if (isRunning || live.isEnded) return;
    isRunning = true;
    checkReleases(core)
      .catch((error: unknown) => {
        if (!live.isEnded) log.error('releases could not be compared in the repository', error);
      })
      .finally(() => {
        isRunning = false;
      });
  };
  changes.subscribe(({ kind }) => {
    if (kind === 'releaseCheckAdded') setImmediate(run);
  });
  schedule.add({
    name: 'compare releases in repositories',
    next: () => (isRunning ? null : firstReleaseCheckAt(store)),
    run: () => {
      run();
      return false;
    },
  });
}

async function checkReleases(core: CheckCore): Promise<void> {
  const { store, live, log } = core;
  for (;;) {
    const check = live.isEnded ? undefined : firstReleaseCheck(store);
    if (check === undefined) return;
    const isOlder = await isOlderInRepository(core, check).catch((error: unknown) => {
      // An error that may have come back is shown, and later checks must not wait for this one.
      if (!live.isEnded) log.error('a release could not be looked up in the repository', error);
      return false;
    });
    if (live.isEnded) return;
    store.transaction(() => applyCheck(core, check, isOlder));
  }
}

/** Returns true if the commit of the release is the baseline or one of its ancestors. */
async function isOlderInRepository(core: CheckCore, check: ReleaseCheck): Promise<boolean> {
  const { store } = core;
  const { release } = check;
  const error = checkedError(store, check);
  const state = error && stateOf(error);
  const baseline = state !== undefined && 'releases' in state ? baselineOf(release, state.releases) : undefined;
  const project = error && projectById(store, error.project_id, 0);
  if (baseline === undefined || project === undefined) return false;
  const commits = await commitsOfReleases(core, project, [release, baseline]);
  const [commit, fixed] = [commits.get(release), commits.get(baseline)];
  return commit !== undefined && fixed !== undefined && (await isAncestor(core, project, commit, fixed));
}

function applyCheck(core: CheckCore, check: ReleaseCheck, isOlder: boolean): void {
  const { store } = core;
  // The status may have changed meanwhile, which removes the check.
  const error = checkedError(store, check);
  if (error === undefined) return;
  if (isOlder) setKnownOlder(store, check);
  else endState(core, error, { status: 'unresolved' }, 'regressed');
}
