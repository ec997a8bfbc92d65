import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { trackedProject } from '../server/errorTracking/senders.ts';
import { sendCompressedBodies } from '../server/http/bodyMemory.ts';
import { startTestServer, TEST_ADMIN_TOKEN as token } from '../support/server.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { checkSameWork, type Ratio, ratio, rounded, startSubject } from './harness.ts';
import { anonymousMegabytes } from './measured.ts';
import { larger, slowness } from './slowness.ts';

const ROUNDS = 3;
const WITHOUT_KEY = 80;
const WITH_KEY = 60;
/** Milliseconds between two memory samples while requests are in progress. */
const LOOK = 20;

/**
 * Measures the memory of the server after many concurrent posts to an ingestion path, each 39 MB once decompressed: first without a client
 * key, then with one. Memory that one round leaves allocated must not add up over the rounds.
 */
export async function bodyMemory(): Promise<readonly Ratio[]> {
  using folders = temporaryFolder();
  const file = path.join(folders.path, 'signalbox.sqlite');
  const { projectId, key } = await (async () => {
    await using filling = await startTestServer({ file });
    const project = trackedProject(filling);
    return { projectId: project.id, key: project.key };
  })();
  const server = await startSubject(
    [...larger([{ factor: slowness() }]), path.join(DIST, 'server.js'), 'serve', '--data', folders.path, '--log-level', 'error'],
    {
      SIGNALBOX_ADMIN_TOKEN: token,
    },
  );
  try {
    const { origin } = server;
    const send = (requests: number, more: { readonly key?: string } = {}) =>
      sendCompressedBodies({ origin, projectId, requests, ...more });
    // Two posts first, so that the code is compiled and the heap has reached its size.
    await send(2);
    await send(2, { key });
    const before = anonymousMegabytes(server);
    const after: number[] = [];
    const peaks: number[] = [];
    const statuses: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [attack, refusals] of [
        [() => send(WITHOUT_KEY), [400, 503]],
        [() => send(WITH_KEY, { key }), [413, 503]],
      ] as const) {
        const over = new AbortController();
        let peak = 0;
        const watching = (async () => {
          while (!over.signal.aborted) {
            peak = Math.max(peak, anonymousMegabytes(server));
            await pause(LOOK);
          }
        })();
        const answered = await attack();
        statuses.push(JSON.stringify(Object.fromEntries(answered)));
        over.abort();
        await watching;
        // The bodies are too long, or come without a key; the server refuses some because others are in progress.
        checkSameWork(
          'statuses of the responses',
          [...answered.keys()].filter((status) => !refusals.some((refusal) => refusal === status)),
          [],
        );
        if (!answered.has(refusals[0])) throw new Error(`no body was read: ${JSON.stringify(statuses)}`);
        peaks.push(peak - before);
      }
      after.push(anonymousMegabytes(server) - before);
    }
    return [
      ratio(
        `memory after ${WITHOUT_KEY} posts without and ${WITH_KEY} with a client key, 39 MB each when decompressed`,
        'growth of anonymous memory in megabytes',
        after,
        { atMost: 200 },
        { beforeMegabytes: rounded(before), peaksAbove: peaks.map(rounded), statuses },
      ),
    ];
  } finally {
    await server.stop();
  }
}
