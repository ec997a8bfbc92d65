import * as l10n from '@vscode/l10n';
import { EXTENSION_SCOPE, includesScope } from '../contract/scopes.ts';
import { integerMember, isJsonObject, stringMember } from '../contract/json.ts';
import type { Session } from './session.ts';

/** Account that signs in again, with a scope that its session lacks. */
export interface WantedSession {
  /** ID of the user on the instance. */
  readonly id: number;
  readonly username: string;
  readonly scope: string;
}

/** Returns the scopes to request: that of the extension, and what is wanted beyond it. */
export function scopesToRequest({ scope }: Pick<WantedSession, 'scope'> = { scope: EXTENSION_SCOPE }): string {
  return includesScope([EXTENSION_SCOPE], scope) ? EXTENSION_SCOPE : `${EXTENSION_SCOPE} ${scope}`;
}

/** Returns why a session is not the wanted one; undefined if it is. */
export function refusalOf({ account, scopes }: Session, { id, username, scope }: WantedSession): string | undefined {
  if (account.id !== id)
    return l10n.t('@{0} signed in, but this was the sign-in of @{1}. Nothing was changed.', account.username, username);
  return includesScope(scopes, scope)
    ? undefined
    : l10n.t('The new sign-in of @{0} lacks the scope {1}, too. Nothing was changed.', username, scope);
}

export function readWantedSession(value: unknown): WantedSession | undefined {
  if (!isJsonObject(value)) return undefined;
  const [id, username, scope] = [integerMember(value, 'id'), stringMember(value, 'username'), stringMember(value, 'scope')];
  return id === undefined || username === undefined || scope === undefined ? undefined : { id, username, scope };
}
