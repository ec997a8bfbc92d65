import type { AddressInfo } from 'node:net';
import { createApp, routeDefinitions } from '../../server/app.ts';
import { createTestPlatform } from '../support/server.ts';

// A server with the given number of routes, among them the project list as the last route. Prints its origin and the number of routes.
const wanted = Number(process.argv[2]);
const platform = createTestPlatform();
const all = routeDefinitions(platform).filter((row) => row.area === 'api');
const requested = all.filter((row) => row.method === 'GET' && row.path === '/api/v4/projects');
const others = all.filter((row) => !requested.includes(row));
// The routes are picked evenly from the whole list, so that few routes are as varied as many.
const step = Math.max(1, Math.floor(others.length / (wanted - 1)));
const rows = [...others.filter((_, index) => index % step === 0).slice(0, wanted - 1), ...requested];
if (rows.length !== wanted || requested.length !== 1) throw new Error(`the server has ${rows.length} routes`);
const server = createApp(platform, { routes: () => rows });
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${port}` })}\n`);
});
