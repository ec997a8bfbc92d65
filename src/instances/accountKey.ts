/**
 * Stable id of one person on one instance: `local#3`, `https://gitlab.example.com#7`. Sessions, and whatever is remembered for one
 * account, hang on it. The address of an instance holds no `#`.
 */
export function accountKey(instance: string, accountId: number): string {
  return `${instance}#${accountId}`;
}

/** Key of the instance of an account; undefined when the text is no account key. */
export function instanceOfAccount(account: string): string | undefined {
  return /^(.+)#\d+$/.exec(account)?.[1];
}
