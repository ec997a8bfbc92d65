import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { createJob, createPipeline, updateJob } from '../../../server/features/pipelines/managePipelines.ts';
import { createContainerRepository, writeContainerTag } from '../../../server/features/registry/containerRepositories.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { ask, at } from './queries.ts';

describe('sizes, durations and images by GraphQL', () => {
  let server: TestServer;
  let ada: Actor;
  let ben: Actor;
  let count = 0;
  before(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    ben = actor(server.platform, 'ben');
  });
  after(() => server.close());

  const freshGroup = (parent?: FoundGroup): FoundGroup => {
    const path = `crew${(count += 1)}`;
    return createGroup(server.platform, ada.user, { name: path, path, parent });
  };
  const inGroup = ({ group }: FoundGroup, name: string): FoundProject =>
    projectWith(server.platform, ada, { name, namespaceId: group.id });
  const dataOf = async (token: string, query: string): Promise<unknown> => {
    const { data, errors } = await ask(server, token, query);
    assert.deepEqual(errors, []);
    return data;
  };

  describe('projects by the size of their repositories', () => {
    const addFile = async ({ project }: FoundProject, name: string, bytes: number): Promise<void> => {
      const path = `/api/v4/projects/${project.id}/repository/files/${name}`;
      const json = { branch: 'main', commit_message: 'Add cargo', content: randomBytes(bytes).toString('base64') };
      assert.equal((await server.request('POST', path, { token: ada.token, json })).status, 201);
    };
    const sorted = async ({ group }: FoundGroup, args: string): Promise<unknown> => {
      const query = `{ group(fullPath: "${group.full_path}") { projects(${args}) { nodes { name } } } }`;
      const nodes = at(await dataOf(ada.token, query), 'group', 'projects', 'nodes') as { name: string }[];
      return nodes.map(({ name }) => name).join(' ');
    };

    it('the order of projects by size follows their pushes, and empty projects are the smallest', async () => {
      const crew = freshGroup();
      const [buoy, lamp] = [inGroup(crew, 'Buoy'), inGroup(crew, 'Lamp')];
      inGroup(crew, 'Empty');
      await addFile(lamp, 'a', 50_000);
      await addFile(buoy, 'a', 5_000);
      assert.equal(await sorted(crew, 'sort: REPOSITORY_SIZE_DESC'), 'Lamp Buoy Empty');
      assert.equal(await sorted(crew, 'sort: REPOSITORY_SIZE_ASC'), 'Empty Buoy Lamp');
      await addFile(buoy, 'b', 200_000);
      assert.equal(await sorted(crew, 'sort: EXCESS_REPO_STORAGE_SIZE_DESC'), 'Buoy Lamp Empty');
    });

    it('projects of subgroups are sorted by size with those of the group', async () => {
      const crew = freshGroup();
      await addFile(inGroup(crew, 'Buoy'), 'a', 5_000);
      await addFile(inGroup(freshGroup(crew), 'Deep'), 'a', 50_000);
      assert.equal(await sorted(crew, 'sort: REPOSITORY_SIZE_DESC, includeSubgroups: true'), 'Deep Buoy');
    });
  });

  describe('durations of jobs', () => {
    const run = (found: FoundProject, seconds: number): void => {
      const pipeline = createPipeline(server.platform, found, ada.user, { ref: 'main', sha: 'a'.repeat(40) });
      const job = createJob(server.platform, pipeline, ada.user, { name: 'test', status: 'running' });
      server.platform.clock.advance(seconds * 1000);
      updateJob(server.platform, job, { status: 'success' });
    };
    const fields = `nodes { minutes month monthIso8601 sharedRunnersDuration
      projects { nodes { minutes sharedRunnersDuration project { name } } } }`;
    const usageOf = async ({ group }: FoundGroup, token = ada.token): Promise<unknown> =>
      at(
        await dataOf(token, `{ ciMinutesUsage(namespaceId: "gid://gitlab/Group/${group.id}") { ${fields} } }`),
        'ciMinutesUsage',
        'nodes',
      );

    it('the durations of finished jobs are counted by month and project, the newest month and the longest duration first', async () => {
      const crew = freshGroup();
      const [buoy, deep] = [inGroup(crew, 'Buoy'), inGroup(freshGroup(crew), 'Deep')];
      const { clock } = server.platform;
      const startOf = (month: number): void => clock.advance(Date.UTC(2031, month, 5) - clock.now());
      startOf(2);
      run(buoy, 90);
      startOf(3);
      run(buoy, 30);
      run(deep, 119);
      assert.deepEqual(await usageOf(crew), [
        {
          minutes: 2,
          month: 'April',
          monthIso8601: '2031-04-01',
          sharedRunnersDuration: 149,
          projects: {
            nodes: [
              { minutes: 1, sharedRunnersDuration: 119, project: { name: 'Deep' } },
              { minutes: 0, sharedRunnersDuration: 30, project: { name: 'Buoy' } },
            ],
          },
        },
        {
          minutes: 1,
          month: 'March',
          monthIso8601: '2031-03-01',
          sharedRunnersDuration: 90,
          projects: { nodes: [{ minutes: 1, sharedRunnersDuration: 90, project: { name: 'Buoy' } }] },
        },
      ]);
    });

    it('only owners see the durations of jobs of a group', async () => {
      const crew = freshGroup();
      const found = inGroup(crew, 'Buoy');
      run(found, 60);
      addGroupMember(server.platform, crew.group, ben.user, { level: 40 }, { user: ada.user });
      assert.deepEqual(await usageOf(crew, ben.token), []);
      assert.equal(((await usageOf(crew)) as unknown[]).length, 1);
    });

    it('the usage of a subgroup or an unknown namespace is null, and another ID is refused', async () => {
      const inner = freshGroup(freshGroup());
      for (const id of [inner.group.id, 999_999]) {
        const query = `{ ciMinutesUsage(namespaceId: "gid://gitlab/Group/${id}") { nodes { minutes } } }`;
        assert.deepEqual(await dataOf(ada.token, query), { ciMinutesUsage: null });
      }
      const { errors } = await ask(
        server,
        ada.token,
        '{ ciMinutesUsage(namespaceId: "gid://gitlab/Project/1") { nodes { minutes } } }',
      );
      assert.deepEqual(errors, ['"gid://gitlab/Project/1" does not represent an instance of Namespace']);
    });
  });

  it('a container repository shows its location, tags and size to those who read the code', async () => {
    const found = inGroup(freshGroup(), 'Lamps');
    const repository = createContainerRepository(server.platform, found, 'web');
    for (const name of ['latest', 'v1']) writeContainerTag(server.platform, repository, { name, totalSize: 100 });
    const one = `containerRepository(id: "gid://gitlab/ContainerRepository/${repository.id}")`;
    const path = `${found.project.full_path}/web`;
    const data = await dataOf(ada.token, `{ ${one} { name path location tagsCount size } }`);
    const location = `${new URL(server.origin).host}/${path}`;
    assert.deepEqual(data, { containerRepository: { name: 'web', path, location, tagsCount: 2, size: 200 } });
    assert.deepEqual(await dataOf(ben.token, `{ ${one} { name } }`), { containerRepository: null });
    const list = `{ project(fullPath: "${found.project.full_path}") { containerRepositoriesCount containerRepositories { nodes { id } } } }`;
    assert.deepEqual(await dataOf(ada.token, list), {
      project: {
        containerRepositoriesCount: 1,
        containerRepositories: { nodes: [{ id: `gid://gitlab/ContainerRepository/${repository.id}` }] },
      },
    });
  });
});
