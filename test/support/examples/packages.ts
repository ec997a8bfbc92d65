import { addFile, createPackage, type Package } from '../../../server/features/packages/managePackages.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, inGroup, inProject } from './fixture.ts';
import { pipelineIn } from './pipelines.ts';

/** Creates a package with two versions, a file and a pipeline, in a project without other packages. */
function packageIn(fixture: Fixture, project: FoundProject): Package {
  const { server, fresh } = fixture;
  const input = { name: fresh('package'), type: 'npm', tags: ['latest'] } as const;
  const pipelineIds = [pipelineIn(fixture, project).id];
  createPackage(server.platform, project, { ...input, version: '1.0', pipelineIds });
  const made = createPackage(server.platform, project, { ...input, version: '1.1', pipelineIds });
  const file = { name: 'a.tgz', size: 12, md5: 'a'.repeat(32), sha1: 'a'.repeat(40), sha256: 'a'.repeat(64) };
  addFile(server.platform, made, file);
  return made;
}

/** Returns a request for a package. */
function packageRequest(fixture: Fixture, params: Example['params'] = {}, more: Readonly<Record<string, number>> = {}): Example {
  const { project } = fixture;
  return { token: admin, path: inProject(project, { package_id: packageIn(fixture, project).id, ...more }), params };
}

export const packageExamples: Examples = {
  'GET /api/v4/projects/:id/packages': (fixture) => {
    packageIn(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { package_type: 'npm', order_by: 'name' } };
  },
  'GET /api/v4/groups/:id/packages': (fixture) => {
    const { server, root, group, fresh } = fixture;
    const project = createProject(server.platform, root, { name: fresh('packed'), namespaceId: group.group.id });
    packageIn(fixture, project);
    return { token: admin, path: inGroup(group), params: { order_by: 'project_path' } };
  },
  'POST /api/v4/projects/:id/packages': ({ project, fresh }) => ({
    token: admin,
    path: inProject(project),
    params: { name: fresh('package'), version: '1.0', package_type: 'npm', tags: ['latest'] },
  }),
  'GET /api/v4/projects/:id/packages/:package_id': (fixture) => packageRequest(fixture),
  'DELETE /api/v4/projects/:id/packages/:package_id': (fixture) => packageRequest(fixture),
  'GET /api/v4/projects/:id/packages/:package_id/pipelines': (fixture) => packageRequest(fixture),
  'GET /api/v4/projects/:id/packages/:package_id/package_files': (fixture) => packageRequest(fixture, { sort: 'desc' }),
  'POST /api/v4/projects/:id/packages/:package_id/package_files': (fixture) =>
    packageRequest(fixture, { file_name: 'b.tgz', size: 7, file_sha256: 'b'.repeat(64) }),
  'DELETE /api/v4/projects/:id/packages/:package_id/package_files/:package_file_id': (fixture) => {
    const { server, project } = fixture;
    const made = packageIn(fixture, project);
    const file = addFile(server.platform, made, { name: 'c.tgz', size: 1 });
    return { token: admin, path: inProject(project, { package_id: made.id, package_file_id: file.id }) };
  },
  'GET /*full_path/-/packages/:package_id': (fixture) => ({
    path: { full_path: 'root/lamps', package_id: String(packageIn(fixture, fixture.project).id) },
  }),
};
