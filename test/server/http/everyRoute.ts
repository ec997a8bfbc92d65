import assert from 'node:assert/strict';
import { routeDefinitions } from '../../../server/app.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import type { Route } from '../../../server/http/route.ts';
import { isAvailable } from '../../../server/core/profile.ts';
import { type Example, examples, type Fixture, makeFixture, queryText, sendExample } from '../../support/examples.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';
import { sampleOf } from '../../support/sample.ts';
import { createTestPlatform, startTestServer, type TestServer } from '../../support/server.ts';

/** Headers that differ between equal responses. */
const OF_THE_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];
const UNKNOWN = { error: '404 Not Found' };

/** Returns the routes that the default profile has. Tests of their own cover the routes that only other profiles have. */
export function availableRoutes(): readonly Route[] {
  const reader = createTestPlatform();
  const routes = routeDefinitions(reader).filter((route) => isAvailable(route, reader.profile));
  endPlatform(reader);
  return routes;
}

/** Declares tests that send requests to each route of the REST API, or to `sample` routes that the seed determines. */
export function describeRequests({ sample = Number.POSITIVE_INFINITY }: { readonly sample?: number } = {}): void {
  describe('general rules for requests to every route of the REST API', () => {
    let server: TestServer;
    let fixture: Fixture;
    before(async () => {
      server = await startTestServer({ storages: emptyStorage });
      fixture = makeFixture(server);
    });
    after(() => server.close());

    const all = availableRoutes();
    const routes = all.filter((route) => route.area === 'api');

    async function exampleOf(route: Route): Promise<Example> {
      const make = examples[`${route.method} ${route.path}`];
      assert.ok(make);
      return make(fixture);
    }

    const addressOf = (route: Route, { path = {} }: Example): string =>
      route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));

    for (const route of sampleOf('requests to every route', routes, sample)) {
      describe(`${route.method} ${route.path}`, () => {
        let refused: Promise<Example> | undefined;
        /** Sends a request that is refused, so that all of these requests can use the same resources. */
        const request = async (method: string, suffix = '', body?: { readonly type: string; readonly text: string }) => {
          refused ??= exampleOf(route);
          const example = await refused;
          const headers = new Headers(example.headers);
          if (example.token !== undefined) headers.set('PRIVATE-TOKEN', example.token);
          if (body !== undefined) headers.set('Content-Type', body.type);
          const address = `${server.origin}${addressOf(route, example)}${suffix}`;
          return fetch(address, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body: body.text }) });
        };

        it(`${route.method} ${route.path} supports only JSON`, async () => {
          const response = await request(route.method, '?format=xml');
          assert.equal(response.status, 406);
          assert.deepEqual(await response.json(), { error: "The requested format 'xml' is not supported." });
        });

        it(`${route.method} ${route.path} refuses a request line that is too long`, async () => {
          const response = await request(route.method, `?search=${'a'.repeat(9000)}`);
          assert.equal(response.status, 414);
        });

        it(`${route.method} ${route.path} does not exist with another method`, async () => {
          const known = all.filter(({ path }) => canMatchSamePath(path, route.path)).map(({ method }) => method);
          for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
            if (known.includes(method)) continue;
            const response = await request(method);
            assert.deepEqual([response.status, await response.json()], [404, UNKNOWN], method);
          }
        });

        if (route.method === 'GET') {
          it(`${route.method} ${route.path} responds to HEAD with the headers of GET and without a body`, async () => {
            const example = await exampleOf(route);
            const get = await sendExample(server, route, example);
            const head = await server.request('HEAD', `${addressOf(route, example)}?${queryText(example.params ?? {})}`, {
              ...(example.token === undefined ? {} : { token: example.token }),
              ...(example.headers === undefined ? {} : { headers: example.headers }),
            });
            assert.equal(head.status, get.status);
            assert.equal(head.text, '');
            const names = (headers: Headers) =>
              [...headers.keys()].filter((name) => !OF_THE_CONNECTION.includes(name)).toSorted();
            assert.deepEqual(names(head.headers), names(get.headers));
          });
        } else {
          it(`${route.method} ${route.path} refuses a body that is neither JSON nor a form`, async () => {
            const response = await request(route.method, '', { type: 'text/xml', text: '<a/>' });
            assert.equal(response.status, 415);
            assert.deepEqual(await response.json(), { error: "The provided content-type 'text/xml' is not supported." });
          });
        }

        const hasParameters = Object.keys(route.schema?.().shape ?? {}).length > 0;
        if (hasParameters && (route.method === 'POST' || route.method === 'PUT')) {
          it(`${route.method} ${route.path} reads its parameters from the query, a form and JSON`, async () => {
            for (const way of ['query', 'form', 'json'] as const) {
              const example = await exampleOf(route);
              const { params = {}, token } = example;
              const address = addressOf(route, example);
              const response = await server.request(route.method, way === 'query' ? `${address}?${queryText(params)}` : address, {
                ...(token === undefined ? {} : { token }),
                ...(way === 'form' ? { form: queryText(params) } : way === 'json' ? { json: params } : {}),
              });
              assert.equal(response.status, route.successStatus, `${way}: ${response.text}`);
            }
          });
        }

        const location = route.path.split('/').findIndex((segment) => /^:(?:id|project_id)$/.test(segment));
        const kind = route.path.split('/')[3];
        if (location === 4 && (kind === 'projects' || kind === 'groups')) {
          it(`${route.method} ${route.path} finds the resource by its encoded path and its ID, and not by an unencoded path`, async () => {
            // Paths are decoded before the route is found, so a second spelling works alike for every route.
            for (const slash of route.method === 'GET' ? ['%2F', '%2f'] : ['%2F']) {
              const example = await exampleOf(route);
              const segments = addressOf(route, example).split('/');
              const named = await server.request('GET', `/api/v4/${kind}/${segments[4]}`, { token: server.adminToken });
              const full = memberOf(named.json(), kind === 'projects' ? 'path_with_namespace' : 'full_path');
              const isRead = route.method === 'GET' || route.method === 'DELETE';
              const at = (id: string): string => {
                const address = segments.with(4, id).join('/');
                return isRead ? `${address}?${queryText(example.params ?? {})}` : address;
              };
              const options = {
                ...(example.token === undefined ? {} : { token: example.token }),
                ...(example.headers === undefined ? {} : { headers: example.headers }),
                ...(isRead ? {} : { json: example.params ?? {} }),
              };
              if (full.includes('/')) {
                const plain = await server.request(route.method, at(full), options);
                assert.deepEqual([plain.status, plain.json()], [404, UNKNOWN]);
              }
              const response = await server.request(route.method, at(full.replaceAll('/', slash)), options);
              assert.equal(response.status, route.successStatus, response.text);
            }
          });
        }
      });
    }
  });
}

/** Returns true if two path patterns can match the same path. */
function canMatchSamePath(one: string, other: string): boolean {
  const [left, right] = [one.split('/'), other.split('/')];
  return (
    left.length === right.length &&
    left.every((part, index) => part.startsWith(':') || right[index]?.startsWith(':') || part === right[index])
  );
}

function memberOf(value: unknown, name: string): string {
  const member = Object.entries(Object(value)).find(([key]) => key === name)?.[1];
  assert.ok(typeof member === 'string', name);
  return member;
}
