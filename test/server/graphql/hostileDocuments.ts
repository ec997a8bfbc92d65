import assert from 'node:assert/strict';
import fc from 'fast-check';
import { errorEvent, trackedProject } from '../errorTracking/senders.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const repeated = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(' ');

/** Declares the tests. `runs` is the number of random documents, and of random bodies. */
export function describeHostileDocuments({ runs }: { readonly runs: number }): void {
  describe('hostile GraphQL documents', function () {
    let server: TestServer;
    let token: string;
    let path: string;
    const logged: string[] = [];
    before(async () => {
      server = await startTestServer({ log: (line) => logged.push(line) });
      const project = trackedProject(server);
      await project.send(errorEvent('load'));
      ({ path } = project);
      ({ token } = project.owner);
    });
    after(() => server.close());

    const send = async (body: string): Promise<number> => {
      const response = await fetch(`${server.origin}/api/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body,
      });
      const text = await response.text();
      assert.ok(response.status < 500, `${response.status} to ${body.slice(0, 300)}: ${text.slice(0, 300)}`);
      assert.ok(text.length < 2_000_000, `${text.length} characters for ${body.slice(0, 300)}`);
      assert.ok(!/Internal server error|\bat .*\.[tj]s:/.test(text), `${body.slice(0, 500)}: ${text.slice(0, 500)}`);
      return response.status;
    };

    it('hostile documents that repeat, nest or spread get a small response without a server error', async () => {
      const inner = (fields: string) => `{ project(fullPath: "${path}") { sentryErrors { ${fields} } } }`;
      const documents = [
        `{ ${'a '.repeat(4900)}}`,
        `{ ${repeated(790, () => '__typename')} }`,
        `{ ${repeated(260, () => 'a { a { b } }')} }`,
        `${'{ a '.repeat(1900)}${'} '.repeat(1900)}`,
        `{ a(b: ${'['.repeat(3900)}) }`,
        `{ a(b: ${'{a: '.repeat(1300)}) }`,
        `query ($a: ${'['.repeat(3000)}Int) { __typename }`,
        `{ ${repeated(130, (at) => `...F${at}`)} } ${repeated(130, (at) => `fragment F${at} on Query { a(b: ${at}) { c } }`)}`,
        `{ ...F0 } ${repeated(60, (at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`)}`,
        `{ ...F0 } ${repeated(60, (at) => `fragment F${at} on Query { ...F${(at + 1) % 60} }`)}`,
        repeated(300, (at) => `query Q${at} { __typename }`),
        `query (${repeated(300, (at) => `$v${at}: Int`)}) { __typename }`,
        `{ __typename ${repeated(500, () => '@include(if: true)')} }`,
        `{ ${repeated(48, (at) => `a${at}: projects(first: 100) { nodes { fullPath } }`)} }`,
        inner(repeated(45, (at) => `a${at}: errors { nodes { frequency { time count } } }`)),
        `{ ${repeated(13, (at) => `a${at}: __schema { types { fields { type { fields { type { name } } } } } }`)} }`,
        '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
        `{ project(fullPath: "${'/'.repeat(9000)}") { name } }`,
        `{ projects(search: "${'%_!'.repeat(3000)}") { nodes { name } } }`,
        inner(`errors(searchTerm: "${'a'.repeat(9000)}") { nodes { title } }`),
        inner(`errors(searchTerm: "\\u0000 AND (\\" OR *)") { nodes { title } }`),
        inner('errors(after: "WyJuZXh0IiwibGFzdF9zZWVuIiwxZTMwOCwxZTMwOF0") { nodes { title } }'),
        inner('errors(after: "WyJuZXh0IiwibGFzdF9zZWVuIiwtMSwtMV0", first: 2147483647) { nodes { title } }'),
        inner('detailedError(id: {a: [1, "b", null, $c]}) { title }'),
        inner('detailedError(id: 7) { title } errorStackTrace(id: null) { issueId }'),
        '{ projects(first: 99999999999) { nodes { name } } }',
        '{ projects(first: 0, last: 0) { nodes { name } pageInfo { endCursor hasNextPage } } }',
        `{ projects(ids: [${repeated(900, (at) => `"gid://gitlab/Project/${at}"`)}]) { nodes { name } } }`,
        '{ projects(topics: ["\\u0000", ""], after: "W10") { nodes { name } } }',
        'subscription { a }',
        'type Query { a: Int }',
        '"""',
        '{ project(fullPath: """block""") { name } }',
        '\u{feff}{ __typename }',
        '{ __typename } \ud800',
      ];
      for (const query of documents) {
        await send(JSON.stringify({ query }));
        await send(JSON.stringify({ query, variables: { a: 1 }, operationName: 'constructor' }));
      }
      for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'kind', 'length']) {
        await send(JSON.stringify({ query: `{ ${name} }` }));
        await send(`{"query":"{ __typename }","variables":{"${name}":1},"operationName":"${name}"}`);
        await send(`{"${name}":{"query":"{ a }"},"query":"query ($${name}: Int) { a: __typename }"}`);
      }
    });

    it('documents of random GraphQL tokens never cause a server error', async () => {
      const text = [
        '{',
        '}',
        '(',
        ')',
        '[',
        ']',
        ':',
        '!',
        '$a',
        '$id',
        '...',
        '...F',
        '@include(if: true)',
        '@skip(if: $a)',
        '"',
        '"""',
        '\\u',
        '#',
        '=',
        'query',
        'mutation',
        'subscription',
        'fragment F on Query',
        'fragment',
        'on',
        'Project',
        'a:',
        '__typename',
        '__schema',
        '__type(name: "Query")',
        'currentUser',
        `project(fullPath: "${path}")`,
        'projects',
        'sentryErrors',
        'errors',
        'nodes',
        'edges',
        'node',
        'pageInfo',
        'title',
        'frequency',
        'detailedError',
        'id',
        'id:',
        'first:',
        '-1',
        '1e99',
        '20',
        'null',
        'true',
        'types',
        'fields',
        'ofType',
        'name',
      ];
      const document = fc
        .array(fc.oneof(fc.constantFrom(...text), fc.string({ maxLength: 4 })), { maxLength: 60 })
        .map((parts) => parts.join(' '));
      const tree: fc.Arbitrary<string> = fc.letrec<{ tree: string }>((tie) => ({
        tree: fc.oneof(
          { maxDepth: 6, depthIdentifier: 'fields' },
          fc.constantFrom('__typename', 'title', 'name', 'id'),
          fc
            .tuple(
              fc.constantFrom(
                'currentUser',
                `project(fullPath: "${path}")`,
                'projects(first: 2)',
                'sentryErrors',
                'errors',
                'nodes',
                '...',
                '... on Project',
                'a: projects',
              ),
              fc.array(tie('tree'), { minLength: 1, maxLength: 4, depthIdentifier: 'fields' }),
            )
            .map(([field, inner]) => `${field} { ${inner.join(' ')} }`),
        ),
      })).tree;
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            document,
            tree.map((fields) => `{ ${fields} }`),
          ),
          fc.jsonValue({ maxDepth: 2 }),
          async (query, variables) => {
            await send(JSON.stringify({ query, variables }));
          },
        ),
        { numRuns: runs },
      );
    });

    it('random bodies never cause a server error', async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.json({ maxDepth: 3 }), fc.string({ maxLength: 40 })), async (body) => {
          await send(body);
        }),
        { numRuns: runs },
      );
      assert.deepEqual(
        logged.filter((line) => line.startsWith('error')),
        [],
      );
    });
  });
}
