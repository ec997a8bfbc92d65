import { CancellationError } from 'vscode';
import type { Client } from '../api/client.ts';
import type { Connection } from './connection.ts';
import { accountKeyOf } from './currentAccount.ts';

/** Returns the client of this account. Throws if another account is current, whose token must not be used. */
export function clientOfAccount(connection: Connection, account: string | undefined): Client {
  const client = connection.client();
  if (client === undefined || accountKeyOf(connection.state()) !== account) throw new CancellationError();
  return client;
}
