import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { hashPassword, randomPassword, verifyPassword } from '../../../server/core/secrets.ts';
import { checkPassword, createUser, findUser, storePassword } from '../../../server/features/users/accounts.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Beginning of a hash of the normal cost. */
const NORMAL = /^scrypt\$16384\$8\$5\$/;

describe('random passwords of seeds and demo data', () => {
  let server: TestServer;
  let id: number;
  const made = randomPassword();
  const storedHash = (): string => findUser(server.platform, id)?.password_hash ?? '';

  beforeEach(async () => {
    server = await startTestServer();
    const user = { username: 'ada', name: 'Ada', email: 'ada@signalbox.example', passwordHash: made.hash };
    const created = createUser(server.platform, user);
    assert.ok(typeof created !== 'string');
    ({ id } = created);
  });
  afterEach(() => server.close());

  it('two random passwords and their hashes differ, and a hash does not contain its password', () => {
    const other = randomPassword();
    assert.notEqual(other.password, made.password);
    assert.notEqual(other.hash, made.hash);
    assert.match(made.password, /^[\w-]{16}$/);
    assert.ok(!made.hash.includes(made.password));
  });

  it('a hash of the lowest cost is replaced by one of the normal cost when its password is first used', async () => {
    assert.doesNotMatch(made.hash, NORMAL);
    assert.equal((await checkPassword(server.platform, 'ada', made.password))?.username, 'ada');
    const replaced = storedHash();
    assert.match(replaced, NORMAL);
    assert.equal((await checkPassword(server.platform, 'ada', made.password))?.username, 'ada');
    assert.equal(storedHash(), replaced);
    assert.equal(await checkPassword(server.platform, 'ada', 'another password'), undefined);
  });

  it('a wrong password is refused and does not replace the hash', async () => {
    for (const wrong of ['', 'another password', made.hash, `${made.password}x`])
      assert.equal(await checkPassword(server.platform, 'ada', wrong), undefined, wrong);
    assert.equal(storedHash(), made.hash);
  });

  it('a wrong password has no hash that could replace the stored one', async () => {
    assert.deepEqual(await verifyPassword('another password', made.hash), { isCorrect: false, replacement: undefined });
    const normal = await hashPassword(made.password);
    assert.deepEqual(await verifyPassword(made.password, normal), { isCorrect: true, replacement: undefined });
  });

  it('a password that is changed while the old one is checked stays', async () => {
    const checked = checkPassword(server.platform, 'ada', made.password);
    const changed = await hashPassword('a long pass phrase');
    const user = findUser(server.platform, id);
    assert.ok(user !== undefined);
    storePassword(server.platform, user, changed);
    await checked;
    assert.equal(storedHash(), changed);
  });

  it('concurrent first sign-ins all succeed', async () => {
    const found = await Promise.all(Array.from({ length: 4 }, () => checkPassword(server.platform, 'ada', made.password)));
    assert.deepEqual(
      found.map((user) => user?.username),
      ['ada', 'ada', 'ada', 'ada'],
    );
    assert.match(storedHash(), NORMAL);
  });
});
