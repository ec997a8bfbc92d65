import { isSameOrigin } from '../contract/hosts.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Addresses, ConnectionState } from '../instances/connection.ts';
import { isLocalServer } from '../instances/instances.ts';
import { type Log, messageOf } from '../support/log.ts';
import type { LoadLocalControl } from './control.ts';

/** Addresses under which a browser opens pages of the current instance. */
export interface PageLinks {
  /**
   * Returns a one-time link that signs the browser in as the account and leads to the page, if the page is one of a local server that the
   * extension controls. Returns other addresses unchanged. Never rejects.
   */
  readonly signedIn: (page: string, account: BoundAccount) => Promise<string>;
  /**
   * Returns the address of a page for administrators, `/_local/…`, with the username of the administrator whom it signs in on a local
   * server. Returns undefined if the instance has no address. Rejects with an `ApiFailure` or a `TransportFailure`.
   */
  readonly asAdministrator: (path: string) => Promise<AdministratorLink | undefined>;
}

export interface AdministratorLink {
  readonly address: string;
  /** Undefined if the browser stays signed in as before. */
  readonly username?: string;
}

export interface PageLinkSettings {
  readonly state: () => ConnectionState;
  readonly addresses: Addresses;
  readonly control: LoadLocalControl;
  readonly log: Log;
}

export function createPageLinks({ state, addresses, control, log }: PageLinkSettings): PageLinks {
  return {
    signedIn: async (page, account) => {
      const [base, username] = [account.address(), account.username()];
      if (username === undefined || base === undefined || !account.isOnLocalServer()) return page;
      // Only the server itself may get a visitor of its link.
      if (!isSameOrigin(page, base)) return page;
      const { pathname, search, hash } = new URL(page);
      try {
        return (await (await control(account.instance))?.signInLink(username, `${pathname}${search}${hash}`)) ?? page;
      } catch (error) {
        log.warn(`Could not create a sign-in link for @${username}: ${messageOf(error)}`);
        return page;
      }
    },
    asAdministrator: async (path) => {
      const { instance } = state();
      const server = isLocalServer(instance) ? await control(instance.key) : undefined;
      if (server !== undefined) {
        const username = await server.administrator();
        return { address: await server.signInLink(username, path), username };
      }
      const base = addresses(instance.key);
      return base === undefined ? undefined : { address: `${base}${path}` };
    },
  };
}
