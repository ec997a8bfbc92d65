import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { createClient } from '../../../src/api/client.ts';
import type { WireResponse } from '../../../src/api/transport.ts';
import { defaultProfile } from '../../../src/contract/emulation.ts';
import type { ConnectionState } from '../../../src/instances/connection.ts';
import { localInstance } from '../../../src/instances/instances.ts';
import { createKnownServer } from '../../../src/instances/knownServer.ts';
import { createEmitter } from '../../../src/support/emitter.ts';
import { json } from '../../support/extension/fakes.ts';

const REMOTE = 'https://gitlab.example.com';
const OTHER = 'https://other.example.com';
const LOCAL = 'http://127.0.0.1:4000';
const local = localInstance('data-1');

function remote(key: string, id = 7): ConnectionState {
  const instance = { key, kind: 'remote', label: new URL(key).host, clientId: 'c' } as const;
  return { kind: 'signedIn', instance, account: { id, username: `user${id}`, name: 'Ana' }, sessionId: `${key} ${id}` };
}

/** The details of a window that shows this state. `responses` has what instances respond, by address and route. */
function windowWith(first: ConnectionState, responses: Readonly<Record<string, WireResponse>>) {
  const states = createEmitter<ConnectionState>();
  const returns = createEmitter<void>();
  const asked: string[] = [];
  let state = first;
  const clientAt = (baseUrl: string) =>
    createClient({
      baseUrl,
      send: async ({ url }) => {
        const route = url.replace('/api/v4', '');
        asked.push(route);
        return responses[route] ?? json(404, { error: '404 Not Found' });
      },
      credentials: { token: async () => 'token', renewed: async () => undefined },
      now: Date.now,
      sleep: async () => undefined,
    });
  let emulationReads = 0;
  const details = createKnownServer({
    connection: {
      state: () => state,
      onDidChange: states.event,
      onDidReturn: returns.event,
      client: () => (state.kind === 'signedIn' && state.instance.kind === 'remote' ? clientAt(state.instance.key) : undefined),
    },
    emulation: {
      at: (address) => (address === LOCAL ? { origin: LOCAL, profile: defaultProfile } : {}),
      refresh: async () => void (emulationReads += 1),
    },
    addresses: (key) => (key === local.key ? LOCAL : key),
    locale: 'en',
  });
  const show = async (next: ConnectionState): Promise<void> => {
    state = next;
    states.fire(next);
    await settled();
  };
  return { details, asked, show, returned: returns.fire, emulationReads: () => emulationReads };
}

/** Waits until the responses, which need no time, were processed. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

describe('what is known of the server on screen', () => {
  it('the release of a remote instance is requested once for each account, and stays with its instance', async () => {
    const { details, asked, show } = windowWith(remote(REMOTE), {
      [`${REMOTE}/metadata`]: json(200, { version: '17.5.2-ee' }),
      [`${OTHER}/metadata`]: json(200, { version: '16.0.0' }),
    });
    assert.deepEqual(details.lines(), [`Address: ${REMOTE}`]);
    await settled();
    assert.deepEqual(details.lines(), [`Address: ${REMOTE}`, 'Release: 17.5.2-ee']);
    await show(remote(OTHER));
    assert.deepEqual(details.lines(), [`Address: ${OTHER}`, 'Release: 16.0.0']);
    await show({ kind: 'signedOut', instance: remote(REMOTE).instance });
    await show(remote(REMOTE, 8));
    assert.deepEqual(details.lines(), [`Address: ${REMOTE}`, 'Release: 17.5.2-ee']);
    await show(remote(REMOTE, 8));
    assert.deepEqual(asked, [`${REMOTE}/metadata`, `${OTHER}/metadata`, `${REMOTE}/metadata`]);
  });

  it('an instance without the newer route says its release with the older one', async () => {
    const { details } = windowWith(remote(REMOTE), { [`${REMOTE}/version`]: json(200, { version: '15.1.0' }) });
    await settled();
    assert.deepEqual(details.lines(), [`Address: ${REMOTE}`, 'Release: 15.1.0']);
  });

  for (const [what, response] of [
    ['has neither route', json(404, { error: '404 Not Found' })],
    ['refuses it', json(403, { message: '403 Forbidden' })],
    ['responds with something else', json(200, { name: 'proxy' })],
    ['responds with a text that is no release', json(200, { version: 'latest and greatest' })],
    ['responds with a number', json(200, { version: 17 })],
  ] as const)
    it(`no release is shown if the instance ${what}`, async () => {
      const { details } = windowWith(remote(REMOTE), { [`${REMOTE}/metadata`]: response, [`${REMOTE}/version`]: response });
      await settled();
      assert.deepEqual(details.lines(), [`Address: ${REMOTE}`]);
    });

  it('an upgraded instance has its new release when it is asked again and when the network returns', async () => {
    const responses: Record<string, WireResponse> = { [`${REMOTE}/metadata`]: json(200, { version: '17.5.2' }) };
    const { details, returned } = windowWith(remote(REMOTE), responses);
    await settled();
    let changes = 0;
    details.onDidChange(() => (changes += 1));
    await details.refresh();
    assert.equal(changes, 0);
    responses[`${REMOTE}/metadata`] = json(200, { version: '17.6.0' });
    await details.refresh();
    assert.deepEqual([changes, details.lines().at(-1)], [1, 'Release: 17.6.0']);
    responses[`${REMOTE}/metadata`] = json(200, { version: '17.7.0' });
    returned();
    await settled();
    assert.deepEqual([changes, details.lines().at(-1)], [2, 'Release: 17.7.0']);
  });

  it('a local server is not asked for its release, but read again', async () => {
    const { details, asked, emulationReads } = windowWith({ kind: 'signedOut', instance: local }, {});
    await details.refresh();
    assert.deepEqual(details.lines(), [`Address: ${LOCAL}`, 'Emulated release: 18.11', 'Dialect: Documented']);
    assert.deepEqual([asked, emulationReads()], [[], 1]);
  });
});
