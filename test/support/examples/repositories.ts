import { createBranch, createTag } from '../../../server/features/pushes/refUpdates.ts';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, inProject } from './fixture.ts';

const repositories = new WeakMap<Fixture, Promise<FoundProject>>();

/** Returns a project with files, a branch and a tag; shared by all requests of a fixture, because it takes several git processes. */
export function codeProject(fixture: Fixture): Promise<FoundProject> {
  let made = repositories.get(fixture);
  if (made === undefined) {
    made = makeCodeProject(fixture);
    repositories.set(fixture, made);
  }
  return made;
}

async function makeCodeProject(fixture: Fixture): Promise<FoundProject> {
  const { server, root, fresh } = fixture;
  const found = createProject(server.platform, root, { name: fresh('code'), visibility: 'public' });
  await fillCode(fixture, found);
  return found;
}

export async function fillCode({ server: { platform }, root }: Fixture, found: FoundProject): Promise<void> {
  const create = (path: string) => ({ action: 'create', path, content: Buffer.from(`about ${path}\n`) }) as const;
  const actions = [create('README.md'), create('lamp.ts'), create('lamps/red.txt')];
  await createCommit(platform, found, root, { branch: 'main', message: 'First', actions });
  await createBranch(platform, found, root, 'topic', 'main');
  await createCommit(platform, found, root, { branch: 'topic', message: 'Second', actions: [create('lamps/green.txt')] });
  await createTag(platform, found, root, { name: 'v1', ref: 'main', message: 'The first one' });
}

/** Returns a request for a repository. */
export async function codeRequest(
  fixture: Fixture,
  more: Example['path'] = {},
  params: Example['params'] = {},
): Promise<Example> {
  return { token: admin, path: { ...inProject(await codeProject(fixture)), ...more }, params };
}

/** Returns a request for a page of a repository. */
export async function codePage(fixture: Fixture, more: Example['path'] = {}): Promise<Example> {
  return { path: { full_path: (await codeProject(fixture)).project.full_path, ...more } };
}

/** Id of the blob of README.md in `codeProject`. */
const BLOB = '6c57322133a1f3f13770ee5f3bbb3f8471a2a093';

