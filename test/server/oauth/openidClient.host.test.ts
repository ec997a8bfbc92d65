import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as openid from 'openid-client';
import type { Page } from 'playwright-core';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import { rootOf } from '../projects/cast.ts';
import { openContext } from '../../support/host/browser.ts';
import { decideOnDevicePage } from '../../support/host/platform.ts';
import { sharedBrowser } from '../../support/host/sharedBrowser.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { codeClient } from './codes.ts';
import { configure, passTime } from './openidClient.ts';
import { userStatus } from './support.ts';

const SCOPES = ['openid', 'email', 'api'];
const SCOPE = SCOPES.join(' ');

/** Tests a third-party client library with a user who approves in a browser. */
describe('an OAuth client with a browser', () => {
  let program: Server;
  let callback: string;
  /** URLs that the browser requested from the client. */
  const callbacks: string[] = [];
  let server: TestServer;
  let page: Page;
  before(async () => {
    program = createServer((request, response) => {
      if (request.url?.startsWith('/callback') === true) callbacks.push(request.url);
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Board</title><h1>The board</h1>');
    });
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
    callback = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`;
    server = await startTestServer();
    const context = await openContext(await sharedBrowser());
    page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await page.goto(`${server.origin}${mintSignInLink(server.platform, rootOf(server.platform), '/')?.path}`);
  });
  after(async () => {
    await page?.context().close();
    await server?.close();
    program.closeAllConnections();
    await new Promise((resolve) => program.close(resolve));
  });

  it('an OAuth client with a browser gets a code by a redirect to its page, and the tokens of a device code that is approved on the page', async () => {
    const config = await configure(server, codeClient(server, { scopes: SCOPES, redirectUris: [callback] }));
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: SCOPE,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
    });
    await page.goto(address.href);
    await page.getByRole('heading', { level: 1, name: 'Authorize Lamp board?' }).waitFor();
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'The board' }).waitFor();
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    const tokens = await openid.authorizationCodeGrant(config, new URL(callbacks.at(-1) ?? '', callback), checks);
    assert.equal(tokens.claims()?.sub, '1');
    assert.equal(await userStatus(server, tokens.access_token), 200);

    const codes = await openid.initiateDeviceAuthorization(config, { scope: SCOPE });
    const approve = async (): Promise<void> => {
      await page.goto(codes.verification_uri_complete ?? '');
      await decideOnDevicePage(page, codes.user_code, 'Approve');
    };
    const polls = passTime(server, config, 5, { 3: approve });
    const ofDevice = await openid.pollDeviceAuthorizationGrant(config, { ...codes, interval: 0.001 });
    assert.equal(polls.requests, 3);
    assert.equal(ofDevice.claims()?.sub, '1');
    assert.equal(await userStatus(server, ofDevice.access_token), 200);
  });
});
