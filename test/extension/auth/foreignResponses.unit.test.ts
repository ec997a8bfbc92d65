import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createProjectNames } from '../../../src/activity/projects.ts';
import { type Client, createClient } from '../../../src/api/client.ts';
import { listen } from '../../../src/api/eventStream.ts';
import type { WireResponse } from '../../../src/api/transport.ts';
import { sessionOfPersonalToken } from '../../../src/auth/newSession.ts';
import { createRevokeSession } from '../../../src/auth/revokeSession.ts';
import type { Session } from '../../../src/auth/session.ts';
import { createResourceChoice } from '../../../src/errorTracking/sources.ts';
import { createNotificationApi } from '../../../src/notifications/api.ts';
import type { TimedProfile } from '../../../src/notifications/profileRecord.ts';
import { createTimedProfiles } from '../../../src/notifications/profiles.ts';
import { groupScope } from '../../../src/notifications/scopes.ts';
import { createMoveList, findsStorages } from '../../../src/storages/requests.ts';
import { createMask } from '../../../src/support/log.ts';
import { type FakeNetwork, fakeLog, json, networkWithRule, noLock, page } from '../../support/extension/fakes.ts';

const BASE = 'https://gitlab.example.com';
const sleep = async (): Promise<void> => undefined;

function clientOf({ send }: FakeNetwork): Client {
  const credentials = { token: async () => 'a-token', renewed: async () => undefined };
  return createClient({ baseUrl: BASE, send, credentials, now: Date.now, sleep });
}

/** Responses that a gateway, a proxy or a captive portal gives in place of the instance. */
const foreign: readonly WireResponse[] = [
  ...[200, 403, 404, 407, 408, 429].map((status) => page(status)),
  page(302, { location: '/login' }),
  json(403, { message: 'Forbidden' }),
  json(404, { error: 'Not Found' }),
  json(407, { error: 'Proxy Authentication Required' }),
  json(408, { error: 'Request Timeout' }),
];
const own = json(404, { error: '404 Not Found' });
const nameOf = ({ status, body }: WireResponse): string => `${status} ${body}`;

/** Responds with each response in turn; the last one is repeated. */
function inTurn(...responses: readonly WireResponse[]): FakeNetwork {
  let count = 0;
  return networkWithRule(() => responses[Math.min(count++, responses.length - 1)] ?? own);
}

describe('what is remembered when a gateway responds', () => {
  for (const response of foreign) {
    it(`whether somebody administers storages stays unknown after ${nameOf(response)}`, async () => {
      await assert.rejects(findsStorages(clientOf(inTurn(json(200, { is_admin: true }), response))));
    });

    it(`the kinds of repositories that can be moved stay known after ${nameOf(response)}`, async () => {
      let isDown = true;
      const network = networkWithRule(() => (isDown ? response : json(200, [])));
      const list = createMoveList(() => clientOf(network));
      await assert.rejects(list());
      isDown = false;
      network.requests.length = 0;
      await list();
      assert.equal(network.requests.length, 3);
    });

    it(`the earlier notification settings stay stored after ${nameOf(response)}`, async () => {
      let stored: TimedProfile | undefined = profile;
      const store = {
        read: async () => stored,
        write: async (next: TimedProfile) => {
          stored = next;
        },
        remove: async () => {
          stored = undefined;
        },
        forget: async () => undefined,
      };
      const profiles = createTimedProfiles({ store, lock: noLock, now: Date.now });
      const outcome = await profiles.end(createNotificationApi(clientOf(inTurn(response))), profile.account);
      assert.deepEqual([outcome.failed.length, stored?.entries], [1, profile.entries]);
      await profiles.end(createNotificationApi(clientOf(inTurn(own))), profile.account);
      assert.equal(stored, undefined, 'the instance itself says that the group is gone');
    });

    it(`the name of a project is requested again after ${nameOf(response)}`, async () => {
      const project = { id: 7, path_with_namespace: 'a/b', name: 'b', web_url: `${BASE}/a/b` };
      const names = createProjectNames(clientOf(inTurn(json(200, []), response, json(200, project))));
      await names.learn([7]);
      await names.learn([7]);
      assert.equal(names.get(7)?.path_with_namespace, 'a/b');
    });

    it(`the scopes of a token stay unknown, so that nobody is signed in with it, after ${nameOf(response)}`, async () => {
      const { send } = inTurn(response, json(200, { id: 7, username: 'ana', name: 'Ana' }));
      const instance = { key: BASE, kind: 'remote', label: 'gitlab.example.com', clientId: 'c' } as const;
      const requests = { send, now: Date.now, sleep, mask: createMask() };
      await assert.rejects(sessionOfPersonalToken(requests, { instance, baseUrl: BASE }, 'a-token', 'token'));
    });
  }

  it('the resource of tracked errors is requested again until the instance itself has responded in another way', async () => {
    let time = 0;
    const choice = createResourceChoice(() => time);
    let [rest, graphql] = [own, page(404)];
    const network = networkWithRule(({ url }) => (url.endsWith('/api/graphql') ? graphql : rest));
    const client = clientOf(network);
    const read = (value: unknown) => value;
    const list = (): Promise<unknown> =>
      choice.either(
        client,
        () => client.get('/rest', read),
        () => client.query({ query: '{ a }', variables: {} }, read),
      );
    await assert.rejects(list());
    rest = json(200, 'rest');
    assert.equal(await list(), 'rest', 'nothing was learnt while all responses were those of a gateway');
    [rest, graphql] = [own, json(200, { data: 'graphql' })];
    assert.equal(await list(), 'graphql');
    rest = json(200, 'rest');
    assert.equal(await list(), 'graphql');
    time += 10 * 60_000;
    assert.equal(await list(), 'rest');
  });

  it('tokens count as revoked only when the instance has said so', async () => {
    const lines = async (response: WireResponse): Promise<readonly string[]> => {
      const log = fakeLog();
      await createRevokeSession({ send: inTurn(response).send, addresses: () => BASE, log })(session);
      return log.lines;
    };
    for (const response of [json(200, {}), { ...page(200), body: '' }, { ...page(204), body: '' }])
      assert.deepEqual(await lines(response), [], nameOf(response));
    for (const response of foreign) assert.match((await lines(response)).join(), /refused to revoke/, nameOf(response));
  });

  it('the stream is opened again after a page of a gateway, and not after the instance itself has said that it has none', async () => {
    const opened: WireResponse[] = [page(404), page(200), json(404, { error: '404 Not Found' })];
    await listen(
      {
        open: async () => ({ ...(opened.shift() ?? assert.fail('opened again')), events: none() }),
        ...{ sleep, onOpen: () => undefined, onEvent: () => undefined, report: () => undefined },
      },
      new AbortController().signal,
    );
    assert.equal(opened.length, 0);
  });
});

async function* none(): AsyncGenerator<never, void, undefined> {}

const setting = { level: 'watch', switches: {} } as const;
const profile: TimedProfile = {
  account: `${BASE}#7`,
  name: 'Quiet',
  until: 0,
  entries: [{ scope: groupScope('lamps', 3), before: setting, after: { ...setting, level: 'disabled' } }],
};

const session: Session = {
  id: 's',
  instance: BASE,
  credential: 'oauth',
  clientId: 'c',
  account: { id: 7, username: 'ana', name: 'Ana' },
  scopes: ['api'],
  accessToken: 'access-1',
};
