import assert from 'node:assert/strict';
import { inflateRawSync } from 'node:zlib';
import { openHistory } from '../../server/errorTracking/history.ts';
import { startTestServer } from '../support/server.ts';
import { trackedProject } from './senders.ts';

it('an event of the past is kept without its secrets, and one without secrets as it was written', async () => {
  await using server = await startTestServer();
  const history = openHistory(server.platform, trackedProject(server).id, 10);
  const stored = (payload: Parameters<typeof history.read>[0]): string => inflateRawSync(history.read(payload).bytes).toString();
  const harmless = { message: 'harbour', of_tomorrow: 1 };
  assert.equal(stored(harmless), JSON.stringify(harmless));
  for (const payload of [{ message: 'harbour', extra: { password: 'hunter2' } }, { message: 'harbour password=hunter2' }]) {
    assert.match(stored(payload), /harbour/);
    assert.doesNotMatch(stored(payload), /hunter2/);
  }
});
