import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import {
  type ContainerRepository,
  createContainerRepository,
  writeContainerTag,
} from '../../../server/features/registry/containerRepositories.ts';
import { TEST_ADMIN_TOKEN } from '../server.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, inGroup, inProject } from './fixture.ts';

/** Creates a repository of the container registry with two tags. */
function imagesIn({ server: { platform }, fresh }: Fixture, project: FoundProject): ContainerRepository {
  const repository = createContainerRepository(platform, project, fresh('images'));
  for (const name of ['latest', '1.0']) writeContainerTag(platform, repository, { name, totalSize: 5 });
  return repository;
}

/** Returns a request for the images of a repository. */
function imagesRequest(fixture: Fixture, params: Example['params'] = {}, more: Example['path'] = {}): Example {
  const { project } = fixture;
  const path = { ...inProject(project, { repository_id: imagesIn(fixture, project).id }), ...more };
  return { token: admin, path, params };
}

/** The admin token as the password of any username. */
const BASIC = { Authorization: `Basic ${Buffer.from(`root:${TEST_ADMIN_TOKEN}`).toString('base64')}` };

export const registryExamples: Examples = {
  'GET /api/v4/projects/:id/registry/repositories': (fixture) => {
    imagesIn(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { tags: true, tags_count: true } };
  },
  'GET /api/v4/groups/:id/registry/repositories': (fixture) => {
    const { server, root, group, fresh } = fixture;
    imagesIn(fixture, createProject(server.platform, root, { name: fresh('boxed'), namespaceId: group.group.id }));
    return { token: admin, path: inGroup(group) };
  },
  'GET /api/v4/registry/repositories/:id': (fixture) => ({
    token: admin,
    path: { id: String(imagesIn(fixture, fixture.project).id) },
    params: { tags: true, tags_count: true, size: true },
  }),
  'POST /api/v4/projects/:id/registry/repositories': ({ project, fresh }) => ({
    token: admin,
    path: inProject(project),
    params: { name: fresh('images') },
  }),
  'DELETE /api/v4/projects/:id/registry/repositories/:repository_id': (fixture) => imagesRequest(fixture),
  'GET /api/v4/projects/:id/registry/repositories/:repository_id/tags': (fixture) =>
    imagesRequest(fixture, { pagination: 'keyset', order_by: 'name', sort: 'desc' }),
  'POST /api/v4/projects/:id/registry/repositories/:repository_id/tags': (fixture) =>
    imagesRequest(fixture, { name: '2.0', digest: `sha256:${'d'.repeat(64)}`, total_size: 12 }),
  'DELETE /api/v4/projects/:id/registry/repositories/:repository_id/tags': (fixture) =>
    imagesRequest(fixture, { name_regex_delete: '.*', keep_n: 1, older_than: '1h' }),
  'GET /api/v4/projects/:id/registry/repositories/:repository_id/tags/:tag_name': (fixture) =>
    imagesRequest(fixture, {}, { tag_name: 'latest' }),
  'DELETE /api/v4/projects/:id/registry/repositories/:repository_id/tags/:tag_name': (fixture) =>
    imagesRequest(fixture, {}, { tag_name: '1.0' }),
  'GET /v2': async ({ server }) => {
    const response = await server.request('GET', '/jwt/auth?service=container_registry', { headers: BASIC });
    return { token: String(Object(response.json()).token) };
  },
  'GET /jwt/auth': () => ({ headers: BASIC, params: { service: 'container_registry' } }),
};
