import assert from 'node:assert/strict';
import path from 'node:path';
import { ADMIN_TOKEN, clonedProject, commitFile, headOf } from '../smartHttp/pushKills.ts';
import { tokensByDeviceGrant } from '../../support/deviceGrant.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import type { MoveKillPoint } from '../../support/moveKillPoint.ts';
import { requestOf, temporaryFolder } from '../../support/serverProcess.ts';
import { allFinished, checkStorages, endOf, foldersIn, serveStorages, startMove } from './moveKills.ts';

const points: readonly (readonly [point: MoveKillPoint, when: string, hasSnapshot: boolean])[] = [
  ['scheduled', 'after it was scheduled', false],
  ['started', 'after it was started', true],
  ['copied', 'after the repository was copied', false],
  ['verified', 'after the copy was verified', true],
  ['renamed', 'after the copy was renamed', false],
  ['switched', 'after the project was switched to the copy', true],
  ['linked', 'while the old copy was removed', true],
  ['removed', 'after the old copy was removed', false],
  ['finished', 'after it was finished', true],
];

describe('a server killed during a move of a repository', () => {
  for (const [point, when, hasSnapshot] of points) {
    it(`continues the move at the next start when it was killed ${when}${hasSnapshot ? ', with a snapshot' : ''}`, async () => {
      using container = temporaryFolder();
      const folders = foldersIn(container.path);
      const clone = path.join(container.path, 'clone');
      await using killed = await serveStorages(folders, point);
      const { access_token: token } = await tokensByDeviceGrant(killed.origin, ADMIN_TOKEN, 'root');
      const git = await clonedProject(killed, token, 'lamps', clone);
      const pushed = await commitFile(git, clone, 'b.txt');
      await git.succeed('push', '-q', 'origin', 'main');
      if (hasSnapshot) await requestOf(killed, ADMIN_TOKEN, 'POST', '/_local/snapshots', { name: 'before' });
      // The server can be killed before it responds.
      await startMove(killed, 'lamps', 'second').catch(() => undefined);
      assert.equal(await killed.ended, 'SIGKILL');

      await using server = await serveStorages(folders);
      await allFinished(server);
      const address = addressOf(server, 'root/lamps', token);
      const again = path.join(container.path, 'again');
      await gitClient(container.path).succeed('clone', '-q', address, again);
      assert.equal((await gitClient(again).succeed('rev-parse', 'HEAD')).trim(), pushed);
      const last = await commitFile(git, clone, 'c.txt');
      await git.succeed('push', '-q', address, 'main');
      assert.equal(await headOf(server, token, 'lamps', git), last);
      await endOf(server);
      assert.deepEqual(checkStorages(folders), { default: 0, second: 1 });
    });
  }
});
