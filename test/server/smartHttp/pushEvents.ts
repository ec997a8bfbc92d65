import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Listed {
  readonly push_data: { readonly ref: string | null; readonly ref_count: number | null; readonly action: string };
}

/** Declares the tests. `refs` is the number of refs that are pushed before the limit of events of single refs is reached. */
export function describePushEvents({ refs }: { readonly refs: number }): void {
  describe('events of pushes', () => {
    let server: TestServer;
    let ada: Actor;
    let folder: string;
    beforeEach(async () => {
      server = await startTestServer();
      ada = actor(server.platform, 'ada');
      folder = mkdtempSync(path.join(tmpdir(), 'signalbox-push-events-'));
      const found = projectWith(server.platform, ada, { name: 'Lamps' }, []);
      await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
      await gitClient(folder).succeed('clone', '-q', addressOf(server, 'ada/lamps', ada.token), 'lamps');
    });
    afterEach(async () => {
      rmSync(folder, { recursive: true, force: true });
      await server.close();
    });

    const limitEvents = async (limit: number): Promise<void> => {
      const { status, text } = await server.request('PUT', '/api/v4/application/settings', {
        token: server.adminToken,
        json: { push_event_activities_limit: limit },
      });
      assert.equal(status, 200, text);
    };
    const list = async (): Promise<{ readonly total: number; readonly newest: Listed['push_data'] | undefined }> => {
      const response = await server.request('GET', '/api/v4/projects/1/events?action=pushed&per_page=1', { token: ada.token });
      const [newest] = response.json() as Listed[];
      return { total: Number(response.headers.get('X-Total')), newest: newest?.push_data };
    };

    it(`the event of pushed ref ${refs} is in the list when git push ends`, async () => {
      await limitEvents(refs);
      const git = gitClient(path.join(folder, 'lamps'));
      const commit = (await git.succeed('rev-parse', 'HEAD')).trim();
      const branches = Array.from({ length: refs - 2 }, (_, index) => `create refs/heads/lamp-${index} ${commit}\n`);
      await git.runWith({ input: branches.join('') }, 'update-ref', '--stdin');
      await git.succeed('push', '-q', 'origin', '--all');
      // The first event is that of the first commit.
      assert.equal((await list()).total, refs - 1);
      await git.succeed('push', '-q', 'origin', 'main:refs/heads/last');
      const { total, newest } = await list();
      assert.deepEqual([total, newest?.ref, newest?.action], [refs, 'last', 'created']);
    });

    it('every push is a bulk event if the limit is 0', async () => {
      await limitEvents(0);
      await gitClient(path.join(folder, 'lamps')).succeed('push', '-q', 'origin', 'main:refs/heads/last');
      assert.partialDeepStrictEqual((await list()).newest, { ref: null, ref_count: 1 });
    });
  });
}
