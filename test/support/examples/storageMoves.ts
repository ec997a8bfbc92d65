import { tmpdir } from 'node:os';
import path from 'node:path';
import { scheduleMove } from '../../../server/features/storageMoves/moves.ts';
import { type Container, type ContainerKind, containerKinds } from '../../../server/features/storageMoves/store.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { createSnippet } from '../../../server/features/snippets/manageSnippets.ts';
import type { Examples } from './example.ts';
import type { TestServer } from '../server.ts';
import { admin, type Fixture } from './fixture.ts';

/**
 * A storage that never has a repository, for test servers that receive all examples in any order. There, the example of moving all
 * repositories of a storage does not make those of other examples read-only for a moment.
 */
export const emptyStorage = { empty: path.join(tmpdir(), 'signalbox-test-empty-storage') };

/** Returns the name of the empty storage of a server. Throws if it has none, because then a later example would fail now and then. */
function emptyStorageOf({ platform }: TestServer): string {
  const { storages } = platform.repositories;
  const [name = ''] = Object.keys(emptyStorage);
  if (!storages.includes(name)) throw new Error('The example of moving all repositories needs a server with emptyStorage.');
  return name;
}

/** Creates a container of its own, because each can have one move at a time. */
async function newContainer({ server: { platform }, root, fresh }: Fixture, kind: ContainerKind): Promise<Container> {
  const name = fresh(kind);
  if (kind === 'project') return { kind, id: createProject(platform, root, { name }).project.id };
  if (kind === 'group') return { kind, id: createGroup(platform, root, { name, path: name }).group.id };
  const files = [{ path: 'a.txt', content: 'a' }];
  const { id } = await createSnippet(platform, root, { title: name, visibility: 'private', files });
  return { kind, id };
}

function examplesOf(kind: ContainerKind): Examples {
  const all = `/api/v4/${kind}_repository_storage_moves`;
  const ofOne = `/api/v4/${kind}s/:id/repository_storage_moves`;
  const moved = async (fixture: Fixture): Promise<Record<string, string>> => {
    const container = await newContainer(fixture, kind);
    const { id } = scheduleMove(fixture.server.platform, container, 'default');
    return { id: String(container.id), repository_storage_move_id: String(id) };
  };
  return {
    [`GET ${all}`]: async (fixture) => {
      await moved(fixture);
      return { token: admin };
    },
    [`GET ${all}/:repository_storage_move_id`]: async (fixture) => ({ token: admin, path: await moved(fixture) }),
    [`POST ${all}`]: ({ server }) => ({
      token: admin,
      params: { source_storage_name: emptyStorageOf(server), destination_storage_name: 'default' },
    }),
    [`GET ${ofOne}`]: async (fixture) => ({ token: admin, path: await moved(fixture) }),
    [`GET ${ofOne}/:repository_storage_move_id`]: async (fixture) => ({ token: admin, path: await moved(fixture) }),
    [`POST ${ofOne}`]: async (fixture) => ({
      token: admin,
      path: { id: String((await newContainer(fixture, kind)).id) },
      params: { destination_storage_name: 'default' },
    }),
  };
}

export const storageMoveExamples: Examples = Object.assign({}, ...containerKinds.map(examplesOf));
