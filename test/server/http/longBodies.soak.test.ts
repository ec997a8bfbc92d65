import assert from 'node:assert/strict';
import { TEST_ADMIN_TOKEN as token } from '../../support/server.ts';
import { type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';
import { MAX_BODY_BYTES, longRequests, makePlace, type Fixture, sendTo, type Target } from './longRequests.ts';

/** The delay of other requests is measured by `npm run bench stalls`. */
describe('long requests', () => {
  const folder = temporaryFolder();
  let server: ServerProcess;
  let target: Target;
  let location: Fixture;
  before(async () => {
    server = await spawnServer(['serve', '--data', folder.path], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
    target = { origin: server.origin, token };
    location = await makePlace(target);
  });
  after(async () => {
    await server.stop();
    folder[Symbol.dispose]();
  });

  const isHealthy = async (): Promise<void> => {
    const { status } = await sendTo(target, { method: 'GET', path: '/_local/health' });
    assert.equal(status, 200);
  };

  it('a comment with 90,000 quick actions is refused, and none of them is run', async () => {
    const { api } = await location.issue();
    const body = JSON.stringify({ body: '/label ~a\n'.repeat(90_000) });
    const headers = { 'Content-Type': 'application/json' };
    const { status, text } = await sendTo(target, { method: 'POST', path: `${api}/notes`, headers, body });
    assert.equal(status, 400, text);
    assert.match(text, /at most 100 quick actions/);
    const issue = await sendTo(target, { method: 'GET', path: api });
    assert.match(issue.text, /"labels":\[\]/);
    await isHealthy();
  });

  for (const { name, status: expected, prepare } of longRequests) {
    it(`${name} gets ${expected}, and other requests succeed afterwards`, async () => {
      const { status, text } = await sendTo(target, await prepare(location, MAX_BODY_BYTES));
      assert.equal(status, expected, text.slice(0, 300));
      await isHealthy();
    });
  }
});
