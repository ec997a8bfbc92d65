import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createClient } from '../../../src/api/client.ts';
import { ApiFailure } from '../../../src/api/failures.ts';
import type { WireResponse } from '../../../src/api/transport.ts';
import { fakeClock, json, networkWithRule, page } from '../../support/extension/fakes.ts';

const BASE = 'https://gitlab.example.com';
const ACCOUNT = `${BASE}#7`;

/** Returns the client of an account whose every request gets this response, and the number of its requests and renewals. */
function clientWith(response: WireResponse, cannotRead = false) {
  const network = networkWithRule(() => response);
  const clock = fakeClock();
  let renewals = 0;
  const credentials = {
    token: async () => 'a token',
    renewed: async () => {
      renewals += 1;
      return 'another token';
    },
    cannotRead: () => cannotRead,
  };
  const client = createClient({
    baseUrl: BASE,
    send: network.send,
    credentials,
    account: ACCOUNT,
    now: clock.now,
    sleep: clock.sleep,
  });
  return { client, requests: () => network.requests.length, renewals: () => renewals };
}

async function failureOf(work: Promise<unknown>): Promise<ApiFailure> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof ApiFailure, String(error));
  return error;
}

const change = { method: 'PUT', path: '/notification_settings', body: { level: 'watch' } } as const;

describe('a refusal for lack of a scope', () => {
  const body = { error: 'insufficient_scope', error_description: 'The request requires higher privileges.' };
  const bearer = (parameters: string) => ({ 'www-authenticate': `Bearer ${parameters}` });
  const forms: readonly (readonly [name: string, response: WireResponse, scope: string])[] = [
    ['a body with the scope', json(403, { ...body, scope: 'api' }), 'api'],
    ['a body with several scopes', json(403, { ...body, scope: 'api read_api' }), 'api'],
    ['a body in which the scope of the extension is last', json(403, { ...body, scope: 'read_api api' }), 'api'],
    ['a body with another scope', json(403, { ...body, scope: 'admin_mode sudo' }), 'admin_mode'],
    ['a body without a scope', json(403, body), 'api'],
    ['a body with an empty scope', json(403, { ...body, scope: '' }), 'api'],
    ['a body with a message', json(403, { message: '403 Forbidden - insufficient_scope' }), 'api'],
    ['a body about permissions that are not scopes', json(403, { error: 'insufficient_granular_scope' }), 'api'],
    ['the status of a wrong token', json(401, { ...body, scope: 'api' }), 'api'],
    [
      'a challenge',
      json(403, { message: '403 Forbidden' }, bearer('realm="x", error="insufficient_scope", scope="api read_api"')),
      'api',
    ],
    ['a challenge in tokens', json(403, {}, bearer('Error=insufficient_scope,Scope=read_repository')), 'read_repository'],
    ['a challenge without a scope', json(403, {}, bearer('error="insufficient_scope"')), 'api'],
    [
      'the second of two challenges',
      json(401, {}, { 'www-authenticate': 'Basic realm="error=\\"x\\", y", Bearer error="insufficient_scope", scope="sudo"' }),
      'sudo',
    ],
    ['a challenge with a page', page(403, bearer('error="insufficient_scope", scope="api"')), 'api'],
  ];
  for (const [name, response, scope] of forms) {
    it(`is told by ${name}, for a read and for a change, with the account and without another token`, async () => {
      const { client, requests, renewals } = clientWith(response);
      for (const work of [client.get('/user', (value) => value), client.change(change, (value) => value)]) {
        const failure = await failureOf(work);
        assert.deepEqual([failure.kind, failure.scope, failure.account], ['insufficientScope', scope, ACCOUNT]);
        assert.ok(failure.message.startsWith(`gitlab.example.com does not allow this: the sign-in lacks the scope ${scope} (`));
      }
      assert.deepEqual([requests(), renewals()], [2, 0]);
    });
  }

  const query = { query: '{ currentUser { id } }', variables: {} };
  const errors: readonly (readonly [name: string, error: object, scope: string])[] = [
    ['the message of an error of GraphQL', { message: 'insufficient_scope' }, 'api'],
    [
      'the code of an error of GraphQL',
      { message: 'No.', extensions: { code: 'INSUFFICIENT_SCOPE', scope: 'read_api' } },
      'read_api',
    ],
  ];
  for (const [name, error, scope] of errors) {
    it(`is told by ${name}`, async () => {
      for (const status of [200, 403]) {
        const { client } = clientWith(
          json(status, { errors: [{ message: 'Other.' }, error], error: 'insufficient_scope', scope }),
        );
        const failure = await failureOf(client.query(query, (data) => data));
        assert.deepEqual([failure.kind, failure.scope, failure.account], ['insufficientScope', scope, ACCOUNT]);
      }
    });
  }

  it('is known for GraphQL without a request if the sign-in cannot read, because GraphQL would call the token invalid', async () => {
    const { client, requests } = clientWith(json(401, { errors: [{ message: 'Invalid token' }] }), true);
    const failure = await failureOf(client.query(query, (data) => data));
    assert.deepEqual([failure.kind, failure.scope, requests()], ['insufficientScope', 'api', 0]);
  });

  const others: readonly (readonly [name: string, response: WireResponse, kind: string])[] = [
    ['a role that is missing', json(403, { message: '403 Forbidden' }), 'forbidden'],
    ['an invalid token', json(401, { error: 'invalid_token' }, bearer('error="invalid_token", scope="api"')), 'signedOut'],
    ['the code in another status', json(400, { error: 'insufficient_scope' }), 'refused'],
    ['the code in a realm', json(403, {}, bearer('realm="insufficient_scope"')), 'forbidden'],
    ['the code in a longer word', json(403, { message: 'insufficient_scopes_of_work' }), 'forbidden'],
    ['a page of a gateway', page(403), 'unintelligible'],
  ];
  for (const [name, response, kind] of others) {
    it(`is not ${name}`, async () => {
      const failure = await failureOf(clientWith(response).client.get('/user', (value) => value));
      assert.deepEqual([failure.kind, failure.scope], [kind, undefined]);
    });
  }
});
