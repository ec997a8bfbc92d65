import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cacheBlob } from '../../../../server/features/dependencyProxy/groupProxy.ts';
import { createGroup } from '../../../../server/features/groups/manageGroups.ts';
import { createJob, createPipeline, updateJob } from '../../../../server/features/pipelines/managePipelines.ts';
import { createContainerRepository } from '../../../../server/features/registry/containerRepositories.ts';
import { actor, projectWith } from '../../projects/cast.ts';
import type { Scenarios, Stage } from '../stage.ts';

interface Sent {
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly errors: readonly string[];
  readonly isMarked: boolean;
}

/** Sends a query and returns what the client gets. */
export async function send(server: Stage['server'], token: string, query: string): Promise<Sent> {
  const response = await server.request('POST', '/api/graphql', { token, json: { query } });
  assert.equal(response.status, 200, response.text);
  const { data, errors = [] } = response.json() as {
    readonly data?: Readonly<Record<string, unknown>>;
    readonly errors?: readonly { readonly message: string }[];
  };
  return { data, errors: errors.map(({ message }) => message), isMarked: response.headers.get('deprecation') !== null };
}

/** Scenarios of groups and their projects. */
export const groupScenarios: Scenarios = {
  'dependency-proxy-total-size-in-bytes': async ({ server, phase }) => {
    const ada = actor(server.platform, 'ada');
    const { group } = createGroup(server.platform, ada.user, { name: 'Crew', path: 'crew' });
    cacheBlob(server.platform, { groupId: group.id, digest: 'sha256:1', size: 1536 });
    const old = await send(server, ada.token, '{ group(fullPath: "crew") { dependencyProxyTotalSizeInBytes } }');
    if (phase === 'after') {
      assert.match(old.errors.join(), /^Cannot query field "dependencyProxyTotalSizeInBytes" on type "Group"/);
    } else assert.deepEqual(old.data, { group: { dependencyProxyTotalSizeInBytes: 1536 } });
    assert.equal(old.isMarked, phase !== 'before');
    if (phase === 'before') return;
    const replacement = await send(server, ada.token, '{ group(fullPath: "crew") { dependencyProxyTotalSizeBytes } }');
    assert.deepEqual(replacement.data, { group: { dependencyProxyTotalSizeBytes: '1536' } });
    assert.equal(replacement.isMarked, false);
  },
  'container-repository-migration-state': async ({ server, phase }) => {
    const ada = actor(server.platform, 'ada');
    const found = projectWith(server.platform, ada, { name: 'Lamps' });
    const { id } = createContainerRepository(server.platform, found, 'web');
    const one = `containerRepository(id: "gid://gitlab/ContainerRepository/${id}")`;
    const inProject = 'project(fullPath: "ada/lamps") { containerRepositories { nodes { FIELDS } } }';
    for (const query of [`{ ${one} { migrationState } }`, `{ ${inProject.replace('FIELDS', 'migrationState')} }`]) {
      const old = await send(server, ada.token, query);
      if (phase === 'after') assert.match(old.errors.join(), /^Cannot query field "migrationState" on type "ContainerRepository/);
      else assert.ok(JSON.stringify(old.data).includes('{"migrationState":""}'), JSON.stringify(old));
      assert.equal(old.isMarked, phase !== 'before');
    }
    const without = await send(server, ada.token, `{ ${one} { name } ${inProject.replace('FIELDS', 'path')} }`);
    const project = { containerRepositories: { nodes: [{ path: 'ada/lamps/web' }] } };
    assert.deepEqual(without, { data: { containerRepository: { name: 'web' }, project }, errors: [], isMarked: false });
  },
  'storage-sort': async ({ server, phase }) => {
    const ada = actor(server.platform, 'ada');
    const { group } = createGroup(server.platform, ada.user, { name: 'Crew', path: 'crew' });
    for (const [name, size] of [
      ['Buoy', 2000],
      ['Lamp', 200_000],
      ['Mole', 20_000],
    ] as const) {
      const { project } = projectWith(server.platform, ada, { name, namespaceId: group.id });
      // Random text, which git cannot compress.
      const content = randomBytes(size).toString('base64');
      const path = `/api/v4/projects/${project.id}/repository/files/cargo.txt`;
      const json = { branch: 'main', commit_message: 'Add cargo', content };
      assert.equal((await server.request('POST', path, { token: ada.token, json })).status, 201);
    }
    const sorted = (sort: string) =>
      send(server, ada.token, `{ group(fullPath: "crew") { projects(sort: ${sort}) { nodes { name } } } }`);
    const bySize = { group: { projects: { nodes: [{ name: 'Lamp' }, { name: 'Mole' }, { name: 'Buoy' }] } } };
    const old = await sorted('STORAGE');
    if (phase === 'after') {
      assert.match(old.errors.join(), /^Value "STORAGE" does not exist in "NamespaceProjectSort" enum/);
    } else assert.deepEqual(old.data, bySize);
    assert.equal(old.isMarked, phase !== 'before');
    assert.deepEqual(await sorted('EXCESS_REPO_STORAGE_SIZE_DESC'), { data: bySize, errors: [], isMarked: false });
  },
  'monthly-usage-project-name': async ({ server, phase }) => {
    const { platform } = server;
    const ada = actor(platform, 'ada');
    const found = projectWith(platform, ada, { name: 'Lamps' });
    const pipeline = createPipeline(platform, found, ada.user, { ref: 'main', sha: 'a'.repeat(40) });
    const job = createJob(platform, pipeline, ada.user, { name: 'test', status: 'running' });
    platform.clock.advance(150_000);
    updateJob(platform, job, { status: 'success' });
    const usage = (field: string) =>
      send(server, ada.token, `{ ciMinutesUsage { nodes { minutes projects { nodes { minutes ${field} } } } } }`);
    const shown = (project: object) => ({ ciMinutesUsage: { nodes: [{ minutes: 2, projects: { nodes: [project] } }] } });
    const old = await usage('name');
    if (phase === 'after') {
      assert.match(old.errors.join(), /^Cannot query field "name" on type "CiMinutesProjectMonthlyUsage"/);
    } else assert.deepEqual(old.data, shown({ minutes: 2, name: 'Lamps' }));
    assert.equal(old.isMarked, phase !== 'before');
    const replacement = await usage('project { name }');
    assert.deepEqual(replacement, { data: shown({ minutes: 2, project: { name: 'Lamps' } }), errors: [], isMarked: false });
  },
};
