import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { NO_FILTER } from '../../../src/activity/filter.ts';
import { subjectOfScope } from '../../../src/activity/subjects.ts';
import type { ConnectionState } from '../../../src/instances/connection.ts';

const signedIn: ConnectionState = {
  kind: 'signedIn',
  instance: { key: 'local/data-1', kind: 'local', label: 'Local server', clientId: 'app' },
  account: { id: 7, username: 'ana', name: 'Ana Novak' },
  sessionId: 's',
};

describe('the text beside the title of My Activity', () => {
  it('names the account and the instance', () => {
    assert.equal(subjectOfScope({ kind: 'mine' }, NO_FILTER, signedIn, false).text, '@ana · Local server');
  });

  it('says where the instance leaves merge requests out', () => {
    for (const scope of [{ kind: 'mine' }, { kind: 'all' }, { kind: 'person', id: 8, username: 'bo' }] as const) {
      const { text } = subjectOfScope(scope, { ...NO_FILTER, action: 'commented' }, signedIn, true);
      assert.match(text, / · Local server \(lists no merge requests here\) · comments$/, scope.kind);
    }
  });
});
