import { isoTime } from '../../core/clock.ts';
import { findGroup } from '../groups/groups.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { findProjects, shownProjects } from '../projectAccess/projectAccess.ts';
import { presentProjectBasic } from '../projects/projects.ts';
import { managesRunner, type Runner } from './manageRunners.ts';
import type { runner as runnerResponse, runnerDetails } from './responses.ts';
import { statusOf } from './rules.ts';
import { projectIdsOf, tagsOf } from './store.ts';

export function presentRunner(runner: Runner, now: number): ResponseOf<typeof runnerResponse> {
  const status = statusOf(runner, now);
  const isPaused = runner.paused === 1;
  return {
    id: runner.id,
    description: runner.description,
    ip_address: null,
    active: !isPaused,
    paused: isPaused,
    is_shared: runner.runner_type === 'instance_type',
    runner_type: runner.runner_type,
    name: runner.name,
    online: runner.contacted_at === null ? null : status === 'online',
    status: isPaused && (status === 'online' || status === 'offline') ? 'paused' : status,
  };
}

/** Presents a runner with its details; projects and groups that the caller does not see are left out. */
export function presentDetails(
  core: Core,
  runner: Runner,
  { caller, now, baseUrl }: { readonly caller: Caller; readonly now: number; readonly baseUrl: string },
): ResponseOf<typeof runnerDetails> {
  const ids = projectIdsOf(core.store, runner.id);
  const projects = findProjects(core, ids, caller);
  const group = runner.group_id === null ? undefined : findGroup(core, runner.group_id, caller)?.group;
  return {
    ...presentRunner(runner, now),
    tag_list: tagsOf(core.store, runner.id),
    run_untagged: runner.run_untagged === 1,
    locked: runner.locked === 1,
    maximum_timeout: runner.maximum_timeout,
    access_level: runner.access_level,
    version: runner.version,
    revision: runner.revision,
    platform: runner.platform,
    architecture: runner.architecture,
    contacted_at: runner.contacted_at === null ? null : isoTime(runner.contacted_at),
    maintenance_note: managesRunner(core, caller, runner) ? runner.maintenance_note : null,
    projects: shownProjects(
      core,
      ids.flatMap((id) => projects.get(id)?.project ?? []),
    ).map((project) => presentProjectBasic(project, baseUrl)),
    groups: group === undefined ? [] : [{ id: group.id, web_url: `${baseUrl}/groups/${group.full_path}`, name: group.name }],
  };
}
