import assert from 'node:assert/strict';
import { setArchived } from '../../../server/features/projects/manageProjects.ts';
import { findProject, type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

interface Wire {
  readonly id: number;
  readonly web_url: string;
  readonly raw_url: string;
  readonly files: readonly { readonly path: string; readonly raw_url: string }[];
}

describe('snippets', function () {
  let server: TestServer;
  let ada: Actor;
  let bob: Actor;
  let eve: Actor;
  let outsider: Actor;
  let lamps: FoundProject;

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    [ada, bob, eve] = [actor(platform, 'ada'), actor(platform, 'bob'), actor(platform, 'eve')];
    outsider = actor(platform, 'outsider', { external: true });
    lamps = projectWith(platform, ada, { name: 'Lamps', visibility: 'public' }, [
      [bob, 20],
      [eve, 10],
    ]);
  });
  after(() => server.close());

  const call = (method: string, path: string, as?: Actor, json?: unknown): Promise<TestResponse> =>
    server.request(method, `/api/v4${path}`, {
      ...(as === undefined ? {} : { token: as.token }),
      ...(json === undefined ? {} : { json }),
    });
  const made = async (input: Record<string, unknown> = {}, as = ada, path = '/snippets'): Promise<Wire> => {
    const files = { files: [{ file_path: 'a.txt', content: 'A\n' }] };
    const response = await call('POST', path, as, { title: 'Lamps', ...('content' in input ? {} : files), ...input });
    assert.equal(response.status, 201, response.text);
    return response.json() as Wire;
  };
  const inLamps = (): string => `/projects/${lamps.project.id}/snippets`;
  const rawOf = async ({ id }: Wire, path: string, as = ada): Promise<string> =>
    (await call('GET', `/snippets/${id}/files/main/${encodeURIComponent(path)}/raw`, as)).text;

  it('snippets are created from one file or several, and include their locations', async () => {
    const one = await made({ file_name: 'lamp.rb', content: 'puts 1', description: 'One', visibility: 'private' });
    assert.partialDeepStrictEqual(one, {
      title: 'Lamps',
      description: 'One',
      visibility: 'private',
      author: { username: 'ada' },
      project_id: null,
      web_url: `${server.origin}/-/snippets/${one.id}`,
      raw_url: `${server.origin}/-/snippets/${one.id}/raw`,
      http_url_to_repo: `${server.origin}/snippets/${one.id}.git`,
      file_name: 'lamp.rb',
      files: [{ path: 'lamp.rb', raw_url: `${server.origin}/-/snippets/${one.id}/raw/main/lamp.rb` }],
    });
    assert.equal((await call('GET', `/snippets/${one.id}/raw`, ada)).text, 'puts 1');
    const several = await made({
      files: [
        { file_path: 'b/c d.txt', content: 'C' },
        { file_path: 'a.txt', content: 'A' },
      ],
    });
    assert.deepEqual(
      several.files.map(({ path }) => path),
      ['a.txt', 'b/c d.txt'],
    );
    assert.equal(await rawOf(several, 'b/c d.txt'), 'C');
    assert.equal((await made()).files.length, 1);
    assert.partialDeepStrictEqual(await made(), { visibility: 'internal' });
  });

  for (const [what, input, body] of [
    ['without a title', { title: undefined, content: 'x', file_name: 'x' }, { error: 'title is missing, title is empty' }],
    [
      'with a title that is too long',
      { title: 'x'.repeat(256), content: 'x', file_name: 'x' },
      { message: { title: ['is too long (maximum is 255 characters)'] } },
    ],
    ['without files', {}, { error: 'files, content are missing, exactly one parameter must be provided' }],
    ['with files and content', { files: [], content: 'x', file_name: 'x' }, { error: 'files, content are mutually exclusive' }],
    ['with content but no name', { content: 'x' }, { error: 'file_name is missing' }],
    ['with an empty list of files', { files: [] }, { message: 'Snippet must have at least one file' }],
    ['with a file without a path', { files: [{ content: 'x' }] }, { error: 'files[0][file_path] is missing' }],
    [
      'with a path outside of the repository',
      { files: [{ file_path: '../x', content: 'x' }] },
      { message: 'Path cannot include directory traversal' },
    ],
    [
      'with a duplicate path',
      {
        files: [
          { file_path: 'x', content: 'x' },
          { file_path: 'x', content: 'y' },
        ],
      },
      { message: 'A file with this name already exists' },
    ],
    [
      'with too many files',
      { files: Array.from({ length: 11 }, (_, index) => ({ file_path: `f${index}`, content: 'x' })) },
      { message: "Snippet files can't be more than 10" },
    ],
    [
      'with an unknown visibility',
      { content: 'x', file_name: 'x', visibility: 'some' },
      { error: 'visibility does not have a valid value' },
    ],
  ] as const) {
    it(`snippets are refused ${what}, and nothing is stored`, async () => {
      const count = (): unknown => [
        server.platform.store.get('SELECT count(*) AS n FROM snippets'),
        server.platform.store.get('SELECT count(*) AS n FROM single_repositories'),
      ];
      const before = count();
      const response = await call('POST', '/snippets', ada, { title: 'Lamps', ...input });
      assert.deepEqual([response.status, response.json()], [400, body]);
      assert.deepEqual(count(), before);
    });
  }

  it('snippets update title, description and files, all or nothing', async () => {
    const snippet = await made();
    const put = (json: unknown): Promise<TestResponse> => call('PUT', `/snippets/${snippet.id}`, ada, json);
    assert.partialDeepStrictEqual((await put({ title: 'New', description: 'Words', visibility: 'public' })).json(), {
      title: 'New',
      description: 'Words',
      visibility: 'public',
    });
    assert.partialDeepStrictEqual((await put({ content: 'B' })).json(), { file_name: 'a.txt' });
    assert.equal(await rawOf(snippet, 'a.txt'), 'B');
    assert.partialDeepStrictEqual((await put({ file_name: 'b.txt' })).json(), { file_name: 'b.txt' });
    assert.equal(await rawOf(snippet, 'b.txt'), 'B');
    const files = [
      { action: 'create', file_path: 'c.txt', content: 'C' },
      { action: 'move', file_path: 'd.txt', previous_path: 'b.txt' },
      { action: 'update', file_path: 'd.txt', content: 'D' },
    ];
    const changed = (await put({ files })).json() as Wire;
    assert.deepEqual(
      changed.files.map(({ path }) => path),
      ['c.txt', 'd.txt'],
    );
    assert.equal(await rawOf(snippet, 'd.txt'), 'D');
    for (const [json, body] of [
      [
        {},
        {
          error: 'content, description, files, file_name, title, visibility are missing, at least one parameter must be provided',
        },
      ],
      [{ content: 'x' }, { message: 'To update Snippets with multiple files, you must use the `files` parameter' }],
      [
        { files: [{ action: 'update', file_path: 'none', content: 'x' }], title: 'Lost' },
        { message: "A file with this name doesn't exist" },
      ],
      [{ files: [{ action: 'chmod', file_path: 'c.txt' }] }, { error: 'files[0][action] does not have a valid value' }],
      [
        { files: ['c.txt', 'd.txt'].map((path) => ({ action: 'delete', file_path: path })) },
        { message: 'Snippet must have at least one file' },
      ],
    ] as const) {
      const response = await put(json);
      assert.deepEqual([response.status, response.json()], [400, body]);
    }
    const stored = (await call('GET', `/snippets/${snippet.id}`, ada)).json();
    assert.partialDeepStrictEqual(stored, { title: 'New', files: [{ path: 'c.txt' }, { path: 'd.txt' }] });
    assert.equal((await call('DELETE', `/snippets/${snippet.id}`, ada)).status, 204);
    assert.equal((await call('GET', `/snippets/${snippet.id}`, ada)).status, 404);
  });

  it('snippets are visible according to their visibility, alone and in lists', async () => {
    const own = new Map<string, Wire>();
    for (const visibility of ['private', 'internal', 'public']) own.set(visibility, await made({ visibility }));
    const inProject = new Map<string, Wire>();
    for (const visibility of ['private', 'internal', 'public'])
      inProject.set(visibility, await made({ visibility }, ada, inLamps()));
    const root: Actor = { ...ada, token: server.adminToken };
    const stranger = actor(server.platform, 'stranger');
    for (const [who, as, seen, seenInProject] of [
      ['its author', ada, ['private', 'internal', 'public'], ['private', 'internal', 'public']],
      ['an administrator', root, ['private', 'internal', 'public'], ['private', 'internal', 'public']],
      ['a guest of the project', eve, ['internal', 'public'], ['private', 'internal', 'public']],
      ['a user who is not a member', stranger, ['internal', 'public'], ['internal', 'public']],
      ['an external user', outsider, ['public'], ['public']],
      ['nobody', undefined, ['public'], ['public']],
    ] as const) {
      const all =
        as === undefined ? [] : ((await call('GET', '/snippets/all?per_page=100', as)).json() as Wire[]).map(({ id }) => id);
      const listed = ((await call('GET', `${inLamps()}?per_page=100`, as)).json() as Wire[]).map(({ id }) => id);
      for (const [visibility, { id }] of own) {
        const isSeen = seen.some((one) => one === visibility);
        const response = await call('GET', `/snippets/${id}`, as);
        assert.equal(response.status, isSeen ? 200 : 404, `${who}, ${visibility}`);
        if (!isSeen) assert.deepEqual(response.json(), { message: '404 Snippet Not Found' });
        assert.equal((await call('GET', `/snippets/${id}/raw`, as)).status, isSeen ? 200 : 404);
        if (as !== undefined) assert.equal(all.includes(id), isSeen, `${who}, ${visibility} in the list of all`);
      }
      for (const [visibility, { id }] of inProject) {
        const isSeen = seenInProject.some((one) => one === visibility);
        assert.equal(
          (await call('GET', `${inLamps()}/${id}`, as)).status,
          isSeen ? 200 : 404,
          `${who}, ${visibility} in the list of the project`,
        );
        assert.equal(listed.includes(id), isSeen, `${who}, ${visibility} listed`);
        if (as !== undefined) assert.equal(all.includes(id), isSeen, `${who}, ${visibility} of the project in the list of all`);
      }
    }
    const open = ((await call('GET', '/snippets/public?per_page=100', eve)).json() as Wire[]).map(({ id }) => id);
    assert.ok(open.includes(own.get('public')?.id ?? 0));
    assert.ok(!open.includes(own.get('internal')?.id ?? 0) && !open.includes(inProject.get('public')?.id ?? 0));
    const mine = ((await call('GET', '/snippets?per_page=100', ada)).json() as Wire[]).map(({ id }) => id);
    assert.ok(mine.includes(own.get('private')?.id ?? 0) && mine.includes(inProject.get('private')?.id ?? 0));
    assert.deepEqual((await call('GET', '/snippets', eve)).json(), []);
    assert.equal((await call('GET', '/snippets')).status, 401);
    assert.equal((await call('GET', `${inLamps()}/${own.get('public')?.id}`, ada)).status, 404);
  });

  it('snippets can be created by permitted users, and updated by authors and maintainers', async () => {
    assert.equal(
      (await call('POST', inLamps(), eve, { title: 'x', content: 'x', file_name: 'x', visibility: 'public' })).status,
      403,
    );
    assert.equal((await call('POST', '/snippets', outsider, { title: 'x', content: 'x', file_name: 'x' })).status, 403);
    const snippet = await made({ visibility: 'public' }, bob, inLamps());
    for (const as of [eve, outsider]) {
      assert.equal((await call('PUT', `${inLamps()}/${snippet.id}`, as, { title: 'x' })).status, 403);
      assert.equal((await call('DELETE', `${inLamps()}/${snippet.id}`, as)).status, 403);
    }
    for (const as of [bob, ada]) assert.equal((await call('PUT', `${inLamps()}/${snippet.id}`, as, { title: 'y' })).status, 200);
    const found = findProject(server.platform, lamps.project.id, { user: ada.user });
    assert.ok(found);
    setArchived(server.platform, found.project, true);
    assert.equal((await call('PUT', `${inLamps()}/${snippet.id}`, bob, { title: 'z' })).status, 403);
    setArchived(server.platform, found.project, false);
    assert.equal((await call('DELETE', `${inLamps()}/${snippet.id}`, ada)).status, 204);
  });

  it('snippets offer only their latest files, raw and never executed', async () => {
    const { id } = await made({ file_name: 'a b.html', content: '<script>1</script>', visibility: 'public' });
    const response = await call('GET', `/snippets/${id}/files/HEAD/a%20b.html/raw`);
    assert.deepEqual([response.status, response.text], [200, '<script>1</script>']);
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    for (const rest of [
      'files/other/a%20b.html/raw',
      'files/main/none/raw',
      'files/main%5E/a%20b.html/raw',
      'files/--all/..%2Fx/raw',
    ]) {
      assert.equal((await call('GET', `/snippets/${id}/${rest}`)).status, 404, rest);
    }
  });

  it('snippets have safe pages for users who can see them', async () => {
    const evil = '<script>alert(1)</script>';
    const input = {
      title: evil,
      description: `# ${evil}`,
      visibility: 'internal',
      files: [{ file_path: `${evil}.md`, content: evil }],
    };
    const nobody = new PageClient(server);
    const asEve = new PageClient(server);
    await asEve.signIn('eve');
    for (const snippet of [await made(input), await made(input, ada, inLamps())]) {
      const page = await asEve.open(snippet.web_url);
      assert.equal(page.status, 200);
      assert.doesNotMatch(page.text, /<script/);
      assert.match(
        textOf(page.text),
        /^<script>alert\(1\)<\/script> .*internal .*ada Example .*1 <script>alert\(1\)<\/script>(?: Comments No comments yet\.)?$/,
      );
      for (const address of [snippet.raw_url, snippet.files[0]?.raw_url ?? '']) {
        const raw = await asEve.open(address);
        assert.equal(raw.text, evil);
        assert.equal(raw.headers.get('content-type'), 'text/plain; charset=utf-8');
        assert.equal(raw.headers.get('content-security-policy'), "default-src 'none'; sandbox");
      }
      for (const address of [snippet.web_url, snippet.raw_url, snippet.files[0]?.raw_url ?? '']) {
        const location = (await nobody.open(address)).headers.get('location') ?? '';
        assert.ok(location.startsWith('/users/sign_in?return_to='), location);
      }
    }
    const secret = await made({ visibility: 'private' });
    for (const address of [
      secret.web_url,
      secret.raw_url,
      `${server.origin}/ada/lamps/-/snippets/${secret.id}`,
      '/-/snippets/x',
    ]) {
      assert.equal((await asEve.open(address)).status, 404, address);
    }
  });
});

it('snippets survive the clean-up of repositories', async () => {
  using folder = temporaryFolder();
  await using server = await startTestServer({ dataFolder: folder.path });
  const ada = actor(server.platform, 'ada');
  const json = { title: 'Lamps', file_name: 'a.txt', content: 'A', visibility: 'public' };
  const { id } = (await server.request('POST', '/api/v4/snippets', { token: ada.token, json })).json() as { id: number };
  await server.request('POST', '/api/v4/projects', { token: ada.token, json: { name: 'Lamps', initialize_with_readme: true } });
  assert.equal((await server.request('GET', `/api/v4/snippets/${id}/raw`)).text, 'A');
});

it('without git snippets are refused with an error, but listed', async () => {
  await using server = await startTestServer({ git: 'no-such-git' });
  const ada = actor(server.platform, 'ada');
  const json = { title: 'Lamps', file_name: 'a.txt', content: 'A' };
  const refused = await server.request('POST', '/api/v4/snippets', { token: ada.token, json });
  assert.equal(refused.status, 503);
  assert.match(refused.text, /Git is not installed/);
  assert.deepEqual((await server.request('GET', '/api/v4/snippets', { token: ada.token })).json(), []);
});
