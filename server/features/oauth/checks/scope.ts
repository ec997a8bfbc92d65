import { isScope } from '../../../../src/contract/scopes.ts';
import { invalidScope } from '../failures.ts';
import type { FlowTrace } from '../flowTrace.ts';

/** Default scope: full access. */
const DEFAULT_SCOPE = 'api';

/**
 * Returns the scopes of a new grant, limited to those of the application.
 * @throws {WireFailure} invalid_scope for a scope that does not exist or that the application does not have, and if no scope is requested but
 * the application does not have the default scope.
 */
export function checkScope(trace: FlowTrace, requested: string | undefined, allowed: readonly string[]): readonly string[] {
  trace.check('the application may request these scopes');
  if (requested === undefined) {
    if (allowed.includes(DEFAULT_SCOPE)) return [DEFAULT_SCOPE];
    throw invalidScope(
      `no scope was sent, and the application does not have the default scope ${DEFAULT_SCOPE}; send one of "${allowed.join(' ')}"`,
    );
  }
  for (const scope of scopesOf(requested)) {
    if (!isScope(scope))
      throw invalidScope(
        `the scope ${JSON.stringify(scope)} does not exist; scopes are separated by single spaces, and the application has "${allowed.join(' ')}"`,
      );
    if (!allows(allowed, scope))
      throw invalidScope(`the application may not request ${scope}; its scopes are "${allowed.join(' ')}"`);
  }
  return scopesOf(requested);
}

/** Returns the scopes of a refreshed token: the granted scopes, or fewer if requested (RFC 6749 §6). */
export function narrowScope(requested: string | undefined, granted: readonly string[]): readonly string[] {
  if (requested === undefined) return granted;
  const scopes = scopesOf(requested);
  const wider = scopes.find((scope) => !granted.includes(scope));
  if (wider !== undefined)
    throw invalidScope(`a refresh cannot add the scope ${JSON.stringify(wider)}; the granted scopes are "${granted.join(' ')}"`);
  return scopes;
}

/** Splits scopes at single spaces. Any other whitespace is part of the name, so that the scope does not exist (RFC 6749 §3.3). */
function scopesOf(text: string): readonly string[] {
  const scopes = [...new Set(text.split(' ').filter((scope) => scope !== ''))];
  if (scopes.length === 0) throw invalidScope('the scope is blank');
  return scopes;
}

/** Replaces the scope `read` with `read_api` (docs/interface.md#request-credentials). */
function allows(allowed: readonly string[], scope: string): boolean {
  return allowed.includes(scope) || (scope === 'read' && allowed.includes('read_api'));
}
