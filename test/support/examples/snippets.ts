import { commentableSnippet } from '../../../server/features/snippets/commentable.ts';
import { createSnippet, type Snippet } from '../../../server/features/snippets/manageSnippets.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, inProject } from './fixture.ts';
import { notesExamples } from './notes.ts';

const madeSnippets = new WeakMap<Fixture, Promise<{ readonly own: Snippet; readonly inProject: Snippet }>>();

/** Returns a snippet of root and one of the project; shared by all requests of a fixture, because they take several git processes. */
function snippets(fixture: Fixture): Promise<{ readonly own: Snippet; readonly inProject: Snippet }> {
  let made = madeSnippets.get(fixture);
  if (made === undefined) {
    made = (async () => ({
      own: await makeSnippet(fixture),
      inProject: await makeSnippet(fixture, fixture.project.project.id),
    }))();
    madeSnippets.set(fixture, made);
  }
  return made;
}

function makeSnippet({ server, root }: Fixture, projectId?: number): Promise<Snippet> {
  const files = [{ path: 'lamp.txt', content: 'red\n' }];
  return createSnippet(server.platform, root, { projectId, title: 'Lamps', description: 'All', visibility: 'public', files });
}

const snippetInput = { title: 'Lamps', files: [{ file_path: 'lamp.txt', content: 'red' }] };

async function someSnippets(fixture: Fixture): Promise<Example> {
  await snippets(fixture);
  return { token: admin };
}

async function ofSnippet(fixture: Fixture): Promise<{ id: string }> {
  return { id: String((await snippets(fixture)).own.id) };
}

async function ofProjectSnippet(fixture: Fixture): Promise<Readonly<Record<string, string>>> {
  return inProject(fixture.project, { snippet_id: (await snippets(fixture)).inProject.id });
}

async function pageOfSnippet(fixture: Fixture): Promise<Readonly<Record<string, string>>> {
  return { full_path: fixture.project.project.full_path, id: String((await snippets(fixture)).inProject.id) };
}

const SNIPPET = '/api/v4/projects/:id/snippets/:snippet_id';

export const snippetExamples: Examples = {
  'GET /api/v4/snippets': (fixture) => someSnippets(fixture),
  'GET /api/v4/snippets/public': (fixture) => someSnippets(fixture),
  'GET /api/v4/snippets/all': (fixture) => someSnippets(fixture),
  'GET /api/v4/snippets/:id': async (fixture) => ({ token: admin, path: await ofSnippet(fixture) }),
  'GET /api/v4/snippets/:id/raw': async (fixture) => ({ token: admin, path: await ofSnippet(fixture) }),
  'GET /api/v4/snippets/:id/files/:ref/:file_path/raw': async (fixture) => ({
    token: admin,
    path: { ...(await ofSnippet(fixture)), ref: 'main', file_path: 'lamp.txt' },
  }),
  'POST /api/v4/snippets': () => ({ token: admin, params: snippetInput }),
  'PUT /api/v4/snippets/:id': async (fixture) => ({
    token: admin,
    path: await ofSnippet(fixture),
    params: { title: 'Another', description: 'New' },
  }),
  'DELETE /api/v4/snippets/:id': async (fixture) => ({
    token: admin,
    path: { id: String((await makeSnippet(fixture)).id) },
  }),
  'GET /api/v4/projects/:id/snippets': async (fixture) => {
    await snippets(fixture);
    return { token: admin, path: inProject(fixture.project) };
  },
  'GET /api/v4/projects/:id/snippets/:snippet_id': async (fixture) => ({ token: admin, path: await ofProjectSnippet(fixture) }),
  'GET /api/v4/projects/:id/snippets/:snippet_id/raw': async (fixture) => ({
    token: admin,
    path: await ofProjectSnippet(fixture),
  }),
  'GET /api/v4/projects/:id/snippets/:snippet_id/files/:ref/:file_path/raw': async (fixture) => ({
    token: admin,
    path: { ...(await ofProjectSnippet(fixture)), ref: 'HEAD', file_path: 'lamp.txt' },
  }),
  'POST /api/v4/projects/:id/snippets': ({ project }) => ({
    token: admin,
    path: inProject(project),
    params: { ...snippetInput, visibility: 'public' },
  }),
  'PUT /api/v4/projects/:id/snippets/:snippet_id': async (fixture) => ({
    token: admin,
    path: await ofProjectSnippet(fixture),
    params: { visibility: 'public' },
  }),
  'DELETE /api/v4/projects/:id/snippets/:snippet_id': async (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { snippet_id: (await makeSnippet(fixture, fixture.project.project.id)).id }),
  }),
  ...notesExamples(SNIPPET, async (fixture) => {
    const { inProject: snippet } = await snippets(fixture);
    return {
      path: await ofProjectSnippet(fixture),
      commentable: commentableSnippet(fixture.server.platform, fixture.project, snippet),
    };
  }),
  'GET /-/snippets/:id': async (fixture) => ({ path: await ofSnippet(fixture) }),
  'GET /-/snippets/:id/raw': async (fixture) => ({ path: await ofSnippet(fixture) }),
  'GET /-/snippets/:id/raw/*rest': async (fixture) => ({ path: { ...(await ofSnippet(fixture)), rest: 'main/lamp.txt' } }),
  'GET /*full_path/-/snippets/:id': async (fixture) => ({ path: await pageOfSnippet(fixture) }),
  'GET /*full_path/-/snippets/:id/raw': async (fixture) => ({ path: await pageOfSnippet(fixture) }),
  'GET /*full_path/-/snippets/:id/raw/*rest': async (fixture) => ({
    path: { ...(await pageOfSnippet(fixture)), rest: 'main/lamp.txt' },
  }),
};
