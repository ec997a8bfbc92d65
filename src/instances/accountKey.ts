/**
 * Stable id of one person on one instance: `local/9b2f…#3`, `https://gitlab.example.com#7`. Sessions, and whatever is remembered for one
 * account, hang on it. The address of an instance holds no `#`.
 */
export function accountKey(instance: string, accountId: number): string {
  return `${instance}#${accountId}`;
}

/** Key of the instance of an account; undefined when the text is no account key. */
export function instanceOfAccount(account: string): string | undefined {
  return /^(.+)#\d+$/.exec(account)?.[1];
}

const LOCAL = 'local';

/**
 * Key of the local server while it has the data with this instance id. What is remembered belongs to the data: another data profile is
 * another platform, and so is one that was begun anew. Without an id: no data has been seen yet, and nobody can be signed in.
 */
export function localInstanceKey(instanceId: string | undefined): string {
  return instanceId === undefined ? LOCAL : `${LOCAL}/${instanceId}`;
}

/** Whether this is the local server, with whatever data. */
export function isLocalKey(instance: string): boolean {
  return instance === LOCAL || instance.startsWith(`${LOCAL}/`);
}

/** An instance in words of the log. */
export function nameOfInstance(instance: string): string {
  return isLocalKey(instance) ? 'the local server' : instance;
}
