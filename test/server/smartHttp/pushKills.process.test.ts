import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { tokensByDeviceGrant } from '../../support/deviceGrant.ts';
import { addressOf } from '../../support/gitClient.ts';
import type { PushKillPoint } from '../../support/pushKillPoint.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { ADMIN_TOKEN, checkRepositories, clonedProject, commitFile, headOf, serve } from './pushKills.ts';

const points: readonly (readonly [point: PushKillPoint, when: string, isVisible: boolean])[] = [
  ['received', 'after it has received the pack', false],
  ['unpacked', 'after git has unpacked the objects', false],
  ['checked', 'after git has checked the objects', false],
  ['migrated', 'after the objects are in the repository, before the transaction ends', false],
  ['committed', 'after the transaction is on disk', true],
  ['refsWritten', 'after the refs of the folder are updated', true],
  ['reported', 'after the response is sent', true],
];

describe('a server killed during a push', () => {
  for (const [point, when, isVisible] of points) {
    it(`the push is ${isVisible ? 'complete' : 'invisible'} when the server is killed ${when}`, async () => {
      using container = temporaryFolder();
      const data = path.join(container.path, 'data');
      const clone = path.join(container.path, 'clone');
      const armed = path.join(container.path, 'armed');
      await using killed = await serve(data, { SIGNALBOX_TEST_KILL_POINT: point, SIGNALBOX_TEST_KILL_ARMED: armed });
      const { access_token: token } = await tokensByDeviceGrant(killed.origin, ADMIN_TOKEN, 'root');
      const git = await clonedProject(killed, token, 'lamps', clone);
      const before = await headOf(killed, token, 'lamps', git);
      const after = await commitFile(git, clone, 'b.txt');
      writeFileSync(armed, '');
      await git.run('push', 'origin', 'main');
      assert.equal(await killed.ended, 'SIGKILL');

      await using server = await serve(data);
      assert.equal(await headOf(server, token, 'lamps', git), isVisible ? after : before);
      checkRepositories(data);
      const last = await commitFile(git, clone, 'c.txt');
      await git.succeed('push', '-q', addressOf(server, 'root/lamps', token), 'main');
      assert.equal(await headOf(server, token, 'lamps', git), last);
    });
  }
});
