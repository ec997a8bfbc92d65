import assert from 'node:assert/strict';
import { spawnServer } from '../../support/serverProcess.ts';

const token = 'kill-cycles-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' };
const WRITERS = 8;

/**
 * Writers create issues as fast as they can until the server is killed, repeatedly on the same folder. After every restart each
 * acknowledged issue must exist with its event, and the database must be intact. Returns the number of acknowledged issues over all cycles.
 */
export async function killCycles(folder: string, cycles: number): Promise<number> {
  const acknowledged = new Set<string>();
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    await using server = await spawnServer(['serve', '--data', folder], { env });
    assert.equal(server.line['event'], 'listening', JSON.stringify(server.line));
    const project = await projectOf(server.origin);
    let done = 0;
    let number = 0;
    const enough = Promise.withResolvers<void>();
    // The number of responses before the kill differs by cycle, so that the kill happens at different points.
    const wanted = 20 + ((cycle * 37) % 150);
    const writers = Array.from({ length: WRITERS }, async () => {
      for (;;) {
        const title = `cycle ${cycle} issue ${(number += 1)}`;
        try {
          const response = await fetch(`${server.origin}/api/v4/projects/${project}/issues`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ title }),
          });
          if (response.status !== 201) return enough.reject(new Error(`${response.status} ${await response.text()}`));
          acknowledged.add(title);
          done += 1;
          if (done === wanted) enough.resolve();
          await response.arrayBuffer();
        } catch {
          return;
        }
      }
    });
    await enough.promise;
    server.child.kill('SIGKILL');
    await Promise.all(writers);
  }
  await using server = await spawnServer(['serve', '--data', folder], { env });
  const project = await projectOf(server.origin);
  assert.deepEqual(missing(acknowledged, await titles(server.origin, `/api/v4/projects/${project}/issues`, 'title')), []);
  assert.deepEqual(missing(acknowledged, await titles(server.origin, `/api/v4/projects/${project}/events`, 'target_title')), []);
  return acknowledged.size;
}

async function projectOf(origin: string): Promise<number> {
  const found = await fetch(`${origin}/api/v4/projects/root%2Fkills`, { headers });
  const response =
    found.status === 200
      ? found
      : await fetch(`${origin}/api/v4/projects`, { method: 'POST', headers, body: JSON.stringify({ name: 'kills' }) });
  const { id } = (await response.json()) as { id: number };
  return id;
}

async function titles(origin: string, path: string, member: string): Promise<Set<string>> {
  const found = new Set<string>();
  let next: string | undefined = `${origin}${path}?per_page=100`;
  while (next !== undefined) {
    const response: Response = await fetch(next, { headers });
    assert.equal(response.status, 200);
    for (const item of (await response.json()) as Record<string, unknown>[]) found.add(String(item[member]));
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return found;
}

function missing(wanted: ReadonlySet<string>, found: ReadonlySet<string>): string[] {
  return [...wanted].filter((title) => !found.has(title));
}
