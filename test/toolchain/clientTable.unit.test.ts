import assert from 'node:assert/strict';
import { type Found, methodsOf } from '../support/clientTable.ts';

const found = (method: string, verb: string, path: string): Found => ({ method, verb, path });

describe('methods of a third-party client', () => {
  const rows = [
    { method: 'GET', path: '/api/v4/tokens/:id' },
    { method: 'GET', path: '/api/v4/tokens/self' },
    { method: 'GET', path: '/api/v4/projects/:id/members/all' },
  ] as const;
  const namesOf = (...methods: readonly Found[]) =>
    Object.fromEntries([...methodsOf(rows, methods)].map(([row, callers]) => [row, callers.map(({ method }) => method)]));

  it('belong to the route with their verb, their name and parameters with values', () => {
    assert.deepEqual(
      namesOf(
        found('Tokens.show', 'GET', '/api/v4/tokens/{}'),
        found('Tokens.edit', 'PUT', '/api/v4/tokens/{}'),
        found('Tokens.own', 'GET', '/api/v4/tokens/self'),
        found('Members.all', 'GET', '/api/v4/projects/{}/members/all'),
        found('Members.few', 'GET', '/api/v4/projects/{}/members'),
      ),
      {
        'GET /api/v4/tokens/:id': ['Tokens.show'],
        'GET /api/v4/tokens/self': ['Tokens.own'],
        'GET /api/v4/projects/:id/members/all': ['Members.all'],
      },
    );
  });

  it('request their token by name if the client has no method for it', () => {
    assert.deepEqual(
      namesOf(found('Tokens.show', 'GET', '/api/v4/tokens/{}'), found('Members.show', 'GET', '/api/v4/projects/{}/members/{}')),
      { 'GET /api/v4/tokens/:id': ['Tokens.show'], 'GET /api/v4/tokens/self': ['Tokens.show'] },
    );
  });
});
