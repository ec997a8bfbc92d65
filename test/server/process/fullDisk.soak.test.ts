import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { testEnvironment } from '../../support/environment.ts';
import { requestOf, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'full-disk-soak-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' };

describe('a server on a real file system that becomes full', () => {
  it('explains every refusal, keeps serving reads, and keeps what it has acknowledged', async function () {
    using folder = temporaryFolder();
    const disk = path.join(folder.path, 'disk');
    mkdirSync(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'none', disk], { env: testEnvironment(['mount']) });
    // Only root can mount.
    if (mounted.status !== 0) this.skip();
    try {
      await using server = await spawnServer(['serve', '--data', path.join(disk, 'data')], { env });
      const { origin } = server;
      await requestOf(server, token, 'POST', '/api/v4/projects', { name: 'p' });
      await requestOf(server, token, 'PUT', '/api/v4/projects/1/error_tracking/settings', { active: true, integrated: true });
      const key = await requestOf(server, token, 'POST', '/api/v4/projects/1/error_tracking/client_keys');
      assert.ok(typeof key === 'object' && key !== null && 'public_key' in key);
      const store = `/api/v4/error_tracking/collector/api/1/store/?sentry_key=${String(key.public_key)}`;
      const acknowledged = { issues: 0, files: 0, events: 0 };
      const refused = { issues: 0, files: 0, events: 0 };
      /** Sends one request and asserts that a refusal mentions the disk. */
      const write = async (kind: keyof typeof acknowledged, target: string, body: object): Promise<void> => {
        const response = await fetch(`${origin}${target}`, { method: 'POST', headers, body: JSON.stringify(body) });
        const text = await response.text();
        if (response.ok) {
          acknowledged[kind] += 1;
          return;
        }
        refused[kind] += 1;
        assert.ok([503, 507].includes(response.status), `${kind}: ${response.status} ${text}`);
        assert.match(text, /disk|database is full/, kind);
      };
      const round = async (n: number): Promise<void> => {
        const file = { branch: 'main', commit_message: `Add ${n}`, content: `Crane ${n}` };
        await Promise.all([
          write('issues', '/api/v4/projects/1/issues', { title: `Crane ${n}`, description: 'x'.repeat(20_000) }),
          write('events', store, { event_id: n.toString(16).padStart(32, '0'), message: 'The crane stands still' }),
          write('files', `/api/v4/projects/1/repository/files/crane${n}.txt`, file),
        ]);
        for (const target of ['/users/sign_in', '/api/v4/projects/1/issues', '/api/v4/projects/1/error_tracking/errors']) {
          const response = await fetch(`${origin}${target}`, { headers: { 'PRIVATE-TOKEN': token } });
          assert.equal(response.status, 200, `${target}: ${await response.text()}`);
        }
      };
      for (let n = 0; n < 10; n += 1) await round(n);
      const { bavail, bsize } = statfsSync(disk);
      const ballast = path.join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - 65_536)));
      for (let n = 10; n < 60; n += 1) await round(n);
      assert.ok(refused.issues > 0 && refused.events > 0 && refused.files > 0, JSON.stringify({ acknowledged, refused }));
      rmSync(ballast);
      await round(60);
      const issues = await fetch(`${origin}/api/v4/projects/1/issues?per_page=1`, { headers });
      assert.equal(Number(issues.headers.get('x-total')), acknowledged.issues);
      const errors = await requestOf(server, token, 'GET', '/api/v4/projects/1/error_tracking/errors');
      assert.ok(Array.isArray(errors));
      assert.equal(
        errors.reduce((sum, { count }) => sum + Number(count), 0),
        acknowledged.events,
      );
      const tree = await fetch(`${origin}/api/v4/projects/1/repository/tree?per_page=1`, { headers });
      assert.equal(Number(tree.headers.get('x-total')), acknowledged.files);
      console.log(`      ${JSON.stringify({ acknowledged, refused })}`);
    } finally {
      spawnSync('umount', [disk], { env: testEnvironment(['umount']) });
    }
  });
});
