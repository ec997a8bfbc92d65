import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { CALLBACK, codeClient, leadsTo, person } from './codes.ts';
import { type Client, userStatus } from './support.ts';

/** Allows the client to use http, because the test server has no TLS. */
const insecure = { [oauth.allowInsecureRequests]: true } as const;

for (const dialect of ['documented', 'observed'] as const) {
  describe(`authorization code grant with oauth4webapi, ${dialect} dialect`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ profile: { dialect } });
    });
    after(() => server.close());

    /** Opens and approves the page as root. Returns the address that the browser is redirected to. */
    async function consent(address: URL, decision: 'approve' | 'deny'): Promise<URL> {
      const browser = await person(server);
      const page = await browser.open(`${address.pathname}${address.search}`);
      const led = leadsTo(page);
      if (led !== '') return new URL(led);
      const response = await browser.submit(page, '/oauth/authorize', decision === 'deny' ? { _method: 'delete' } : {});
      return new URL(response.headers.get('location') ?? '');
    }

    async function begin({ client_id }: Client, decision: 'approve' | 'deny' = 'approve') {
      const found = await oauth.discoveryRequest(new URL(server.origin), insecure);
      const as = await oauth.processDiscoveryResponse(new URL(server.origin), found);
      assert.ok(as.authorization_endpoint);
      const verifier = oauth.generateRandomCodeVerifier();
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
      const address = new URL(as.authorization_endpoint);
      const parameters = {
        client_id,
        redirect_uri: CALLBACK,
        response_type: 'code',
        scope: 'openid email api',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      };
      for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
      return { as, verifier, state, nonce, callback: await consent(address, decision) };
    }

    for (const confidential of [false, true]) {
      it(`oauth4webapi completes a sign-in from discovery to revocation as a ${confidential ? 'confidential' : 'public'} client`, async () => {
        const registered = codeClient(server, { confidential, scopes: ['openid', 'email', 'api'] });
        const client: oauth.Client = { client_id: registered.client_id };
        const secret = registered.client_secret;
        const authentication = secret === undefined ? oauth.None() : oauth.ClientSecretBasic(secret);
        const { as, verifier, state, nonce, callback } = await begin(registered);
        // Verifies state and iss.
        const parameters = oauth.validateAuthResponse(as, client, callback, state);
        const response = await oauth.authorizationCodeGrantRequest(
          as,
          client,
          authentication,
          parameters,
          CALLBACK,
          verifier,
          insecure,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        });
        const claims = oauth.getValidatedIdTokenClaims(tokens);
        assert.equal(claims?.sub, '1');
        assert.equal(tokens.token_type, 'bearer');
        assert.equal(await userStatus(server, tokens.access_token), 200);

        const information = await oauth.userInfoRequest(as, client, tokens.access_token, insecure);
        const person = await oauth.processUserInfoResponse(as, client, '1', information);
        assert.equal(person['nickname'], 'root');

        if (confidential) {
          const introspection = await oauth.introspectionRequest(as, client, authentication, tokens.access_token, insecure);
          const reported = await oauth.processIntrospectionResponse(as, client, introspection);
          assert.deepEqual([reported.active, reported.client_id, reported.scope], [true, client.client_id, 'openid email api']);
        }

        const refreshed = await oauth.refreshTokenGrantRequest(as, client, authentication, tokens.refresh_token ?? '', insecure);
        const renewed = await oauth.processRefreshTokenResponse(as, client, refreshed);
        assert.equal(await userStatus(server, renewed.access_token), 200);
        // Ends the access token, too.
        const revoked = await oauth.revocationRequest(as, client, authentication, renewed.refresh_token ?? '', insecure);
        await oauth.processRevocationResponse(revoked);
        assert.equal(await userStatus(server, renewed.access_token), 401);
      });
    }

    it('oauth4webapi reports access_denied when the user denies', async () => {
      const registered = codeClient(server, { scopes: ['openid', 'email', 'api'] });
      const { as, state, callback } = await begin(registered, 'deny');
      assert.throws(
        () => oauth.validateAuthResponse(as, { client_id: registered.client_id }, callback, state),
        (error: unknown) => error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied',
      );
    });

    it('oauth4webapi gets a client credentials token', async () => {
      const { client_id, client_secret = '' } = codeClient(server, { confidential: true });
      const as = { issuer: server.origin, token_endpoint: `${server.origin}/oauth/token` };
      const authentication = oauth.ClientSecretPost(client_secret);
      const response = await oauth.clientCredentialsGrantRequest(as, { client_id }, authentication, { scope: 'api' }, insecure);
      const tokens = await oauth.processClientCredentialsResponse(as, { client_id }, response);
      assert.equal(tokens.scope, 'api');
    });
  });
}
