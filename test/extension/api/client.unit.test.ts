import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createClient, type Credentials } from '../../../src/api/client.ts';
import { ApiFailure } from '../../../src/api/failures.ts';
import type { WireResponse } from '../../../src/api/transport.ts';
import { isJsonObject } from '../../../src/contract/json.ts';
import {
  connectionFailure,
  fakeClock,
  type FakeNetwork,
  json,
  networkWithResponses,
  page,
} from '../../support/extension/fakes.ts';

const BASE = 'https://gitlab.example.com/base';
const read = (value: unknown) => (isJsonObject(value) ? value : undefined);
const signedIn: Credentials = { token: async () => 'access-1', renewed: async () => undefined };

function clientOf(network: FakeNetwork, credentials: Credentials = signedIn, clock = fakeClock()) {
  const lines: string[] = [];
  const report = (line: string): void => {
    lines.push(line);
  };
  return {
    client: createClient({ baseUrl: BASE, send: network.send, credentials, now: clock.now, sleep: clock.sleep, report }),
    clock,
    lines,
  };
}

/** Returns the requests as methods and paths below the API. */
const sent = ({ requests }: FakeNetwork): readonly string[] =>
  requests.map(({ method, url }) => `${method} ${url.slice(`${BASE}/api/v4`.length)}`);

const failure = (kind: ApiFailure['kind'], text?: RegExp) => (thrown: unknown) =>
  thrown instanceof ApiFailure && thrown.kind === kind && (text === undefined || text.test(thrown.message));

describe('API client: requests', () => {
  it('the API client sends the token as a bearer credential and requests JSON', async () => {
    const network = networkWithResponses(json(200, { id: 1 }));
    assert.deepEqual(await clientOf(network).client.get('/user', read), { id: 1 });
    assert.equal(network.requests[0]?.url, `${BASE}/api/v4/user`);
    assert.deepEqual(network.requests[0]?.headers, { accept: 'application/json', authorization: 'Bearer access-1' });
  });

  it('the API client sends no credential without a token', async () => {
    const network = networkWithResponses(json(200, {}));
    await clientOf(network, { token: async () => undefined, renewed: async () => undefined }).client.get('/version', read);
    assert.deepEqual(network.requests[0]?.headers, { accept: 'application/json' });
  });

  it('the API client keeps every secret out of its log lines', async () => {
    const { client, lines } = clientOf(networkWithResponses(json(200, {})));
    await client.get('/user', read);
    assert.deepEqual(lines, ['GET /base/api/v4/user → 200 in 0 ms']);
  });
});

describe('API client: pages', () => {
  it('the API client reads the next page only from the link that the server sent', async () => {
    const second = `${BASE}/api/v4/events?cursor=b%2Bc&per_page=2`;
    const network = networkWithResponses(
      json(200, [{ id: 1 }, { id: 2 }], { link: `<${second}>; rel="next", <${BASE}/x>; rel="first"` }),
      json(200, [{ id: 3 }]),
    );
    const { client } = clientOf(network);
    const first = await client.list('/events', read, { per_page: 2 });
    assert.deepEqual(first, { items: [{ id: 1 }, { id: 2 }], next: second });
    assert.deepEqual(await client.follow(second, read), { items: [{ id: 3 }] });
    assert.deepEqual(
      network.requests.map(({ url }) => url),
      [`${BASE}/api/v4/events?per_page=2`, second],
    );
  });

  it('the API client leaves out elements that do not match the schema', async () => {
    const { client } = clientOf(networkWithResponses(json(200, [{ id: 1 }, 7, null])));
    assert.deepEqual(await client.list('/events', read), { items: [{ id: 1 }] });
  });

  it('the API client requests the configured address when links have another host, so that no other host receives the token', async () => {
    const network = networkWithResponses(json(200, []));
    await clientOf(network).client.follow('http://10.0.0.1:8080/api/v4/events?page=2', read);
    assert.equal(network.requests[0]?.url, `${BASE}/api/v4/events?page=2`);
  });

  it('the API client ignores links that leave the API', async () => {
    const network = networkWithResponses();
    await assert.rejects(clientOf(network).client.follow('https://evil.example/collect?page=2', read), failure('moved'));
    assert.equal(network.requests.length, 0);
  });

  it('the API client rejects a response that is not a list', async () => {
    await assert.rejects(
      clientOf(networkWithResponses(json(200, { id: 1 }))).client.list('/events', read),
      failure('unintelligible', /not a list/),
    );
  });
});

