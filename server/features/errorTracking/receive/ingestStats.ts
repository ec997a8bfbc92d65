import { DAY, SECOND } from '../../../core/clock.ts';
import type { Changes } from '../../../core/changes.ts';
import type { Log } from '../../../core/log.ts';
import type { Store } from '../../../store/open.ts';
import { storageFailureOf } from '../../../store/storageFailure.ts';
import {
  addToIngestStats,
  countIngestStatsRows,
  type DayRow,
  insertIngestStats,
  type Outcome,
  type RefusalRow,
  writeRefusal,
} from './ingestStatsStore.ts';
import { isProject } from '../../projectAccess/projectAccess.ts';
import { holdsSecretForm } from '../event/secretForms.ts';
import { createKeyUse, type KeyUse, type WrittenKey } from './keyUse.ts';
import type { OfferedKey } from './offeredKeys.ts';
import type { DiscardedCount } from '../releases/sessionItems.ts';
import type { RefusalCode } from './ingestRefusal.ts';

/** A refused request without secrets. */
export interface RefusedRequest {
  readonly at: number;
  readonly code: RefusalCode;
  readonly status: number;
  readonly reason: string;
  readonly endpoint: RefusalRow['endpoint'];
  readonly offered: OfferedKey | undefined;
}

/**
 * Counts what SDKs send, by project and day. Counters are held in memory and written periodically, so the last second is lost if
 * the process is killed. Nothing else depends on them.
 */
export interface IngestStats {
  count(at: number, projectId: number, outcome: Exclude<Outcome, 'discarded' | 'refused'>, name: string, quantity?: number): void;
  /** Counts items that an SDK reports as discarded (item `client_report`, docs/interface.md#error-ingestion). */
  discarded(at: number, projectId: number, counts: readonly DiscardedCount[]): void;
  /** Use of client keys, which is written together with the counters. */
  readonly keyUse: Pick<KeyUse, 'used' | 'usedBy'>;
  /** Counts a refused request. Does nothing for a project or a key that does not exist. */
  refused(projectId: number, request: RefusedRequest): void;
  /** Writes the counters. If writing fails they are kept for the next time. If the disk is full, readers still see them. */
  flush(): void;
  /** Writes a last time, before the database is closed. */
  end(): void;
}

const PAUSE = SECOND;
/** Maximum length of the reason of a refusal. */
const MAX_REASON = 300;
/** Maximum number of counters in memory. Beyond it they are written at once. */
const MAX_HELD = 2000;
/**
 * Maximum number of counters per project, day and outcome. Others are counted as `other`, because anyone with a key can invent
 * names.
 */
export const MAX_COUNTERS = 100;
const OTHER = 'other';

/** Types of ignored items, as SDKs name them (docs/interface.md#error-ingestion). */
const knownTypes: ReadonlySet<string> = new Set([
  'attachment',
  'check_in',
  'feedback',
  'form_data',
  'log',
  'metric',
  'metric_buckets',
  'metric_meta',
  'nel',
  'otel_log',
  'otel_span',
  'otel_traces_data',
  'profile',
  'profile_chunk',
  'raw_security',
  'replay_event',
  'replay_recording',
  'replay_video',
  'security',
  'span',
  'statsd',
  'trace_metric',
  'transaction',
  'unreal_report',
  'user_report',
]);

