import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { contentsOf } from '../../support/secrets.ts';
import { type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'set-up-link-test-token-0123456789';

/** Returns the link that a server has printed. */
const linkOf = (server: ServerProcess): string | undefined =>
  /^ {2}(http:\S+\/users\/sign_in_links\/(\S+))$/m.exec(server.stderr())?.[1];

describe('the link that sets the first password', function () {
  for (const env of [{}, { SIGNALBOX_ADMIN_TOKEN: token }]) {
    it(`the link that sets the first password is printed at a start from a shell ${'SIGNALBOX_ADMIN_TOKEN' in env ? 'with' : 'without'} an admin token, and opens the page once`, async () => {
      using folder = temporaryFolder();
      await using server = await spawnServer(['serve', '--data', folder.path, '--log-level', 'silent'], { env });
      const link = linkOf(server) ?? assert.fail(server.stderr());
      assert.equal(new URL(link).origin, server.origin);
      const page = `${server.origin}/users/set_up`;
      assert.equal((await fetch(page)).status, 403);
      const opened = await fetch(link, { redirect: 'manual' });
      assert.equal(opened.status, 303);
      assert.equal(opened.headers.get('location'), '/users/set_up');
      const [cookie = ''] = opened.headers.getSetCookie();
      const form = await fetch(page, { headers: { Cookie: cookie.split(';', 1)[0] ?? '' } });
      assert.equal(form.status, 200);
      assert.match(await form.text(), /<form method="post" action="\/users\/set_up">/);
      assert.equal((await fetch(link, { redirect: 'manual' })).status, 410);
      const secret = link.split('/').at(-1) ?? '';
      assert.ok(![...contentsOf(folder.path)].some((part) => part.includes(secret)), 'the secret is not stored in plain text');
    });
  }

  it('the link that sets the first password changes at the next start, and is not valid on another server', async () => {
    using folder = temporaryFolder();
    const first = await spawnServer(['serve', '--data', folder.path]);
    const old = new URL(linkOf(first) ?? '').pathname;
    await first.stop();
    await using second = await spawnServer(['serve', '--data', folder.path]);
    assert.ok(linkOf(second) !== undefined && new URL(linkOf(second) ?? '').pathname !== old);
    await using other = await spawnServer(['serve', '--memory']);
    assert.equal((await fetch(`${other.origin}${old}`, { redirect: 'manual' })).status, 410);
  });

  it('the link that sets the first password is not printed if a parent process stores the output', async () => {
    const handshake = JSON.stringify({ adminToken: token });
    await using server = await spawnServer(['serve', '--memory', '--log-level', 'debug', '--stdin-handshake'], { handshake });
    assert.equal(server.line['event'], 'listening');
    assert.doesNotMatch(server.stderr(), /sign_in_links/);
    assert.equal((await fetch(`${server.origin}/users/set_up`)).status, 403);
  });

  it('the link that sets the first password is not printed if users have passwords from demo data or a seed file', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'seed.yaml');
    writeFileSync(file, 'users: [{username: ines}]\n');
    for (const seed of ['demo', file]) {
      await using server = await spawnServer(['serve', '--memory', '--seed', seed]);
      assert.equal(server.line['event'], 'listening', JSON.stringify(server.line));
      assert.doesNotMatch(server.stderr(), /sign_in_links/);
      const page = await fetch(`${server.origin}/users/set_up`, { redirect: 'manual' });
      assert.equal(page.headers.get('location'), '/users/sign_in');
    }
  });
});
