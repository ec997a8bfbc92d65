import assert from 'node:assert/strict';
import path from 'node:path';
import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { startTestServer } from '../../support/server.ts';
import { spawnServer } from '../../support/serverProcess.ts';
import { recount } from './write/recount.ts';
import { envelope, errorEvent, trackedProject } from './senders.ts';

const SENDERS = 64;

/**
 * Sends events from 64 senders until the server is killed, and repeats this on the same folder. Then each acknowledged event must
 * exist once, and all counters must be correct. Returns the number of acknowledged events.
 */
export async function eventKillCycles(folder: string, cycles: number): Promise<number> {
  const file = path.join(folder, 'signalbox.sqlite');
  const filling = await startTestServer({ file });
  const { id: projectId, key } = trackedProject(filling);
  await filling.close();
  const acknowledged = new Set<string>();
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    await using server = await spawnServer(['serve', '--data', folder], {});
    assert.equal(server.line['event'], 'listening', JSON.stringify(server.line));
    const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
    const target = `${server.origin}/api/v4/error_tracking/collector/api/${projectId}/envelope/?sentry_key=${key}`;
    let done = 0;
    let sent = 0;
    const enough = Promise.withResolvers<void>();
    // Killed after a different number of responses in each cycle, to vary the moment.
    const wanted = 100 + ((cycle * 137) % 500);
    const sender = async (): Promise<void> => {
      for (;;) {
        sent += 1;
        const id = `${(cycle + 1).toString(16)}${sent.toString(16).padStart(8, '0')}`.padStart(32, '0');
        const more = { event_id: id, release: `ship@1.${sent % 3}.0`, user: { id: sent % 11 } };
        const status = await post(agent, target, gzipSync(envelope({}, { event: errorEvent(`step${sent % 7}`, more) })));
        if (status === undefined) return;
        if (status !== 200) {
          enough.reject(new Error(`an event was answered ${status}`));
          return;
        }
        acknowledged.add(id);
        done += 1;
        if (done === wanted) enough.resolve();
      }
    };
    const senders = Array.from({ length: SENDERS }, sender);
    await enough.promise;
    server.child.kill('SIGKILL');
    await Promise.all(senders);
    agent.destroy();
  }
  // Events left uncounted by the killed server are counted now.
  await using restarted = await startTestServer({ file });
  const { store } = restarted.platform;
  const stored = store.all<{ readonly id: string }>('SELECT lower(hex(event_id)) AS id FROM tracked_events');
  const ids = new Set(stored.map(({ id }) => id));
  assert.equal(ids.size, stored.length);
  assert.deepEqual(
    [...acknowledged].filter((id) => !ids.has(id)),
    [],
    'acknowledged events are lost',
  );
  recount(restarted.platform);
  assert.deepEqual(store.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  return acknowledged.size;
}

/** Returns undefined if the server is gone. */
async function post(agent: Agent, target: string, body: Buffer): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { 'Content-Encoding': 'gzip', 'Content-Length': body.length };
    const sent = request(target, { agent, method: 'POST', headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
      response.once('error', () => resolve(undefined));
    });
    sent.once('error', () => resolve(undefined));
    sent.end(body);
  });
}