export function createIngestStats(store: Store, log: Log, changes: Changes): IngestStats {
  let counts = new Map<string, DayRow>();
  let refusals = new Map<number, RefusalRow>();
  const keyUse = createKeyUse();
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (counts.size === 0 && refusals.size === 0 && keyUse.isEmpty()) return;
    const writeAll = (): readonly WrittenKey[] => {
      for (const row of counts.values()) write(store, row);
      for (const row of refusals.values()) if (isProject(store, row.project_id)) writeRefusal(store, row);
      return keyUse.write(store);
    };
    try {
      store.transaction(() => {
        for (const { id, project_id: projectId } of writeAll()) changes.publish({ kind: 'clientKeyUsed', projectId, keyId: id });
      });
      counts = new Map();
      refusals = new Map();
      keyUse.clear();
    } catch (error) {
      log.error('the ingest statistics could not be written', error);
      if (storageFailureOf(error) !== undefined && !isEnded) store.provisionally(writeAll);
      if (counts.size > MAX_HELD) counts = new Map();
      if (keyUse.isFull()) keyUse.clear();
    }
  };
  let isEnded = false;
  const scheduleFlush = (): void => {
    if (isEnded) return;
    if (counts.size > MAX_HELD || keyUse.isFull()) flush();
    else timer ??= setTimeout(flush, PAUSE).unref();
  };
  const add = (at: number, projectId: number, outcome: Outcome, name: string, category: string, quantity: number): void => {
    const day = Math.floor(at / DAY);
    const key = `${projectId}/${day}/${outcome}/${name}/${category}`;
    const current = counts.get(key)?.quantity ?? 0;
    counts.set(key, {
      project_id: projectId,
      day,
      outcome,
      name,
      category,
      quantity: Math.min(current + quantity, Number.MAX_SAFE_INTEGER),
      last_at: at,
    });
    scheduleFlush();
  };

  return {
    count: (at, projectId, outcome, name, quantity = 1) => {
      if (quantity > 0) add(at, projectId, outcome, outcome === 'ignored' && !knownTypes.has(name) ? OTHER : name, '', quantity);
    },
    discarded: (at, projectId, discarded) => {
      for (const { reason, category, quantity } of discarded) {
        if (!Number.isSafeInteger(quantity) || quantity < 1) continue;
        add(at, projectId, 'discarded', nameOrOther(reason), nameOrOther(category), quantity);
      }
    },
    keyUse: {
      used: (keyId, at) => {
        keyUse.used(keyId, at);
        scheduleFlush();
      },
      usedBy: (keyId, at, program, events) => {
        keyUse.usedBy(keyId, at, program, events);
        scheduleFlush();
      },
    },
    refused: (projectId, { at, code, status, reason, endpoint, offered }) => {
      if (offered !== undefined) {
        keyUse.refused(offered.key, { at, code, status, reason: reason.slice(0, MAX_REASON) });
        scheduleFlush();
      }
      // Checked only once per flush, because a flood usually concerns the same project.
      if (!refusals.has(projectId) && !isProject(store, projectId)) return;
      refusals.set(projectId, {
        project_id: projectId,
        at,
        code,
        status,
        reason: reason.slice(0, MAX_REASON),
        endpoint,
        key_start: offered === undefined ? null : keyStart(offered.key),
        client: offered?.client !== undefined && isClientName(offered.client) ? offered.client : null,
      });
      add(at, projectId, 'refused', code, '', 1);
    },
    flush,
    end: () => {
      flush();
      isEnded = true;
    },
  };
}

function write(store: Store, row: DayRow): void {
  if (addToIngestStats(store, row)) return;
  // The project may have been deleted meanwhile.
  if (!isProject(store, row.project_id)) return;
  if (countIngestStatsRows(store, row) < MAX_COUNTERS) return insertIngestStats(store, row);
  const other = { ...row, name: OTHER, category: row.category === '' ? '' : OTHER };
  if (!addToIngestStats(store, other)) insertIngestStats(store, other);
}

function nameOrOther(name: string): string {
  return /^[a-z][a-z0-9_]{0,63}$/.test(name) && !holdsSecretForm(name) ? name : OTHER;
}

function isClientName(name: string): boolean {
  return /^[\w.@/ +-]{1,64}$/.test(name) && !holdsSecretForm(name);
}

/**
 * Returns enough of a client key to find it in a list. Anything else may be a misplaced secret, so almost nothing of it is kept.
 */
function keyStart(key: string): string {
  return `${/^glet_[0-9a-f]{32}$/.test(key) ? key.slice(0, 9) : key.slice(0, 3).replaceAll(/[^\w-]/g, '')}…`;
}
