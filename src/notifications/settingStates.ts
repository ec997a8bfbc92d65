import { ApiFailure, type FailureKind } from '../api/failures.ts';
import type { RequestForAccount } from './scopeLists.ts';
import { keyOfScope, type NotificationScope } from './scopes.ts';
import type { KnownSetting } from './settings.ts';

export type SettingState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | {
      readonly kind: 'ready';
      readonly setting: KnownSetting;
      /** Time of the response, in milliseconds since the epoch. */
      readonly at: number;
      /** Failure of the latest request, which says nothing about the scope. */
      readonly problem?: ApiFailure;
    };

/** Failures that say that the settings of a scope cannot be read. After any other one, the known settings stay. */
const REFUSALS: ReadonlySet<FailureKind> = new Set(['forbidden', 'notFound']);

export interface SettingStatesSettings {
  readonly request: RequestForAccount;
  readonly now: () => number;
  /** Called after each change. */
  readonly changed: () => void;
  /** Called after a setting was loaded or its request has failed. */
  readonly loaded: () => void;
}

/** Settings of the scopes of an account, as far as they are loaded. */
export interface SettingStates {
  readonly get: (scope: NotificationScope) => SettingState | undefined;
  readonly setting: (scope: NotificationScope) => KnownSetting | undefined;
  /** Returns the setting of a scope for those that inherit from it: a group whose settings cannot be read has none. */
  readonly inherited: (scope: NotificationScope) => KnownSetting | undefined;
  readonly all: () => readonly SettingState[];
  readonly read: (scope: NotificationScope) => Promise<void>;
  /** Sets the settings that a response contained. */
  readonly put: (scope: NotificationScope, setting: KnownSetting) => void;
  /** Forgets the settings of all other scopes. */
  readonly keepOnly: (scopes: readonly NotificationScope[]) => void;
  readonly clear: () => void;
}

export function createSettingStates({ request, now, changed, loaded }: SettingStatesSettings): SettingStates {
  const states = new Map<string, SettingState>();
  /** Number of changes of each scope. */
  const writes = new Map<string, number>();

  function setting(scope: NotificationScope): KnownSetting | undefined {
    const state = states.get(keyOfScope(scope));
    return state?.kind === 'ready' ? state.setting : undefined;
  }

  async function read(scope: NotificationScope): Promise<void> {
    const key = keyOfScope(scope);
    if (!states.has(key)) states.set(key, { kind: 'loading' });
    changed();
    const written = writes.get(key);
    const result = await request((api, signal) => api.read(scope, signal));
    // A change that was made meanwhile is newer.
    if (result === undefined || writes.get(key) !== written) return;
    const before = states.get(key);
    if (result instanceof ApiFailure) {
      const stays = before?.kind === 'ready' && !REFUSALS.has(result.kind);
      states.set(key, stays ? { ...before, problem: result } : { kind: 'failed', failure: result });
    } else {
      const known = setting(scope);
      // The global settings never report switches, so those that were set here are kept.
      const isUnreported = scope.kind === 'global' && result.level === 'custom' && known?.level === 'custom';
      states.set(key, { kind: 'ready', setting: isUnreported ? { ...result, switches: known.switches } : result, at: now() });
    }
    changed();
    loaded();
  }

  return {
    get: (scope) => states.get(keyOfScope(scope)),
    setting,
    inherited: (scope) => {
      const isUnreadable = scope.kind === 'group' && states.get(keyOfScope(scope))?.kind === 'failed';
      return isUnreadable ? { level: 'global', switches: {} } : setting(scope);
    },
    all: () => [...states.values()],
    read,
    put: (scope, known) => {
      const key = keyOfScope(scope);
      writes.set(key, (writes.get(key) ?? 0) + 1);
      states.set(key, { kind: 'ready', setting: known, at: now() });
      changed();
      loaded();
    },
    keepOnly: (scopes) => {
      const remaining = new Set(scopes.map(keyOfScope));
      for (const key of states.keys()) if (!remaining.has(key)) states.delete(key);
    },
    clear: () => states.clear(),
  };
}
