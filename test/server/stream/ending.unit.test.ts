import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endPlatform } from '../../../server/createPlatform.ts';
import { attachSubscribers } from '../../../server/subscribers.ts';
import { actor, projectWith } from '../projects/cast.ts';
import { createTestPlatform } from '../../support/server.ts';

it('activity right before a platform ends is not read from the closed database', async () => {
  const lines: string[] = [];
  const platform = createTestPlatform({ log: (line) => lines.push(line) });
  attachSubscribers(platform);
  projectWith(platform, actor(platform, 'ada'), { name: 'Lamps' });
  endPlatform(platform);
  await nextTurn();
  assert.deepEqual(lines, []);
});
