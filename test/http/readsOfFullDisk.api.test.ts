import assert from 'node:assert/strict';
import { ledger } from '../../server/app.ts';
import { endPlatform } from '../../server/createPlatform.ts';
import type { Route } from '../../server/http/route.ts';
import { createFailingDriver, type FailingDriver } from '../support/driverWrites.ts';
import { examples, type Fixture, makeFixture, sendExample } from '../support/examples.ts';
import { createTestPlatform, startTestServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/serverProcess.ts';

const reader = createTestPlatform();
const rows = ledger(reader).filter(({ method }) => method === 'GET');
endPlatform(reader);

/** Pages whose purpose is to store something: the use of a one-time link, and the secret of a new second factor. */
const STORING = new Set(['/users/sign_in_links/:secret', '/user_settings/two_factor_auth']);

describe('a GET request while nothing can be written', () => {
  let driver: FailingDriver;
  let folder: ReturnType<typeof temporaryFolder>;
  let server: TestServer;
  let fixture: Fixture;

  const begin = async (): Promise<void> => {
    driver = createFailingDriver();
    folder = temporaryFolder();
    server = await startTestServer({ dataFolder: folder.path, log: () => undefined });
    fixture = makeFixture(server);
  };
  const end = async (): Promise<void> => {
    driver.recover();
    await server.close();
    folder[Symbol.dispose]();
    driver[Symbol.dispose]();
  };
  const answersItsExample = (row: Route): void => {
    it(`to ${row.path} is answered`, async () => {
      const make = examples[`GET ${row.path}`];
      assert.ok(make);
      const example = await make(fixture);
      driver.fail('SQLITE_FULL');
      try {
        const answer = await sendExample(server, row, example);
        if (STORING.has(row.path)) {
          assert.equal(answer.status, 507);
          assert.match(answer.text, /The disk of this server is full.*Free some space/s);
          return;
        }
        assert.equal(answer.status, example.status ?? row.answer, answer.text.slice(0, 500));
      } finally {
        driver.recover();
      }
    });
  };

  before(async () => {
    // The description is made with a database of its own, once in a process.
    await using described = await startTestServer();
    assert.equal((await described.request('GET', '/api/v4/openapi.json')).status, 200);
  });

  describe('of the REST API', () => {
    before(begin);
    after(end);
    for (const row of rows.filter(({ area }) => area === 'api')) answersItsExample(row);
  });

  // An example of a page may change what another one needs, so each has a server of its own.
  describe('of another area', () => {
    beforeEach(begin);
    afterEach(end);
    for (const row of rows.filter(({ area }) => area !== 'api')) answersItsExample(row);
  });
});
