import type { Event } from 'vscode';
import { createEmitter } from '../support/emitter.ts';
import type { WireResponse } from './transport.ts';

/** Statuses of proxies and gateways that cannot reach the instance. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([407, 408, 502, 503, 504]);

/** Accounts whose instance cannot be reached, as their requests show. */
export interface Outages {
  /** Must be called for every response to a request of the account, and with undefined if there is none. */
  readonly note: (account: string, response: WireResponse | undefined) => void;
  /** Fires with the first success after a failure of the network. */
  readonly onDidEnd: Event<void>;
}

export function createOutages(): Outages {
  const down = new Set<string>();
  const ends = createEmitter<void>();
  return {
    note: (account, response) => {
      if (response === undefined || GATEWAY_STATUSES.has(response.status) || isPage(response)) down.add(account);
      else if (response.status < 300 && down.delete(account)) ends.fire();
    },
    onDidEnd: ends.event,
  };
}

function isPage({ headers }: WireResponse): boolean {
  return headers.get('content-type')?.startsWith('text/html') === true;
}
