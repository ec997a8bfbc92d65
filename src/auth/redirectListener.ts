// Listener on this machine that receives one redirect, for editors without a URI scheme (RFC 8252 §7.3).
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as l10n from '@vscode/l10n';
import { TransportFailure } from '../api/transport.ts';
import { REDIRECT_PATH } from '../contract/product.ts';
import { messageOf } from '../support/log.ts';
import { type PageLook, readPageLook, redirectPage, type RedirectPage, redirectPolicy } from './redirectPage.ts';

/** Result of a redirect. `stray`: no request waits for it. */
export type Received = 'accepted' | 'refused' | 'stray';

export interface RedirectListener {
  readonly redirectUri: string;
  /** Frees the port. A response that is being sent still reaches the browser. */
  readonly close: () => void;
}

export type ListenForRedirect = (receive: (parameters: URLSearchParams) => Received) => Promise<RedirectListener>;

const HOST = '127.0.0.1';

/** Listens on a free port. The final page is in this language and looks like the pages in this folder. Rejects with a `TransportFailure`. */
export function createRedirectListener(language: string, pagesFolder: string): ListenForRedirect {
  return async (receive) => {
    const look = readPageLook(pagesFolder);
    const open = new Set<ServerResponse>();
    let isClosed = false;
    let port = 0;
    const server = createServer((request, response) => {
      open.add(response);
      response.once('close', () => {
        open.delete(response);
        closeIdleConnections();
      });
      const [status, page] = respondTo(request);
      send(response, status, page, language, look);
    });

    /** Browsers open connections in advance and leave them idle. */
    function closeIdleConnections(): void {
      if (isClosed && open.size === 0) server.closeAllConnections();
    }

    function respondTo(request: IncomingMessage): readonly [number, RedirectPage] {
      // Prevents DNS rebinding.
      const hosts = request.headersDistinct['host'] ?? [];
      if (hosts.length !== 1 || hosts[0] !== `${HOST}:${port}`) return [421, unknownPage()];
      const { url = '', method } = request;
      const [path = ''] = url.split('?', 1);
      if (path !== REDIRECT_PATH) return [404, unknownPage()];
      if (method !== 'GET') return [405, unknownPage()];
      switch (receive(new URLSearchParams(url.slice(path.length)))) {
        case 'accepted':
          return [200, acceptedPage()];
        case 'refused':
          return [200, refusedPage()];
        case 'stray':
          return [400, unknownPage()];
      }
    }

    await new Promise<void>((resolve, reject) => {
      server.on('error', (error) => {
        const text = l10n.t('Could not open a local port for the redirect from the browser: {0}', messageOf(error));
        reject(new TransportFailure('unreachable', text, error));
      });
      server.listen(0, HOST, () => {
        const address = server.address();
        port = typeof address === 'object' && address !== null ? address.port : 0;
        resolve();
      });
    });
    return {
      redirectUri: `http://${HOST}:${port}${REDIRECT_PATH}`,
      close: () => {
        isClosed = true;
        server.close();
        closeIdleConnections();
      },
    };
  };
}

function acceptedPage(): RedirectPage {
  return { heading: l10n.t('Signed in'), text: l10n.t('You can close this tab.'), kind: 'success' };
}

function refusedPage(): RedirectPage {
  return {
    heading: l10n.t('Sign-in failed'),
    text: l10n.t('You can close this tab. See the editor for details.'),
    kind: 'error',
  };
}

function unknownPage(): RedirectPage {
  return { heading: l10n.t('No sign-in is in progress'), text: l10n.t('You can close this tab.'), kind: 'info' };
}

function send(response: ServerResponse, status: number, page: RedirectPage, language: string, look: PageLook): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    // The URL contains a code, so it must not be cached or sent to other pages.
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': redirectPolicy(look),
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
    ...(status === 405 ? { Allow: 'GET' } : {}),
  });
  response.end(redirectPage(page, language, look));
}
