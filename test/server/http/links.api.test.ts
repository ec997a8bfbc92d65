import assert from 'node:assert/strict';
import { request } from 'node:http';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Received {
  readonly status: number | undefined;
  readonly relations: readonly string[];
  readonly length: number;
}

describe('links to other pages of a list', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    for (const name of ['Lamps', 'Fuses', 'Cables']) {
      await server.request('POST', '/api/v4/projects', { token: server.adminToken, json: { name } });
    }
  });
  after(() => server.close());

  /** Requests the second of three pages as a client that accepts 16 KiB of headers, which is Node's default. */
  const secondPage = (query: string): Promise<Received> =>
    new Promise((resolve, reject) => {
      const path = `/api/v4/projects?per_page=1&page=2&${query}`;
      const options = { headers: { 'PRIVATE-TOKEN': server.adminToken, Connection: 'close' }, maxHeaderSize: 16_384 };
      const sent = request(`${server.origin}${path}`, options, (response) => {
        const link = String(response.headers.link ?? '');
        const relations = [...link.matchAll(/rel="(\w+)"/g)].map((match) => match[1] ?? '');
        response.resume().on('end', () => resolve({ status: response.statusCode, relations, length: link.length }));
      });
      sent.on('error', reject);
      sent.end();
    });

  for (const [name, query, relations] of [
    ['the Link header of a short query has all links', 'more=a', ['prev', 'next', 'first', 'last']],
    ['the Link header of a longer query omits the last page first', `more=${'a'.repeat(2300)}`, ['prev', 'next', 'first']],
    ['the Link header of a long query has only the next page', `more=${'a'.repeat(7000)}`, ['next']],
    [
      'the Link header has the next page even if this link exceeds the limit of all others',
      `more=${'a'.repeat(5000)}${','.repeat(2000)}`,
      ['next'],
    ],
  ] as const) {
    it(name, async () => {
      const { status, relations: found } = await secondPage(query);
      assert.deepEqual([status, found], [200, relations]);
    });
  }

  for (const [name, more] of [
    ['by number', ''],
    ['by keyset', 'pagination=keyset&order_by=id&'],
  ] as const) {
    it(`a list is refused ${name} if the next link alone is longer than clients accept`, async () => {
      const { status, length } = await secondPage(`${more}more=${','.repeat(7500)}`);
      assert.deepEqual([status, length], [414, 0]);
    });
  }
});
