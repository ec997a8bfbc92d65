import type { Client } from '../api/client.ts';
import { readUserBasic, type UserBasic } from '../contract/identity.ts';

/** Finds the user with this username, ignoring case; undefined if there is none. Rejects with an `ApiFailure`. */
export async function findUser(client: Client, username: string, signal?: AbortSignal): Promise<UserBasic | undefined> {
  const { items } = await client.list('/users', readUserBasic, { username }, signal);
  return items.find((person) => person.username.toLowerCase() === username.toLowerCase());
}
