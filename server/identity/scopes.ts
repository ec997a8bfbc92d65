import { compareReleases } from '../../src/contract/releases.ts';
import type { Platform } from '../platform.ts';

/** All token scopes with their descriptions (docs/interface.md#request-credentials). */
export const scopeDescriptions: Readonly<Record<string, string>> = {
  api: 'Full access to the API',
  read_api: 'Read-only access to the API',
  read: 'Read-only access to the API',
  read_user: 'Read your profile and activity',
  profile: 'Read your name, picture and profile URL',
  email: 'Read your primary email address',
  openid: 'Sign you in with OpenID Connect',
  read_repository: 'Read repositories, including with Git over HTTP',
  write_repository: 'Read and write repositories with Git over HTTP',
  read_registry: 'Pull container images',
  write_registry: 'Push container images',
  k8s_proxy: 'Make Kubernetes API calls through an agent',
  self_rotate: 'Rotate this token',
  sudo: 'Act as any user (administrators only)',
  admin_mode: 'Use administrator rights (administrators only)',
};

/** All scopes, for the admin token that a script or the extension passes to the server at its start. */
export const ALL_SCOPES = Object.keys(scopeDescriptions).filter((scope) => scope !== 'read');

/** Scopes that only OAuth tokens can have. */
const applicationScopes = new Set(['openid', 'profile', 'email', 'read']);

/** Returns the scopes that a personal access token can have in the current release. */
export function personalTokenScopes(platform: Platform): readonly string[] {
  return Object.keys(scopeDescriptions).filter(
    (scope) =>
      !applicationScopes.has(scope) && (scope !== 'self_rotate' || compareReleases(platform.profile.release, '17.9') >= 0),
  );
}