describe('API client: 401', () => {
  const unauthorized = json(401, { message: '401 Unauthorized' });

  it('the API client refreshes the token once and retries once', async () => {
    const network = networkWithResponses(unauthorized, json(200, { id: 1 }));
    const refused: string[] = [];
    const credentials: Credentials = {
      token: async () => 'access-1',
      renewed: async (token) => {
        refused.push(token);
        return 'access-2';
      },
    };
    assert.deepEqual(await clientOf(network, credentials).client.get('/user', read), { id: 1 });
    assert.deepEqual(refused, ['access-1']);
    assert.deepEqual(
      network.requests.map(({ headers }) => headers.authorization),
      ['Bearer access-1', 'Bearer access-2'],
    );
  });

  it('the API client fails when the refreshed token is refused, too', async () => {
    const network = networkWithResponses(unauthorized, unauthorized);
    const credentials: Credentials = { token: async () => 'access-1', renewed: async () => 'access-2' };
    await assert.rejects(clientOf(network, credentials).client.get('/user', read), failure('signedOut', /401 Unauthorized/));
    assert.equal(network.requests.length, 2);
  });

  it('the API client fails at once without a refresh token', async () => {
    const network = networkWithResponses(unauthorized);
    await assert.rejects(clientOf(network).client.get('/user', read), failure('signedOut'));
  });
});

describe('API client: retries', () => {
  it('the API client retries a read with increasing delays while the server is unreachable', async () => {
    const network = networkWithResponses(connectionFailure('unreachable'), connectionFailure(), json(200, { id: 1 }));
    const { client, clock } = clientOf(network);
    assert.deepEqual(await client.get('/user', read), { id: 1 });
    assert.deepEqual(clock.slept, [500, 2_000]);
  });

  it('the API client fails after the third attempt', async () => {
    const network = networkWithResponses(connectionFailure(), connectionFailure(), connectionFailure());
    await assert.rejects(clientOf(network).client.get('/user', read), failure('unreachable', /the connection was lost/));
    assert.equal(network.requests.length, 3);
  });

  it('the API client does not retry a request that timed out', async () => {
    const network = networkWithResponses(connectionFailure('timedOut'));
    await assert.rejects(clientOf(network).client.get('/user', read), failure('timedOut'));
  });

  for (const status of [502, 503, 504]) {
    it(`the API client retries a read after ${status}`, async () => {
      const { client } = clientOf(networkWithResponses(json(status, {}), json(200, { id: 1 })));
      assert.deepEqual(await client.get('/user', read), { id: 1 });
    });
  }

  it('the API client waits for the time in Retry-After', async () => {
    const clock = fakeClock();
    const date = new Date(clock.now() + 10_000).toUTCString();
    const network = networkWithResponses(
      json(429, {}, { 'retry-after': '7' }),
      json(503, {}, { 'retry-after': date }),
      json(200, { id: 1 }),
    );
    const { client } = clientOf(network, signedIn, clock);
    await client.get('/user', read);
    assert.deepEqual(clock.slept, [7_000, 3_000]);
  });

  it('the API client reports a long Retry-After instead of waiting', async () => {
    const network = networkWithResponses(json(429, { message: 'Retry later' }, { 'retry-after': '3600' }));
    await assert.rejects(
      clientOf(network).client.get('/user', read),
      (thrown) =>
        failure('rateLimited', /Retry later/)(thrown) && thrown instanceof ApiFailure && thrown.retryAfter === 3_600_000,
    );
  });

  for (const status of [400, 403, 404, 500]) {
    it(`the API client does not retry a read after ${status}`, async () => {
      const network = networkWithResponses(json(status, {}));
      await assert.rejects(clientOf(network).client.get('/user', read), ApiFailure);
      assert.equal(network.requests.length, 1);
    });
  }
});

