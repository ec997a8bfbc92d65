import * as openid from 'openid-client';
import type { TestServer } from '../../support/server.ts';
import type { Client } from './support.ts';

/** Returns a configuration of openid-client from the discovery document; http is allowed, because the test server has no TLS. */
export async function configure(
  server: TestServer,
  { client_id, client_secret }: Client,
  by: 'post' | 'basic' = 'post',
): Promise<openid.Configuration> {
  const proof =
    client_secret === undefined
      ? openid.None()
      : by === 'basic'
        ? openid.ClientSecretBasic(client_secret)
        : openid.ClientSecretPost(client_secret);
  return openid.discovery(new URL(server.origin), client_id, undefined, proof, { execute: [openid.allowInsecureRequests] });
}

/**
 * Moves the server's clock before every token request, so that a client that obeys the polling interval need not wait for it.
 * `meanwhile` contains actions to run before the request with that number, starting at 1.
 */
export function passTime(
  server: TestServer,
  config: openid.Configuration,
  seconds: number,
  meanwhile: Readonly<Record<number, () => Promise<void>>> = {},
): { readonly requests: number } {
  const seen = { requests: 0 };
  config[openid.customFetch] = async (address, { body, headers, method, redirect }) => {
    if (address.endsWith('/oauth/token')) {
      seen.requests += 1;
      server.platform.clock.advance(seconds * 1000);
      await meanwhile[seen.requests]?.();
    }
    return fetch(address, { headers, method, redirect, ...(body === undefined ? {} : { body: String(body) }) });
  };
  return seen;
}
