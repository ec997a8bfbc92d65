import assert from 'node:assert/strict';
import path from 'node:path';
import { ADMIN_TOKEN, clonedProject, commitFile, headOf } from '../smartHttp/pushKills.ts';
import { tokensByDeviceGrant } from '../../support/deviceGrant.ts';
import { addressOf } from '../../support/gitClient.ts';
import { requestOf, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';
import { allFinished, checkStorages, endOf, foldersIn, serveStorages, startMove } from './moveKills.ts';

describe('a snapshot from before a move of a repository', () => {
  it('has the repository on its current storage when it is restored', async () => {
    using container = temporaryFolder();
    const folders = foldersIn(container.path);
    const clone = path.join(container.path, 'clone');
    await using server = await serveStorages(folders);
    const { access_token: token } = await tokensByDeviceGrant(server.origin, ADMIN_TOKEN, 'root');
    const git = await clonedProject(server, token, 'lamps', clone);
    const before = await headOf(server, token, 'lamps', git);
    await requestOf(server, ADMIN_TOKEN, 'POST', '/_local/snapshots', { name: 'before' });
    await startMove(server, 'lamps', 'second');
    await allFinished(server);
    await endOf(server);

    const args = ['serve', '--data', folders.data, '--storage', `second=${folders.second}`, '--port', '0', '--restore', 'before'];
    await using restored = await spawnServer(args, { env: { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN } });
    const { access_token: next } = await tokensByDeviceGrant(restored.origin, ADMIN_TOKEN, 'root');
    assert.equal(await headOf(restored, next, 'lamps', git), before);
    const after = await commitFile(git, clone, 'b.txt');
    await git.succeed('push', '-q', addressOf(restored, 'root/lamps', next), 'main');
    assert.equal(await headOf(restored, next, 'lamps', git), after);
    const project = await requestOf(restored, ADMIN_TOKEN, 'GET', '/api/v4/projects/root%2Flamps');
    assert.partialDeepStrictEqual(project, { repository_storage: 'second' });
    await restored.logged(/is on the storage second, not on default/);
    await endOf(restored);
    assert.deepEqual(checkStorages(folders), { default: 0, second: 1 });
  });
});
