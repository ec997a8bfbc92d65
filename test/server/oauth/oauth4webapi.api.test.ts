import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { confidentialClient, decide, type DeviceCodes, userStatus } from './support.ts';

const SECOND = 1000;
/** Allows the client to use http, because the test server has no TLS. */
const insecure = { [oauth.allowInsecureRequests]: true } as const;

function metadataOf(server: TestServer): oauth.AuthorizationServer {
  return {
    issuer: server.origin,
    device_authorization_endpoint: `${server.origin}/oauth/authorize_device`,
    token_endpoint: `${server.origin}/oauth/token`,
    revocation_endpoint: `${server.origin}/oauth/revoke`,
  };
}

/** Tests the device grant with a strict client that verifies every member of every response. */
describe('device grant with oauth4webapi', () => {
  let server: TestServer;
  let as: oauth.AuthorizationServer;
  const client: oauth.Client = { client_id: EXTENSION_CLIENT_ID };
  const none = oauth.None();
  before(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(server.platform.clock.now());
    as = metadataOf(server);
  });
  after(() => server.close());

  async function begin(): Promise<oauth.DeviceAuthorizationResponse> {
    const response = await oauth.deviceAuthorizationRequest(as, client, none, { scope: 'api read_user' }, insecure);
    return oauth.processDeviceAuthorizationResponse(as, client, response);
  }

  async function poll(code: string): Promise<oauth.TokenEndpointResponse> {
    const response = await oauth.deviceCodeGrantRequest(as, client, none, code, insecure);
    return oauth.processDeviceCodeResponse(as, client, response);
  }

  function isError(code: string): (error: unknown) => boolean {
    return (error) => {
      assert.ok(error instanceof oauth.ResponseBodyError, String(error));
      assert.equal(error.error, code);
      assert.equal(error.status, 400);
      return true;
    };
  }

  const codesOf = (response: oauth.DeviceAuthorizationResponse): DeviceCodes => response as unknown as DeviceCodes;

  it('oauth4webapi signs in, refreshes and revokes', async () => {
    const codes = await begin();
    assert.equal(codes.expires_in, 300);
    assert.equal(codes.interval, 5);
    await assert.rejects(poll(codes.device_code), isError('authorization_pending'));
    await decide(server, codesOf(codes));
    const tokens = await poll(codes.device_code);
    assert.equal(tokens.token_type, 'bearer');
    assert.equal(tokens.expires_in, 7200);
    assert.equal(tokens.scope, 'api read_user');
    assert.equal(await userStatus(server, tokens.access_token), 200);

    const refreshed = await oauth.refreshTokenGrantRequest(as, client, none, tokens.refresh_token ?? '', insecure);
    const renewed = await oauth.processRefreshTokenResponse(as, client, refreshed);
    assert.equal(await userStatus(server, renewed.access_token), 200);

    const revoked = await oauth.revocationRequest(as, client, none, renewed.refresh_token ?? '', insecure);
    await oauth.processRevocationResponse(revoked);
    assert.equal(await userStatus(server, renewed.access_token), 401);
  });

  it('oauth4webapi reports authorization_pending, and slow_down when it polls too often', async () => {
    const { device_code } = await begin();
    await assert.rejects(poll(device_code), isError('authorization_pending'));
    await assert.rejects(poll(device_code), isError('slow_down'));
    server.platform.clock.advance(10 * SECOND);
    await assert.rejects(poll(device_code), isError('authorization_pending'));
  });

  it('oauth4webapi reports access_denied when the user denies', async () => {
    const codes = await begin();
    await decide(server, codesOf(codes), 'deny');
    await assert.rejects(poll(codes.device_code), isError('access_denied'));
  });

  it('oauth4webapi reports expired_token when the code has expired', async () => {
    const { device_code } = await begin();
    server.platform.clock.advance(300 * SECOND);
    await assert.rejects(poll(device_code), isError('expired_token'));
    await assert.rejects(poll(device_code), isError('expired_token'));
  });

  it('oauth4webapi reports invalid_grant for a spent code', async () => {
    const codes = await begin();
    await decide(server, codesOf(codes));
    await poll(codes.device_code);
    await assert.rejects(poll(codes.device_code), isError('invalid_grant'));
  });

  it('oauth4webapi authenticates as a confidential client by HTTP Basic and in the body', async () => {
    const { client_id, client_secret = '' } = confidentialClient(server);
    for (const authentication of [oauth.ClientSecretBasic(client_secret), oauth.ClientSecretPost(client_secret)]) {
      const parameters = { scope: 'api' };
      const response = await oauth.deviceAuthorizationRequest(as, { client_id }, authentication, parameters, insecure);
      const codes = await oauth.processDeviceAuthorizationResponse(as, { client_id }, response);
      await decide(server, codesOf(codes));
      const polled = await oauth.deviceCodeGrantRequest(as, { client_id }, authentication, codes.device_code, insecure);
      const tokens = await oauth.processDeviceCodeResponse(as, { client_id }, polled);
      const refreshed = await oauth.refreshTokenGrantRequest(
        as,
        { client_id },
        authentication,
        tokens.refresh_token ?? '',
        insecure,
      );
      await oauth.processRefreshTokenResponse(as, { client_id }, refreshed);
    }
  });

  it('oauth4webapi reports the challenge for a wrong secret', async () => {
    const { client_id } = confidentialClient(server);
    const wrong = oauth.ClientSecretBasic('wrong');
    const response = await oauth.deviceAuthorizationRequest(as, { client_id }, wrong, {}, insecure);
    await assert.rejects(oauth.processDeviceAuthorizationResponse(as, { client_id }, response), (error: unknown) => {
      assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, String(error));
      assert.equal(error.cause[0]?.scheme, 'basic');
      assert.equal(error.cause[0]?.parameters.error, 'invalid_client');
      return true;
    });
  });

  it('oauth4webapi cannot read pending responses of the observed dialect, because they contain a challenge', async () => {
    await using observed = await startTestServer({ profile: { dialect: 'observed' } });
    const there = metadataOf(observed);
    const begun = await oauth.deviceAuthorizationRequest(there, client, none, {}, insecure);
    const codes = await oauth.processDeviceAuthorizationResponse(there, client, begun);
    const polled = await oauth.deviceCodeGrantRequest(there, client, none, codes.device_code, insecure);
    await assert.rejects(oauth.processDeviceCodeResponse(there, client, polled), oauth.WWWAuthenticateChallengeError);
  });
});
