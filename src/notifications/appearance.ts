import { formatOldRows } from '../activity/appearance.ts';
import { formatAge } from '../support/ages.ts';
import type { FailureKind } from '../api/failures.ts';
import type { ConnectionState } from '../instances/connection.ts';
import { endOf, shownAccount } from '../instances/currentAccount.ts';
import type { NotificationsModel } from './model.ts';
import { globalScope } from './scopes.ts';

/** State of the view, which selects the welcome text in package.json. */
export type NotificationsViewState = 'idle' | 'loading' | 'ready' | FailureKind;

export interface NotificationsAppearance {
  readonly state: NotificationsViewState;
  /** Text next to the title. */
  readonly description: string;
  /** Text above the rows. */
  readonly message: string;
}

export function notificationsAppearance(
  state: ConnectionState,
  model: NotificationsModel,
  { now, locale }: { readonly now: number; readonly locale: string },
): NotificationsAppearance {
  const global = model.state(globalScope);
  const account = shownAccount(state);
  if (account === undefined || global === undefined) return { state: 'idle', description: '', message: '' };
  if (global.kind === 'loading') return { state: 'loading', description: '', message: '' };
  const failure = model.failure();
  const problem = endOf(state) ?? failure?.message;
  if (global.kind === 'failed') return { state: global.failure.kind, description: problem ?? '', message: '' };
  const search = model.search();
  const description = [`@${account.username}`, search === '' ? '' : `“${search}”`].filter(Boolean).join(' · ');
  const message = problem === undefined ? '' : formatOldRows(formatAge(now - global.at, locale), problem);
  return { state: 'ready', description, message };
}
