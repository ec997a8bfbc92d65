import type { IncomingMessage } from 'node:http';

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

export type HostVerdict =
  | { readonly ok: true; readonly host: string }
  | { readonly ok: false; readonly status: 400 | 421; readonly reason: string };

/**
 * Refuses requests whose `Host` is not one of ours, which is what a rebound DNS name looks like. Accepted are loopback names with our
 * port, the public URL's host, and the address the peer really reached.
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
  if (port === request.socket.localPort && (loopbackNames.has(name) || name === reachedAddress(request))) {
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
 * Whether a browser sent this from another site (Origin, or Sec-Fetch-Site where there is no Origin). Requests of programs carry
 * neither and pass.
 */
export function isForeignOrigin(request: Pick<IncomingMessage, 'headers'>, baseUrl: string): boolean {
  const origin = request.headers.origin;
  if (origin !== undefined) return origin.toLowerCase() !== baseUrl;
  const site = request.headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

/** Whether a header `Host` names this machine, with any port: such a name cannot be rebound. */
export function isLoopbackHost(host: string | undefined): boolean {
  return loopbackNames.has(/^(\[[0-9a-f:.]+\]|[^:]+)(?::\d{1,5})?$/.exec(host?.toLowerCase() ?? '')?.[1] ?? '');
}

/** Whether a peer address is this machine. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address);
}

/** Whether the page of an `Origin` was served by this machine. `null` may be anybody. */
export function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/(.+)$/.exec(origin.toLowerCase())?.[1];
  return isLoopbackHost(host);
}
