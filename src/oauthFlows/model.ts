import type { Event } from 'vscode';
import type { Flow, FlowSummary } from '../contract/oauthFlows.ts';
import { createEmitter } from '../support/emitter.ts';

/** Where flows come from: a local server with the data it has now. */
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
      /** Of those that somebody has opened, by id. */
      readonly opened: ReadonlyMap<string, Flow>;
      /** Why the latest answer is not there. */
      readonly problem?: unknown;
    }
  | { readonly kind: 'failed'; readonly problem: unknown };

/** What OAuth clients did, newest first, with the steps of the flows that somebody has opened. */
export interface FlowList {
  readonly state: () => FlowListState;
  readonly onDidChange: Event<void>;
  /** Another server, other data, or none. What is known of the one before is forgotten. */
  readonly setSource: (source: FlowSource | undefined) => void;
  /** Asks for the list, and for the steps of what is open and has changed. True when it has been answered. */
  readonly refresh: () => Promise<boolean>;
  /** Asks for the steps of a flow from now on. */
  readonly open: (id: string) => void;
  /** The steps as they are now; undefined when the flow is no longer kept. Rejects like the source. */
  readonly flow: (id: string) => Promise<Flow | undefined>;
}

export function createFlowList(): FlowList {
  const changes = createEmitter<void>();
  let source: FlowSource | undefined;
  let state: FlowListState = { kind: 'idle' };
  const wanted = new Set<string>();
  let asked = 0;
  let answered = 0;

  function setState(next: FlowListState): void {
    state = next;
    changes.fire();
  }

  /** The steps of what is open; asked for again only where something has happened. */
  async function steps(from: FlowSource, flows: readonly FlowSummary[]): Promise<ReadonlyMap<string, Flow>> {
    const known = state.kind === 'ready' ? state.opened : new Map<string, Flow>();
    const found = flows
      .filter(({ id }) => wanted.has(id))
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
    asked += 1;
    const mine = asked;
    // One that was overtaken is older than what is shown.
    const isNews = (): boolean => from === source && mine > answered;
    try {
      const flows = await from.flows();
      const opened = await steps(from, flows);
      if (isNews()) {
        answered = mine;
        setState({ kind: 'ready', flows, opened });
      }
      return true;
    } catch (problem) {
      if (isNews()) setState(state.kind === 'ready' ? { ...state, problem } : { kind: 'failed', problem });
      return false;
    }
  }

  return {
    state: () => state,
    onDidChange: changes.event,
    setSource: (next) => {
      if (next?.key === source?.key) return;
      source = next;
      wanted.clear();
      setState({ kind: 'idle' });
    },
    refresh,
    open: (id) => {
      if (wanted.has(id)) return;
      wanted.add(id);
      void refresh();
    },
    flow: async (id) => source?.flow(id),
  };
}
