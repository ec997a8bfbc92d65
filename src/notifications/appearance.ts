import * as l10n from '@vscode/l10n';
import type { ApiFailure, FailureKind } from '../api/failures.ts';
import type { ConnectionState } from '../instances/connection.ts';
import type { NotificationsModel } from './model.ts';
import { globalScope } from './scopes.ts';

/** State of the view, which selects the welcome text in package.json. */
export type NotificationsViewState = 'idle' | 'loading' | 'ready' | FailureKind;

export interface NotificationsAppearance {
  readonly state: NotificationsViewState;
  /** Text next to the title. */
  readonly description: string;
}

export function notificationsAppearance(state: ConnectionState, model: NotificationsModel): NotificationsAppearance {
  const global = model.state(globalScope);
  if (state.kind !== 'signedIn' || global === undefined) return { state: 'idle', description: '' };
  if (global.kind === 'loading') return { state: 'loading', description: '' };
  if (global.kind === 'failed') return { state: global.failure.kind, description: formatNotificationFailure(global.failure) };
  const account = `@${state.account.username}`;
  const search = model.search();
  return { state: 'ready', description: search === '' ? account : `${account} · “${search}”` };
}

/** Returns the message for a failed request about notification settings. */
export function formatNotificationFailure(failure: ApiFailure): string {
  if (failure.kind === 'forbidden' && /scope|privileges/i.test(failure.serverMessage ?? ''))
    return l10n.t('The token of this sign-in cannot change notification settings. Sign in again with the scope api.');
  return failure.message;
}