describe('API client: changes', () => {
  const change = { method: 'PUT', path: '/projects/1', body: { name: 'Lamps' } } as const;

  it('changes through the API client are sent as JSON with the token, and return the response', async () => {
    const network = networkWithResponses(json(200, { id: 1 }));
    const { client, lines } = clientOf(network);
    assert.deepEqual(await client.change(change, read), { id: 1 });
    const headers = { accept: 'application/json', authorization: 'Bearer access-1', 'content-type': 'application/json' };
    assert.deepEqual(network.requests, [{ method: 'PUT', url: `${BASE}/api/v4/projects/1`, headers, body: '{"name":"Lamps"}' }]);
    assert.deepEqual(lines, ['PUT /base/api/v4/projects/1 → 200 in 0 ms']);
  });

  it('changes through the API client have no body without parameters', async () => {
    const network = networkWithResponses(json(200, {}));
    await clientOf(network).client.change({ method: 'DELETE', path: '/x/1' }, read);
    const headers = { accept: 'application/json', authorization: 'Bearer access-1' };
    assert.deepEqual(network.requests, [{ method: 'DELETE', url: `${BASE}/api/v4/x/1`, headers }]);
  });

  for (const [what, response, kind] of [
    ['an interrupted response', connectionFailure('interrupted'), 'unreachable'],
    ['a temporary server error', json(503, {}), 'unavailable'],
    ['a 429, even with Retry-After', json(429, {}, { 'retry-after': '1' }), 'rateLimited'],
    ['a redirect', json(307, {}, { location: `${BASE}/api/v4/projects/2` }), 'moved'],
  ] as const) {
    it(`changes through the API client are not retried after ${what}`, async () => {
      const network = networkWithResponses(response, json(200, {}));
      await assert.rejects(clientOf(network).client.change(change, read), failure(kind));
      assert.equal(network.requests.length, 1);
    });
  }

  it('changes through the API client are retried with a refreshed token, because a 401 means that nothing was changed', async () => {
    const network = networkWithResponses(json(401, { message: '401 Unauthorized' }), json(200, { id: 1 }));
    const renewing: Credentials = { token: async () => 'access-1', renewed: async () => 'access-2' };
    assert.deepEqual(await clientOf(network, renewing).client.change(change, read), { id: 1 });
    assert.deepEqual(
      network.requests.map(({ headers }) => headers['authorization']),
      ['Bearer access-1', 'Bearer access-2'],
    );
  });

  it('changes through the API client follow a moved resource only after its move was asked for again', async () => {
    const moved = json(301, {}, { location: `${BASE}/api/v4/projects/2` });
    const there = json(200, { id: 2 });
    const network = networkWithResponses(moved, there, moved, there, there);
    const { client } = clientOf(network);
    await client.get('/projects/old', read);
    await client.change({ ...change, path: '/projects/old/labels' }, read);
    assert.deepEqual(sent(network), [
      'GET /projects/old',
      'GET /projects/2',
      'GET /projects/old',
      'GET /projects/2',
      'PUT /projects/2/labels',
    ]);
  });

  for (const [what, responses] of [
    ['has moved back', [json(200, { id: 1 })]],
    ['is not found', [json(404, { message: '404 Project Not Found' })]],
    ['is behind a gateway', [page(302, { location: '/login' })]],
    ['has moved to what is another one', [json(301, {}, { location: `${BASE}/api/v4/projects/2` }), json(200, { id: 3 })]],
  ] as const) {
    it(`changes through the API client are sent to their own address if a moved resource ${what} when it is asked for again`, async () => {
      const moved = json(301, {}, { location: `${BASE}/api/v4/projects/2` });
      const network = networkWithResponses(moved, json(200, { id: 2 }), ...responses, json(200, { id: 1 }));
      const { client } = clientOf(network);
      await client.get('/projects/1', read);
      await client.change(change, read);
      assert.equal(sent(network).at(-1), 'PUT /projects/1');
    });
  }

  for (const [what, response] of [
    ['a captive portal', page(200)],
    ['a page with a JSON status', page(201)],
  ] as const) {
    it(`changes through the API client have not happened after ${what}, whatever response they expect`, async () => {
      await assert.rejects(
        clientOf(networkWithResponses(response)).client.change(change, () => true),
        failure('unintelligible'),
      );
    });
  }

  it('changes through the API client have happened after a response without a body', async () => {
    const { client } = clientOf(networkWithResponses({ status: 204, headers: new Map(), body: '' }));
    assert.equal(await client.change(change, () => true), true);
  });
});

