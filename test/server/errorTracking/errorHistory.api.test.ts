import assert from 'node:assert/strict';
import { inflateRawSync } from 'node:zlib';
import { openHistory } from '../../../server/features/errorTracking/errorHistory.ts';
import { startTestServer } from '../../support/server.ts';
import { trackedProject } from './senders.ts';

it('a past event is stored without its secrets, and unchanged if it has none', async () => {
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
