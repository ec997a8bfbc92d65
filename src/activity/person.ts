import type { Client } from '../api/client.ts';
import { readUserBasic, type UserBasic } from '../contract/identity.ts';

/** Who has this username on the instance, in whatever case it is typed; undefined for nobody. Rejects with an `ApiFailure`. */
export async function findPerson(client: Client, username: string, signal?: AbortSignal): Promise<UserBasic | undefined> {
  const { items } = await client.list('/users', readUserBasic, { username }, signal);
  return items.find((person) => person.username.toLowerCase() === username.toLowerCase());
}
