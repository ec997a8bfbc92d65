import { compareReleases, type Release } from './releases.ts';

interface Scope {
  /** Permission, as shown on pages. */
  readonly description: string;
  /** Kind of the only tokens that can have the scope; all by default. */
  readonly only?: 'applications' | 'users';
  /** True if pages offer the scope to administrators only. */
  readonly isForAdministrators?: boolean;
  readonly addedIn?: Release;
  /** True if `api` does not include it. */
  readonly isBeyondApi?: boolean;
}

/** All token scopes (docs/interface.md#request-credentials). */
const scopes = {
  api: { description: 'Full access to the API' },
  read_api: { description: 'Read-only access to the API' },
  /** Another name of `read_api`. */
  read: { description: 'Read-only access to the API (same as read_api)', only: 'applications' },
  read_user: { description: 'Read your profile and activity' },
  profile: { description: 'Read your name, picture and profile URL', only: 'applications', isBeyondApi: true },
  email: { description: 'Read your primary email address', only: 'applications', isBeyondApi: true },
  openid: { description: 'Sign you in with OpenID Connect', only: 'applications', isBeyondApi: true },
  read_repository: { description: 'Read repository files through the API, and fetch with Git over HTTPS' },
  write_repository: { description: 'Fetch and push with Git over HTTPS' },
  read_registry: { description: 'Sign in to the container registry (pulling images is not supported yet)' },
  write_registry: { description: 'Sign in to the container registry (pushing images is not supported yet)' },
  k8s_proxy: { description: 'No access yet (Kubernetes agents are not supported)' },
  self_rotate: { description: 'Rotate this token', only: 'users', addedIn: '17.9' },
  sudo: { description: 'Act as any user (administrators only)', isForAdministrators: true, isBeyondApi: true },
  admin_mode: { description: 'No additional access (Admin Mode is not supported)', isForAdministrators: true, isBeyondApi: true },
} satisfies Readonly<Record<string, Scope>>;

const scopesByName: ReadonlyMap<string, Scope> = new Map(Object.entries(scopes));

/** The only scope that the extension requests; it covers every read and write of its views. */
export const EXTENSION_SCOPE = 'api';

/** Scopes that the built-in application of the extension may request. */
export const EXTENSION_SCOPES = ['api', 'read_api', 'read_user'] as const;

/** Scopes of which a personal access token for the extension needs one. */
export const USEFUL_SCOPES: readonly string[] = ['api', 'read_api'];

/** Returns true unless the scopes are known and do not include a scope. */
export function includesScope(granted: readonly string[], scope: string): boolean {
  if (granted.length === 0 || granted.includes(scope)) return true;
  const isBeyondApi = scopesByName.get(scope)?.isBeyondApi ?? !isScope(scope);
  return granted.includes(EXTENSION_SCOPE) && !isBeyondApi;
}

/** Returns true unless the scopes are known and do not include reading the API. */
export function canRead(granted: readonly string[]): boolean {
  return includesScope(granted, 'read_api') || granted.includes('read');
}

/** Returns true unless the scopes are known and do not include changing something by the API. */
export function canWrite(granted: readonly string[]): boolean {
  return includesScope(granted, EXTENSION_SCOPE);
}

/** Names of all scopes. */
export const SCOPE_NAMES: readonly string[] = [...scopesByName.keys()];

/** All scopes, each under one name. */
export const ALL_SCOPES: readonly string[] = SCOPE_NAMES.filter((name) => name !== 'read');

export function isScope(name: string): boolean {
  return scopesByName.has(name);
}

/** Returns the description of a scope, or the name of an unknown one. */
export function scopeDescription(name: string): string {
  return scopesByName.get(name)?.description ?? name;
}

/** Returns the scopes that a page offers for new applications. */
export function applicationScopes(): readonly string[] {
  return SCOPE_NAMES.filter((name) => scopesByName.get(name)?.only !== 'users');
}

/** Returns the scopes that a personal access token can have in a release. */
export function personalTokenScopes(release: Release): readonly string[] {
  return SCOPE_NAMES.filter((name) => {
    const { only, addedIn } = scopesByName.get(name) ?? {};
    return only !== 'applications' && (addedIn === undefined || compareReleases(release, addedIn) >= 0);
  });
}

/** Returns true if pages offer a scope to administrators only. */
export function isForAdministrators(name: string): boolean {
  return scopesByName.get(name)?.isForAdministrators === true;
}
