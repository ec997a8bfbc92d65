import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { type Adapter, type Payload, Provider } from 'oidc-provider';
import { DEVICE_CODE_GRANT } from '../../../src/contract/oauth.ts';

// oidc-provider, a certified third-party OpenID provider, configured like the local server: with its paths, lifetimes, clients and scopes.
// Where the two respond differently, one of them is wrong, or the difference is listed in differentialDifferences.ts.

/** A client that is registered at both servers with the same ID and secret. */
export interface SharedClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly redirect_uris: readonly string[];
  readonly scope: string;
  readonly native: boolean;
}

/** Action of the user on the next page of the oracle. */
export type Input = 'sign in' | 'approve' | 'deny' | 'look';

export interface Oracle {
  readonly origin: string;
  register(client: SharedClient): void;
  /** Must be set before a browser opens the page. */
  input: Input;
  /** Makes all stored data older. */
  advance(seconds: number): void;
  close(): Promise<void>;
}

/** The account that the oracle's pages sign in, equal to root of the local server. */
const ACCOUNT = '1';

export async function startOracle(): Promise<Oracle> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const stored = new Map<string, Map<string, Payload>>();
  const modelOf = (model: string): Map<string, Payload> => {
    const found = stored.get(model) ?? new Map<string, Payload>();
    stored.set(model, found);
    return found;
  };

  const server = createServer((request, response) => {
    void respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const provider = new Provider(origin, {
    ...commonConfiguration,
    adapter: (model: string) => memoryAdapter(model, modelOf),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'oracle', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['known only to this process'] },
    renderError: (ctx: { body: unknown; type: string }, out: { error: string }) => {
      ctx.type = 'html';
      ctx.body = `<p>Refused: <code>${out.error}</code></p>`;
    },
  });
  const pages = provider.callback();
  const oracle: Oracle = {
    origin,
    input: 'look',
    register: ({ client_id, client_secret, redirect_uris, scope, native }) => {
      const grants = ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT];
      modelOf('Client').set(client_id, {
        client_id,
        ...(client_secret === undefined ? { token_endpoint_auth_method: 'none' } : { client_secret }),
        grant_types: client_secret === undefined ? grants : [...grants, 'client_credentials'],
        response_types: ['code'],
        redirect_uris,
        scope,
        application_type: native ? 'native' : 'web',
      });
    },
    advance: (seconds) => {
      for (const model of stored.values()) {
        for (const payload of model.values()) {
          for (const time of ['iat', 'exp', 'loginTs', 'authTime']) {
            const value = payload[time];
            if (typeof value === 'number') payload[time] = value - seconds;
          }
        }
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return oracle;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.url?.startsWith('/interaction/') === true) await interact(request, response);
      else pages(request, response);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }

  /** The pages that oidc-provider leaves to its integrator, including the user's action. */
  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    const { input } = oracle;
    if (input === 'look' || (prompt.name === 'login' && input !== 'sign in')) {
      const title = prompt.name === 'login' ? 'Sign in' : 'Authorize?';
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<h1>${title}</h1>`);
    } else if (input === 'deny') {
      await provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'No.' });
    } else if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId: ACCOUNT } });
    } else {
      const grant = new provider.Grant({ accountId: session?.accountId ?? ACCOUNT, clientId: params.client_id });
      grant.addOIDCScope(params.scope ?? '');
      const grantId = await grant.save();
      await provider.interactionFinished(request, response, { consent: { grantId } });
    }
  }
}

/** Settings that match the local server; also used by the benchmarks. */
export const commonConfiguration = {
  routes: {
    authorization: '/oauth/authorize',
    token: '/oauth/token',
    device_authorization: '/oauth/authorize_device',
    code_verification: '/oauth/device',
    revocation: '/oauth/revoke',
    introspection: '/oauth/introspect',
    userinfo: '/oauth/userinfo',
    jwks: '/oauth/discovery/keys',
  },
  scopes: ['openid', 'email', 'api', 'read_user'],
  responseTypes: ['code'],
  claims: { openid: ['sub', 'name', 'nickname'], email: ['email', 'email_verified'] },
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
  allowOmittingSingleRegisteredRedirectUri: false,
  clockTolerance: 0,
  ttl: {
    AccessToken: 7200,
    AuthorizationCode: 600,
    ClientCredentials: 7200,
    DeviceCode: 300,
    IdToken: 120,
    RefreshToken: 31_536_000,
    Grant: 31_536_000,
    Interaction: 3600,
    Session: 1_209_600,
  },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    deviceFlow: {
      enabled: true,
      mask: '****-****',
      userCodeInputSource: (ctx: { body: unknown; type: string }, form: string) => {
        ctx.type = 'html';
        ctx.body = form;
      },
      userCodeConfirmSource: (ctx: { body: unknown; type: string }, form: string) => {
        ctx.type = 'html';
        ctx.body = form;
      },
      successSource: (ctx: { body: unknown }) => {
        ctx.body = 'done';
      },
    },
    dPoP: { enabled: false },
    introspection: { enabled: true, allowedPolicy: isOwn },
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: { enabled: false },
    revocation: { enabled: true, allowedPolicy: isOwn },
    rpInitiatedLogout: { enabled: false },
  },
  clientBasedCORS: () => false,
  findAccount: (_ctx: unknown, sub: string) => ({
    accountId: sub,
    claims: () => ({ sub, name: 'Administrator', nickname: 'root', email: 'root@signalbox.example', email_verified: true }),
  }),
  interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  // Revoking an access token ends the sign-in (RFC 7009 §2.1 leaves it open).
  revokeGrantPolicy: () => true,
};

function isOwn(_ctx: unknown, client: { clientId: string }, token: { clientId: string }): boolean {
  return client.clientId === token.clientId;
}

function memoryAdapter(model: string, modelOf: (model: string) => Map<string, Payload>): Adapter {
  const own = modelOf(model);
  const findBy = async (member: string, value: string): Promise<Payload | undefined> =>
    [...own.values()].find((payload) => payload[member] === value);
  return {
    upsert: async (id, payload) => {
      own.set(id, structuredClone(payload));
    },
    find: async (id) => own.get(id),
    findByUid: (uid) => findBy('uid', uid),
    findByUserCode: (userCode) => findBy('userCode', userCode),
    consume: async (id) => {
      const payload = own.get(id);
      if (payload !== undefined) payload['consumed'] = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => {
      own.delete(id);
    },
    revokeByGrantId: async (grantId) => {
      for (const [id, payload] of own) if (payload['grantId'] === grantId) own.delete(id);
    },
  };
}
