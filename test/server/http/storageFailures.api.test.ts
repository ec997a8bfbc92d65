import assert from 'node:assert/strict';
import { createFailingDriver, type FailingDriver } from '../../support/driverWrites.ts';
import { formsOf, PageClient } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { trackedProject, type TrackedProject } from '../errorTracking/senders.ts';

const FULL = { status: 507, text: /The disk of this server is full.*Free some space/s, cause: /disk is full|database is full/ };
const UNWRITABLE = {
  status: 503,
  text: /cannot write to its disk.*Make its data folder writable/s,
  cause: /cannot write to its disk|database cannot be written/,
};

/** SQLite error codes with the response to a writing request. */
const CODES = {
  SQLITE_FULL: FULL,
  SQLITE_READONLY: UNWRITABLE,
  SQLITE_READONLY_DBMOVED: UNWRITABLE,
  SQLITE_IOERR: UNWRITABLE,
  SQLITE_IOERR_WRITE: UNWRITABLE,
  SQLITE_IOERR_FSYNC: UNWRITABLE,
  SQLITE_CANTOPEN: UNWRITABLE,
} as const;

for (const [code, { status, text, cause }] of Object.entries(CODES)) {
  describe(`a write that fails in the database with ${code}`, () => {
    let driver: FailingDriver;
    let server: TestServer;
    let tracked: TrackedProject;
    const logged: string[] = [];

    beforeEach(async () => {
      driver = createFailingDriver();
      server = await startTestServer({ log: (line) => logged.push(line) });
      tracked = trackedProject(server);
    });
    afterEach(async () => {
      driver.recover();
      await server.close();
      driver[Symbol.dispose]();
    });
    const createProject = (name: string) =>
      server.request('POST', '/api/v4/projects', { token: server.adminToken, json: { name } });

    it(`a database error ${code} is explained to clients of the REST API, and repeating the request succeeds`, async () => {
      driver.fail(code);
      const refused = await createProject('Harbour');
      assert.equal(refused.status, status);
      assert.match(refused.text, text);
      driver.recover();
      assert.equal((await createProject('Harbour')).status, 201);
      assert.ok(
        logged.some((line) => line.includes(code)),
        'the log has the cause',
      );
    });

    it(`a database error ${code} is explained to OAuth clients`, async () => {
      driver.fail(code);
      const form = { client_id: '8f2b6a7c41d95e03b1c8f4e29a6d70537e1c94b82fd3650a9c7be4160f58d23a' };
      const refused = await server.request('POST', '/oauth/authorize_device', { form });
      assert.equal(refused.status, status);
      assert.partialDeepStrictEqual(refused.json(), { error: 'temporarily_unavailable' });
      assert.match(refused.text, cause);
    });

    it(`a database error ${code} is explained on an HTML page`, async () => {
      const client = new PageClient(server);
      await client.signIn();
      const page = await client.open('/user_settings/profile');
      assert.ok(formsOf(page.text).length > 0);
      driver.fail(code);
      const refused = await client.submit(page, '/user_settings/profile', { bio: 'Keeps the lamps lit' });
      assert.equal(refused.status, status);
      assert.match(refused.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(refused.text, text);
    });

    it(`a database error ${code} is explained to SDKs, which send the event again`, async () => {
      driver.fail(code);
      const send = () => tracked.post('store', JSON.stringify({ message: 'The crane stands still' }));
      const refused = await send();
      assert.equal(refused.status, 503);
      assert.match(refused.text, cause);
      driver.recover();
      assert.equal((await send()).status, 200);
    });
  });
}
