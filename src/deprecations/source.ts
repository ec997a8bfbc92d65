import { shownAccountKey } from '../instances/currentAccount.ts';
import { ApiFailure } from '../api/failures.ts';
import type { DeprecatedCall } from '../contract/deprecatedCalls.ts';
import type { Release } from '../contract/releases.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import { isLocalServer } from '../instances/instances.ts';
import type { LoadLocalControl } from '../local/control.ts';
import type { Emulation } from '../local/emulation.ts';
import { loadCalls } from './requests.ts';

/** Instance whose clients are watched, as seen by an account. */
export interface CallSource {
  readonly key: string;
  /** Name of the instance. */
  readonly label: string;
  /** True if the calls of all users are listed, false for those of the account. */
  readonly isOfAll: boolean;
  /**
   * Returns calls of deprecated elements, latest first, as seen from a release. Returns undefined if the instance does not record them.
   * Rejects with an `ApiFailure`.
   */
  readonly calls: (release: Release) => Promise<readonly DeprecatedCall[] | undefined>;
}

export interface CallSourceSettings {
  readonly connection: Pick<Connection, 'state'> & { readonly bound: (account: string) => Pick<BoundAccount, 'client'> };
  readonly emulation: Pick<Emulation, 'current'>;
  /** Returns undefined while no local server runs. */
  readonly control: LoadLocalControl;
}

/**
 * Returns a function that returns the source for the current instance, or undefined if there is none. All clients of a local server of
 * this user are theirs, whoever they sign in as. Elsewhere, the calls of the account are listed.
 */
export function createCallSource({ connection, emulation, control }: CallSourceSettings): () => CallSource | undefined {
  return () => {
    const state = connection.state();
    const { key, label } = state.instance;
    if (isLocalServer(state.instance) && emulation.current() !== undefined) {
      return { key, label, isOfAll: true, calls: async (release) => (await control())?.deprecatedCalls(release) ?? [] };
    }
    const account = shownAccountKey(state);
    if (account === undefined) return undefined;
    return {
      key: account,
      label,
      isOfAll: false,
      calls: async (release) => {
        try {
          return await loadCalls(connection.bound(account).client(), release, false);
        } catch (error) {
          if (error instanceof ApiFailure && error.kind === 'notFound') return undefined;
          throw error;
        }
      },
    };
  };
}
