import { isSameOrigin } from '../contract/hosts.ts';
import type { Session } from '../auth/session.ts';

/** User name and password that git sends to an instance. */
export interface GitCredentials {
  readonly username: string;
  readonly password: string;
}

/** Scheme and authority of a remote, as git names it when it asks for credentials. The path is unknown. */
export interface RemoteHost {
  readonly scheme: string;
  /** Host and port; may begin with a user name. */
  readonly authority: string;
}

export interface CredentialSettings {
  /** Returns the keys of all instances. */
  readonly instances: () => readonly string[];
  /** Returns the current address of an instance; undefined while it has none. */
  readonly addresses: (instance: string) => string | undefined;
  /** Returns the session in use on an instance, with a token that is still valid. */
  readonly session: (instance: string) => Promise<Session | undefined>;
}

/** User name for tokens. The platform ignores it, but git requires one. */
const USERNAME = 'oauth2';

/**
 * Creates the function that gives git the token of a signed-in account. A token is given only to the host of its instance, and only by the
 * scheme of the address of the instance: a token for `https` must not be sent over `http`.
 */
export function createGitCredentials({ instances, addresses, session }: CredentialSettings) {
  return async ({ scheme, authority }: RemoteHost): Promise<GitCredentials | undefined> => {
    const url = `${scheme}://${authority}`;
    if (!URL.canParse(url)) return undefined;
    const instance = instances().find((key) => {
      const address = addresses(key);
      return address !== undefined && isSameOrigin(address, url);
    });
    const found = instance === undefined ? undefined : await session(instance);
    return found === undefined ? undefined : { username: USERNAME, password: found.accessToken };
  };
}

/** Access of a token by git: none, only fetches, or fetches and pushes. */
export type GitAccess = 'none' | 'fetch' | 'push';

/** Returns what a token with these scopes can do by git. Releases before 15.5 do not report scopes; the instance then decides. */
export function gitAccess(scopes: readonly string[]): GitAccess {
  const has = (...wanted: readonly string[]): boolean => scopes.some((scope) => wanted.includes(scope));
  if (scopes.length === 0 || has('api', 'write_repository')) return 'push';
  return has('read_api', 'read_repository') ? 'fetch' : 'none';
}

/** Returns the URL to clone a project from. It contains no credentials. */
export function cloneUrl(address: string, project: string): string {
  return `${address}/${project.split('/').map(encodeURIComponent).join('/')}.git`;
}
