import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ApiFailure } from '../../../src/api/failures.ts';
import { failureLook } from '../../../src/ui/row.ts';

describe('the row of a failure', () => {
  it('names the account and the scope that its sign-in lacks', () => {
    const failure = new ApiFailure('insufficientScope', 'The scope is missing.', { scope: 'read_api', account: 'local#7' });
    const { label, icon, missing } = failureLook('row', failure);
    assert.deepEqual([label, icon, missing], ['The scope is missing.', 'warning', { account: 'local#7', scope: 'read_api' }]);
    assert.equal(failureLook('row', failure, 'Short').label, 'Short');
  });

  it('names none for other failures, and where no account is known', () => {
    for (const failure of [
      new ApiFailure('forbidden', 'No.', { account: 'local#7' }),
      new ApiFailure('insufficientScope', 'No.', { scope: 'api' }),
    ])
      assert.equal('missing' in failureLook('row', failure), false);
  });
});
