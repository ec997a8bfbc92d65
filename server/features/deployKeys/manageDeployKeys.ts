import { invalidRecord, notFound } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { isLongerThan } from '../../support/textLength.ts';
import { isKeyOfUser, readPublicKey } from '../sshKeys/sshKeys.ts';
import {
  deleteProjectKey,
  type DeployKeyRow,
  insertKey,
  isManaged,
  keyByFingerprint,
  keyById,
  projectKey,
  type ProjectKeyRow,
  writeProjectKey,
  writeTitle,
} from './store.ts';

// Public SSH keys of projects. They are records only, because this server has no SSH.

export type DeployKey = DeployKeyRow;
export type ProjectKey = ProjectKeyRow;

const MAX_TITLE = 255;

export interface NewDeployKey {
  readonly title: string;
  readonly key: string;
  readonly canPush: boolean;
  readonly expiresAt: number | undefined;
}

/**
 * Adds a key to a project. A key that the project or another project of the user has already is used again, with its title. A key of a
 * user is refused.
 *
 * @throws {Invalid} for validation errors.
 */
export function addDeployKey(core: Core, project: Project, user: User, input: NewDeployKey): ProjectKey {
  const { store, clock } = core;
  const read = readPublicKey(input.key);
  if (read === undefined) throw invalidRecord({ key: ['is invalid'] });
  checkTitle(input.title);
  return store.transaction(() => {
    const known = keyByFingerprint(store, read.fingerprintSha256);
    const own = known === undefined ? undefined : projectKey(store, project.id, known.id);
    if (own !== undefined) return own;
    const isTaken = known === undefined ? isKeyOfUser(store, read.fingerprintSha256) : !mayUse(core, known, user);
    if (isTaken) {
      throw invalidRecord({ 'deploy_key.fingerprint_sha256': ['has already been taken'] });
    }
    const id =
      known?.id ??
      insertKey(store, {
        title: input.title,
        key: read.text,
        fingerprint: read.fingerprint,
        fingerprint_sha256: read.fingerprintSha256,
        public: 0,
        created_at: clock.now(),
        expires_at: input.expiresAt ?? null,
      });
    return enable(core, project, id, input.canPush ? 1 : 0);
  });
}

function checkTitle(title: string): void {
  if (title.trim() === '') throw invalidRecord({ title: ["can't be blank"] });
  if (isLongerThan(title, MAX_TITLE)) throw invalidRecord({ title: [`is too long (maximum is ${MAX_TITLE} characters)`] });
}

/** Returns true if a user can add a key of other projects to a project: public keys, and those of projects that they maintain. */
function mayUse({ store }: Core, key: DeployKey, user: User): boolean {
  return key.public === 1 || user.admin === 1 || isManaged(store, key.id, user.id);
}

function enable(core: Core, project: Project, id: number, canPush: 0 | 1): ProjectKey {
  writeProjectKey(core.store, project.id, id, canPush);
  const key = mustFindKey(core, project, id);
  core.changes.publish({ kind: 'deployKeyAdded', keyId: id, projectId: project.id, title: key.title });
  return key;
}

/**
 * Enables a key of other projects for a project, without permission to push.
 *
 * @throws {NotFound} if there is no such key, or the user cannot use it.
 */
export function enableDeployKey(core: Core, project: Project, user: User, id: number): ProjectKey {
  const { store } = core;
  return store.transaction(() => {
    const key = keyById(store, id);
    if (key === undefined || !mayUse(core, key, user)) throw unknownKey();
    return projectKey(store, project.id, id) ?? enable(core, project, id, 0);
  });
}

/** @throws {NotFound} if the project has no such key. */
export function mustFindKey({ store }: Core, project: Project, id: number): ProjectKey {
  const key = projectKey(store, project.id, id);
  if (key === undefined) throw unknownKey();
  return key;
}

function unknownKey() {
  return notFound('Deploy Key', 'no such deploy key, or the caller cannot use it');
}

/**
 * Changes a key. Omitted values do not change.
 *
 * @throws {Invalid} for validation errors.
 */
export function updateDeployKey(
  core: Core,
  project: Project,
  key: ProjectKey,
  {
    title = key.title,
    canPush = key.can_push === 1,
  }: { readonly title: string | undefined; readonly canPush: boolean | undefined },
): ProjectKey {
  checkTitle(title);
  return core.store.transaction(() => {
    writeTitle(core.store, key.id, title);
    writeProjectKey(core.store, project.id, key.id, canPush ? 1 : 0);
    return mustFindKey(core, project, key.id);
  });
}

/** Removes a key from a project. A key that no other project uses is deleted. */
export function removeDeployKey({ store, changes }: Core, project: Project, { id: keyId, title }: ProjectKey): void {
  store.transaction(() => {
    deleteProjectKey(store, project.id, keyId);
    changes.publish({ kind: 'deployKeyRemoved', keyId, projectId: project.id, title });
  });
}
