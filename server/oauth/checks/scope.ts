import { scopeDescriptions } from '../../identity/identity.ts';
import { invalidScope } from '../failures.ts';

/** What a token can do when nobody says: everything the person can. */
const DEFAULT_SCOPE = 'api';

/**
 * The scopes of a new grant, limited to those of the application. Throws invalid_scope for an unknown or foreign one, and when none
 * is asked for and the application does not have the default.
 */
export function checkScope(requested: string | undefined, allowed: readonly string[]): readonly string[] {
  if (requested === undefined) {
    if (allowed.includes(DEFAULT_SCOPE)) return [DEFAULT_SCOPE];
    throw invalidScope(
      `no scope was sent, and the application does not have the default scope ${DEFAULT_SCOPE}; send one of "${allowed.join(' ')}"`,
    );
  }
  for (const scope of scopesOf(requested)) {
    if (!Object.hasOwn(scopeDescriptions, scope))
      throw invalidScope(
        `the scope ${JSON.stringify(scope)} does not exist; scopes are separated by single spaces, and the application has "${allowed.join(' ')}"`,
      );
    if (!allows(allowed, scope))
      throw invalidScope(`the application may not request ${scope}; its scopes are "${allowed.join(' ')}"`);
  }
  return scopesOf(requested);
}

/** The scopes of a refreshed token: what was granted, or less when less is asked for (RFC 6749 §6). */
export function narrowScope(requested: string | undefined, granted: readonly string[]): readonly string[] {
  if (requested === undefined) return granted;
  const scopes = scopesOf(requested);
  const wider = scopes.find((scope) => !granted.includes(scope));
  if (wider !== undefined)
    throw invalidScope(`a refresh cannot add the scope ${JSON.stringify(wider)}; the granted scopes are "${granted.join(' ')}"`);
  return scopes;
}

/** Single spaces separate; any other space is part of a scope's name, which then is no scope (RFC 6749 §3.3). */
function scopesOf(text: string): readonly string[] {
  const scopes = [...new Set(text.split(' ').filter((scope) => scope !== ''))];
  if (scopes.length === 0) throw invalidScope('the scope is blank');
  return scopes;
}

/** The scope `read` means `read_api` (docs/interface.md#request-credentials). */
function allows(allowed: readonly string[], scope: string): boolean {
  return allowed.includes(scope) || (scope === 'read' && allowed.includes('read_api'));
}
