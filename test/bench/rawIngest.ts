import type { AddressInfo } from 'node:net';
import { createApp } from '../../server/app.ts';
import { decodeBody } from '../../server/features/errorTracking/body/decodeBody.ts';
import { parseEnvelope } from '../../server/features/errorTracking/body/envelope.ts';
import { readPayload } from '../../server/features/errorTracking/body/storePayload.ts';
import { jsonResponse } from '../../server/http/requestContext.ts';
import type { Route } from '../../server/http/route.ts';
import { createTestPlatform } from '../support/server.ts';

// A Signalbox server with a single route that stores the bodies of SDKs as received and derives nothing from them. The argument is the
// database file. Prints its origin.
const file = process.argv[2];
if (file === undefined) throw new Error('the database argument is missing');
const platform = createTestPlatform({ file });
const { store } = platform;
store.run(
  'CREATE TABLE IF NOT EXISTS raw_bodies (id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT',
);
const row: Route = {
  area: 'ingest',
  method: 'POST',
  path: '/api/v4/error_tracking/collector/api/:project_id/envelope',
  specRef: 'Error ingestion',
  status: 'stated',
  scopes: [],
  role: 'client key',
  successStatus: 200,
  handle: async (context) => {
    const body = decodeBody(await context.body(), context.headers['content-encoding']);
    if (!('bytes' in body)) throw new Error('this benchmark only sends small bodies');
    const [item] = parseEnvelope(body.bytes).items;
    const event = item === undefined ? {} : readPayload(item.payload);
    const { data } = body.stored();
    body.free();
    const values = [context.now, data];
    await store.groupCommit(() => store.run('INSERT INTO raw_bodies (received_at, bytes) VALUES (?, ?)', values));
    return jsonResponse(200, { id: event['platform'] });
  },
};
const server = createApp(platform, { routes: () => [row] });
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${port}` })}\n`);
});