describe('API client: moved resources', () => {
  it('the API client follows Location on the same instance', async () => {
    const network = networkWithResponses(json(301, {}, { location: `${BASE}/api/v4/projects/7` }), json(200, { id: 7 }));
    assert.deepEqual(await clientOf(network).client.get('/projects/old%2Fname', read), { id: 7 });
    assert.equal(network.requests[1]?.headers.authorization, 'Bearer access-1');
  });

  it('the API client sends nothing to another host, and names that host in the error', async () => {
    const network = networkWithResponses(json(301, {}, { location: 'https://new.example.com/api/v4/user' }));
    await assert.rejects(
      clientOf(network).client.get('/user', read),
      (thrown) =>
        failure('moved', /new\.example\.com/)(thrown) &&
        thrown instanceof ApiFailure &&
        thrown.location === 'https://new.example.com/api/v4/user',
    );
    assert.equal(network.requests.length, 1);
  });

  it('the API client follows one redirect, and does not loop', async () => {
    const circle = json(302, {}, { location: `${BASE}/api/v4/user` });
    const network = networkWithResponses(circle, circle, circle);
    await assert.rejects(clientOf(network).client.get('/user', read), failure('moved'));
    assert.equal(network.requests.length, 2);
  });

  it('the API client follows a redirect to another name of this machine at its own address, with the same port only', async () => {
    const to = (port: number) => json(302, {}, { location: `http://localhost:${port}/api/v4/users/7?a=1` });
    const baseUrl = 'http://127.0.0.1:4000';
    const network = networkWithResponses(to(4000), json(200, {}), to(4001));
    const client = createClient({
      ...{ baseUrl, send: network.send, credentials: signedIn },
      now: () => 0,
      sleep: async () => undefined,
    });
    await client.get('/user', read);
    assert.deepEqual(network.requests[1]?.url, `${baseUrl}/api/v4/users/7?a=1`);
    await assert.rejects(client.get('/user', read), failure('moved'));
    assert.equal(network.requests.length, 3);
  });

  it('the API client remembers permanent moves, for any query', async () => {
    const to = `${BASE}/api/v4/projects/7/events?per_page=2`;
    const network = networkWithResponses(json(301, {}, { location: to }), json(200, []), json(200, []));
    const { client } = clientOf(network);
    await client.list('/projects/old%2Fname/events', read, { per_page: 2 });
    await client.list('/projects/old%2Fname/events', read, { per_page: 2, page: 3 });
    assert.deepEqual(
      network.requests.map(({ url }) => url.slice(`${BASE}/api/v4`.length)),
      ['/projects/old%2Fname/events?per_page=2', '/projects/7/events?per_page=2', '/projects/7/events?per_page=2&page=3'],
    );
  });

  for (const [what, doubt] of [
    ['does not exist', json(404, { message: '404 Project Not Found' })],
    ['is another one', json(200, { id: 8 })],
    ['is a page', page(200)],
    ['is forbidden by a gateway', page(403)],
    ['redirects to a page', page(302, { location: '/maintenance.html' })],
    ['cannot be reached', connectionFailure('timedOut')],
  ] as const) {
    it(`the API client forgets a move at once when what is there ${what}`, async () => {
      const here = { location: `${BASE}/api/v4/projects/7` };
      const network = networkWithResponses(json(301, {}, here), json(200, { id: 7 }), doubt, json(200, { id: 7 }));
      const { client } = clientOf(network);
      await client.get('/projects/old', read);
      await client.get('/projects/old', read).catch(() => undefined);
      await client.get('/projects/old', read);
      assert.deepEqual(sent(network), ['GET /projects/old', 'GET /projects/7', 'GET /projects/7', 'GET /projects/old']);
    });
  }

  it('the API client remembers that a moved project has moved with everything below it', async () => {
    const here = { location: `${BASE}/api/v4/projects/7` };
    const network = networkWithResponses(json(301, {}, here), json(200, { id: 7 }), json(200, []));
    const { client } = clientOf(network);
    await client.get('/projects/old', read);
    await client.list('/projects/old/events', read);
    assert.equal(sent(network)[2], 'GET /projects/7/events');
  });

  for (const [what, location, response] of [
    ['to another kind of resource', `${BASE}/api/v4/groups/7`, json(200, { id: 7 })],
    ['to a resource with more parts', `${BASE}/api/v4/projects/7/events`, json(200, [])],
    ['to a name', `${BASE}/api/v4/projects/maintenance`, json(200, { id: 7 })],
    ['to an ID under which there is another project', `${BASE}/api/v4/projects/7`, json(200, { id: 8 })],
    ['to a page', `${BASE}/api/v4/projects/7`, page(200)],
  ] as const) {
    it(`the API client does not remember a permanent redirect ${what}`, async () => {
      const network = networkWithResponses(json(301, {}, { location }), response, json(200, { id: 7 }));
      const { client } = clientOf(network);
      await client.get('/projects/old', read).catch(() => undefined);
      await client.get('/projects/old', read);
      assert.equal(sent(network)[2], 'GET /projects/old');
    });
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it(`the API client does not follow a redirect out of the API (${status}), and works again after it`, async () => {
      for (const location of ['/maintenance.html', '/base/login', '/oauth2/sign_in?rd=%2Fapi%2Fv4%2Fuser']) {
        const network = networkWithResponses(page(status, { location }), json(200, { id: 7 }));
        const { client } = clientOf(network);
        await assert.rejects(client.get('/projects/7', read), failure('moved'));
        assert.deepEqual(await client.get('/projects/7', read), { id: 7 });
        assert.deepEqual(sent(network), ['GET /projects/7', 'GET /projects/7']);
      }
    });
  }

  it('the API client does not remember temporary moves or moves to another host', async () => {
    const elsewhere = { location: 'https://new.example.com/api/v4/user' };
    const network = networkWithResponses(
      json(302, {}, { location: `${BASE}/api/v4/users/7` }),
      json(200, {}),
      json(301, {}, elsewhere),
      json(200, {}),
    );
    const { client } = clientOf(network);
    await client.get('/user', read);
    await assert.rejects(client.get('/user', read), failure('moved'));
    await client.get('/user', read);
    assert.deepEqual(
      network.requests.map(({ url }) => url.slice(`${BASE}/api/v4`.length)),
      ['/user', '/users/7', '/user', '/user'],
    );
  });
});

