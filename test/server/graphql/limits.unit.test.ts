import assert from 'node:assert/strict';
import { getOperationAST, parse } from 'graphql';
import { createEndpoint } from '../../../server/graphql/graphql.ts';
import { countSelections, excessOf, limits, measure } from '../../../server/graphql/limits.ts';

const allowed = { depth: 3, complexity: 10 };

function measured(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const document = parse(query);
  const operation = getOperationAST(document);
  assert.ok(operation);
  return measure(document, operation, variables, (name) => name === 'pages');
}

const members = { deprecation: () => ({ state: 'current', reason: '' }) as const, isSince: () => true };

describe('limits of GraphQL queries', () => {
  it('each field costs 1, and fragments cost the sum of their fields', () => {
    for (const [query, complexity, depth] of [
      ['{ a }', 1, 1],
      ['{ a { b { c } } d }', 4, 3],
      ['{ ...F ...F } fragment F on Query { a { b } }', 4, 2],
      ['{ ... on Query { a } ... { b } }', 2, 1],
      ['{ pages { a } }', 4, 2],
      ['{ pages(first: 50) { a } }', 3, 2],
      ['{ pages(first: 50, last: 25) { a { b { c } } } }', 5, 4],
      ['{ pages(first: 5000) { a } }', 4, 2],
      ['{ pages(first: -5) { a } }', 4, 2],
    ] as const) {
      const { complexity: cost, depth: found } = measured(query);
      assert.deepEqual([cost, found], [complexity, depth], query);
    }
    assert.equal(measured('query Q($n: Int) { pages(first: $n) { a } }', { n: 0 }).complexity, 2);
    assert.equal(measured('query Q($n: Int) { pages(first: $n) { a } }').complexity, 4);
  });

  it('queries above the limits get a message', () => {
    assert.equal(excessOf(measured('{ a { b { c } } }'), allowed), undefined);
    assert.equal(excessOf(measured('{ a { b { c { d } } } }'), allowed), 'Query has depth of 4, which exceeds max depth of 3');
    const wide = `{ ${Array.from({ length: 11 }, (_, at) => `a${at}`).join(' ')} }`;
    assert.equal(excessOf(measured(wide), allowed), 'Query has complexity of 11, which exceeds max complexity of 10');
  });

  it('introspection is allowed at any depth', () => {
    const { depth, complexity, introspection } = measured('{ __schema { types { fields { type { ofType { name } } } } } }');
    assert.deepEqual([depth, complexity], [0, 0]);
    assert.ok(introspection > 100);
  });

  it('selections are counted before a document is validated', () => {
    assert.equal(countSelections(parse('{ a ...F ...F } fragment F on Query { b { c } }')), 9);
    assert.equal(countSelections(parse('{ ...F } fragment F on Query { ...F a }')) < 10, true);
    assert.equal(countSelections(parse('type A { b: Int }')), 0);
  });

  it('the document cache has a limit, and keeps the latest used', async () => {
    const endpoint = createEndpoint<undefined>({
      sdl: ['type Query { a: Int }'],
      query: { a: 1 },
      mutation: {},
      members,
      messageOf: () => undefined,
      report: () => undefined,
    });
    const ask = (query: string) =>
      endpoint.response({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
        context: undefined,
        allowed,
        mayMutate: true,
      });
    for (let at = 0; at < limits.documents + 20; at += 1) {
      assert.equal((await ask(`{ a${at}: a }`)).body, `{"data":{"a${at}":1}}`);
      assert.equal((await ask(`{ nothing${at} }`)).status, 200);
    }
    assert.equal(endpoint.stored(), limits.documents);
    await ask('{ a119: a }');
    assert.equal(endpoint.stored(), limits.documents);
  });

  it('unexpected errors are hidden from the client and reported', async () => {
    const reported: unknown[] = [];
    const secret = new Error('the password is lamp');
    const endpoint = createEndpoint<undefined>({
      sdl: ['type Query { a: Int b: Int }'],
      query: {
        a: () => {
          throw secret;
        },
        b: () => Promise.reject(new RangeError('too far')),
      },
      mutation: {},
      members,
      messageOf: (error) => (error instanceof RangeError ? error.message : undefined),
      report: (error) => reported.push(error),
    });
    const { status, body } = await endpoint.response({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ a b }' }),
      context: undefined,
      allowed,
      mayMutate: true,
    });
    assert.equal(status, 200);
    assert.ok(
      body !== undefined && !body.includes('lamp') && body.includes('"too far"') && body.includes('Internal server error'),
    );
    assert.deepEqual(reported, [secret]);
  });
});
