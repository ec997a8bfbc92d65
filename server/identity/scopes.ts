import { compareReleases } from '../../src/contract/releases.ts';
import type { Platform } from '../platform.ts';

/** Every scope that a token can have here, with what it grants in words (docs/interface.md#request-credentials). */
export const scopeDescriptions: Readonly<Record<string, string>> = {
  api: 'Read and write everything you can, through the API',
  read_api: 'Read everything you can, through the API',
  read: 'Read everything you can, through the API',
  read_user: 'Read your profile and your activity',
  profile: 'Read your name, picture and profile address',
  email: 'Read your primary e-mail address',
  openid: 'Sign you in and know who you are',
  read_repository: 'Read repositories, also by Git over HTTP',
  write_repository: 'Read and write repositories by Git over HTTP',
  read_registry: 'Pull container images',
  write_registry: 'Push container images',
  k8s_proxy: 'Make Kubernetes calls through an agent',
  self_rotate: 'Replace this very token by a new one',
  sudo: 'Act as any user, for administrators',
  admin_mode: 'Use administrator rights, for administrators',
};

/** Every scope, for the token that a script or the extension gives the server at its start. */
export const ALL_SCOPES = Object.keys(scopeDescriptions).filter((scope) => scope !== 'read');

/** Scopes that only tokens of applications have. */
const applicationScopes = new Set(['openid', 'profile', 'email', 'read']);

/** Every scope a personal access token can have here. */
export function personalTokenScopes(platform: Platform): readonly string[] {
  return Object.keys(scopeDescriptions).filter(
    (scope) =>
      !applicationScopes.has(scope) && (scope !== 'self_rotate' || compareReleases(platform.profile.release, '17.9') >= 0),
  );
}
