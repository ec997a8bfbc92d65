import { randomBytes } from 'node:crypto';
import { invalidRecord } from '../http/failures.ts';
import type { Platform } from '../platform.ts';
import { type ClientKeyRow, deleteKeyRow, insertKey, isKeyTaken, listKeys, openKey, senderMetadata } from './store.ts';

export type ClientKey = ClientKeyRow;

/** A key as the server makes them: SDKs take letters, digits and underscores only. */
export function randomPublicKey(): string {
  return `glet_${randomBytes(16).toString('hex')}`;
}

export interface NewClientKey {
  /** A random one when left out. */
  readonly publicKey?: string | undefined;
  readonly active?: boolean | undefined;
}

/** Makes a key of a project, whether or not its errors are tracked. Throws 400 where the wished one is taken. */
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

/** Keys of a project, the oldest first. */
export function clientKeysOf(platform: Platform, projectId: number, limit: number): readonly ClientKey[] {
  return listKeys(platform.store, projectId, limit, 0);
}

/** Deletes a key; from then on nobody sends with it. */
export function deleteClientKey(platform: Platform, key: ClientKey): void {
  platform.store.transaction(() => {
    deleteKeyRow(platform.store, key.id);
    platform.changes.publish({ kind: 'clientKeyRemoved', projectId: key.project_id, keyId: key.id, publicKey: key.public_key });
  });
}

/** Somebody who may send errors to a project. */
export interface Sender {
  readonly projectId: number;
  /** Zero: they have none, and need none. */
  readonly keyId: number;
  /** Whether secrets are taken out of what they send. */
  readonly scrub: boolean;
}

export type Refusal =
  | 'no such project'
  | 'error tracking is off'
  | 'no such key'
  | 'the key is inactive'
  | 'the key is of another project';

/**
 * Who sends errors, by the number of the project and the public key: one look-up in the index of keys, which are no secrets, where nothing
 * is wrong.
 */
export function findSender(platform: Platform, projectId: number, publicKey: string): Sender | { readonly refused: Refusal } {
  const { store } = platform;
  const open = openKey(store, projectId, publicKey);
  if (open !== undefined) return { projectId, keyId: open.key_id, scrub: open.scrub_data === 1 };
  const metadata = senderMetadata(store, projectId, publicKey);
  if (metadata === undefined) return { refused: 'no such project' };
  if (metadata.is_tracked === 0) return { refused: 'error tracking is off' };
  if (metadata.key_project_id === null) return { refused: 'no such key' };
  return { refused: metadata.key_project_id === projectId ? 'the key is inactive' : 'the key is of another project' };
}

/** More than so many senders at once are not remembered. */
const MAX_SENDERS = 1000;

/**
 * {@link findSender} for those who ask with every request. Who may send is remembered until anything changes but the errors themselves: a
 * read outside a transaction costs as much as to take an event to pieces. Who may not is looked up again each time.
 */
export function createSenderLookup(platform: Platform): (projectId: number, publicKey: string) => ReturnType<typeof findSender> {
  const known = new Map<string, Sender>();
  platform.changes.subscribe(({ kind }) => {
    if (kind !== 'errorAppeared' && kind !== 'errorRegressed' && kind !== 'errorEscalated') known.clear();
  });
  return (projectId, publicKey) => {
    const name = `${projectId}:${publicKey}`;
    const before = known.get(name);
    if (before !== undefined) return before;
    const found = findSender(platform, projectId, publicKey);
    if (!('refused' in found)) {
      if (known.size >= MAX_SENDERS) known.clear();
      known.set(name, found);
    }
    return found;
  };
}
