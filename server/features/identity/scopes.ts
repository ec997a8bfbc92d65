import { compareReleases } from '../../../src/contract/releases.ts';
import type { Platform } from '../../platform.ts';

/** All token scopes with their descriptions (docs/interface.md#request-credentials). */
export const scopeDescriptions: Readonly<Record<string, string>> = {
  api: 'Full access to the API',
  read_api: 'Read-only access to the API',
  read: 'Read-only access to the API',
  read_user: 'Read your profile and activity',
  profile: 'Read your name, picture and profile URL',
  email: 'Read your primary email address',
  openid: 'Sign you in with OpenID Connect',
  read_repository: 'Read repository files through the API, and fetch with Git over HTTPS',
  write_repository: 'Fetch and push with Git over HTTPS',
  read_registry: 'Sign in to the container registry (pulling images is not supported yet)',
  write_registry: 'Sign in to the container registry (pushing images is not supported yet)',
  k8s_proxy: 'No access yet (Kubernetes agents are not supported)',
  self_rotate: 'Rotate this token',
  sudo: 'Act as any user (administrators only)',
  admin_mode: 'No additional access (Admin Mode is not supported)',
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
