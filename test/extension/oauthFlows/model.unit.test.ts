import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Flow, FlowSummary } from '../../../src/contract/oauthFlows.ts';
import { createFlowList, type FlowSource } from '../../../src/oauthFlows/model.ts';
import { flow, step, summary } from './flows.ts';

/** Server with changeable responses and its requests. */
function fakeSource(key = 'server') {
  const requested: string[] = [];
  const responses: { list: readonly FlowSummary[]; flow: Flow | undefined; error: Error | undefined } = {
    list: [summary()],
    flow: flow([step()]),
    error: undefined,
  };
  const source: FlowSource = {
    key,
    flows: async () => {
      requested.push('list');
      if (responses.error !== undefined) throw responses.error;
      return responses.list;
    },
    flow: async (id) => {
      requested.push(id);
      return responses.flow;
    },
  };
  return { source, requested, responses };
}

describe('the list of OAuth flows', () => {
  it('requests the steps of expanded flows only, and again only when they have changed', async () => {
    const { source, requested, responses } = fakeSource();
    const list = createFlowList();
    list.setSource(source);
    assert.equal(await list.refresh(), true);
    assert.deepEqual(requested, ['list']);
    list.open('0a1b2c3d');
    list.open('0a1b2c3d');
    await list.refresh();
    await list.refresh();
    assert.deepEqual(requested.filter((what) => what !== 'list').length, 2, 'by expanding it and by the concurrent refresh');
    responses.list = [summary({ requests: 3 })];
    await list.refresh();
    assert.equal(requested.filter((what) => what !== 'list').length, 3);
    responses.flow = flow([step()], { requests: 3 });
    responses.list = [summary({ requests: 3, outcome: 'expired' })];
    await list.refresh();
    assert.equal(requested.filter((what) => what !== 'list').length, 4);
  });

  it('keeps its flows when the server does not respond, with the problem', async () => {
    const { source, responses } = fakeSource();
    const list = createFlowList();
    list.setSource(source);
    responses.error = new Error('gone');
    assert.equal(await list.refresh(), false);
    assert.deepEqual(list.state(), { kind: 'failed', problem: responses.error });
    responses.error = undefined;
    await list.refresh();
    responses.error = new Error('gone again');
    await list.refresh();
    const state = list.state();
    assert.ok(state.kind === 'ready' && state.problem === responses.error && state.flows.length === 1);
    responses.error = undefined;
    await list.refresh();
    assert.ok(!('problem' in list.state()));
  });

  it('discards its flows and pending responses when the server changes', async () => {
    const first = fakeSource('one');
    const list = createFlowList();
    list.setSource(first.source);
    const late = list.refresh();
    list.setSource(fakeSource('two').source);
    await late;
    assert.deepEqual(list.state(), { kind: 'idle' });
    list.setSource(undefined);
    assert.equal(await list.refresh(), true);
    assert.deepEqual(list.state(), { kind: 'idle' });
    assert.equal(await list.flow('0a1b2c3d'), undefined);
  });

  it('ignores overtaken responses', async () => {
    const { source, responses } = fakeSource();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isFirst = true;
    const list = createFlowList();
    list.setSource({
      ...source,
      flows: async () => {
        const waits = isFirst;
        isFirst = false;
        const old = await source.flows();
        if (waits) await gate;
        return old;
      },
    });
    const slow = list.refresh();
    responses.list = [summary({ id: 'newer' }), summary()];
    await list.refresh();
    release();
    await slow;
    const state = list.state();
    assert.equal(state.kind === 'ready' ? state.flows[0]?.id : '', 'newer');
  });
});
