import assert from 'node:assert/strict';
import path from 'node:path';
import { actor, projectWith } from '../projects/cast.ts';
import { startTestServer, TEST_ADMIN_TOKEN as token } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { commitFiles } from './repository.ts';

describe('the folder of a repository', () => {
  it('the folder of a repository is compared with the database once after a start, even with concurrent requests', async () => {
    using folder = temporaryFolder();
    const options = { dataFolder: folder.path, file: path.join(folder.path, 'signalbox.sqlite') };
    const first = await startTestServer(options);
    const ada = actor(first.platform, 'ada');
    await commitFiles(first.platform, projectWith(first.platform, ada, { name: 'Lamps' }), ada, { a: '' });
    await first.close();

    await using second = await startTestServer(options);
    const { git } = second.platform.repositories;
    const { run } = git;
    const verbs: string[] = [];
    Object.assign(git, {
      run: (...given: Parameters<typeof run>) => {
        verbs.push(given[1][0] ?? '');
        return run(...given);
      },
    });
    const asked = Array.from({ length: 12 }, () => second.request('GET', '/api/v4/projects/1/repository/commits', { token }));
    const responses = await Promise.all(asked);
    assert.deepEqual(new Set(responses.map((response) => response.status)), new Set([200]));
    assert.deepEqual(
      verbs.filter((verb) => verb === 'for-each-ref' || verb === 'symbolic-ref'),
      ['for-each-ref', 'symbolic-ref'],
    );
  });
});
