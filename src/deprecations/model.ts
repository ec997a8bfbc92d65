import type { Event } from 'vscode';
import type { DeprecatedCall } from '../contract/deprecatedCalls.ts';
import type { Release } from '../contract/releases.ts';
import { createEmitter } from '../support/emitter.ts';
import type { CallSource } from './source.ts';

export type CallListState =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'ready';
      /** Latest first. */
      readonly calls: readonly DeprecatedCall[];
      /** Release that `breaks` of the calls is about. */
      readonly release: Release;
      /** Failure of the latest request. */
      readonly problem?: unknown;
    }
  /** The instance does not record calls. */
  | { readonly kind: 'unrecorded'; readonly label: string }
  | { readonly kind: 'failed'; readonly problem: unknown };

/** List of the calls of deprecated elements, as seen from a release. */
export interface CallList {
  readonly state: () => CallListState;
  readonly onDidChange: Event<void>;
  /** Sets the instance and the account, or none. Loaded calls are discarded. */
  readonly setSource: (source: CallSource | undefined) => void;
  /** Loads the list. Resolves to true on success. */
  readonly refresh: () => Promise<boolean>;
}

export function createCallList(release: () => Release): CallList {
  const changes = createEmitter<void>();
  let source: CallSource | undefined;
  let state: CallListState = { kind: 'idle' };
  let requests = 0;
  let latest = 0;

  function setState(next: CallListState): void {
    state = next;
    changes.fire();
  }

  async function refresh(): Promise<boolean> {
    const from = source;
    if (from === undefined) return true;
    requests += 1;
    const [request, asked] = [requests, release()];
    // An overtaken response is older than the shown one, or about another release.
    const isLatest = (): boolean => from.key === source?.key && request > latest && asked === release();
    try {
      const calls = await from.calls(asked);
      if (isLatest()) {
        latest = request;
        setState(calls === undefined ? { kind: 'unrecorded', label: from.label } : { kind: 'ready', calls, release: asked });
      }
      return true;
    } catch (problem) {
      if (isLatest()) setState(state.kind === 'ready' ? { ...state, problem } : { kind: 'failed', problem });
      return false;
    }
  }

  return {
    state: () => state,
    onDidChange: changes.event,
    setSource: (next) => {
      const isSame = next?.key === source?.key;
      source = next;
      if (!isSame) setState({ kind: 'idle' });
    },
    refresh,
  };
}
