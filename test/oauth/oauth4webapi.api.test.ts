import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import { EXTENSION_CLIENT_ID } from '../../src/contract/product.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { confidentialClient, decide, type DeviceCodes, userStatus } from './support.ts';

const SECOND = 1000;
/** The server of the tests speaks http; the client must be told that it may. */
const insecure = { [oauth.allowInsecureRequests]: true } as const;

function metadataOf(server: TestServer): oauth.AuthorizationServer {
  return {
    issuer: server.origin,
    device_authorization_endpoint: `${server.origin}/oauth/authorize_device`,
    token_endpoint: `${server.origin}/oauth/token`,
    revocation_endpoint: `${server.origin}/oauth/revoke`,
  };
}

/** A strict client that asserts every member of every answer drives the device grant. */
describe('The device grant driven by oauth4webapi', () => {
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

  it('signs in, refreshes and revokes', async () => {
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

  it('is told authorization_pending, and slow_down when it polls too often', async () => {
    const { device_code } = await begin();
    await assert.rejects(poll(device_code), isError('authorization_pending'));
    await assert.rejects(poll(device_code), isError('slow_down'));
    server.platform.clock.advance(10 * SECOND);
    await assert.rejects(poll(device_code), isError('authorization_pending'));
  });

  it('is told access_denied when the person denies', async () => {
    const codes = await begin();
    await decide(server, codesOf(codes), 'deny');
    await assert.rejects(poll(codes.device_code), isError('access_denied'));
  });

  it('is told expired_token when the code is too old', async () => {
    const { device_code } = await begin();
    server.platform.clock.advance(300 * SECOND);
    await assert.rejects(poll(device_code), isError('expired_token'));
    await assert.rejects(poll(device_code), isError('expired_token'));
  });

  it('is told invalid_grant for a code it has spent', async () => {
    const codes = await begin();
    await decide(server, codesOf(codes));
    await poll(codes.device_code);
    await assert.rejects(poll(codes.device_code), isError('invalid_grant'));
  });

  it('authenticates as a confidential client by HTTP Basic and in the body', async () => {
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

  it('reads a wrong secret as a challenge', async () => {
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

  it('cannot read pending answers of the observed dialect, which carry a challenge', async () => {
    await using observed = await startTestServer({ profile: { dialect: 'observed' } });
    const there = metadataOf(observed);
    const begun = await oauth.deviceAuthorizationRequest(there, client, none, {}, insecure);
    const codes = await oauth.processDeviceAuthorizationResponse(there, client, begun);
    const polled = await oauth.deviceCodeGrantRequest(there, client, none, codes.device_code, insecure);
    await assert.rejects(oauth.processDeviceCodeResponse(there, client, polled), oauth.WWWAuthenticateChallengeError);
  });
});
