import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { randomFrom } from '../../support/random.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import {
  AFTER_GRACE,
  control,
  points,
  read,
  refresh,
  refreshKillCycles,
  serve,
  serveUntil,
  signIn,
  userStatus,
  verdicts,
} from './refreshKills.ts';

const livingPairs = (folder: string): readonly number[] => read(folder, ({ pairs }) => [...pairs.values()]);

describe('a server killed during a refresh', () => {
  for (const [point, text, outcome] of points) {
    it(`one pair of the sign-in is left when the server is killed ${text}`, async () => {
      using container = temporaryFolder();
      const folder = `${container.path}/data`;
      await using killed = await serveUntil(point, folder);
      const old = await signIn(killed);
      killed.arm();
      const response = await refresh(killed, old);
      assert.equal(typeof response === 'string' ? response : 'received', outcome === 'received' ? outcome : 'cut off');
      assert.equal(await killed.ended, 'SIGKILL');

      await using server = await serve(folder);
      assert.deepEqual(livingPairs(folder), [1]);
      if (outcome === 'stored') {
        assert.equal(await userStatus(server, old), 200);
        const next = await refresh(server, old);
        assert.ok(typeof next === 'object', String(next));
        assert.equal(await userStatus(server, next), 200);
        assert.equal(await userStatus(server, old), 401);
        assert.deepEqual(livingPairs(folder), [1]);
        return;
      }
      assert.equal(await userStatus(server, old), 401);
      assert.equal(await refresh(server, old), 'invalid_grant');
      assert.deepEqual(livingPairs(folder), [1], 'two windows may have refreshed at once, so nothing is revoked yet');
      if (typeof response === 'object') {
        assert.equal(await userStatus(server, response), 200);
        assert.ok(typeof (await refresh(server, response)) === 'object');
        assert.deepEqual(livingPairs(folder), [1]);
        return;
      }
      await control(server, 'POST', 'clock', { advance_seconds: AFTER_GRACE });
      assert.equal(await refresh(server, old), 'invalid_grant');
      assert.deepEqual(livingPairs(folder), [], 'no client has the remaining pair');
      assert.deepEqual(await verdicts(server), ['refresh_token.replay', 'refresh_token.single']);
      assert.equal(await userStatus(server, await signIn(server)), 200);
    });
  }

  it('a client is refused exactly when its new pair did not arrive, wherever the server is killed', async () => {
    using container = temporaryFolder();
    const { continued, signedInAgain } = await refreshKillCycles(`${container.path}/data`, 3, randomFrom(20));
    assert.equal(continued + signedInAgain, 24);
  });
});