export const repositoryExamples: Examples = {
  'GET /api/v4/projects/:id/repository/tree': (fixture) =>
    codeRequest(fixture, {}, { ref: 'topic', path: 'lamps', recursive: true }),
  'GET /api/v4/projects/:id/repository/blobs/:sha': (fixture) => codeRequest(fixture, { sha: BLOB }),
  'GET /api/v4/projects/:id/repository/blobs/:sha/raw': (fixture) => codeRequest(fixture, { sha: BLOB }),
  'GET /api/v4/projects/:id/repository/compare': (fixture) => codeRequest(fixture, {}, { from: 'main', to: 'topic' }),
  'GET /api/v4/projects/:id/repository/merge_base': (fixture) => codeRequest(fixture, {}, { refs: ['main', 'topic'] }),
  'GET /api/v4/projects/:id/repository/commits': (fixture) => codeRequest(fixture, {}, { ref_name: 'topic', with_stats: true }),
  'POST /api/v4/projects/:id/repository/commits': (fixture) => {
    const content = 'A new lamp\n';
    const actions = [{ action: 'create', file_path: `new/${fixture.fresh('lamp')}.txt`, content }];
    return codeRequest(fixture, {}, { branch: 'main', commit_message: 'Another lamp', actions });
  },
  'GET /api/v4/projects/:id/repository/commits/:sha': (fixture) => codeRequest(fixture, { sha: 'topic' }),
  'GET /api/v4/projects/:id/repository/commits/:sha/diff': (fixture) => codeRequest(fixture, { sha: 'topic' }),
  'GET /api/v4/projects/:id/repository/commits/:sha/refs': (fixture) => codeRequest(fixture, { sha: 'main' }, { type: 'all' }),
  'GET /api/v4/projects/:id/repository/commits/:sha/sequence': (fixture) => codeRequest(fixture, { sha: 'main' }),
  'GET /api/v4/projects/:id/repository/archive': (fixture) => codeRequest(fixture, {}, { sha: 'topic' }),
  'GET /api/v4/projects/:id/repository/archive.:extension': (fixture) =>
    codeRequest(fixture, { extension: 'zip' }, { path: 'lamps' }),
  'GET /api/v4/projects/:id/repository/contributors': (fixture) => codeRequest(fixture, {}, { order_by: 'name' }),
  'GET /api/v4/projects/:id/languages': (fixture) => codeRequest(fixture),
  'DELETE /api/v4/projects/:id/repository/merged_branches': (fixture) => codeRequest(fixture),
  'GET /api/v4/projects/:id/repository/branches': (fixture) => codeRequest(fixture, {}, { search: '^t', sort: 'updated_desc' }),
  'GET /api/v4/projects/:id/repository/branches/:branch': (fixture) => codeRequest(fixture, { branch: 'topic' }),
  'POST /api/v4/projects/:id/repository/branches': (fixture) =>
    codeRequest(fixture, {}, { branch: fixture.fresh('branch'), ref: 'main' }),
  'DELETE /api/v4/projects/:id/repository/branches/:branch': async (fixture) => {
    const branch = fixture.fresh('old');
    await createBranch(fixture.server.platform, await codeProject(fixture), fixture.root, branch, 'main');
    return codeRequest(fixture, { branch });
  },
  'GET /api/v4/projects/:id/repository/tags': (fixture) => codeRequest(fixture, {}, { order_by: 'name', search: 'v' }),
  'GET /api/v4/projects/:id/repository/tags/:tag_name': (fixture) => codeRequest(fixture, { tag_name: 'v1' }),
  'POST /api/v4/projects/:id/repository/tags': (fixture) =>
    codeRequest(fixture, {}, { tag_name: fixture.fresh('tag'), ref: 'main', message: 'Another one' }),
  'DELETE /api/v4/projects/:id/repository/tags/:tag_name': async (fixture) => {
    const name = fixture.fresh('old');
    await createTag(fixture.server.platform, await codeProject(fixture), fixture.root, { name, ref: 'main' });
    return codeRequest(fixture, { tag_name: name });
  },
  'GET /api/v4/projects/:id/repository/files/:file_path': (fixture) =>
    codeRequest(fixture, { file_path: 'lamps/red.txt' }, { ref: 'main' }),
  'GET /api/v4/projects/:id/repository/files/:file_path/raw': (fixture) => codeRequest(fixture, { file_path: 'lamps/red.txt' }),
  'GET /api/v4/projects/:id/repository/files/:file_path/blame': (fixture) =>
    codeRequest(fixture, { file_path: 'lamps/red.txt' }, { ref: 'main', range: { start: 1, end: 1 } }),
  'POST /api/v4/projects/:id/repository/files/:file_path': (fixture) =>
    codeRequest(
      fixture,
      { file_path: `files/${fixture.fresh('lamp')}.txt` },
      { branch: 'main', commit_message: 'Another lamp', content: 'A new lamp' },
    ),
  'PUT /api/v4/projects/:id/repository/files/:file_path': (fixture) =>
    codeRequest(
      fixture,
      { file_path: 'lamps/red.txt' },
      { branch: 'main', commit_message: 'A better lamp', content: fixture.fresh('Red lamp ') },
    ),
  'DELETE /api/v4/projects/:id/repository/files/:file_path': async (fixture) => {
    const path = `files/${fixture.fresh('old')}.txt`;
    const found = await codeProject(fixture);
    const input = { branch: 'main', message: 'A lamp that goes', actions: [{ action: 'create', path }] } as const;
    await createCommit(fixture.server.platform, found, fixture.root, input);
    return codeRequest(fixture, { file_path: path }, { branch: 'main', commit_message: 'It is gone' });
  },
  'GET /*full_path/-/archive/*rest': (fixture) => codePage(fixture, { rest: 'v1/code-v1.zip' }),
  'GET /*full_path/-/tree/*rest': (fixture) => codePage(fixture, { rest: 'topic/lamps' }),
  'GET /*full_path/-/blob/*rest': (fixture) => codePage(fixture, { rest: 'topic/lamps/green.txt' }),
  'GET /*full_path/-/raw/*rest': (fixture) => codePage(fixture, { rest: 'main/README.md' }),
  'GET /*full_path/-/commits/*rest': (fixture) => codePage(fixture, { rest: 'topic' }),
  'GET /*full_path/-/commit/:sha': (fixture) => codePage(fixture, { sha: 'topic' }),
  'GET /*full_path/-/compare/*rest': (fixture) => codePage(fixture, { rest: 'main...topic' }),
  'GET /*full_path/-/branches': (fixture) => codePage(fixture),
  'GET /*full_path/-/tags': (fixture) => codePage(fixture),
  'GET /*full_path/-/tags/*rest': async (fixture) => ({ ...(await codePage(fixture, { rest: 'v1' })), status: 303 }),
};
