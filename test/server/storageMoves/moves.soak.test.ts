import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN_TOKEN, clonedProject, commitFile, headOf } from '../smartHttp/pushKills.ts';
import { tokensByDeviceGrant } from '../../support/deviceGrant.ts';
import { addressOf, type GitClient } from '../../support/gitClient.ts';
import { randomFrom } from '../../support/random.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { allFinished, checkStorages, endOf, foldersIn, serveStorages, startMove } from './moveKills.ts';

const REPOSITORIES = 200;
const KILLS = 30;
/** Number of repositories that are moved, and pushed to, when the server is killed. */
const AT_ONCE = 8;

interface Clone {
  readonly name: string;
  readonly folder: string;
  readonly git: GitClient;
  /** Number of moves that were accepted, which alternate between the storages. */
  moves: number;
  /** Newest commit whose push succeeded. */
  pushed: string;
}

describe('moves of repositories on a server that is killed at random times', () => {
  it('every pushed commit is on exactly one storage, and nothing stays read-only', async () => {
    using container = temporaryFolder();
    const folders = foldersIn(container.path);
    const random = randomFrom(17);
    const clones: Clone[] = [];
    let token = '';
    {
      await using server = await serveStorages(folders);
      ({ access_token: token } = await tokensByDeviceGrant(server.origin, ADMIN_TOKEN, 'root'));
      for (let index = 0; index < REPOSITORIES; index += 1) {
        const name = `lamps-${index}`;
        const folder = path.join(container.path, name);
        const git = await clonedProject(server, token, name, folder);
        clones.push({ name, folder, git, moves: 0, pushed: (await git.succeed('rev-parse', 'HEAD')).trim() });
      }
    }
    for (let kill = 0; kill < KILLS; kill += 1) {
      const some = clones.filter((_, index) => Math.floor(index / AT_ONCE) === kill % Math.ceil(REPOSITORIES / AT_ONCE));
      await using server = await serveStorages(folders);
      const wait = delay(random.integer(0, 1500));
      const work = some.map(async (clone) => {
        const { name, folder, git } = clone;
        // The server is killed meanwhile, or the repository is still moved.
        const moving = startMove(server, name, clone.moves % 2 === 0 ? 'second' : 'default').then(
          () => (clone.moves += 1),
          () => undefined,
        );
        const after = await commitFile(git, folder, `file-${kill}`);
        const { code } = await git.run('push', '-q', addressOf(server, `root/${name}`, token), 'main');
        if (code === 0) clone.pushed = after;
        await moving;
      });
      await wait;
      server.child.kill('SIGKILL');
      await Promise.all(work);
    }
    await using last = await serveStorages(folders);
    await allFinished(last);
    for (const clone of clones) {
      const { name, folder, git } = clone;
      const shown = await headOf(last, token, name, git);
      await git.succeed('fetch', '-q', addressOf(last, `root/${name}`, token), 'main');
      await git.succeed('merge-base', '--is-ancestor', clone.pushed, shown);
      const after = await commitFile(git, folder, 'last');
      await git.succeed('push', '-q', addressOf(last, `root/${name}`, token), 'main');
      assert.equal(await headOf(last, token, name, git), after);
    }
    await endOf(last);
    const counts = Object.values(checkStorages(folders));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      REPOSITORIES,
    );
  });
});
