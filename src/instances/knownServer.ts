import type * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { isJsonObject, stringMember } from '../contract/json.ts';
import type { Emulation } from '../local/emulation.ts';
import { createEmitter } from '../support/emitter.ts';
import type { Addresses, Connection } from './connection.ts';
import { accountKeyOf } from './currentAccount.ts';
import { formatDetails } from './formatDetails.ts';
import { isLocalServer } from './instances.ts';

/** Details of the selected server, besides its name and the account. */
export interface ServerDetails {
  /** Returns a line for each known detail. */
  readonly lines: () => readonly string[];
  readonly onDidChange: vscode.Event<void>;
  /** Asks the server again. Never rejects. */
  readonly refresh: () => Promise<void>;
  readonly dispose: () => void;
}

export interface ServerDetailsSettings {
  readonly connection: Pick<Connection, 'state' | 'client' | 'onDidChange' | 'onDidReturn'>;
  readonly emulation: Pick<Emulation, 'at' | 'refresh'>;
  readonly addresses: Addresses;
  readonly locale: string;
}

/** Releases of remote instances are requested when another account becomes current. Local servers say what they emulate instead. */
export function createKnownServer({ connection, emulation, addresses, locale }: ServerDetailsSettings): ServerDetails {
  const changes = createEmitter<void>();
  /** By the key of the instance. */
  const releases = new Map<string, string>();
  let account: string | undefined;

  async function refresh(): Promise<void> {
    const { instance } = connection.state();
    if (isLocalServer(instance)) return emulation.refresh();
    const client = connection.client();
    const release = client === undefined ? undefined : await releaseOf(client);
    if (release === undefined || release === releases.get(instance.key)) return;
    releases.set(instance.key, release);
    changes.fire();
  }

  function follow(): void {
    const state = connection.state();
    const next = accountKeyOf(state);
    if (next === account) return;
    account = next;
    if (!isLocalServer(state.instance)) void refresh();
  }

  follow();
  const subscriptions = [connection.onDidChange(follow), connection.onDidReturn(() => void refresh())];
  return {
    lines: () => {
      const { key } = connection.state().instance;
      const address = addresses(key);
      return formatDetails({ address, ...emulation.at(address), release: releases.get(key) }, locale);
    },
    onDidChange: changes.event,
    refresh,
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/** Returns the release that the instance reports, such as `17.5.2-ee`; undefined if it reports none. */
async function releaseOf(client: Client): Promise<string | undefined> {
  const read = (body: unknown): string | undefined => {
    const version = isJsonObject(body) ? stringMember(body, 'version') : undefined;
    return version !== undefined && /^\d+\.\d+[\w.+-]{0,40}$/.test(version) ? version : undefined;
  };
  try {
    // Instances before release 15.2 have the other route only.
    return await client.get('/metadata', read).catch(() => client.get('/version', read));
  } catch {
    return undefined;
  }
}
