import * as vscode from 'vscode';
import { createAuthorities } from '../api/authorities.ts';
import type { OpenStream } from '../api/eventStream.ts';
import { sendByFetch } from '../api/fetch.ts';
import { type Proxy, proxyFor } from '../api/proxy.ts';
import { createTransport, type Send } from '../api/transport.ts';
import { PRODUCT } from '../contract/product.ts';
import type { Mask } from '../support/log.ts';
import { once } from '../support/once.ts';

/** Time limit of a request in milliseconds. The slowest responses are long lists from a busy instance. */
const TIMEOUT = 30_000;

/** Ways to send requests. */
export interface Network {
  readonly send: Send;
  /** Opens streams of the local server. */
  readonly openStream: OpenStream;
}

export interface NetworkSettings {
  /** Version of the extension. */
  readonly version: string;
  /** Returns the path of the certificate file of the instance with this address. */
  readonly authorityOf: (url: string) => string | undefined;
  readonly mask: Mask;
}

export function createNetwork({ version, authorityOf, mask }: NetworkSettings): Network {
  const loadStream = once(async () => (await import('../api/undici.ts')).createLoopbackStream());
  return {
    send: createTransport({
      userAgent: `${PRODUCT}/${version} (VS Code ${vscode.version})`,
      timeout: TIMEOUT,
      loadLoopback: async () => (await import('../api/undici.ts')).createLoopbackSend(),
      sendTrusting: createAuthorities(
        authorityOf,
        (url) => proxyOf(url, mask),
        async (certificates, proxy) => (await import('../api/undici.ts')).createTrustingSend(certificates, proxy),
      ),
      sendByHost: sendByFetch,
    }),
    openStream: async (request, signal) => (await loadStream())(request, signal),
  };
}

/** Returns the proxy for requests that are not sent by VS Code's own fetch, which finds its proxy itself. */
function proxyOf(url: string, mask: Mask): Proxy | undefined {
  const http = vscode.workspace.getConfiguration('http');
  const [proxy, proxySupport, noProxy] = [http.get('proxy'), http.get('proxySupport'), http.get('noProxy')];
  const proxyAuthorization = http.get('proxyAuthorization');
  const found = proxyFor(url, { proxy, proxySupport, noProxy, proxyAuthorization }, process.env);
  for (const secret of found === undefined ? [] : [new URL(found.url).password, found.authorization ?? '']) mask.hide(secret);
  return found;
}
