import * as openid from 'openid-client';
import type { TestServer } from '../support/server.ts';
import type { Client } from './support.ts';

/** openid-client told of a server by its discovery document, as a program would be; the server of the tests speaks http. */
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
 * Moves the server's clock before every request at the token endpoint, so that a client that waits its interval need not wait it.
 * `meanwhile` is done before the request with that number, from 1.
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
