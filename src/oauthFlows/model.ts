import type { Event } from 'vscode';
import type { Flow, FlowSummary } from '../contract/oauthFlows.ts';
import { createEmitter } from '../support/emitter.ts';

/** Source of flows: a local server with its current data. */
export interface FlowSource {
  readonly key: string;
  readonly flows: () => Promise<readonly FlowSummary[]>;
  readonly flow: (id: string) => Promise<Flow | undefined>;
}

export type FlowListState =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'ready';
      readonly flows: readonly FlowSummary[];
      /** Details of the expanded flows, by id. */
      readonly opened: ReadonlyMap<string, Flow>;
      /** Failure of the latest request. */
      readonly problem?: unknown;
    }
  | { readonly kind: 'failed'; readonly problem: unknown };

/** List of OAuth flows, newest first, with the steps of the expanded ones. */
export interface FlowList {
  readonly state: () => FlowListState;
  readonly onDidChange: Event<void>;
  /** Sets the server and its data, or none. Loaded flows are discarded. */
  readonly setSource: (source: FlowSource | undefined) => void;
  /** Loads the list, and the steps of expanded flows that have changed. Resolves to true on success. */
  readonly refresh: () => Promise<boolean>;
  /** Loads the steps of a flow now and on later refreshes. */
  readonly open: (id: string) => void;
  /** Returns the current details of a flow; undefined if it is no longer stored. Rejects like the source. */
  readonly flow: (id: string) => Promise<Flow | undefined>;
}

export function createFlowList(): FlowList {
  const changes = createEmitter<void>();
  let source: FlowSource | undefined;
  let state: FlowListState = { kind: 'idle' };
  const expanded = new Set<string>();
  let requests = 0;
  let latest = 0;

  function setState(next: FlowListState): void {
    state = next;
    changes.fire();
  }

  /** Returns the details of the expanded flows; only changed ones are requested again. */
  async function steps(from: FlowSource, flows: readonly FlowSummary[]): Promise<ReadonlyMap<string, Flow>> {
    const known = state.kind === 'ready' ? state.opened : new Map<string, Flow>();
    const found = flows
      .filter(({ id }) => expanded.has(id))
      .map(async (summary): Promise<Flow | undefined> => {
        const before = known.get(summary.id);
        const isSame = before?.requests === summary.requests && before.outcome === summary.outcome;
        return isSame ? before : from.flow(summary.id);
      });
    const opened = (await Promise.all(found)).filter((flow) => flow !== undefined);
    return new Map(opened.map((flow) => [flow.id, flow]));
  }

  async function refresh(): Promise<boolean> {
    const from = source;
    if (from === undefined) return true;
    requests += 1;
    const request = requests;
    // An overtaken response is older than the shown one.
    const isLatest = (): boolean => from === source && request > latest;
    try {
      const flows = await from.flows();
      const opened = await steps(from, flows);
      if (isLatest()) {
        latest = request;
        setState({ kind: 'ready', flows, opened });
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
      if (next?.key === source?.key) return;
      source = next;
      expanded.clear();
      setState({ kind: 'idle' });
    },
    refresh,
    open: (id) => {
      if (expanded.has(id)) return;
      expanded.add(id);
      void refresh();
    },
    flow: async (id) => source?.flow(id),
  };
}
