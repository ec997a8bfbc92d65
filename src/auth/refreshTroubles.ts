import type { Event } from 'vscode';
import { createEmitter } from '../support/emitter.ts';

/** Number of refused renewals after which the user is asked to sign in again. */
const MAX_FAILURES = 3;
/** Error codes with which the instance refuses the application, which further attempts rarely change. */
const APPLICATION_ERRORS: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client']);

/** Reasons why the user may have to sign in again although the session is stored. Those of an account end with its sign-in. */
export interface RefreshTroubles {
  /** Returns true if the server rejects tokens that it has just issued for this account. */
  readonly isRefused: (account: string) => boolean;
  /** Returns true if the sign-in cannot be renewed at present. */
  readonly isFailing: (account: string) => boolean;
  readonly setRefused: (account: string) => void;
  /** Notes a refused renewal with its error code. */
  readonly addFailure: (account: string, code: string) => void;
  readonly clear: (account: string) => void;
  /** Fires with the account when `isRefused` or `isFailing` has changed for it. */
  readonly onDidChange: Event<string>;
}

/** `signInOf` returns a key of the present sign-in of an account. */
export function createRefreshTroubles(signInOf: (account: string) => string): RefreshTroubles {
  const refused = new Set<string>();
  const failures = new Map<string, number>();
  const changes = createEmitter<string>();

  const isRefused = (account: string): boolean => refused.has(signInOf(account));
  const isFailing = (account: string): boolean => (failures.get(signInOf(account)) ?? 0) >= MAX_FAILURES;

  function change(account: string, work: () => void): void {
    const before = [isRefused(account), isFailing(account)];
    work();
    if (before[0] !== isRefused(account) || before[1] !== isFailing(account)) changes.fire(account);
  }

  return {
    isRefused,
    isFailing,
    setRefused: (account) => change(account, () => refused.add(signInOf(account))),
    addFailure: (account, code) =>
      change(account, () => {
        const key = signInOf(account);
        failures.set(key, APPLICATION_ERRORS.has(code) ? MAX_FAILURES : (failures.get(key) ?? 0) + 1);
      }),
    clear: (account) =>
      change(account, () => {
        refused.delete(signInOf(account));
        failures.delete(signInOf(account));
      }),
    onDidChange: changes.event,
  };
}
