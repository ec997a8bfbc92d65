import assert from 'node:assert/strict';
import { endPlatform } from '../../../server/createPlatform.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { findGroup } from '../../../server/features/groups/access.ts';
import { countNamespaces } from '../../../server/features/groups/store.ts';
import { findUser } from '../../../server/features/users/accounts.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { recordStatements } from '../../bench/recordStatements.ts';
import { createTestPlatform } from '../../support/server.ts';

describe('a user with thousands of memberships', () => {
  const platform = createTestPlatform();
  const { store } = platform;
  const root = findUser(platform, 1);
  assert.ok(root);
  const { group } = createGroup(platform, root, { name: 'Signals', path: 'signals' });
  after(() => endPlatform(platform));

  /** Query plan steps that scan all memberships of a user: once per statement, or again for each row. */
  async function walks(work: () => void): Promise<{ readonly once: number; readonly perRow: number }> {
    const found = { once: 0, perRow: 0 };
    const { statements } = await recordStatements(store, async () => work());
    for (const { sql, params } of statements) {
      let scope: keyof typeof found = 'once';
      for (const { detail } of store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)) {
        if (/^(?:CORRELATED )?(?:SCALAR|LIST) SUBQUERY/.test(detail)) scope = detail.startsWith('CORRELATED') ? 'perRow' : 'once';
        if (/^SEARCH \w+ USING .*group_members_by_user \(user_id=\?\)$/.test(detail)) found[scope] += 1;
      }
    }
    return found;
  }

  it('the level of a user with thousands of memberships in a group is found by the ancestors of the group', async () => {
    const filter = { viewer: root.id, where: ['true'], minLevel: 50 };
    assert.equal(countNamespaces(store, filter, 100), 1);
    assert.deepEqual(await walks(() => countNamespaces(store, filter, 100)), { once: 0, perRow: 0 });
    assert.equal((await walks(() => findGroup(platform, 'signals', { user: root }))).perRow, 0);
    assert.deepEqual(await walks(() => createProject(platform, root, { name: 'Lamps', namespaceId: group.id })), {
      once: 0,
      perRow: 0,
    });
  });
});
