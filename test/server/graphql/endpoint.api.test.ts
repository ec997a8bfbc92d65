import assert from 'node:assert/strict';
import { serverAudits } from 'graphql-http';
import { getIntrospectionQuery } from 'graphql';
import { limits } from '../../../server/graphql/limits.ts';
import { type Actor, actor, projectWith, rootOf } from '../projects/cast.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { ask, at } from './queries.ts';

describe('the GraphQL endpoint', () => {
  let server: TestServer;
  let ada: Actor;
  let eve: Actor;
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    eve = actor(platform, 'eve', { scopes: ['read_user'] });
    projectWith(platform, ada, { name: 'Open lamp', visibility: 'public', description: 'For all' });
    projectWith(platform, ada, { name: 'Hidden lamp' });
    for (let number = 1; number <= 7; number += 1) projectWith(platform, ada, { name: `Buoy ${number}`, visibility: 'public' });
  });
  after(() => server.close());

  const post = (json: unknown, more: object = {}) => ({ method: 'POST', path: '/api/graphql', json, ...more });
  const error = (message: string) => ({ errors: [{ message }] });

  describe('responses and refusals of the GraphQL endpoint', () => {
    scenarios(
      () => server,
      [
        {
          name: 'a GraphQL query without a token is answered',
          ...post({ query: '{ currentUser { username } }' }),
          status: 200,
          body: { data: { currentUser: null } },
          responseHeaders: { 'Content-Type': 'application/json; charset=utf-8' },
        },
        {
          name: 'GraphQL runs the operation that operationName names',
          ...post({ query: 'query A { a: __typename } query B { b: __typename }', operationName: 'B' }),
          status: 200,
          body: { data: { b: 'Query' } },
        },
        {
          name: 'GraphQL refuses an operation name that the document lacks',
          ...post({ query: 'query A { __typename }', operationName: 'B' }),
          status: 200,
          body: error('No operation named "B"'),
        },
        {
          name: 'GraphQL refuses several operations without operationName',
          ...post({ query: 'query A { __typename } query B { __typename }' }),
          status: 200,
          body: error('An operation name is required'),
        },
        {
          name: 'GraphQL refuses an unknown field',
          ...post({ query: '{ nothing }' }),
          status: 200,
          body: {
            errors: [{ message: 'Cannot query field "nothing" on type "Query".', locations: [{ line: 1, column: 3 }] }],
          },
        },
        {
          name: 'GraphQL refuses an unknown field with 400 for application/graphql-response+json',
          ...post({ query: '{ nothing }' }),
          headers: { Accept: 'application/graphql-response+json' },
          status: 400,
          responseHeaders: { 'Content-Type': 'application/graphql-response+json; charset=utf-8' },
        },
        {
          name: 'GraphQL offers no mutations',
          ...post({ query: 'mutation { nothing }' }),
          status: 200,
          has: { errors: [{ message: 'Cannot query field "nothing" on type "Mutation".' }] },
        },
        { name: 'GraphQL refuses a request without a query', ...post({}), status: 400, body: error('Missing query') },
        { name: 'GraphQL refuses a list of queries', ...post([{ query: '{ __typename }' }]), status: 400, has: { errors: [{}] } },
        {
          name: 'GraphQL refuses a body that is no JSON',
          method: 'POST',
          path: '/api/graphql',
          form: '{"query"',
          headers: {},
          status: 415,
          body: error('415 Unsupported Media Type'),
        },
        {
          name: 'GraphQL refuses an Accept header that it cannot satisfy',
          ...post({ query: '{ __typename }' }),
          headers: { Accept: 'text/html' },
          status: 406,
          body: error('406 Not Acceptable'),
        },
        {
          name: 'GraphQL refuses GET',
          path: '/api/graphql?query=%7B__typename%7D',
          status: 405,
          body: error('405 Method Not Allowed'),
          responseHeaders: { Allow: 'OPTIONS, POST' },
        },
        {
          name: 'GraphQL refuses an unknown token',
          ...post({ query: '{ __typename }' }, { token: 'nobody-has-this-one' }),
          status: 401,
          body: error('Invalid token'),
        },
        {
          name: 'GraphQL refuses a query that is too long',
          ...post({ query: `{ __typename #${'x'.repeat(limits.longest)}\n}` }),
          status: 422,
          body: error('Query too large'),
        },
        {
          name: 'GraphQL refuses a body that is too large',
          ...post({ query: '{ __typename }', variables: { a: 'x'.repeat(300_000) } }),
          status: 413,
          has: { errors: [{}] },
        },
        {
          name: 'GraphQL allows pages of other origins, without credentials of the browser',
          ...post({ query: '{ __typename }' }, { headers: { Origin: 'https://elsewhere.example' } }),
          status: 200,
          responseHeaders: { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Credentials': null },
        },
        {
          name: 'GraphQL allows a preflight request for JSON and a token',
          method: 'OPTIONS',
          path: '/api/graphql',
          headers: {
            Origin: 'https://elsewhere.example',
            'Access-Control-Request-Method': 'POST',
            'Access-Control-Request-Headers': 'content-type,private-token',
          },
          status: 204,
          responseHeaders: { 'Access-Control-Allow-Headers': 'content-type,private-token' },
        },
      ],
    );

    it('GraphQL refuses a token without a scope for the API as invalid, and accepts read_api', async () => {
      const query = '{ currentUser { username } }';
      const refused = await ask(server, eve.token, query);
      assert.deepEqual([refused.status, refused.errors], [401, ['Invalid token']]);
      const reader = actor(server.platform, 'reader', { scopes: ['read_api'] });
      assert.deepEqual((await ask(server, reader.token, query)).data, { currentUser: { username: 'reader' } });
      const response = await server.request('POST', '/api/graphql', {
        json: { query },
        headers: { 'PRIVATE-TOKEN': ada.token },
      });
      assert.deepEqual(response.json(), { data: { currentUser: { username: 'ada' } } });
    });

    it('GraphQL refuses a body that is not valid JSON', async () => {
      const response = await fetch(`${server.origin}/api/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"query"',
      });
      assert.deepEqual([response.status, await response.json()], [400, error('Unparsable JSON body')]);
    });
  });

  it('GraphQL over HTTP: every audit passes except those of GET, which is refused as permitted', async () => {
    const audits = serverAudits({ url: `${server.origin}/api/graphql` });
    const failed: string[] = [];
    for (const audit of audits) {
      const { status } = await audit.fn();
      if (status !== 'ok') failed.push(`${audit.id} ${audit.name}`);
    }
    assert.ok(audits.length > 50);
    assert.deepEqual(
      failed.filter((name) => !/\bGETs?\b/.test(name)),
      [],
    );
    assert.deepEqual(
      failed.filter((name) => /\b(?:MUST|SHOULD)\b/.test(name)),
      [],
    );
  });

  it('the introspection query is within the limits', async () => {
    const { data, errors } = await ask(server, undefined, getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }));
    assert.deepEqual(errors, []);
    assert.equal(at(data, '__schema', 'queryType', 'name'), 'Query');
    const greedy = `{ ${Array.from({ length: 14 }, (_, at) => `a${at}: __schema { types { fields { args { type { name ofType { name ofType { name ofType { name } } } } } } } }`).join(' ')} }`;
    assert.deepEqual((await ask(server, undefined, greedy)).errors, ['Query asks for too much of the schema at once']);
  });

  describe('limits of a GraphQL query', () => {
    const deep = (levels: number) => `{ projects { ${'edges { node { '.repeat(levels)}fullPath${' } }'.repeat(levels)} } }`;

    it('the depth of a GraphQL query is limited', async () => {
      const fragments = '{ project(fullPath: "a/b") { sentryErrors { errors { edges { node { frequency { time } } } } } } }';
      assert.deepEqual((await ask(server, undefined, fragments)).errors, []);
      // No valid query is that deep. It is refused because of its fields, and never executed.
      assert.ok((await ask(server, undefined, deep(10))).errors.length > 0);
      assert.deepEqual((await ask(server, undefined, `{ ${'a { '.repeat(1500)}b${' }'.repeat(1500)} }`)).status, 200);
    });

    it('the complexity limit is higher with a token, and complexity grows with the page size', async () => {
      const many = (count: number, first: number) =>
        `{ ${Array.from({ length: count }, (_, at) => `p${at}: projects(first: ${first}) { nodes { fullPath } }`).join(' ')} }`;
      const refused = await ask(server, undefined, many(35, 100));
      assert.deepEqual(refused.errors, ['Query has complexity of 210, which exceeds max complexity of 200']);
      assert.deepEqual((await ask(server, ada.token, many(35, 100))).errors, []);
      assert.deepEqual((await ask(server, undefined, many(35, 1))).errors, []);
      const { errors } = await ask(server, server.adminToken, many(50, 100));
      assert.deepEqual(errors, []);
      const varied = 'query Q($n: Int) { ' + many(35, 0).slice(1, -1).replaceAll('first: 0', 'first: $n') + ' }';
      assert.deepEqual((await ask(server, undefined, varied, { n: 1 })).errors, []);
      assert.deepEqual((await ask(server, undefined, varied, { n: 100 })).errors, refused.errors);
    });

    it('the number of aliases is limited', async () => {
      const query = `{ ${Array.from({ length: 51 }, (_, at) => `a${at}: __typename`).join(' ')} }`;
      assert.deepEqual((await ask(server, ada.token, query)).errors, ['Query has 51 aliases, which exceeds max aliases of 50']);
    });

    it('fragments that grow exponentially or without end are refused', async () => {
      const grains = Array.from({ length: 30 }, (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`).join(' ');
      const query = `${grains} fragment F30 on Query { __typename } { ...F0 }`;
      assert.deepEqual((await ask(server, undefined, query)).errors, [`Query selects more than ${limits.selections} fields`]);
      const circle = '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }';
      assert.match((await ask(server, undefined, circle)).errors[0] ?? '', /^Cannot spread fragment "A" within itself/);
    });
  });

  describe('users and projects', () => {
    it('currentUser is the caller', async () => {
      const { data } = await ask(
        server,
        ada.token,
        '{ currentUser { __typename id username name state bot avatarUrl webUrl webPath createdAt ... on User { publicEmail } } }',
      );
      assert.partialDeepStrictEqual(data, {
        currentUser: {
          __typename: 'CurrentUser',
          id: `gid://gitlab/User/${ada.user.id}`,
          username: 'ada',
          name: 'ada Example',
          state: 'active',
          bot: false,
          webUrl: `${server.origin}/ada`,
          webPath: '/ada',
        },
      });
      assert.match(String(at(data, 'currentUser', 'createdAt')), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    });

    it('a project is found by full path, with the same data as in REST', async () => {
      const { data, errors } = await ask(
        server,
        undefined,
        `{ project(fullPath: "ada/open-lamp") { id name path fullPath nameWithNamespace description visibility archived webUrl webPath
           httpUrlToRepo sshUrlToRepo starCount forksCount topics avatarUrl issuesEnabled openIssuesCount createdAt updatedAt lastActivityAt } }`,
      );
      assert.deepEqual(errors, []);
      const rest = await server.request('GET', '/api/v4/projects/ada%2Fopen-lamp');
      const wire = rest.json();
      assert.partialDeepStrictEqual(at(data, 'project'), {
        id: `gid://gitlab/Project/${String(at(wire, 'id'))}`,
        name: 'Open lamp',
        path: 'open-lamp',
        fullPath: 'ada/open-lamp',
        nameWithNamespace: at(wire, 'name_with_namespace'),
        description: 'For all',
        visibility: 'public',
        archived: false,
        webUrl: at(wire, 'web_url'),
        webPath: '/ada/open-lamp',
        httpUrlToRepo: at(wire, 'http_url_to_repo'),
        sshUrlToRepo: at(wire, 'ssh_url_to_repo'),
        starCount: 0,
        forksCount: 0,
        avatarUrl: null,
        issuesEnabled: true,
        openIssuesCount: 0,
      });
      assert.deepEqual(at(data, 'project', 'topics'), []);
    });

    it('a hidden project is null, and so is one requested by ID', async () => {
      const path = (fullPath: string) => `{ project(fullPath: "${fullPath}") { name } }`;
      for (const text of ['ada/hidden-lamp', 'nobody/nothing', '1', '']) {
        assert.deepEqual(await ask(server, undefined, path(text)), { status: 200, data: { project: null }, errors: [] });
      }
      assert.deepEqual((await ask(server, ada.token, path('ada/hidden-lamp'))).data, { project: { name: 'Hidden lamp' } });
    });

    it('lists of projects can be paged in both directions, and contain visible projects only', async () => {
      const walk = async (token: string | undefined, size: 'first' | 'last') => {
        const [cursor, more] = size === 'first' ? ['endCursor', 'hasNextPage'] : ['startCursor', 'hasPreviousPage'];
        const names: unknown[] = [];
        let location: unknown = null;
        for (let page = 0; page < 20; page += 1) {
          const query = `query P($place: String) { projects(${size}: 3, ${size === 'first' ? 'after' : 'before'}: $place) { nodes { fullPath } pageInfo { ${cursor} ${more} } } }`;
          const { data, errors } = await ask(server, token, query, { place: location });
          assert.deepEqual(errors, []);
          const nodes = at(data, 'projects', 'nodes');
          assert.ok(Array.isArray(nodes));
          const found = nodes.map((node) => at(node, 'fullPath'));
          if (size === 'first') names.push(...found);
          else names.unshift(...found);
          location = at(data, 'projects', 'pageInfo', cursor);
          if (at(data, 'projects', 'pageInfo', more) !== true) return names;
        }
        return assert.fail('the list does not end');
      };
      const open = [7, 6, 5, 4, 3, 2, 1].map((number) => `ada/buoy-${number}`);
      assert.deepEqual(await walk(undefined, 'first'), [...open, 'ada/open-lamp']);
      assert.deepEqual(await walk(ada.token, 'first'), [...open, 'ada/hidden-lamp', 'ada/open-lamp']);
      assert.deepEqual(await walk(ada.token, 'last'), [...open, 'ada/hidden-lamp', 'ada/open-lamp']);
    });

    it('the list of projects has arguments', async () => {
      const names = async (args: string, token: string | undefined = ada.token) => {
        const { data, errors } = await ask(server, token, `{ projects(${args}) { edges { cursor node { fullPath } } } }`);
        if (errors.length > 0) return errors;
        const edges = at(data, 'projects', 'edges');
        assert.ok(Array.isArray(edges));
        assert.ok(edges.every((edge) => typeof at(edge, 'cursor') === 'string'));
        return edges.map((edge) => at(edge, 'node', 'fullPath'));
      };
      const kim = actor(server.platform, 'kim');
      assert.deepEqual(await names('search: "LAMP"'), ['ada/hidden-lamp', 'ada/open-lamp']);
      assert.deepEqual(await names('search: "ada/b", searchNamespaces: true, first: 1'), ['ada/buoy-7']);
      assert.deepEqual(await names('membership: true', kim.token), []);
      const { data } = await ask(server, ada.token, '{ project(fullPath: "ada/hidden-lamp") { id } }');
      const id = String(at(data, 'project', 'id'));
      assert.deepEqual(await names(`ids: ["${id}", "gid://gitlab/Project/999"]`), ['ada/hidden-lamp']);
      assert.deepEqual(await names(`ids: ["${id}"]`, kim.token), []);
      assert.deepEqual(await names('ids: ["7"]'), ['"7" does not represent an instance of Project']);
      assert.deepEqual(await names('first: -1'), ['first must not be negative']);
      assert.deepEqual(await names('after: "x"'), ['The cursor is none of this list in this order']);
      assert.deepEqual(await names('withIssuesEnabled: true, topics: ["none"]'), []);
    });
  });

  it('an administrator sees every project in GraphQL', async () => {
    const { data } = await ask(
      server,
      server.adminToken,
      '{ project(fullPath: "ada/hidden-lamp") { name } currentUser { username } }',
    );
    assert.deepEqual(data, { project: { name: 'Hidden lamp' }, currentUser: { username: rootOf(server.platform).username } });
  });
});
