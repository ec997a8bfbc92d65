import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { type ClientKey, readClientKey } from '../contract/clientKeys.ts';

/** Pages of keys that are read at most; nobody keeps so many. */
const MAX_PAGES = 10;

const keysOf = (project: number | string): string => apiPath`/projects/${project}/error_tracking/client_keys`;

/** All client keys of a project, by its number or full path, oldest first. Rejects with an `ApiFailure`. */
export async function listClientKeys(client: Client, project: number | string, signal?: AbortSignal): Promise<ClientKey[]> {
  let page = await client.list(keysOf(project), readClientKey, { per_page: 100 }, signal);
  const keys = [...page.items];
  for (let read = 1; page.next !== undefined && read < MAX_PAGES; read += 1) {
    page = await client.follow(page.next, readClientKey, signal);
    keys.push(...page.items);
  }
  return keys.toSorted((one, other) => one.id - other.id);
}

/** Makes a client key. Rejects with an `ApiFailure`. */
export function createClientKey(client: Client, project: number | string): Promise<ClientKey> {
  return client.change({ method: 'POST', path: keysOf(project) }, readClientKey);
}

/** Deletes a client key and answers what it was. Rejects with an `ApiFailure`, with `notFound` where somebody was faster. */
export function deleteClientKey(client: Client, project: number | string, keyId: number): Promise<ClientKey> {
  return client.change({ method: 'DELETE', path: `${keysOf(project)}/${keyId}` }, readClientKey);
}
