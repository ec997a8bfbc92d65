import { randomBytes } from 'node:crypto';
import path from 'node:path';
import Database from 'better-sqlite3';
import { groupingOf } from '../../server/features/errorTracking/grouping/grouping.ts';
import { appendReports, type Report, writeReports } from '../../server/features/errorTracking/write/writeEvents.ts';
import type { Store } from '../../server/store/open.ts';
import { frameAt, trackedEvent, trackedException } from '../server/errorTracking/trackedEvents.ts';
import { trackedProject } from '../server/errorTracking/senders.ts';
import { startTestServer } from '../support/server.ts';
import { checkSameWork, type Limit, median, type Ratio, ratio, rounded, roundsUntilSure } from './harness.ts';
import { slowly, slowness } from './slowness.ts';

const MAX_ROUNDS = 101;
const LIMIT: Limit = { atLeast: 0.75 };
const BATCHES = 50;
/** Number of rows per transaction: as many as senders wait at once in the other benchmarks. */
const ROWS = 64;
const GROUPS = 20;
const WARM_UP = 4;
/** Amounts that the inbox stores. Titles are stored with the last event of a grouping. */
const STORED = 'SELECT count(*) AS events, count(appearance) AS titles, sum(length(bytes)) AS bytes FROM tracked_inbox';
/** Size of a compressed event as an SDK sends it. */
const BYTES = 970;

/**
 * Measures what it costs to take events into the inbox, compared with inserting the same rows in transactions of the same size with the
 * driver alone.
 */
export async function batchInserts(folder: string): Promise<Ratio> {
  await using server = await startTestServer({ file: path.join(folder, 'batches.sqlite') });
  const { id: projectId } = trackedProject(server);
  const { store } = server.platform;
  const reports = Array.from({ length: GROUPS }, (_, index) => reportOf(projectId, index));
  store.transaction(() => writeReports(store, reports, () => {}));
  const groupings = store.all<{ readonly id: number }>('SELECT id FROM tracked_groupings ORDER BY id').map(({ id }) => id);
  const alone = new Database(path.join(folder, 'alone.sqlite'));
  try {
    for (const { sql } of store.all<{ readonly sql: string }>(
      "SELECT sql FROM sqlite_schema WHERE name = 'tracked_inbox' AND sql IS NOT NULL",
    )) {
      alone.exec(sql);
    }
    for (const pragma of ['journal_mode', 'synchronous', 'wal_autocheckpoint', 'mmap_size']) {
      const [own] = Object.values(store.get<Readonly<Record<string, string | number>>>(`PRAGMA ${pragma}`) ?? {});
      alone.pragma(`${pragma} = ${own}`);
    }
    const byDriver = driverInserts(alone, groupings, appearancesOf(store, reports));
    const rounds: { readonly ours: number; readonly driver: number }[] = [];
    const pair = async (index: number): Promise<number> => {
      const costs = { ours: 0, driver: 0 };
      const ours = (batch: readonly Report[]): void => {
        costs.ours += costOf(() => slowly(slowness(), () => store.transaction(() => appendReports(store, batch))));
      };
      const driver = (batch: readonly Report[]): void => {
        costs.driver += costOf(() => byDriver(batch));
      };
      // The sides alternate batch by batch, so other load on the machine affects both alike.
      for (let n = 0; n < BATCHES; n += 1) {
        const batch = Array.from({ length: ROWS }, (_, row) => fresh(reports[row % GROUPS]));
        for (const take of (index + n) % 2 === 0 ? [ours, driver] : [driver, ours]) take(batch);
      }
      checkSameWork('rows and bytes in the inbox', store.get(STORED), alone.prepare(STORED).get());
      checkSameWork('rows in the inbox', store.get('SELECT count(*) AS n FROM tracked_inbox'), { n: BATCHES * ROWS });
      store.run('DELETE FROM tracked_inbox');
      alone.exec('DELETE FROM tracked_inbox');
      rounds.push(costs);
      return costs.driver / costs.ours;
    };
    // The warm-up rounds wait for the code to be compiled.
    for (let index = 0; index < WARM_UP; index += 1) await pair(index);
    rounds.length = 0;
    const ratios = await roundsUntilSure(LIMIT, MAX_ROUNDS, pair);
    const each = (who: 'ours' | 'driver'): number => rounded((median(rounds.map((costs) => costs[who])) / BATCHES / ROWS) * 1000);
    return ratio(
      `inbox inserts, ${ROWS} rows per transaction`,
      'processor time, same rows inserted by the driver alone / inbox',
      ratios,
      LIMIT,
      { driverMicroseconds: each('driver'), inboxMicroseconds: each('ours') },
    );
  } finally {
    alone.close();
  }
}

/** Returns what the inbox stores with the last event of each grouping in a batch: the title and similar fields as JSON. */
function appearancesOf(store: Store, reports: readonly Report[]): readonly string[] {
  store.transaction(() => appendReports(store, reports.map(fresh)));
  const rows = store.all<{ readonly appearance: string }>('SELECT appearance FROM tracked_inbox ORDER BY id');
  store.run('DELETE FROM tracked_inbox');
  return rows.map(({ appearance }) => appearance);
}

/** Returns a function that inserts a batch in one transaction with the driver alone. */
function driverInserts(
  connection: Database.Database,
  groupings: readonly number[],
  appearances: readonly string[],
): (batch: readonly Report[]) => void {
  const insert = connection.prepare(
    `INSERT INTO tracked_inbox (project_id, event_id, grouping_id, occurred_at, received_at, user_hash, app_release_id, environment, level,
       encoding, form, ordinal, bytes, appearance, sender_address, sender_client)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)`,
  );
  const all = connection.transaction((batch: readonly Report[]) => {
    for (const [index, { projectId, event, receivedAt, userHash, payload }] of batch.entries()) {
      const { encoding, form, ordinal, bytes } = payload;
      const id = Buffer.from(event.id, 'hex');
      const grouping = groupings[index % groupings.length];
      insert.run(
        projectId,
        id,
        grouping,
        event.occurredAt,
        receivedAt,
        userHash,
        1,
        null,
        event.level,
        encoding,
        form,
        ordinal,
        bytes,
        index < batch.length - appearances.length ? null : appearances[index % appearances.length],
      );
    }
  });
  return (batch) => {
    all.immediate(batch);
  };
}

/**
 * Returns the processor time of this thread for `work`, in milliseconds. Waiting for the disk is left out: it is the same on both sides and
 * depends on what else writes to the disk.
 */
function costOf(work: () => void): number {
  const started = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(started);
  return (user + system) / 1000;
}

function reportOf(projectId: number, index: number): Report {
  const frames = [frameAt(`app/ship.py ${String.fromCharCode(97 + index)}:10`)];
  const event = trackedEvent({ appRelease: 'ship@1.0.0', exceptions: [trackedException('OSError', `no wind ${index}`, frames)] });
  const payload = { encoding: 'gzip', form: 'envelope', ordinal: 0, bytes: randomBytes(BYTES) } as const;
  return { projectId, event, grouping: groupingOf(event, projectId, true), userHash: randomBytes(12), receivedAt: 1, payload };
}

function fresh(report: Report | undefined): Report {
  if (report === undefined) throw new Error('no report at this index');
  return { ...report, event: { ...report.event, id: randomBytes(16).toString('hex') } };
}
