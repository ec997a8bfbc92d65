import assert from 'node:assert/strict';
import path from 'node:path';
import { spawnServer, temporaryFolder } from '../../support/serverProcess.ts';
import { makeProject, measureNewcomers } from './newcomers.ts';

const token = 'newcomers-soak-token-0123456789';
const writers = 24;
const rounds = 40;

describe('a server with 24 connections that write without a pause', () => {
  for (const commit of [0, 10, 50]) {
    it(`serves 24 new connections ${rounds} times, when a commit takes ${commit === 0 ? 'as long as the disk needs' : `${commit} ms more`}`, async () => {
      using folder = temporaryFolder();
      await using server = await spawnServer(['serve', '--data', folder.path], {
        env: { SIGNALBOX_ADMIN_TOKEN: token, SIGNALBOX_TEST_SLOW_COMMIT: String(commit) },
        preload: path.join(import.meta.dirname, '../../support/driverFaults.ts'),
      });
      await makeProject(server, token);
      const { writes, fresh } = await measureNewcomers(server, token, { writers, newcomers: 24, rounds });
      assert.equal(fresh.length, 24 * rounds);
      // An open connection waits for one write of each of the others. New connections that starve would wait for 24 times as many.
      assert.ok(writes < 6 * writers * rounds, `${writes} writes completed in ${rounds} rounds of new connections`);
    });
  }
});
