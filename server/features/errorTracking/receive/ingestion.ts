import type { TrackingCore } from '../trackingCore.ts';
import { userHasher } from '../event/userHashes.ts';
import type { Program } from './keyUseStore.ts';
import { createSenderLookup, type Sender } from './senders.ts';

/** Parts shared by the requests of SDKs. */
export interface Ingestion {
  readonly core: TrackingCore;
  readonly findSender: ReturnType<typeof createSenderLookup>;
  readonly userHashOf: ReturnType<typeof userHasher>;
  readonly isRepeatedReport: ReturnType<typeof createRepeatDetector>;
}

export function createIngestion(core: TrackingCore): Ingestion {
  return {
    core,
    findSender: createSenderLookup(core),
    userHashOf: userHasher(core),
    isRepeatedReport: createRepeatDetector(),
  };
}

/** Counts an event of a program that was written. */
export function countEvent(
  { core: { ingestStats } }: Ingestion,
  { projectId, keyId }: Sender,
  now: number,
  isNew: boolean,
  program: Program,
): void {
  ingestStats.count(now, projectId, isNew ? 'accepted' : 'repeated', 'event');
  if (isNew) ingestStats.keyUse.usedBy(keyId, now, program, 1);
}

const MAX_REMEMBERED_REPORTS = 500;

/**
 * Returns a function that detects client reports that were already received by the other endpoint, because an SDK with
 * `spotlight` sends every envelope twice.
 */
function createRepeatDetector(): ({ projectId, keyId }: Sender, bodyHash: string) => boolean {
  const reported = new Map<string, boolean>();
  return ({ projectId, keyId }, bodyHash) => {
    const name = `${projectId}/${bodyHash}`;
    const hasKey = keyId !== 0;
    if (reported.get(name) === !hasKey) return reported.delete(name);
    if (reported.size >= MAX_REMEMBERED_REPORTS) for (const oldest of reported.keys()) if (reported.delete(oldest)) break;
    reported.set(name, hasKey);
    return false;
  };
}
