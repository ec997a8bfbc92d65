import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { requestOf, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'private-files-soak-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const FOREIGN = 'notes.txt';
const umasks = [0, 0o002, 0o022, 0o027, 0o077];
const folders = [
  undefined,
  ...[0o700, 0o750, 0o755, 0o777].flatMap((mode) => [false, true].map((isShared) => ({ mode, isShared }))),
];

describe('the files of a server', () => {
  for (const umask of umasks) {
    it(`are private under umask ${umask.toString(8)}, whatever the state of the existing folder`, async function () {
      if (process.platform === 'win32') return this.skip();
      for (const before of folders) {
        using folder = temporaryFolder();
        const data = path.join(folder.path, 'data');
        if (before !== undefined) {
          mkdirSync(data);
          if (before.isShared) writeFileSync(path.join(data, FOREIGN), '');
          chmodSync(data, before.mode);
        }
        await using server = await spawnServer(['serve', '--data', data], { env, umask });
        const title = JSON.stringify(before);
        assert.equal(server.line['event'], 'listening', title);
        await requestOf(server, token, 'POST', '/api/v4/projects', { name: 'Relay', initialize_with_readme: true });
        await requestOf(server, token, 'POST', '/_local/snapshots', {});
        const open = readdirSync(data, { recursive: true }).filter(
          (name) => String(name) !== FOREIGN && (statSync(path.join(data, String(name))).mode & 0o077) !== 0,
        );
        assert.deepEqual(open, [], title);
        const mode = before?.isShared === true ? before.mode : 0o700;
        assert.equal(statSync(data).mode & 0o777, mode, title);
        assert.equal(/^warn: .*chmod 700/m.test(server.stderr()), mode !== 0o700, title);
      }
    });
  }
});
