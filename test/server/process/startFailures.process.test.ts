import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'start-failure-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const support = path.join(import.meta.dirname, '../../support');
const preload = path.join(support, 'driverFaults.ts');

describe('a start that fails', function () {
  for (const [kind, options] of [
    ['started from a shell', {}],
    ['started by a program that keeps standard input open', { handshake: JSON.stringify({ adminToken: token }) }],
  ] as const) {
    it(`a failure after the server began to listen ends the process and reports a full disk, ${kind}`, async () => {
      using folder = temporaryFolder();
      const args = ['serve', '--data', folder.path, ...('handshake' in options ? ['--stdin-handshake'] : [])];
      await using server = await spawnServer(args, { env: { SIGNALBOX_TEST_UNWRITABLE: 'server.json' }, preload, ...options });
      assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'disk_full' });
      assert.equal(await server.ended, 1);
      assert.equal(server.stdout(), `${JSON.stringify(server.line)}\n`);
      await using again = await spawnServer(['serve', '--data', folder.path], { env });
      assert.equal(again.line['event'], 'listening', 'the folder is free');
    });
  }

  it('a start that fails without space for the schema or the administrator reports a full disk', async () => {
    using folder = temporaryFolder();
    const full = path.join(folder.path, 'full');
    writeFileSync(full, '');
    await using server = await spawnServer(['serve', '--data', path.join(folder.path, 'data')], {
      env: { ...env, SIGNALBOX_TEST_DISK_FULL: full },
      preload,
    });
    assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'disk_full' });
    assert.match(String(server.line['hint']), /Free some space/);
    assert.equal(await server.ended, 1);
  });

  it('a start that fails because of a refused seed file ends the process', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'seed.yaml');
    writeFileSync(file, 'users: 7\n');
    await using server = await spawnServer(['serve', '--data', path.join(folder.path, 'data'), '--seed', file], { env });
    assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'seed_refused' });
    assert.equal(await server.ended, 1);
  });
});

describe('a running server', function () {
  const failures = { SIGUSR2: 'thrown where nobody catches it', SIGWINCH: 'rejected where nobody waits for it' } as const;
  for (const [signal, text] of Object.entries(failures) as [keyof typeof failures, string][]) {
    it(`a running server shuts down cleanly with exit code 1 after an error that was ${text}`, async () => {
      using folder = temporaryFolder();
      await using server = await spawnServer(['serve', '--data', folder.path], {
        env,
        preload: path.join(support, 'throwOnSignal.ts'),
      });
      server.child.kill(signal);
      assert.equal(await server.ended, 1);
      assert.match(server.stderr(), new RegExp(text));
      assert.equal(server.stdout(), `${JSON.stringify(server.line)}\n`);
    });
  }
});
