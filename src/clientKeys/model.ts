import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { type ClientKey, readClientKey } from '../contract/clientKeys.ts';

/** Maximum number of pages to read; more than any project needs. */
const MAX_PAGES = 10;

const keysPath = (project: number | string): string => apiPath`/projects/${project}/error_tracking/client_keys`;

/** Returns all client keys of a project, given by ID or full path, oldest first. Rejects with an `ApiFailure`. */
export async function listClientKeys(client: Client, project: number | string, signal?: AbortSignal): Promise<ClientKey[]> {
  let page = await client.list(keysPath(project), readClientKey, { per_page: 100 }, signal);
  const keys = [...page.items];
  for (let read = 1; page.next !== undefined && read < MAX_PAGES; read += 1) {
    page = await client.follow(page.next, readClientKey, signal);
    keys.push(...page.items);
  }
  return keys.toSorted((one, other) => one.id - other.id);
}

/** Creates a client key. Rejects with an `ApiFailure`. */
export function createClientKey(client: Client, project: number | string): Promise<ClientKey> {
  return client.change({ method: 'POST', path: keysPath(project) }, readClientKey);
}

/**
 * Deletes a client key. Every successful response means that it is deleted: instances answer with the key, or with 204 and no body.
 * Rejects with an `ApiFailure`, of kind `notFound` if it was already deleted.
 */
export async function deleteClientKey(client: Client, project: number | string, keyId: number): Promise<void> {
  await client.change({ method: 'DELETE', path: `${keysPath(project)}/${keyId}` }, () => true);
}
