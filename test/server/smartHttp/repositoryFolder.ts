import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { openRepository } from '../../../server/features/git/open.ts';
import { allRefs } from '../../../server/features/git/store.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { TestServer } from '../../support/server.ts';

/** Checks that the folder shows exactly the refs of the database, and that no object is broken. */
export async function checkFolder(server: TestServer, found: FoundProject): Promise<void> {
  const repository = await openRepository(server.platform, found.project);
  assert.ok(repository !== undefined);
  await repository.git.run(repository.folder, ['fsck', '--strict', '--full']);
  const { stdout } = await repository.git.run(repository.folder, ['for-each-ref', '--format=%(objectname) %(refname)']);
  const stored = allRefs(server.platform.store, found.project.id).map(
    ({ kind, name, target }) => `${target} refs/${kind === 'branch' ? 'heads' : 'tags'}/${name}`,
  );
  assert.deepEqual(stdout.toString().trim().split('\n').toSorted(), stored.toSorted());
  const incoming = path.join(repository.folder, 'incoming');
  assert.deepEqual(existsSync(incoming) ? readdirSync(incoming) : [], []);
}
