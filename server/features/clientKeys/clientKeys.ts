import { randomBytes } from 'node:crypto';
import { invalidRecord } from '../../http/failures.ts';
import type { Platform } from '../../platform.ts';
import { type ClientKeyRow, deleteKeyRow, insertKey, isKeyTaken, listKeys, openKey, refusalDetails } from './store.ts';

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
 * @throws {WireFailure} 400 if the requested public key is taken.
 */
export function createClientKey(platform: Platform, projectId: number, input: NewClientKey = {}): ClientKey {
  const { store, clock, changes } = platform;
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
export function clientKeysOf(platform: Platform, projectId: number, limit: number): readonly ClientKey[] {
  return listKeys(platform.store, projectId, limit, 0);
}

/** Deletes a client key. Requests with it are refused from then on. */
export function deleteClientKey(platform: Platform, key: ClientKey): void {
  platform.store.transaction(() => {
    deleteKeyRow(platform.store, key.id);
    platform.changes.publish({ kind: 'clientKeyRemoved', projectId: key.project_id, keyId: key.id, publicKey: key.public_key });
  });
}

/** Permission to send errors to a project. */
export interface Sender {
  readonly projectId: number;
  /** ID of the client key; 0 for local clients, which need no key. */
  readonly keyId: number;
  /** True if secrets are removed from events. */
  readonly scrub: boolean;
}

export type Refusal =
  | 'no such project'
  | 'error tracking is off'
  | 'no such key'
  | 'the key is inactive'
  | 'the key belongs to another project';

/**
 * Returns the sender with a public key, or why it is refused. Valid keys take a single lookup in the index of keys; public keys are not
 * secrets.
 */
export function findSender(platform: Platform, projectId: number, publicKey: string): Sender | { readonly refused: Refusal } {
  const { store } = platform;
  const open = openKey(store, projectId, publicKey);
  if (open !== undefined) return { projectId, keyId: open.key_id, scrub: open.scrub_data === 1 };
  const details = refusalDetails(store, projectId, publicKey);
  if (details === undefined) return { refused: 'no such project' };
  if (details.is_tracked === 0) return { refused: 'error tracking is off' };
  if (details.key_project_id === null) return { refused: 'no such key' };
  return { refused: details.key_project_id === projectId ? 'the key is inactive' : 'the key belongs to another project' };
}

/** Maximum number of cached senders. */
const MAX_SENDERS = 1000;

/**
 * Returns {@link findSender} with a cache, for use with every request: a read outside a transaction costs as much as parsing an event.
 * Senders are cached until anything other than errors changes. Refusals are not cached.
 */
export function createSenderLookup(platform: Platform): (projectId: number, publicKey: string) => ReturnType<typeof findSender> {
  const cached = new Map<string, Sender>();
  platform.changes.subscribe(({ kind }) => {
    if (kind !== 'errorAppeared' && kind !== 'errorRegressed' && kind !== 'errorEscalated') cached.clear();
  });
  return (projectId, publicKey) => {
    const name = `${projectId}:${publicKey}`;
    const sender = cached.get(name);
    if (sender !== undefined) return sender;
    const found = findSender(platform, projectId, publicKey);
    if (!('refused' in found)) {
      if (cached.size >= MAX_SENDERS) cached.clear();
      cached.set(name, found);
    }
    return found;
  };
}
