import type { Event, SecretStorage } from 'vscode';
import { isLoopback, type Send } from '../api/transport.ts';
import { isJsonObject, parseJson, stringMember } from '../contract/json.ts';
import { createEmitter } from '../support/emitter.ts';
import { type Log, type Mask, messageOf } from '../support/log.ts';

/**
 * Servers that other programs run on this machine, such as `npm start` or `signalbox serve`, and whose admin token the user has given.
 * They are keyed by their address.
 */
export interface ConnectedServers {
  /** Reads the stored tokens. Never rejects. */
  readonly load: () => Promise<void>;
  readonly has: (address: string) => boolean;
  readonly token: (address: string) => string | undefined;
  /** Keeps a token in the secret storage; if that fails, until the window closes. */
  readonly connect: (address: string, token: string) => Promise<void>;
  readonly disconnect: (address: string) => Promise<void>;
  readonly onDidChange: Event<void>;
}

/** Prefix of the keys in the secret storage; the address follows. */
const PREFIX = 'local/connected/';

export function createConnectedServers(secrets: SecretStorage, mask: Mask, log: Log): ConnectedServers {
  const tokens = new Map<string, string>();
  const changes = createEmitter<void>();

  function set(address: string, token: string | undefined): void {
    if (tokens.get(address) === token) return;
    if (token === undefined) tokens.delete(address);
    else {
      mask.hide(token);
      tokens.set(address, token);
    }
    changes.fire();
  }

  async function read(key: string): Promise<void> {
    const address = key.slice(PREFIX.length);
    if (!isLocalAddress(address)) return;
    try {
      set(address, await secrets.get(key));
    } catch (error) {
      log.error(`Could not read the admin token of ${address} from the secret storage: ${messageOf(error)}`);
    }
  }

  // Another window may have connected or disconnected a server.
  secrets.onDidChange(({ key }) => {
    if (key.startsWith(PREFIX)) void read(key);
  });

  return {
    load: async () => {
      try {
        await Promise.all((await secrets.keys()).filter((key) => key.startsWith(PREFIX)).map(read));
      } catch (error) {
        log.error(`Could not read the admin tokens of connected servers: ${messageOf(error)}`);
      }
    },
    has: (address) => tokens.has(address),
    token: (address) => tokens.get(address),
    connect: async (address, token) => {
      if (!isLocalAddress(address)) throw new Error(`${address} is not an address of this machine`);
      set(address, token);
      try {
        await secrets.store(`${PREFIX}${address}`, token);
      } catch (error) {
        log.error(`Could not save the admin token of ${address}. Only this window is connected: ${messageOf(error)}`);
      }
    },
    disconnect: async (address) => {
      set(address, undefined);
      try {
        await secrets.delete(`${PREFIX}${address}`);
      } catch (error) {
        log.error(`Could not delete the admin token of ${address} from the secret storage: ${messageOf(error)}`);
      }
    },
    onDidChange: changes.event,
  };
}

/** Returns true for an HTTP or HTTPS address of this machine. The admin token must not leave it. */
export function isLocalAddress(address: string): boolean {
  return /^https?:/.test(address) && URL.canParse(address) && isLoopback(address);
}

/**
 * Returns whether a Signalbox server at the address accepts the admin token. The token is only sent to a program that introduces itself as
 * one. Rejects with a `TransportFailure`.
 */
export async function checkAdminToken(
  address: string,
  token: string,
  send: Send,
): Promise<'accepted' | 'rejected' | 'notSignalbox'> {
  const health = await send({ method: 'GET', url: `${address}/_local/health`, headers: { accept: 'application/json' } });
  const body: unknown = parseJson(health.body);
  if (health.status !== 200 || !isJsonObject(body) || stringMember(body, 'instance_id') === undefined) return 'notSignalbox';
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  const { status } = await send({ method: 'GET', url: `${address}/_local/profile`, headers });
  return status === 200 ? 'accepted' : status === 401 ? 'rejected' : 'notSignalbox';
}
