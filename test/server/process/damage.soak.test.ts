import assert from 'node:assert/strict';
import { closeSync, cpSync, existsSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { randomFrom } from '../../../server/seeds/random.ts';
import { spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const OFFSETS = 50;
/** Number of bytes overwritten at each offset. */
const LENGTH = 64;
const env = { SIGNALBOX_ADMIN_TOKEN: 'damage-soak-token-0123456789' };
const headers = { Authorization: `Bearer ${env.SIGNALBOX_ADMIN_TOKEN}` };
const targets = [
  '/_local/health',
  '/api/v4/user',
  '/api/v4/projects',
  '/api/v4/projects/1/issues',
  '/api/v4/projects/1/error_tracking/errors',
  '/api/v4/events',
  '/users/sign_in',
];

/** Returns the result of an integrity check over another connection. */
function checkOf(file: string): unknown {
  const connection = new Database(file, { readonly: true });
  try {
    return connection.pragma('integrity_check', { simple: true });
  } finally {
    connection.close();
  }
}

describe('a database overwritten at a random offset', () => {
  it(`is served or refused with a reason, and never copied into a damaged snapshot, ${OFFSETS} times`, async () => {
    using whole = temporaryFolder();
    const first = await spawnServer(['serve', '--data', whole.path, '--seed', 'demo'], { env });
    first.child.kill('SIGTERM');
    assert.equal(await first.ended, 0);
    const size = statSync(path.join(whole.path, 'signalbox.sqlite')).size;
    const random = randomFrom(13);
    const counts = { refused: 0, served: 0, copied: 0 };
    for (let round = 0; round < OFFSETS; round += 1) {
      using folder = temporaryFolder();
      cpSync(whole.path, folder.path, { recursive: true });
      const file = path.join(folder.path, 'signalbox.sqlite');
      const offset = random.integer(0, size - LENGTH);
      const bytes = Uint8Array.from({ length: LENGTH }, () => random.integer(0, 255));
      const descriptor = openSync(file, 'r+');
      writeSync(descriptor, bytes, 0, LENGTH, offset);
      closeSync(descriptor);
      await using server = await spawnServer(['serve', '--data', folder.path], { env });
      if (server.line['event'] !== 'listening') {
        assert.match(String(server.line['code']), /^database_/, `${offset}: ${JSON.stringify(server.line)}`);
        assert.ok(String(server.line['hint']).length > 0);
        assert.equal(await server.ended, 1);
        counts.refused += 1;
        continue;
      }
      for (const target of targets) {
        const response = await fetch(`${server.origin}${target}`, { headers });
        const text = await response.text();
        assert.ok(response.status < 500 || /damaged/.test(text), `${offset}: ${target}: ${response.status} ${text}`);
      }
      const copy = await fetch(`${server.origin}/_local/snapshots`, { method: 'POST', headers });
      const text = await copy.text();
      const snapshots = path.join(folder.path, 'snapshots');
      const names = existsSync(snapshots) ? readdirSync(snapshots).filter((name) => name.endsWith('.sqlite')) : [];
      if (copy.ok) {
        assert.equal(names.length, 1);
        for (const name of names) assert.equal(checkOf(path.join(snapshots, name)), 'ok', `${offset}`);
        counts.copied += 1;
      } else {
        assert.match(text, /damaged/, `${offset}`);
        assert.deepEqual(names, []);
      }
      counts.served += 1;
    }
    console.log(`      ${size} bytes: ${counts.refused} refused, ${counts.served} served, ${counts.copied} with a good snapshot`);
  });
});
