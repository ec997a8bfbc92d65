import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endPlatform } from '../../server/createPlatform.ts';
import { attachSubscribers } from '../../server/subscribers.ts';
import { actor, projectWith } from '../projects/cast.ts';
import { createTestPlatform } from '../support/server.ts';

it('what has happened right before a platform is ended is looked for in no database that is closed', async () => {
  const lines: string[] = [];
  const platform = createTestPlatform({ log: (line) => lines.push(line) });
  attachSubscribers(platform);
  projectWith(platform, actor(platform, 'ada'), { name: 'Lamps' });
  endPlatform(platform);
  await nextTurn();
  assert.deepEqual(lines, []);
});
