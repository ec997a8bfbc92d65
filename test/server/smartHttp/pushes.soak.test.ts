import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tokensByDeviceGrant } from '../../support/deviceGrant.ts';
import { addressOf, type GitClient } from '../../support/gitClient.ts';
import { randomFrom } from '../../support/random.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { ADMIN_TOKEN, checkRepositories, clonedProject, commitFile, headOf, serve } from './pushKills.ts';

const REPOSITORIES = 200;
const KILLS = 30;
/** Number of pushes that run when the server is killed. */
const AT_ONCE = 8;

interface Clone {
  readonly name: string;
  readonly folder: string;
  readonly git: GitClient;
}

describe('pushes to a server that is killed at random times', () => {
  it('a push that git reports as successful is never lost, and no other is half visible', async () => {
    using container = temporaryFolder();
    const data = path.join(container.path, 'data');
    const random = randomFrom(16);
    const clones: Clone[] = [];
    let token = '';
    {
      await using server = await serve(data);
      ({ access_token: token } = await tokensByDeviceGrant(server.origin, ADMIN_TOKEN, 'root'));
      for (let index = 0; index < REPOSITORIES; index += 1) {
        const name = `lamps-${index}`;
        const folder = path.join(container.path, name);
        clones.push({ name, folder, git: await clonedProject(server, token, name, folder) });
      }
    }
    for (let kill = 0; kill < KILLS; kill += 1) {
      const pushed = Array.from({ length: AT_ONCE }, (_, index) => clones[(kill * AT_ONCE + index) % clones.length]).filter(
        (clone) => clone !== undefined,
      );
      await using server = await serve(data);
      const wait = delay(random.integer(0, 1500));
      const results = pushed.map(async ({ name, folder, git }) => {
        const before = (await git.succeed('rev-parse', 'HEAD')).trim();
        const after = await commitFile(git, folder, `file-${kill}`);
        const { code } = await git.run('push', '-q', addressOf(server, `root/${name}`, token), 'main');
        return { before, after, isDone: code === 0 };
      });
      await wait;
      server.child.kill('SIGKILL');
      const outcomes = await Promise.all(results);
      await using next = await serve(data);
      for (const [index, { name, git }] of pushed.entries()) {
        const outcome = outcomes[index];
        const shown = await headOf(next, token, name, git);
        assert.ok(outcome !== undefined);
        assert.ok(shown === outcome.after || (!outcome.isDone && shown === outcome.before), `${name} after kill ${kill}`);
        await git.succeed('push', '-q', addressOf(next, `root/${name}`, token), 'main');
      }
    }
    await using last = await serve(data);
    for (const { name, git } of clones) await headOf(last, token, name, git);
    checkRepositories(data);
  });
});
