import assert from 'node:assert/strict';
import {
  type ErrorFilter,
  formatErrorFilter,
  queryOfFilter,
  readErrorFilter,
  USUAL_FILTER,
} from '../../../src/errorTracking/filter.ts';

describe('the filter of tracked errors', () => {
  const several: ErrorFilter = {
    ...{ statuses: ['resolved', 'ignored'], level: 'warning' },
    ...{ environment: 'production', release: 'ship@2', assignee: { id: 7, name: 'Ada' }, text: 'tide' },
  };

  it('the filter of tracked errors is stored and read again', () => {
    for (const filter of [USUAL_FILTER, several])
      assert.deepEqual(readErrorFilter(JSON.parse(JSON.stringify(filter)) as unknown), filter);
  });

  for (const stored of [
    undefined,
    'unresolved',
    { statuses: [] },
    { statuses: ['closed'], level: 'loud', release: '', text: 7, assignee: { id: 'x' } },
  ])
    it(`the filter of tracked errors is the usual one if ${JSON.stringify(stored)} is stored`, () => {
      assert.deepEqual(readErrorFilter(stored), USUAL_FILTER);
    });

  it('the filter of tracked errors asks for several statuses at once, and for both kinds of resolved errors', () => {
    assert.deepEqual(queryOfFilter(several), {
      ...{ statuses: ['resolved', 'resolved_in_next_release', 'ignored'], level: 'warning' },
      ...{ environment: 'production', release: 'ship@2', assignee: 7, search: 'tide' },
    });
    const assignees = (['me', 'nobody', 'anybody'] as const).map(
      (assignee) => queryOfFilter({ ...USUAL_FILTER, assignee }, 3).assignee,
    );
    assert.deepEqual(assignees, [3, 'None', 'Any']);
  });

  it('the filter of tracked errors is described next to the title of the view', () => {
    assert.deepEqual(formatErrorFilter(several), [
      'Resolved, Ignored',
      'Warning',
      'production',
      'ship@2',
      'Assigned to Ada',
      '“tide”',
    ]);
    assert.deepEqual(formatErrorFilter({ ...USUAL_FILTER, statuses: ['unresolved', 'resolved', 'ignored'] }), ['All statuses']);
  });
});
