import assert from 'node:assert/strict';
import type { Route } from '../../../server/http/route.ts';
import { createFailingDriver, type FailingDriver } from '../../support/driverWrites.ts';
import { examples, type Fixture, makeFixture, sendExample } from '../../support/examples.ts';
import { sampleOf } from '../../support/sample.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { availableRoutes } from './everyRoute.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';

/** Pages that have to store something: the use of a one-time link, and the secret of a new second factor. */
const STORING = new Set(['/users/sign_in_links/:secret', '/user_settings/two_factor_auth']);

/** Declares a test for each reading route and page, or for `sample` of each that the seed determines. */
export function describeReads({ sample = Number.POSITIVE_INFINITY }: { readonly sample?: number } = {}): void {
  describe('a GET request while the disk is full', () => {
    const routes = availableRoutes().filter(({ method }) => method === 'GET');
    const ofApi = routes.filter(({ area }) => area === 'api');
    const ofOthers = routes.filter(({ area }) => area !== 'api');
    let driver: FailingDriver;
    let folder: ReturnType<typeof temporaryFolder>;
    let server: TestServer;
    let fixture: Fixture;

    const start = async (): Promise<void> => {
      driver = createFailingDriver();
      folder = temporaryFolder();
      server = await startTestServer({ dataFolder: folder.path, storages: emptyStorage, log: () => undefined });
      fixture = makeFixture(server);
    };
    const end = async (): Promise<void> => {
      driver.recover();
      await server.close();
      folder[Symbol.dispose]();
      driver[Symbol.dispose]();
    };
    const testExample = (route: Route): void => {
      it(`GET ${route.path} succeeds while the disk is full`, async () => {
        const make = examples[`GET ${route.path}`];
        assert.ok(make);
        const example = await make(fixture);
        driver.fail('SQLITE_FULL');
        try {
          const response = await sendExample(server, route, example);
          if (STORING.has(route.path)) {
            assert.equal(response.status, 507);
            assert.match(response.text, /The disk of this server is full.*Free some space/s);
            return;
          }
          assert.equal(response.status, example.status ?? route.successStatus, response.text.slice(0, 500));
        } finally {
          driver.recover();
        }
      });
    };

    before(async () => {
      // The OpenAPI document is generated with its own database, once per process.
      await using described = await startTestServer();
      assert.equal((await described.request('GET', '/api/v4/openapi.json')).status, 200);
    });

    describe('of the REST API', () => {
      before(start);
      after(end);
      for (const route of sampleOf('reads of a full disk', ofApi, sample)) testExample(route);
    });

    // The example of a page may change what another one needs, so each gets its own server.
    describe('of other areas', () => {
      beforeEach(start);
      afterEach(end);
      for (const route of sampleOf('pages of a full disk', ofOthers, sample)) testExample(route);
    });
  });
}
