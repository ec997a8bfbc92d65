import assert from 'node:assert/strict';
import path from 'node:path';
import Database from 'better-sqlite3';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'due-at-start-test-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const members = (server: ServerProcess): Promise<unknown> => requestOf(server, token, 'GET', '/api/v4/projects/1/members');

describe('work that became due while the server was stopped', () => {
  it('work that became due while the server was stopped is done before the first request', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path];
    const first = await spawnServer(args, { env });
    await requestOf(first, token, 'POST', '/api/v4/projects', { name: 'Quay' });
    const user = { username: 'ada', name: 'Ada', email: 'ada@example.com', password: 'a password of Ada 1815' };
    const { id } = (await requestOf(first, token, 'POST', '/api/v4/users', user)) as { readonly id: number };
    await requestOf(first, token, 'POST', '/api/v4/projects/1/members', {
      user_id: id,
      access_level: 30,
      expires_at: '2999-01-01',
    });
    assert.equal(((await members(first)) as readonly unknown[]).length, 2);
    await first.stop();

    const connection = new Database(path.join(folder.path, 'signalbox.sqlite'));
    const { changes } = connection.prepare('UPDATE project_members SET expires_at = 1 WHERE user_id = ?').run(id);
    connection.close();
    assert.equal(changes, 1);

    await using second = await spawnServer(args, { env });
    assert.equal(((await members(second)) as readonly unknown[]).length, 1);
  });
});
