import assert from 'node:assert/strict';
import http from 'node:http';
import { requestOf, type ServerProcess } from '../../support/serverProcess.ts';

/** Number of responses and their durations in milliseconds. */
export interface Newcomers {
  /** Writes on open connections that completed before the last new connection was served. */
  readonly writes: number;
  readonly open: readonly number[];
  readonly fresh: readonly number[];
}

/**
 * `writers` connections create issues, each the next one after the response to the last. Meanwhile `newcomers` clients at once, each with a
 * new connection per request, send `rounds` requests. Ends when all of those have responses.
 */
export async function measureNewcomers(
  server: Pick<ServerProcess, 'origin'>,
  token: string,
  { writers, newcomers, rounds }: { readonly writers: number; readonly newcomers: number; readonly rounds: number },
): Promise<Newcomers> {
  const send = (agent: http.Agent | false, method: string, target: string, body = ''): Promise<number> =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const headers = {
        'PRIVATE-TOKEN': token,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      };
      const request = http.request(`${server.origin}${target}`, { agent, method, headers }, (response) => {
        response.resume().once('error', reject);
        response.once('end', () => {
          if (response.statusCode === 200 || response.statusCode === 201) resolve(performance.now() - started);
          else reject(new Error(`${method} ${target} returned ${response.statusCode}`));
        });
      });
      request.once('error', reject).end(body);
    });
  const open: number[] = [];
  const fresh: number[] = [];
  const over = new AbortController();
  const begun = Promise.withResolvers<void>();
  const writing = Array.from({ length: writers }, async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (!over.signal.aborted) {
      open.push(await send(agent, 'POST', '/api/v4/projects/1/issues', JSON.stringify({ title: 'Crane' })));
      if (open.length === writers) begun.resolve();
    }
    agent.destroy();
  });
  await Promise.race([begun.promise, Promise.all(writing)]);
  const before = open.length;
  await Promise.all(
    Array.from({ length: newcomers }, async () => {
      for (let round = 0; round < rounds; round += 1) fresh.push(await send(false, 'GET', '/api/v4/version'));
    }),
  );
  const writes = open.length - before;
  over.abort();
  await Promise.all(writing);
  return { writes, open, fresh };
}

/** Creates the project that the writers write to. */
export async function makeProject(server: ServerProcess, token: string): Promise<void> {
  const made = await requestOf(server, token, 'POST', '/api/v4/projects', { name: 'Harbour' });
  assert.partialDeepStrictEqual(made, { id: 1 });
}
