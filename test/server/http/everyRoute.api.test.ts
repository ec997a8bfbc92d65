import assert from 'node:assert/strict';
import * as z from 'zod';
import { InvalidParameters } from '../../../server/core/errors.ts';
import { parseForm } from '../../../server/http/input.ts';
import { metadataOf, type ParameterMetadata, readParameters } from '../../../server/http/params.ts';
import { isDescribed, type Route } from '../../../server/http/route.ts';
import { specRefs } from '../../../server/http/specRefs.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { examples, makeFixture, queryText, sendExample } from '../../support/examples.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';
import { rootOf } from '../projects/cast.ts';
import { startTestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { availableRoutes, describeRequests } from './everyRoute.ts';

const nameOf = (route: Route): string => `${route.method} ${route.path}`;

describe('general rules on every route of the REST API', function () {
  const all = availableRoutes();
  const routes = all.filter((route) => route.area === 'api');

  it('every route has an example, and every example has a route', () => {
    assert.deepEqual(Object.keys(examples).toSorted(), all.map(nameOf).toSorted());
  });

  it('every route declares its source, status, access and token scopes', () => {
    for (const route of all) {
      // Users' tokens give access to the REST API, GraphQL and the event stream.
      assert.equal(
        route.area === 'api' || route.area === 'graphql' || route.path === '/_local/stream',
        route.scopes.length > 0,
        nameOf(route),
      );
      assert.ok(specRefs.includes(route.specRef) && route.role !== '', nameOf(route));
      assert.match(route.path, /^\/[^?#]*$/);
    }
  });

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
    });
  }

  it('a dot in the last segment of a path is part of it', async () => {
    await using server = await startTestServer();
    createProject(server.platform, rootOf(server.platform), { name: 'Lamps on the web', path: 'lamps.io' });
    for (const path of [
      '/api/v4/projects/root%2Flamps.io',
      '/api/v4/projects/root%2flamps%2Eio',
      '/api/v4/projects/root%2Flamps.io/events',
    ]) {
      assert.equal((await server.request('GET', path, { token: server.adminToken })).status, 200, path);
    }
  });
});

describe('routes that are not in the API description', () => {
  // Examples whose requests end the second factor that an earlier one began.
  const alone = (route: Route): boolean => route.path.startsWith('/user_settings/two_factor_auth');

  async function respond(routes: readonly Route[]): Promise<void> {
    using folder = temporaryFolder();
    await using server = await startTestServer({ dataFolder: folder.path, storages: emptyStorage });
    const fixture = makeFixture(server);
    for (const route of routes) {
      const example = await examples[nameOf(route)]?.(fixture);
      assert.ok(example, nameOf(route));
      const response = await sendExample(server, route, example);
      assert.equal(response.status, example.status ?? route.successStatus, `${nameOf(route)}: ${response.text.slice(0, 500)}`);
    }
  }

  const routes = availableRoutes().filter((route) => !isDescribed(route));

  it('pages and other routes respond to their examples', () => respond(routes.filter((route) => !alone(route))));

  for (const route of routes.filter(alone))
    it(`${nameOf(route)} responds to its example on a new server`, () => respond([route]));
});

describeRequests({ sample: 60 });

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
