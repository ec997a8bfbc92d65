import assert from 'node:assert/strict';
import { isRaw } from '../../support/responses.ts';
import { examples, makeFixture, sendExample } from '../../support/examples.ts';
import { PageClient } from '../../support/pages.ts';
import { sampleOf } from '../../support/sample.ts';
import { startTestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { availableRoutes } from '../http/everyRoute.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';

/** Members whose URL is for other protocols, or is that of the server or an endpoint itself. */
const NO_PAGES = ['http_url_to_repo', 'issuer', 'jwks_uri', 'iss', 'redirect_uri', 'url', 'callback_url'];

/** Declares a test that opens the URLs in the responses of every route of the REST API, or of `sample` routes that the seed determines. */
export function describeAddresses({ sample = Number.POSITIVE_INFINITY }: { readonly sample?: number } = {}): void {
  describe('the URLs in responses of the REST API', function () {
    it('URLs in responses lead to a page for signed-in users or to a response for API clients', async () => {
      using folder = temporaryFolder();
      await using server = await startTestServer({ dataFolder: folder.path, storages: emptyStorage });
      // Deleted resources have no page.
      const rows = availableRoutes().filter(
        ({ area, method, body, path }) =>
          area === 'api' && method !== 'DELETE' && body !== undefined && !isRaw(body) && !path.endsWith('openapi.json'),
      );
      const person = new PageClient(server);
      await person.signIn('root');
      const fixture = makeFixture(server);
      const opened = new Map<string, number>();
      const refused: string[] = [];
      let pages = 0;
      for (const row of sampleOf('URLs in responses', rows, sample)) {
        const name = `${row.method} ${row.path}`;
        const make = examples[name];
        assert.ok(make, name);
        const response = await sendExample(server, row, await make(fixture));
        for (const [member, address] of addressesIn(response.json(), server.origin)) {
          if (NO_PAGES.includes(member)) continue;
          const isApi = address.startsWith(`${server.origin}/api/`);
          const status =
            opened.get(address) ??
            (isApi ? await server.request('GET', address, { token: server.adminToken }) : await person.open(address)).status;
          if (!isApi && !opened.has(address)) pages += 1;
          opened.set(address, status);
          if (status !== 200) refused.push(`${name}: ${member} ${address} returned ${status}`);
        }
      }
      assert.deepEqual(refused, []);
      assert.ok(pages >= Math.min(10, sample / 10), `only ${pages} pages were opened`);
    });
  });
}

/** Yields all URLs of this server in a response, with the names of their members. */
function* addressesIn(value: unknown, origin: string, member = ''): Generator<readonly [member: string, address: string]> {
  if (typeof value === 'string' && value.startsWith(`${origin}/`)) yield [member, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) yield* addressesIn(part, origin, Array.isArray(value) ? member : name);
}
