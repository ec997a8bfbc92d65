import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import type { Action } from '../../../server/repositories/actions.ts';
import { statusOf } from '../../../server/http/refusalStatus.ts';
import { isRefusal } from '../../../server/http/wireFailure.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { RepositoryFile, TreeEntry } from '../../../src/contract/repositories.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface ModelFile {
  readonly text: string;
  readonly executable: boolean;
}
type Model = ReadonlyMap<string, ModelFile>;

const paths = ['a', 'b', 'a.b', 'dir/a', 'dir/b', 'dir/deep/a', 'ä/🚦 "x"'] as const;

const action: fc.Arbitrary<Action> = fc.record(
  {
    action: fc.constantFrom('create', 'create', 'create', 'update', 'delete', 'move', 'chmod'),
    path: fc.constantFrom(...paths, 'dir'),
    previousPath: fc.constantFrom(...paths),
    content: fc.string({ unit: 'binary', maxLength: 8 }).map((text) => Buffer.from(text.toWellFormed())),
    executable: fc.boolean(),
  },
  { requiredKeys: ['action', 'path', 'previousPath', 'executable'] },
);

/**
 * Applies actions to a model of the files; returns undefined if an action is invalid. A file cannot be created where a file or
 * directory exists, or below a file.
 */
function commitOn(model: Model, actions: readonly Action[]): Model | undefined {
  const files = new Map(model);
  const folders = new Set(
    [...model.keys()].flatMap((path) => (path.includes('/') ? [path.slice(0, path.lastIndexOf('/'))] : [])),
  );
  const isFolder = (path: string): boolean =>
    [...files.keys(), ...folders].some((other) => other.startsWith(`${path}/`)) || folders.has(path);
  const isFree = (path: string): boolean =>
    !files.has(path) && !isFolder(path) && ![...files.keys()].some((file) => path.startsWith(`${file}/`));
  for (const { action: kind, path, previousPath = '', content, executable = false } of actions) {
    const source = kind === 'move' ? previousPath : path;
    const file = files.get(source);
    const text = content?.toString() ?? file?.text ?? '';
    if (kind === 'create') {
      if (!isFree(path)) return undefined;
      files.set(path, { text, executable });
      continue;
    }
    if (file === undefined) return undefined;
    if (kind === 'delete' || kind === 'move') files.delete(source);
    if (kind === 'move' && !isFree(path)) return undefined;
    if (kind === 'move' || kind === 'update') files.set(path, { text, executable });
    if (kind === 'chmod') files.set(path, { text: file.text, executable });
  }
  return files;
}

describe('sequences of actions', () => {
  let server: TestServer;
  let ada: Actor;

  before(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
  });
  after(() => server.close());

  async function filesOf(found: FoundProject): Promise<Model> {
    const at = `/api/v4/projects/${found.project.id}/repository`;
    const tree = await server.request('GET', `${at}/tree?recursive=true&per_page=100`, { token: ada.token });
    if (tree.status === 404) return new Map();
    const blobs = (tree.json() as TreeEntry[]).filter((entry) => entry.type === 'blob');
    const read = blobs.map(async ({ path }): Promise<[string, ModelFile]> => {
      const response = await server.request('GET', `${at}/files/${encodeURIComponent(path)}?ref=main`, { token: ada.token });
      const file = response.json() as RepositoryFile;
      return [path, { text: Buffer.from(file.content, 'base64').toString(), executable: file.execute_filemode }];
    });
    return new Map((await Promise.all(read)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  it('sequences of actions change a tree like a set of files in memory, or leave it unchanged', async function () {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(action, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
        async (commits) => {
          const found = projectWith(server.platform, ada, { name: `Project ${(number += 1)}` });
          let model: Model = new Map();
          for (const actions of commits) {
            const wanted = commitOn(model, actions);
            const made = await createCommit(server.platform, found, ada.user, { branch: 'main', message: 'x', actions }).then(
              () => true,
              (error: unknown) => {
                assert.equal(isRefusal(error) && statusOf(error), 400, String(error));
                return false;
              },
            );
            assert.equal(made, wanted !== undefined);
            model = wanted ?? model;
          }
          assert.deepEqual(await filesOf(found), new Map([...model].toSorted(([a], [b]) => (a < b ? -1 : 1))));
        },
      ),
      { numRuns: 40 },
    );
  });
});
