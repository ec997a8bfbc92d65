import type { Flow, FlowSummary } from '../contract/oauthFlows.ts';
import { createReloadedList, type ReloadedList, type ReloadedState } from '../support/reloadedList.ts';

/** Source of flows: a local server with its current data. */
export interface FlowSource {
  readonly key: string;
  readonly flows: () => Promise<readonly FlowSummary[]>;
  readonly flow: (id: string) => Promise<Flow | undefined>;
}

export type FlowListState = ReloadedState<{
  readonly flows: readonly FlowSummary[];
  /** Details of the expanded flows, by id. */
  readonly opened: ReadonlyMap<string, Flow>;
}>;

/** List of OAuth flows, newest first, with the steps of the expanded ones, which are requested again when they have changed. */
export interface FlowList extends ReloadedList<FlowSource, FlowListState> {
  /** Loads the steps of a flow now and on later refreshes. */
  readonly open: (id: string) => void;
  /** Returns the current details of a flow; undefined if it is no longer stored. Rejects like the source. */
  readonly flow: (id: string) => Promise<Flow | undefined>;
}

export function createFlowList(): FlowList {
  const expanded = new Set<string>();
  const list: ReloadedList<FlowSource, FlowListState> = createReloadedList({
    load: async (from: FlowSource): Promise<FlowListState> => {
      const flows = await from.flows();
      const state = list.state();
      const known = state.kind === 'ready' ? state.opened : new Map<string, Flow>();
      const wanted = flows.filter(({ id }) => expanded.has(id));
      return { kind: 'ready', flows, opened: await stepsOf(from, wanted, known) };
    },
  });
  return {
    ...list,
    setSource: (next) => {
      if (next?.key === list.source()?.key) return;
      expanded.clear();
      list.setSource(next);
    },
    open: (id) => {
      if (expanded.has(id)) return;
      expanded.add(id);
      void list.refresh();
    },
    flow: async (id) => list.source()?.flow(id),
  };
}

/** Returns the details of flows. Only those are requested that differ from the known ones. */
async function stepsOf(
  source: FlowSource,
  flows: readonly FlowSummary[],
  known: ReadonlyMap<string, Flow>,
): Promise<ReadonlyMap<string, Flow>> {
  const found = flows.map(async (summary): Promise<Flow | undefined> => {
    const before = known.get(summary.id);
    const isSame = before?.requests === summary.requests && before.outcome === summary.outcome;
    return isSame ? before : source.flow(summary.id);
  });
  const opened = (await Promise.all(found)).filter((flow) => flow !== undefined);
  return new Map(opened.map((flow) => [flow.id, flow]));
}
