import assert from 'node:assert/strict';
import * as z from 'zod';
import { routeDefinitions } from '../../../server/app.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import { InvalidParameters } from '../../../server/core/errors.ts';
import { parseForm } from '../../../server/http/input.ts';
import { metadataOf, type ParameterMetadata, readParameters } from '../../../server/http/params.ts';
import type { Route } from '../../../server/http/route.ts';
import { isAvailable } from '../../../server/core/profile.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type Example, examples, type Fixture, makeFixture, queryText, sendExample } from '../../support/examples.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';
import { createTestPlatform, startTestServer, type TestServer } from '../../support/server.ts';

/** Headers that differ between equal responses. */
const OF_THE_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];
const UNKNOWN = { error: '404 Not Found' };

describe('general rules on every route of the REST API', function () {
  let server: TestServer;
  let fixture: Fixture;
  before(async () => {
    server = await startTestServer({ storages: emptyStorage });
    fixture = makeFixture(server);
  });
  after(() => server.close());

  const reader = createTestPlatform();
  // Routes that only other profiles have are covered by tests of their own.
  const all = routeDefinitions(reader).filter((route) => isAvailable(route, reader.profile));
  endPlatform(reader);
  const routes = all.filter((route) => route.area === 'api');

  async function exampleOf(route: Route): Promise<Example> {
    const make = examples[`${route.method} ${route.path}`];
    assert.ok(make);
    return make(fixture);
  }

  const addressOf = (route: Route, { path = {} }: Example): string =>
    route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));

  it('the member key of a route says if the path has an iid', () => {
    for (const route of routes) assert.equal(/:\w+_iid\b/.test(route.path), route.key === 'iid', `${route.method} ${route.path}`);
    const unnamed = routes
      .filter((route) => route.path.includes(':') && route.key === undefined)
      .map(({ method, path }) => `${method} ${path}`);
    // These routes take an id, although the resources that they list or create also have an iid.
    assert.deepEqual(unnamed.toSorted(), [
      'GET /api/v4/projects/:id/issues',
      'GET /api/v4/projects/:id/merge_requests',
      'POST /api/v4/projects/:id/issues',
      'POST /api/v4/projects/:id/merge_requests',
    ]);
  });

  it('every secret of a path is a parameter of it', () => {
    for (const { method, path, secrets = [] } of routes) {
      const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      const unknown = secrets.filter((name) => !named.includes(name));
      assert.deepEqual(unknown, [], `${method} ${path}`);
      assert.equal(named.includes('secret'), secrets.includes('secret'), `${method} ${path}`);
    }
  });

  for (const route of routes) {
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
          const names = (headers: Headers) => [...headers.keys()].filter((name) => !OF_THE_CONNECTION.includes(name)).toSorted();
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

      const parameters = parametersOf(route);
      if (parameters.length > 0) {
        it(`${route.method} ${route.path} reads every value of a query like that of JSON`, () => {
          for (const { name, metadata, only } of parameters) {
            for (const value of valuesOf(metadata)) {
              const sent = { [name]: value };
              const fromJson = readParameters(only, sent);
              const fromQuery = readParameters(only, parseForm(queryText(sent)));
              assert.deepEqual(fromQuery, fromJson, `${name} ${JSON.stringify(value)}`);
            }
          }
        });
      }

      const optional = parameters.filter(({ metadata }) => !metadata.required);
      if (optional.length > 0) {
        it(`${route.method} ${route.path} reads null in JSON like an empty value in a form`, () => {
          for (const { name, metadata, only } of optional) {
            const absent = readParameters(only, {});
            assert.deepEqual(readParameters(only, { [name]: null }), absent, name);
            if (NULL_WHEN_EMPTY.includes(metadata.kind))
              assert.deepEqual(readParameters(only, parseForm(`${name}=`)), absent, name);
          }
        });
      }

      const limited = parameters.filter(({ metadata }) => wrongValuesOf(metadata).length > 0 || metadata.kind === 'time');
      if (limited.length > 0) {
        it(`${route.method} ${route.path} refuses invalid values with the name of the parameter`, () => {
          for (const { name, metadata, only } of limited) {
            for (const value of wrongValuesOf(metadata)) {
              const refused = (error: unknown) => error instanceof InvalidParameters && error.texts[0]?.startsWith(name) === true;
              assert.throws(() => readParameters(only, { [name]: value }), refused, `${name} ${JSON.stringify(value)}`);
            }
            // An unencoded plus is a space.
            if (metadata.kind === 'time') {
              assert.throws(() => readParameters(only, parseForm(`${name}=2024-02-29T23:59:59+05:30`)), InvalidParameters, name);
            }
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

  it('a dot in the last segment of a path is part of it', async () => {
    createProject(server.platform, fixture.root, { name: 'Lamps on the web', path: 'lamps.io' });
    for (const path of [
      '/api/v4/projects/root%2Flamps.io',
      '/api/v4/projects/root%2flamps%2Eio',
      '/api/v4/projects/root%2Flamps.io/events',
    ]) {
      assert.equal((await server.request('GET', path, { token: server.adminToken })).status, 200, path);
    }
  });
});

interface CheckedParameter {
  readonly name: string;
  readonly metadata: ParameterMetadata;
  /** Schema with this parameter only. */
  readonly only: z.ZodObject;
}

/** Returns the parameters of a route whose kind is known. */
function parametersOf(route: Route): readonly CheckedParameter[] {
  return Object.entries(route.schema?.().shape ?? {}).flatMap(([name, parameter]) => {
    const metadata = metadataOf(parameter);
    return metadata === undefined ? [] : [{ name, metadata, only: z.object({ [name]: parameter }) }];
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

function valuesOf(metadata: ParameterMetadata): readonly unknown[] {
  switch (metadata.kind) {
    case 'integer':
      return [1, 7, '12', '+3'];
    case 'boolean':
      return [true, false, 'yes', 'F'];
    case 'enum':
      return metadata.values ?? [];
    case 'date':
      return ['2016-12-1', '2026-01-01T10:00:00Z'];
    case 'time':
      return ['2024-02-29T23:59:59+05:30', '2026-01-01'];
    case 'strings':
      return metadata.values === undefined ? [['a', 'b&c'], 'a,b'] : [metadata.values, metadata.values.join(',')];
    case 'integers':
      return [[1, 2], '1,2'];
    case 'objects':
      return [[oneOf(metadata)]];
    case 'object':
      return [oneOf(metadata)];
    case 'opaque':
    case 'file':
    case 'string':
      return ['a', 'hello world', 'ünï', 'a+b&c=d', 'x[y]=z', '100%'];
  }
}

function oneOf({ members = {} }: ParameterMetadata): unknown {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, valuesOf(member)[0]]));
}

/** Kinds for which an empty string is no value; for strings it is one. */
const NULL_WHEN_EMPTY: readonly ParameterMetadata['kind'][] = ['integer', 'boolean', 'date', 'time'];

/** Returns values that GitLab refuses for a kind (docs/interface.md#requests). */
function wrongValuesOf({ kind, values }: ParameterMetadata): readonly unknown[] {
  switch (kind) {
    case 'integer':
      return ['1.5', 'abc', '0x1', true, [1], { a: 1 }];
    case 'boolean':
      return ['maybe', '2', 'tRuE', 2, [true], { a: true }];
    case 'enum':
      return ['nothing of this', values?.[0]?.toUpperCase() === values?.[0] ? ' ' : values?.[0]?.toUpperCase(), [values?.[0]]];
    case 'date':
    case 'time':
      return ['yesterday', '2024-02-30T', 7, ['2024-01-01'], { a: '2024-01-01' }];
    case 'strings':
    case 'integers':
      return [[null], [['a']], [{ a: 1 }], ...(values === undefined ? [] : [['nothing of this']])];
    case 'object':
    case 'objects':
      return ['a', 7, ['a']];
    case 'string':
      return [['a'], { a: 1 }, 'a\0b', 'a\ud800'];
    case 'file':
      return [7, ['a'], { name: 'a', bytes: 'b' }];
    case 'opaque':
      return [];
  }
}

function memberOf(value: unknown, name: string): string {
  const member = Object.entries(Object(value)).find(([key]) => key === name)?.[1];
  assert.ok(typeof member === 'string', name);
  return member;
}
