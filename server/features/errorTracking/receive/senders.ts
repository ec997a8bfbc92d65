import type { Change } from '../../../core/changes.ts';
import type { Core } from '../../../core/core.ts';
import { findClientKey } from '../../clientKeys/clientKeys.ts';
import { isProject } from '../../projectAccess/projectAccess.ts';
import { settingsRow } from '../settings/settingsStore.ts';

/** Permission to send errors to a project. */
export interface Sender {
  readonly projectId: number;
  /** ID of the client key; 0 for local clients, which need no key. */
  readonly keyId: number;
  /** True if secrets are removed from events. */
  readonly scrub: boolean;
}

/** Reason why a client key is refused. */
export type SenderRefusal =
  | 'no such project'
  | 'error tracking is off'
  | 'no such key'
  | 'the key is inactive'
  | 'the key belongs to another project';

/** Returns the sender with a public key, or why it is refused. Valid keys take one row of each of two indexes. */
export function findSender(
  { store }: Pick<Core, 'store'>,
  projectId: number,
  publicKey: string,
): Sender | { readonly refused: SenderRefusal } {
  const key = findClientKey({ store }, publicKey);
  const settings = settingsRow(store, projectId);
  const isTracked = settings?.enabled === 1 && settings.integrated === 1;
  if (isTracked && key?.active === 1 && key.project_id === projectId) {
    return { projectId, keyId: key.id, scrub: settings.scrub_data === 1 };
  }
  if (!isProject(store, projectId)) return { refused: 'no such project' };
  if (!isTracked) return { refused: 'error tracking is off' };
  if (key === undefined) return { refused: 'no such key' };
  return { refused: key.project_id === projectId ? 'the key is inactive' : 'the key belongs to another project' };
}

/** Changes that events make, which say nothing about senders. */
const ofEvents: ReadonlySet<Change['kind']> = new Set([
  'errorAppeared',
  'errorRegressed',
  'errorEscalated',
  'errorCounted',
  'clientKeyUsed',
]);

/** Maximum number of cached senders. */
const MAX_SENDERS = 1000;

/**
 * Returns {@link findSender} with a cache, for use with every request: a read outside a transaction costs as much as parsing an event.
 * Senders are cached until anything other than errors changes. Refusals are not cached.
 */
export function createSenderLookup({
  store,
  changes,
}: Pick<Core, 'store' | 'changes'>): (projectId: number, publicKey: string) => ReturnType<typeof findSender> {
  const cached = new Map<string, Sender>();
  changes.subscribe(({ kind }) => {
    if (!ofEvents.has(kind)) cached.clear();
  });
  return (projectId, publicKey) => {
    const name = `${projectId}:${publicKey}`;
    const sender = cached.get(name);
    if (sender !== undefined) return sender;
    const found = findSender({ store }, projectId, publicKey);
    if (!('refused' in found)) {
      if (cached.size >= MAX_SENDERS) cached.clear();
      cached.set(name, found);
    }
    return found;
  };
}
