import { randomBytes } from 'node:crypto';
import { invalidRecord } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import { type ClientKeyRow, deleteKeyRow, insertKey, isKeyTaken, keyById, keyByPublicKey, listKeys } from './clientKeyStore.ts';

export type ClientKey = ClientKeyRow;

/** Returns a random public key. SDKs accept only letters, digits and underscores. */
export function randomPublicKey(): string {
  return `glet_${randomBytes(16).toString('hex')}`;
}

export interface NewClientKey {
  /** Random if omitted. */
  readonly publicKey?: string | undefined;
  readonly active?: boolean | undefined;
}

/**
 * Creates a client key of a project, even if error tracking is off.
 *
 * @throws {Invalid} If the requested public key is taken.
 */
export function createClientKey(core: Core, projectId: number, input: NewClientKey = {}): ClientKey {
  const { store, clock, changes } = core;
  return store.transaction(() => {
    const publicKey = input.publicKey ?? randomPublicKey();
    if (isKeyTaken(store, publicKey)) throw invalidRecord({ public_key: ['has already been taken'] });
    const active = input.active === false ? 0 : 1;
    const row = { project_id: projectId, public_key: publicKey, active, created_at: clock.now() } as const;
    const id = insertKey(store, row);
    changes.publish({ kind: 'clientKeyMade', projectId, keyId: id, publicKey });
    return { id, ...row };
  });
}

/** Returns client keys of a project, oldest first. */
export function clientKeysOf(core: Core, projectId: number, limit: number): readonly ClientKey[] {
  return listKeys(core.store, projectId, limit, 0);
}

/** Returns the client key of a project with an ID. */
export function clientKeyOf({ store }: Pick<Core, 'store'>, projectId: number, id: number): ClientKey | undefined {
  return keyById(store, projectId, id);
}

/** Deletes a client key. Requests with it are refused from then on. */
export function deleteClientKey(core: Core, key: ClientKey): void {
  core.store.transaction(() => {
    deleteKeyRow(core.store, key.id);
    core.changes.publish({ kind: 'clientKeyRemoved', projectId: key.project_id, keyId: key.id, publicKey: key.public_key });
  });
}

/** Returns the client key with a public key. Public keys are not secrets. */
export function findClientKey({ store }: Pick<Core, 'store'>, publicKey: string): ClientKey | undefined {
  return keyByPublicKey(store, publicKey);
}
