import type { IncomingMessage } from 'node:http';
import { isThisMachine } from '../../src/contract/hosts.ts';

export type HostVerdict =
  | { readonly ok: true; readonly host: string }
  | { readonly ok: false; readonly status: 400 | 421; readonly reason: string };

/**
 * Checks the header `Host` as a protection against DNS rebinding. Accepted are loopback names with the server's port, the host of the
 * public URL, and the address at which the client reached the server.
 */
export function checkHost(request: IncomingMessage, publicHost: string | undefined): HostVerdict {
  let hosts = 0;
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  const host = request.headers.host?.toLowerCase();
  if (hosts !== 1 || host === undefined || host === '') {
    return { ok: false, status: 400, reason: `${hosts} Host headers were sent; exactly one is needed` };
  }
  if (host === publicHost) return { ok: true, host };
  const match = /^(\[[0-9a-f:.]+\]|[^:@/\\]+)(?::(\d{1,5}))?$/.exec(host);
  const name = match?.[1] ?? '';
  const port = Number(match?.[2] ?? 80);
  if (port === request.socket.localPort && (name === reachedAddress(request) || isThisMachine(name))) {
    return { ok: true, host };
  }
  return { ok: false, status: 421, reason: `the server does not answer for the host "${host}"` };
}

function reachedAddress(request: IncomingMessage): string {
  const address = request.socket.localAddress ?? '';
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return plain.includes(':') ? `[${plain}]` : plain;
}

/**
 * Returns true if a browser sent the request from another site, according to `Origin`, or to `Sec-Fetch-Site` if there is no `Origin`.
 * Requests of other clients have neither header and pass.
 */
export function isForeignOrigin(request: Pick<IncomingMessage, 'headers'>, baseUrl: string): boolean {
  const origin = request.headers.origin;
  if (origin !== undefined) return origin.toLowerCase() !== baseUrl;
  const site = request.headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

/** Returns true if the value of a header `Host` is a loopback name with any port. Such a name cannot be rebound. */
export function isLoopbackHost(host: string | undefined): boolean {
  return isThisMachine(/^(\[[0-9a-f:.]+\]|[^:]+)(?::\d{1,5})?$/.exec(host?.toLowerCase() ?? '')?.[1] ?? '');
}

/** Returns true if an IP address is a loopback address. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address);
}

/** Addresses of the server, such as `http://127.0.0.1:8080`. Empty until it listens. */
export interface OwnAddresses {
  /** Address for links: the public URL, or else the one on which the server listens. */
  readonly value: string;
  /** Address on which the server listens. */
  readonly listening: string;
}

/** Returns true if a URL of this machine leads to the server itself. */
export function isOwnUrl(url: URL, { value, listening }: OwnAddresses): boolean {
  return [value, listening].some((address) => address !== '' && portOf(new URL(address)) === portOf(url));
}

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port;
  return protocol === 'https:' ? '443' : '80';
}

/** Returns true if an `Origin` is on this machine. `null` is not, because it can be any page. */
export function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/(.+)$/.exec(origin.toLowerCase())?.[1];
  return isLoopbackHost(host);
}
