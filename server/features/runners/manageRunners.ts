import { randomBytes } from 'node:crypto';
import { findGroup } from '../groups/groups.ts';
import { badRequest, forbidden, invalidRecord, notFound } from '../../core/errors.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { findProject } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { hashSecret } from '../../core/secrets.ts';
import { ownerOfToken } from '../registrationTokens/registrationTokens.ts';
import { type RunnerErrors, runnerErrors, type RunnerType, sentencesOf } from './rules.ts';
import {
  assignProject,
  deleteRunnerRow,
  insertRunner,
  projectIdsOf,
  runnerByHash,
  runnerById,
  type RunnerInfo,
  type RunnerRow,
  type RunnerValues,
  tagsOf,
  unassignProject,
  writeContact,
  writeRunner,
  writeTags,
  writeToken,
} from './store.ts';

// Runners for CI jobs. They are created by users or registered with a registration token, and authenticate with a token of their own. The
// server has no jobs for them.

export type Runner = RunnerRow;

/** Prefixes of authentication tokens: of created runners, and of those registered with a registration token. */
const CREATED_PREFIX = 'glrt-';
const REGISTERED_PREFIX = 'glrtr-';
const TOKEN_BYTES = 15;

/** Changes of a runner. Omitted values do not change; new runners get the defaults. */
export interface RunnerInput {
  readonly description?: string | undefined;
  readonly maintenanceNote?: string | undefined;
  readonly paused?: boolean | undefined;
  readonly locked?: boolean | undefined;
  readonly runUntagged?: boolean | undefined;
  readonly accessLevel?: RunnerRow['access_level'] | undefined;
  /** In seconds; null for none. */
  readonly maximumTimeout?: number | null | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Where a runner takes jobs from. `id` is that of the group or project. */
export interface RunnerScope {
  readonly type: RunnerType;
  readonly id: number;
}

/** A new or changed authentication token, which is returned only once. */
export interface Issued {
  readonly runner: Runner;
  readonly token: string;
}

const noInfo: RunnerInfo = { name: null, version: null, revision: null, platform: null, architecture: null };

const defaults: RunnerValues = {
  description: null,
  maintenance_note: null,
  paused: 0,
  locked: 0,
  run_untagged: 1,
  access_level: 'not_protected',
  maximum_timeout: null,
};

function valuesOf(before: RunnerValues, input: RunnerInput): RunnerValues {
  const flag = (sent: boolean | undefined, known: 0 | 1): 0 | 1 => (sent === undefined ? known : sent ? 1 : 0);
  return {
    description: input.description ?? before.description,
    maintenance_note: input.maintenanceNote ?? before.maintenance_note,
    paused: flag(input.paused, before.paused),
    locked: flag(input.locked, before.locked),
    run_untagged: flag(input.runUntagged, before.run_untagged),
    access_level: input.accessLevel ?? before.access_level,
    maximum_timeout: input.maximumTimeout === undefined ? before.maximum_timeout : input.maximumTimeout,
  };
}

function refuseErrors(errors: RunnerErrors): void {
  if (Object.keys(errors).length > 0) throw invalidRecord(errors);
}

function newToken(prefix: string): string {
  return prefix + randomBytes(TOKEN_BYTES).toString('base64url');
}

function insert(
  { store, clock }: Core,
  scope: RunnerScope,
  { input, info, isCreated }: { readonly input: RunnerInput; readonly info: RunnerInfo; readonly isCreated: boolean },
): Issued {
  const token = newToken(isCreated ? CREATED_PREFIX : REGISTERED_PREFIX);
  return store.transaction(() => {
    const id = insertRunner(
      store,
      {
        ...valuesOf(defaults, input),
        ...info,
        runner_type: scope.type,
        group_id: scope.type === 'group_type' ? scope.id : null,
        is_created: isCreated ? 1 : 0,
      },
      hashSecret(token),
      clock.now(),
    );
    writeTags(store, id, input.tags ?? []);
    if (scope.type === 'project_type') assignProject(store, id, scope.id);
    const runner = runnerById(store, id);
    if (runner === undefined) throw new Error('the new runner was not stored');
    return { runner, token };
  });
}

/**
 * Registers a runner with a registration token, which decides where it takes jobs from.
 *
 * @throws {Forbidden} for an invalid token, `Invalid` for validation errors.
 */
export function registerRunner(core: Core, token: string, input: RunnerInput, info: Partial<RunnerInfo>): Issued {
  const owner = ownerOfToken(core, token);
  if (owner === undefined)
    throw forbidden('invalid token supplied', 'no registration token has this value', 'runner.registration');
  refuseErrors(runnerErrors(valuesOf(defaults, input), input.tags ?? []));
  const scope = { type: `${owner.kind}_type`, id: owner.id } as const;
  return insert(core, scope, { input, info: { ...noInfo, ...info }, isCreated: false });
}

/**
 * Creates a runner for a user.
 *
 * @throws {Forbidden} without the permission, `Refused` for a missing group or project, `Invalid` for validation errors.
 */
export function createRunner(core: Core, caller: Pick<Caller, 'user'>, scope: RunnerScope, input: RunnerInput): Issued {
  if (!mayManage(core, caller, scope)) {
    throw forbidden('Insufficient permissions', 'the user may not create runners here', 'runner.create');
  }
  const errors = sentencesOf(runnerErrors(valuesOf(defaults, input), input.tags ?? []));
  if (errors.length > 0) throw badRequest(errors.join(' and '));
  return insert(core, scope, { input, info: noInfo, isCreated: true });
}

/**
 * Returns true if a user manages the runners of the instance (administrators), of a group (owners) or of a project (maintainers).
 *
 * @throws {Refused} for a group or project that the user does not see.
 */
function mayManage(core: Core, caller: Pick<Caller, 'user'>, { type, id }: RunnerScope): boolean {
  if (type === 'instance_type') return caller.user.admin === 1;
  const isGroup = type === 'group_type';
  const access = isGroup ? findGroup(core, id, caller)?.access : findProject(core, id, caller)?.access;
  if (access === undefined)
    throw badRequest('Missing/invalid scope', `the user sees no ${isGroup ? 'group' : 'project'} with this ID`);
  return holdsRole(access, isGroup ? 'owner' : 'maintainer');
}

/** @throws {Forbidden} if no runner has this authentication token. */
export function authenticateRunner({ store }: Core, token: string): Runner {
  const runner = runnerByHash(store, hashSecret(token));
  if (runner === undefined) throw forbidden(undefined, 'no runner has this authentication token', 'runner.token');
  return runner;
}

/** Stores that a runner contacted the server now, and what it says about itself. */
export function recordContact({ store, clock }: Core, runner: Runner, info: Partial<RunnerInfo>): void {
  writeContact(store, runner.id, { ...noInfo, ...info }, clock.now());
}

/** Replaces the authentication token of a runner, and returns the new one. */
export function resetToken({ store }: Core, runner: Runner): string {
  const token = newToken(runner.is_created === 1 ? CREATED_PREFIX : REGISTERED_PREFIX);
  writeToken(store, runner.id, hashSecret(token));
  return token;
}

/** @throws {NotFound} if there is no runner with this ID. */
export function mustFindRunner({ store }: Core, id: number): Runner {
  const runner = runnerById(store, id);
  if (runner === undefined) throw notFound('Runner', 'there is no runner with this ID');
  return runner;
}

/** Returns true if a user manages a runner: in its group, or in one of its projects. */
export function managesRunner(core: Core, caller: Pick<Caller, 'user'>, runner: Runner): boolean {
  if (caller.user.admin === 1) return true;
  if (runner.group_id !== null) {
    const access = findGroup(core, runner.group_id, caller)?.access;
    return access !== undefined && holdsRole(access, 'owner');
  }
  return projectIdsOf(core.store, runner.id).some((id) => {
    const access = findProject(core, id, caller)?.access;
    return access !== undefined && holdsRole(access, 'maintainer');
  });
}

function noAccess(): Error {
  return forbidden('No access granted', 'the user does not manage the group or a project of the runner', 'runner.access');
}

/** @throws {Forbidden} if the user may not see a runner. Everyone sees runners of the instance. */
export function demandVisible(core: Core, caller: Pick<Caller, 'user'>, runner: Runner): void {
  if (runner.runner_type !== 'instance_type' && !managesRunner(core, caller, runner)) throw noAccess();
}

/** @throws {Forbidden} if the user does not manage a runner. */
export function demandManagement(core: Core, caller: Pick<Caller, 'user'>, runner: Runner): void {
  if (!managesRunner(core, caller, runner)) throw noAccess();
}

/**
 * Changes a runner and returns it.
 *
 * @throws {Invalid} for validation errors.
 */
export function updateRunner({ store }: Core, runner: Runner, input: RunnerInput): Runner {
  const values = valuesOf(runner, input);
  refuseErrors(runnerErrors(values, input.tags ?? tagsOf(store, runner.id)));
  store.transaction(() => {
    writeRunner(store, runner.id, values);
    if (input.tags !== undefined) writeTags(store, runner.id, input.tags);
  });
  return { ...runner, ...values };
}

/** Deletes a runner, which can no longer authenticate. */
export function deleteRunner({ store }: Core, runner: Runner): void {
  deleteRunnerRow(store, runner.id);
}

/** @throws {Forbidden} if the user may not delete a runner; only administrators delete those of several projects. */
export function demandDeletion(core: Core, caller: Pick<Caller, 'user'>, runner: Runner): void {
  if (caller.user.admin !== 1 && projectIdsOf(core.store, runner.id).length > 1) {
    throw forbidden('Runner associated with more than one project', 'only administrators delete such runners', 'runner.projects');
  }
  demandManagement(core, caller, runner);
}

/**
 * Assigns a project runner to another project.
 *
 * @throws {Forbidden} if the runner is one of a group, is locked, or is not managed by the user; `Refused` if it cannot be assigned.
 */
export function assignRunner(core: Core, caller: Pick<Caller, 'user'>, runner: Runner, projectId: number): void {
  if (runner.runner_type === 'group_type') {
    throw forbidden('Runner is a group runner', 'only project runners are assigned', 'runner.type');
  }
  if (caller.user.admin !== 1) {
    if (runner.locked === 1) throw forbidden('Runner is locked', 'the runner is locked to its projects', 'runner.locked');
    demandManagement(core, caller, runner);
  }
  if (runner.runner_type === 'instance_type')
    throw badRequest('Runner is an instance runner', 'only project runners are assigned');
  if (projectIdsOf(core.store, runner.id).includes(projectId)) {
    throw badRequest('Runner has already been taken', 'the runner is assigned to the project already');
  }
  assignProject(core.store, runner.id, projectId);
}

/**
 * Takes a runner from a project.
 *
 * @throws {NotFound} if it is not assigned to the project, `Forbidden` if the project owns it.
 */
export function unassignRunner({ store }: Core, caller: Pick<Caller, 'user'>, runnerId: number, projectId: number): void {
  const runner = runnerById(store, runnerId);
  const ids = projectIdsOf(store, runnerId);
  if (runner === undefined || !ids.includes(projectId)) throw notFound('Runner', 'the runner is not assigned to the project');
  if (runner.locked === 1 && caller.user.admin !== 1) {
    throw forbidden('Runner is locked', 'the runner is locked to its projects', 'runner.locked');
  }
  if (ids[0] === projectId) {
    throw forbidden(
      'You cannot unassign a runner from the owner project. Delete the runner instead',
      'the project owns the runner',
      'runner.owner',
    );
  }
  unassignProject(store, runnerId, projectId);
}
