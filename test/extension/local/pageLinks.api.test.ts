import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createUser, findUserByName } from '../../../server/features/users/accounts.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { accountKey } from '../../../src/instances/accountKey.ts';
import { createAccountBinding } from '../../../src/instances/boundAccount.ts';
import type { ConnectionState } from '../../../src/instances/connection.ts';
import type { Instance } from '../../../src/instances/instances.ts';
import { createLocalControl, type LoadLocalControl } from '../../../src/local/control.ts';
import { createPageLinks } from '../../../src/local/pageLinks.ts';
import { fakeLog } from '../../support/extension/fakes.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { cheapHash } from '../../support/passwords.ts';
import { startTestServer, TEST_ADMIN_TOKEN, type TestServer } from '../../support/server.ts';

const LOCAL: Instance = { key: 'local/data-1', kind: 'local', label: 'Managed server', clientId: 'app' };

describe('pages that open in the browser', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
    createUser(server.platform, {
      username: 'amara',
      name: 'Amara Okafor',
      email: 'amara@example.com',
      passwordHash: cheapHash('correct horse battery'),
    });
  });
  afterEach(() => server.close());

  function world(instance: Instance = LOCAL, control?: LoadLocalControl) {
    const account = { id: findUserByName(server.platform, 'amara')?.id ?? 0, username: 'amara', name: 'Amara Okafor' };
    let state: ConnectionState = { instance, kind: 'signedIn', account, sessionId: 's' };
    const log = fakeLog();
    const links = createPageLinks({
      state: () => state,
      addresses: () => server.origin,
      control: control ?? (async () => createLocalControl(server.origin, TEST_ADMIN_TOKEN, sendByFetch, Date.now)),
      log,
    });
    const bound = createAccountBinding({
      instances: () => [instance],
      account: () => (state.kind === 'signedIn' ? account : undefined),
      scopes: () => [],
      currentKey: () => undefined,
      addresses: () => server.origin,
      clientAt: () => assert.fail('no page needs a request of the account'),
    })(accountKey(instance.key, account.id));
    return {
      links: { ...links, signedIn: (page: string) => links.signedIn(page, bound) },
      log,
      signOut: () => (state = { instance, kind: 'signedOut' }),
    };
  }

  for (const instance of [LOCAL, { ...LOCAL, key: 'http://127.0.0.1:1', kind: 'remote', isConnected: true } as const]) {
    it(`of a ${instance.kind === 'local' ? 'local' : 'connected'} server sign the browser in as the account that opens them first`, async () => {
      const { links } = world(instance);
      const link = await links.signedIn(`${server.origin}/-/profile/notifications?a=1#note_5`);
      assert.match(link, /\/users\/sign_in_links\/[^/]+$/);
      assert.equal(new URL(link).origin, server.origin);
      const person = new PageClient(server);
      const opened = await person.open(new URL(link).pathname);
      assert.equal(opened.headers.get('location'), '/-/profile/notifications?a=1#note_5');
      assert.match(textOf((await person.open('/')).text), /Hello, Amara Okafor/);
      assert.equal((await new PageClient(server).open(new URL(link).pathname)).status, 410, 'the link works once');
    });
  }

  it('of a local server under another name of this machine sign the browser in first, on the server itself', async () => {
    const { port } = new URL(server.origin);
    for (const host of ['localhost', '[::1]', '127.0.0.2']) {
      const link = await world().links.signedIn(`http://${host}:${port}/amara`);
      assert.match(link, /\/users\/sign_in_links\/[^/]+$/, host);
      assert.equal(new URL(link).origin, server.origin);
    }
    const elsewhere = `http://127.corp.example:${port}/amara`;
    assert.equal(await world().links.signedIn(elsewhere), elsewhere);
  });

  it('of other origins, of other instances and of signed-out users open unchanged', async () => {
    const page = `${server.origin}/amara`;
    const { links, signOut } = world();
    assert.equal(await links.signedIn('https://example.com/amara'), 'https://example.com/amara');
    assert.equal(await links.signedIn(`${server.origin}//example.com/`), `${server.origin}//example.com/`);
    assert.equal(await world({ ...LOCAL, kind: 'remote' }).links.signedIn(page), page);
    signOut();
    assert.equal(await links.signedIn(page), page);
  });

  it('open unchanged if the server makes no link, and the reason is logged', async () => {
    const page = `${server.origin}/amara`;
    const { links, log } = world(LOCAL, async () => createLocalControl(server.origin, 'wrong', sendByFetch, Date.now));
    assert.equal(await links.signedIn(page), page);
    assert.match(JSON.stringify(log), /Could not create a sign-in link for @amara/);
  });

  it('for administrators name the account that they sign in', async () => {
    const link = await world().links.asAdministrator('/_local/oauth');
    assert.equal(link?.username, 'root');
    const person = new PageClient(server);
    const opened = await person.open(new URL(link.address).pathname);
    assert.equal(opened.headers.get('location'), '/_local/oauth');
    assert.equal((await person.open('/_local/oauth')).status, 200);
    const remote = world({ ...LOCAL, kind: 'remote' });
    assert.deepEqual(await remote.links.asAdministrator('/_local/oauth'), { address: `${server.origin}/_local/oauth` });
  });
});
