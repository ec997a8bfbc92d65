import assert from 'node:assert/strict';
import { TEST_ADMIN_TOKEN as token } from '../support/server.ts';
import { type ServerProcess, spawnServer, temporaryFolder } from '../support/serverProcess.ts';
import { longRequests, makePlace, type Place, sendTo, type Target } from './longRequests.ts';

/** Bytes of a body; a little less than the REST API reads. */
const LONG = 990_000;

/** How long others wait meanwhile is measured by `npm run bench stalls`. */
describe('long requests', () => {
  const folder = temporaryFolder();
  let server: ServerProcess;
  let target: Target;
  let place: Place;
  before(async () => {
    server = await spawnServer(['serve', '--data', folder.path], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
    target = { origin: server.origin, token };
    place = await makePlace(target);
  });
  after(async () => {
    await server.stop();
    folder[Symbol.dispose]();
  });

  const isHealthy = async (): Promise<void> => {
    const { status } = await sendTo(target, { method: 'GET', path: '/_local/health' });
    assert.equal(status, 200);
  };

  it('a comment of 90,000 quick actions is refused, and none of them is done', async () => {
    const { api } = await place.issue();
    const body = JSON.stringify({ body: '/label ~a\n'.repeat(90_000) });
    const headers = { 'Content-Type': 'application/json' };
    const { status, text } = await sendTo(target, { method: 'POST', path: `${api}/notes`, headers, body });
    assert.equal(status, 400, text);
    assert.match(text, /at most 100 quick actions/);
    const issue = await sendTo(target, { method: 'GET', path: api });
    assert.match(issue.text, /"labels":\[\]/);
    await isHealthy();
  });

  for (const { name, prepare } of longRequests) {
    it(`${name}: answered without a failure of the server`, async () => {
      const { status, text } = await sendTo(target, await prepare(place, LONG));
      assert.ok(status < 500, `${status} ${text.slice(0, 300)}`);
      await isHealthy();
    });
  }
});