describe('API client: failures', () => {
  const foreign: readonly (readonly [status: number, response: WireResponse, kind: ApiFailure['kind']])[] = [
    ...[401, 403, 404].map((status) => [status, page(status), 'unintelligible'] as const),
    [401, json(401, { message: 'Unauthorized' }), 'unintelligible'],
    [403, json(403, { message: 'Forbidden' }), 'forbidden'],
    [404, json(404, { error: 'Not Found' }), 'notFound'],
    [429, { ...page(429), body: 'Retry later' }, 'rateLimited'],
  ];
  for (const [status, response, kind] of foreign) {
    it(`the API client knows that ${status} ${response.body} is no word of the instance itself, and renews no token`, async () => {
      const credentials: Credentials = { token: async () => 'access-1', renewed: () => assert.fail('the token is renewed') };
      await assert.rejects(
        clientOf(networkWithResponses(response), credentials).client.get('/user', read),
        (thrown) => failure(kind)(thrown) && thrown instanceof ApiFailure && !thrown.isOwnWord,
      );
    });
  }

  for (const response of [
    json(401, { message: '401 Unauthorized' }),
    json(401, { error: 'invalid_token' }),
    json(401, { errors: [{ message: 'Invalid token' }] }),
    json(403, { message: '403 Forbidden' }),
    json(403, { error: 'insufficient_scope' }),
    json(403, { message: 'You are not allowed to do this' }, { 'x-gitlab-meta': '{"version":"1"}' }),
    json(404, { error: '404 Not Found' }),
    json(404, { message: { error: '404 Project Not Found' } }),
  ]) {
    it(`the API client knows that ${response.status} ${response.body} is the word of the instance itself`, async () => {
      await assert.rejects(
        clientOf(networkWithResponses(response)).client.get('/user', read),
        (thrown) => thrown instanceof ApiFailure && thrown.isOwnWord,
      );
    });
  }

  const cases: readonly [string, number, unknown, ApiFailure['kind'], RegExp][] = [
    ['a body with message', 403, { message: '403 Forbidden' }, 'forbidden', /\(403: 403 Forbidden\)/],
    ['a body with error', 400, { error: 'page is invalid' }, 'refused', /\(400: page is invalid\)/],
    [
      'OAuth errors',
      403,
      { error: 'insufficient_scope', error_description: 'The request requires more' },
      'insufficientScope',
      /lacks the scope api \(403: The request requires more\)/,
    ],
    [
      'field errors',
      400,
      { message: { title: ["can't be blank"], base: ['is spam'] } },
      'refused',
      /title can't be blank; is spam/,
    ],
    ['an unknown resource', 404, { message: '404 Project Not Found' }, 'notFound', /404 Project Not Found/],
    ['a conflict', 409, { message: 'Duplicated issue' }, 'refused', /Duplicated issue/],
    ['a server error', 500, { message: '500 Internal Server Error' }, 'unavailable', /500 Internal Server Error/],
    ['an empty body', 422, '', 'refused', /\(status 422\)/],
  ];
  for (const [what, status, body, kind, text] of cases) {
    it(`the API client describes ${what}, with status and request id`, async () => {
      const network = networkWithResponses(json(status, body, { 'x-request-id': 'req-1' }));
      await assert.rejects(
        clientOf(network).client.get('/user', read),
        (thrown) =>
          failure(kind, text)(thrown) && thrown instanceof ApiFailure && thrown.status === status && thrown.requestId === 'req-1',
      );
    });
  }

  it('the API client recognizes a page of another program', async () => {
    const network = networkWithResponses({ status: 200, headers: new Map(), body: '<!doctype html>' });
    await assert.rejects(clientOf(network).client.get('/user', read), failure('unintelligible'));
  });
});
