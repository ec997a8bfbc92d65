import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { ApiFailure } from '../api/failures.ts';
import { type ClientKey, readClientKey } from '../contract/clientKeys.ts';
import { type ClientKeyUse, readClientKeyUse } from '../contract/clientKeyUse.ts';

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

/**
 * Returns the use of a client key, or undefined if the instance does not report it or the key does not exist. Rejects with an
 * `ApiFailure`.
 */
export async function readKeyUse(
  client: Client,
  project: number | string,
  keyId: number,
  signal?: AbortSignal,
): Promise<ClientKeyUse | undefined> {
  try {
    return await client
      .get(`${keysPath(project)}/${keyId}`, (value) => ({ use: readClientKeyUse(value) }), {}, signal)
      .then(({ use }) => use);
  } catch (error) {
    if (error instanceof ApiFailure && (error.kind === 'notFound' || error.status === 405)) return undefined;
    throw error;
  }
}

/** A client key in a list. Its use is undefined if the instance does not report it. */
export interface ListedKey extends ClientKey {
  readonly use?: ClientKeyUse;
}

/** Maximum number of keys whose use is read for a list. */
const MAX_USES = 20;

/** Returns the client keys of a project with their use, as far as the instance reports it. Rejects with an `ApiFailure`. */
export async function listUsedKeys(
  client: Client,
  project: number | string,
  signal?: AbortSignal,
): Promise<readonly ListedKey[]> {
  const keys = await listClientKeys(client, project, signal);
  const [first, ...others] = keys.slice(0, MAX_USES);
  if (first === undefined) return keys;
  const read = ({ id }: ClientKey): Promise<ClientKeyUse | undefined> => readKeyUse(client, project, id, signal);
  const ofFirst = await read(first);
  // Instances that do not report the use of one key report that of none.
  if (ofFirst === undefined) return keys;
  const uses = [ofFirst, ...(await Promise.all(others.map(read)))];
  return keys.map((key, index) => {
    const use = uses[index];
    return use === undefined ? key : { ...key, use };
  });
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
