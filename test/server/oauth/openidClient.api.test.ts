import assert from 'node:assert/strict';
import * as openid from 'openid-client';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { CALLBACK, codeClient, leadsTo, person } from './codes.ts';
import { configure, passTime } from './openidClient.ts';
import { confidentialClient, decide, type DeviceCodes, publicClient, userStatus } from './support.ts';

const SCOPES = ['openid', 'email', 'api'];

for (const dialect of ['documented', 'observed'] as const) {
  describe(`openid-client, ${dialect} dialect`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ profile: { dialect } });
      server.platform.clock.freeze(server.platform.clock.now());
    });
    after(() => server.close());

    /** Asserts the error of openid-client for a status 400: it reads a challenge first, and `observed` sends one with every error. */
    function isRefusal(code: string): (error: unknown) => boolean {
      return (error) => {
        if (dialect === 'observed') {
          assert.ok(error instanceof openid.WWWAuthenticateChallengeError, String(error));
          assert.equal(error.cause[0]?.parameters.error, code);
        } else {
          assert.ok(error instanceof openid.ResponseBodyError, String(error));
          assert.equal(error.error, code);
        }
        assert.equal(error.status, 400);
        return true;
      };
    }

    /** Opens and approves the page as root. Returns the address that the browser is redirected to. */
    async function consent(address: URL, decision: 'approve' | 'deny'): Promise<URL> {
      const browser = await person(server);
      const page = await browser.open(`${address.pathname}${address.search}`);
      const led = leadsTo(page);
      if (led !== '') return new URL(led);
      const response = await browser.submit(page, '/oauth/authorize', decision === 'deny' ? { _method: 'delete' } : {});
      return new URL(response.headers.get('location') ?? '');
    }

    async function begin(config: openid.Configuration, decision: 'approve' | 'deny' = 'approve') {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
      const address = openid.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        scope: SCOPES.join(' '),
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
      });
      const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
      return { callback: await consent(address, decision), checks };
    }

    for (const by of ['post', 'basic'] as const) {
      it(`openid-client gets a client credentials token, ${by}, introspects and revokes it`, async () => {
        const config = await configure(server, confidentialClient(server), by);
        const tokens = await openid.clientCredentialsGrant(config, { scope: 'api' });
        assert.deepEqual(
          [tokens.scope, tokens.expires_in, tokens.refresh_token, tokens.token_type],
          ['api', 7200, undefined, 'bearer'],
        );
        const reported = await openid.tokenIntrospection(config, tokens.access_token);
        assert.deepEqual([reported.active, reported.scope], [true, 'api']);
        await openid.tokenRevocation(config, tokens.access_token);
        assert.equal((await openid.tokenIntrospection(config, tokens.access_token)).active, false);
      });
    }

    it('openid-client reports the challenge for a wrong secret', async () => {
      const { client_id } = confidentialClient(server);
      const config = await configure(server, { client_id, client_secret: 'wrong' }, 'basic');
      await assert.rejects(openid.clientCredentialsGrant(config), (error: unknown) => {
        assert.ok(error instanceof openid.WWWAuthenticateChallengeError, String(error));
        assert.deepEqual(
          [error.status, error.cause[0]?.scheme, error.cause[0]?.parameters.error],
          [401, 'basic', 'invalid_client'],
        );
        return true;
      });
    });

    it('openid-client reports access_denied when the user denies', async () => {
      const config = await configure(server, codeClient(server, { scopes: SCOPES }));
      const { callback, checks } = await begin(config, 'deny');
      await assert.rejects(openid.authorizationCodeGrant(config, callback, checks), (error: unknown) => {
        assert.ok(error instanceof openid.AuthorizationResponseError, String(error));
        assert.equal(error.error, 'access_denied');
        return true;
      });
    });

    for (const confidential of [false, true]) {
      it(`openid-client completes a sign-in from discovery to revocation as a ${confidential ? 'confidential' : 'public'} client`, async () => {
        const config = await configure(server, codeClient(server, { confidential, scopes: SCOPES }));
        const { callback, checks } = await begin(config);
        const tokens = await openid.authorizationCodeGrant(config, callback, checks);
        assert.equal(tokens.claims()?.sub, '1');
        assert.equal((await openid.fetchUserInfo(config, tokens.access_token, '1')).nickname, 'root');
        const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
        assert.deepEqual(
          [await userStatus(server, tokens.access_token), await userStatus(server, renewed.access_token)],
          [401, 200],
        );
        if (confidential) {
          const reported = await openid.tokenIntrospection(config, renewed.access_token);
          assert.deepEqual([reported.active, reported.scope], [true, SCOPES.join(' ')]);
        }
        await openid.tokenRevocation(config, renewed.refresh_token ?? '');
        assert.equal(await userStatus(server, renewed.access_token), 401);
      });
    }

    it('openid-client refuses a foreign state', async () => {
      const config = await configure(server, codeClient(server, { scopes: SCOPES }));
      const { callback, checks } = await begin(config);
      await assert.rejects(openid.authorizationCodeGrant(config, callback, { ...checks, expectedState: 'another' }), {
        code: 'OAUTH_INVALID_RESPONSE',
      });
    });

    it('openid-client gets an error for a used code and a spent refresh token', async () => {
      const config = await configure(server, codeClient(server, { scopes: SCOPES }));
      const { callback, checks } = await begin(config);
      const tokens = await openid.authorizationCodeGrant(config, callback, checks);
      await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
      await assert.rejects(openid.refreshTokenGrant(config, tokens.refresh_token ?? ''), isRefusal('invalid_grant'));
      await assert.rejects(openid.authorizationCodeGrant(config, callback, checks), isRefusal('invalid_grant'));
    });

    async function beginDevice(meanwhile: (codes: DeviceCodes) => Readonly<Record<number, () => Promise<void>>> = () => ({})) {
      const config = await configure(server, publicClient(server));
      const codes = await openid.initiateDeviceAuthorization(config, { scope: 'api' });
      assert.deepEqual([codes.interval, codes.expires_in], [5, 300]);
      const polls = passTime(server, config, 5, meanwhile(codes as unknown as DeviceCodes));
      const poll = () => openid.pollDeviceAuthorizationGrant(config, { ...codes, interval: 0.001 });
      return { config, polls, poll };
    }

    it('openid-client gets the tokens of an approved device code', async () => {
      const { config, polls, poll } = await beginDevice((codes) => ({ 1: () => decide(server, codes) }));
      const tokens = await poll();
      assert.equal(polls.requests, 1);
      assert.equal(await userStatus(server, tokens.access_token), 200);
      const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
      assert.equal(await userStatus(server, renewed.access_token), 200);
    });

    it('openid-client gets an ID token for a device code that is approved after some polls', async () => {
      const config = await configure(server, codeClient(server, { scopes: SCOPES }));
      const codes = await openid.initiateDeviceAuthorization(config, { scope: SCOPES.join(' ') });
      const polls = passTime(server, config, 5, { 3: () => decide(server, codes as unknown as DeviceCodes) });
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

    if (dialect === 'documented') {
      it('openid-client polls until the user approves', async () => {
        const { polls, poll } = await beginDevice((codes) => ({ 4: () => decide(server, codes) }));
        assert.equal(await userStatus(server, (await poll()).access_token), 200);
        assert.equal(polls.requests, 4);
      });

      it('openid-client polls until the user denies', async () => {
        const { polls, poll } = await beginDevice((codes) => ({ 3: () => decide(server, codes, 'deny') }));
        await assert.rejects(poll(), isRefusal('access_denied'));
        assert.equal(polls.requests, 3);
      });

      it('openid-client polls until the code expires', async () => {
        const { polls, poll } = await beginDevice();
        await assert.rejects(poll(), isRefusal('expired_token'));
        assert.equal(polls.requests, 60);
      });
    } else {
      it('openid-client stops at the first pending response, because it contains a challenge', async () => {
        const { polls, poll } = await beginDevice();
        await assert.rejects(poll(), isRefusal('authorization_pending'));
        assert.equal(polls.requests, 1);
      });
    }
  });
}
