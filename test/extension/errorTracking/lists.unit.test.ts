import assert from 'node:assert/strict';
import type { ChosenProject } from '../../../src/activity/chosenProject.ts';
import { createErrorLists } from '../../../src/errorTracking/lists.ts';
import { USUAL_FILTER } from '../../../src/errorTracking/filter.ts';
import type { Connection } from '../../../src/instances/connection.ts';

const LAMPS = { id: 1, path: 'amara/lamps' };
const GATES = { id: 2, path: 'amara/gates' };

describe('the lists of the shown and the marked projects', () => {
  let shown: readonly ChosenProject[];
  let lists: ReturnType<typeof createErrorLists>;
  let account: string;
  beforeEach(() => {
    shown = [LAMPS];
    const state = { kind: 'signedIn', instance: { key: 'instance' }, account: { id: 7 } };
    const connection = { state: () => state, bound: () => ({ userId: 7 }) } as unknown as Connection;
    lists = createErrorLists({
      connection,
      projects: { get: () => shown, setOthers: async () => undefined },
      selection: {
        order: () => 'last_seen',
        filter: () => USUAL_FILTER,
        setFilter: async () => undefined,
        pickOrder: async () => undefined,
      },
      changed: () => undefined,
    });
    lists.update();
    account = lists.shown()[0]?.project.account ?? '';
  });
  afterEach(() => lists.dispose());

  it('another project is reported as another source, also if it was marked first', () => {
    assert.equal(lists.update(), false);
    shown = [GATES];
    lists.setMarked([{ account, ...LAMPS }]);
    assert.equal(lists.update(), true);
    assert.match(lists.current.sourceKey() ?? '', /gates/);
    assert.equal(lists.update(), false);
  });

  it('a marked project that is not shown has a list of its own, until it is shown or no longer marked', () => {
    const gates = { account, ...GATES };
    lists.setMarked([gates]);
    assert.notEqual(lists.ofMarked(gates), lists.current);
    assert.match(lists.ofMarked(gates).sourceKey() ?? '', /gates/);
    shown = [GATES];
    lists.update();
    assert.equal(lists.ofMarked(gates), lists.current);
    shown = [LAMPS];
    lists.update();
    const own = lists.ofMarked(gates);
    lists.setMarked([]);
    assert.equal(own.sourceKey(), undefined);
  });
});
