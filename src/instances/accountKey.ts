/**
 * Returns the stable ID of an account on an instance: `local/9b2f…#3`, `https://gitlab.example.com#7`. Sessions and other stored data of
 * an account are keyed by it. The address of an instance contains no `#`.
 */
export function accountKey(instance: string, accountId: number): string {
  return `${instance}#${accountId}`;
}

/** Returns the key of the instance of an account, or undefined if the text is not an account key. */
export function instanceOfAccount(account: string): string | undefined {
  return /^(.+)#\d+$/.exec(account)?.[1];
}

/** Returns the account of a list, a row or another thing whose ID begins with the account key and a slash; undefined for others. */
export function accountOf(id: string | undefined): string | undefined {
  return id === undefined ? undefined : /^([^#]+#\d+)\//.exec(id)?.[1];
}

/** Returns the ID of the user on its instance. */
export function accountIdOf(account: string): number {
  return Number(account.slice(account.lastIndexOf('#') + 1));
}

const LOCAL = 'local';

/**
 * Returns the key of the local server while it serves the data with this instance ID. Stored data belongs to that ID: another data profile
 * is another instance, and so is a profile after a reset. The ID is undefined if the server has never run; then nobody can be signed in.
 */
export function localInstanceKey(instanceId: string | undefined): string {
  return instanceId === undefined ? LOCAL : `${LOCAL}/${instanceId}`;
}

/** Returns true for the local server, with any data. */
export function isLocalKey(instance: string): boolean {
  return instance === LOCAL || instance.startsWith(`${LOCAL}/`);
}

/** Returns the name of an instance for log messages. */
export function nameOfInstance(instance: string): string {
  return isLocalKey(instance) ? 'the local server' : instance;
}
