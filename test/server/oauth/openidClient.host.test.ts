import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
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
const insecure = { [oauth.allowInsecureRequests]: true } as const;

/** Tests third-party client libraries with a user who approves in a browser. */
describe('OAuth clients with a browser', () => {
  let program: Server;
  let callback: string;
  /** URLs that the browser requested from the client. */
  const callbacks: string[] = [];
  before(async () => {
    program = createServer((request, response) => {
      if (request.url?.startsWith('/callback') === true) callbacks.push(request.url);
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Board</title><h1>The board</h1>');
    });
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
    callback = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`;
  });
  after(async () => {
    program.closeAllConnections();
    await new Promise((resolve) => program.close(resolve));
  });

  for (const dialect of ['documented', 'observed'] as const) {
    describe(`${dialect} dialect`, () => {
      let server: TestServer;
      let page: Page;
      beforeEach(async () => {
        server = await startTestServer({ profile: { dialect } });
        const context = await openContext(await sharedBrowser());
        page = await context.newPage();
        page.setDefaultTimeout(15_000);
        await page.goto(`${server.origin}${mintSignInLink(server.platform, rootOf(server.platform), '/')?.path}`);
      });
      afterEach(async () => {
        await page.context().close();
        await server.close();
      });

      /** Approves on the page. Returns the URL that the browser is redirected to. */
      async function approve(address: URL): Promise<URL> {
        await page.goto(address.href);
        await page.getByRole('heading', { level: 1, name: 'Authorize Lamp board?' }).waitFor();
        await page.getByRole('button', { name: 'Authorize', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: 'The board' }).waitFor();
        return new URL(callbacks.at(-1) ?? '', callback);
      }

      for (const confidential of [false, true]) {
        const kind = confidential ? 'confidential' : 'public';
        const register = () => codeClient(server, { confidential, scopes: SCOPES, redirectUris: [callback] });

        it(`openid-client completes a sign-in from discovery to revocation as a ${kind} client`, async () => {
          const config = await configure(server, register());
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
          const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
          const tokens = await openid.authorizationCodeGrant(config, await approve(address), checks);
          assert.equal(tokens.claims()?.sub, '1');
          assert.equal((await openid.fetchUserInfo(config, tokens.access_token, '1')).nickname, 'root');
          const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
          assert.deepEqual(
            [await userStatus(server, tokens.access_token), await userStatus(server, renewed.access_token)],
            [401, 200],
          );
          if (confidential) {
            const reported = await openid.tokenIntrospection(config, renewed.access_token);
            assert.deepEqual([reported.active, reported.scope], [true, SCOPE]);
          }
          await openid.tokenRevocation(config, renewed.refresh_token ?? '');
          assert.equal(await userStatus(server, renewed.access_token), 401);
        });

        it(`oauth4webapi completes a sign-in from discovery to revocation as a ${kind} client`, async () => {
          const { client_id, client_secret } = register();
          const client: oauth.Client = { client_id };
          const proof = client_secret === undefined ? oauth.None() : oauth.ClientSecretBasic(client_secret);
          const issuer = new URL(server.origin);
          const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
          const verifier = oauth.generateRandomCodeVerifier();
          const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
          const parameters = {
            client_id,
            redirect_uri: callback,
            response_type: 'code',
            scope: SCOPE,
            code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
            code_challenge_method: 'S256',
            state,
            nonce,
          };
          const address = new URL(`${as.authorization_endpoint}?${new URLSearchParams(parameters)}`);
          const response = oauth.validateAuthResponse(as, client, await approve(address), state);
          const tokens = await oauth.processAuthorizationCodeResponse(
            as,
            client,
            await oauth.authorizationCodeGrantRequest(as, client, proof, response, callback, verifier, insecure),
            { expectedNonce: nonce, requireIdToken: true },
          );
          const information = await oauth.userInfoRequest(as, client, tokens.access_token, insecure);
          assert.equal((await oauth.processUserInfoResponse(as, client, '1', information))['nickname'], 'root');
          const renewed = await oauth.processRefreshTokenResponse(
            as,
            client,
            await oauth.refreshTokenGrantRequest(as, client, proof, tokens.refresh_token ?? '', insecure),
          );
          assert.equal(await userStatus(server, renewed.access_token), 200);
          if (confidential) {
            const introspection = await oauth.introspectionRequest(as, client, proof, renewed.access_token, insecure);
            assert.equal((await oauth.processIntrospectionResponse(as, client, introspection)).active, true);
          }
          await oauth.processRevocationResponse(
            await oauth.revocationRequest(as, client, proof, renewed.refresh_token ?? '', insecure),
          );
          assert.equal(await userStatus(server, renewed.access_token), 401);
        });
      }

      it('openid-client gets the tokens of a device code that is approved on the page', async () => {
        const config = await configure(server, codeClient(server, { scopes: SCOPES }));
        const codes = await openid.initiateDeviceAuthorization(config, { scope: SCOPE });
        const approve = async (): Promise<void> => {
          await page.goto(codes.verification_uri_complete ?? '');
          await decideOnDevicePage(page, codes.user_code, 'Approve');
        };
        const polls = passTime(server, config, 5, { 3: approve });
        const poll = () => openid.pollDeviceAuthorizationGrant(config, { ...codes, interval: 0.001 });
        if (dialect === 'observed') {
          // Pending responses contain a challenge in this dialect, which ends the polling.
          await assert.rejects(poll(), openid.WWWAuthenticateChallengeError);
          await assert.rejects(poll(), openid.WWWAuthenticateChallengeError);
        }
        const tokens = await poll();
        assert.equal(polls.requests, 3);
        assert.equal(tokens.claims()?.sub, '1');
        assert.equal(await userStatus(server, tokens.access_token), 200);
      });
    });
  }
});
