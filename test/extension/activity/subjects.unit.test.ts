import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type Appearance, appearanceOf } from '../../../src/activity/appearance.ts';
import { NO_FILTER } from '../../../src/activity/filter.ts';
import { subjectOfScope } from '../../../src/activity/subjects.ts';
import type { FeedState } from '../../../src/activity/model.ts';
import type { ConnectionState } from '../../../src/instances/connection.ts';
import { event } from './events.ts';

const signedIn: ConnectionState = {
  kind: 'signedIn',
  instance: { key: 'local/data-1', kind: 'local', label: 'Managed server', clientId: 'app' },
  account: { id: 7, username: 'ana', name: 'Ana Novak' },
  sessionId: 's',
};
const at = Date.UTC(2026, 10, 20);
const feed = (isCached: boolean): FeedState => ({
  ...{ kind: 'ready', events: [event()], next: undefined, at, isCached, problem: undefined },
});

describe('the texts of My Activity', () => {
  it('name the account and the instance', () => {
    const subject = subjectOfScope({ kind: 'mine' }, NO_FILTER, signedIn, false);
    assert.deepEqual(subject, { text: '@ana · Managed server', ifEmpty: 'empty' });
  });

  it('say above the rows where the instance leaves merge requests out, unless the rows are outdated', () => {
    for (const scope of [{ kind: 'mine' }, { kind: 'all' }, { kind: 'person', id: 8, username: 'bo' }] as const) {
      const subject = subjectOfScope(scope, { ...NO_FILTER, actions: ['commented'] }, signedIn, true);
      const shown = (isCached: boolean): Appearance =>
        appearanceOf(signedIn, feed(isCached), subject, { now: at + 60_000, locale: 'en' });
      assert.equal(shown(false).message, 'Without merge requests (documented dialect)');
      assert.match(shown(false).description, / · Managed server · comments$/);
      assert.equal(shown(true).message, 'Last updated 1 minute ago');
    }
  });
});
