import assert from 'node:assert/strict';
import { type Actor, projectWith } from '../projects/cast.ts';
import { formsOf, PageClient, textOf } from '../../support/pages.ts';
import { type TestResponse, type TestServer } from '../../support/server.ts';
import { REQUESTS, type Stage, startStage } from './stage.ts';

const ACTION = '/ada/lamps/-/merge_requests';
const linkTo = (branch: string, action = ACTION): string =>
  `${action}/new?merge_request%5Bsource_branch%5D=${encodeURIComponent(branch)}`;
/** Returns the values of a form as fields of a merge request. */
const fields = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`merge_request[${name}]`, value]));

describe('the form for a new merge request', () => {
  let server: TestServer;
  let stage: Stage;
  beforeEach(async () => {
    stage = await startStage();
    ({ server } = stage);
  });
  afterEach(() => server.close());

  const signedIn = async ({ user }: Actor): Promise<PageClient> => {
    const client = new PageClient(server);
    await client.signIn(user.username);
    return client;
  };
  /** Opens the form as a developer, and sends it with some values. */
  const submit = async (values: Readonly<Record<string, string>>, who = stage.dev): Promise<TestResponse> => {
    const client = await signedIn(who);
    return client.submit(await client.open(linkTo('topic')), ACTION, fields(values));
  };
  const count = async (): Promise<number> => ((await stage.send('GET', REQUESTS, stage.ada)).json() as unknown[]).length;

  it('creates the merge request of a link, with the title of the newest commit', async () => {
    const client = await signedIn(stage.dev);
    const page = await client.open(linkTo('topic'));
    assert.equal(page.status, 200);
    const {
      '': _button,
      authenticity_token: _token,
      ...values
    } = formsOf(page.text).find(({ action }) => action === ACTION)?.fields ?? {};
    assert.deepEqual(values, fields({ source_branch: 'topic', target_branch: 'main', title: 'Green' }));
    const sent = await client.submit(page, ACTION, fields({ description: 'They shine.\r\n\r\nCloses #1' }));
    assert.equal(sent.headers.get('location'), `${ACTION}/1`);
    assert.match(textOf((await client.follow(sent)).text), /Green.*They shine.*topic into main/);
    assert.partialDeepStrictEqual(await stage.get(), {
      title: 'Green',
      description: 'They shine.\n\nCloses #1',
      source_branch: 'topic',
      target_branch: 'main',
      author: { username: 'dev' },
      state: 'opened',
    });
  });

  it('takes the other values of a link, and keeps odd names and titles', async () => {
    const branch = "ö/a&b='<i>";
    await stage.branch(branch);
    const client = await signedIn(stage.dev);
    const title = 'Draft: <script>alert("1")</script> & more';
    const query = new URLSearchParams(
      fields({ source_branch: 'topic', target_branch: branch, title, description: '</textarea>' }),
    );
    const page = await client.open(`${ACTION}/new?${query.toString()}`);
    assert.ok(!page.text.includes('<script>alert'), page.text);
    assert.ok(page.text.includes('&lt;/textarea&gt;</textarea>'), page.text);
    await client.submit(page, ACTION);
    assert.partialDeepStrictEqual(await stage.get(), { title, target_branch: branch, draft: true });
  });

  it('sends anonymous visitors to the sign-in page and back, and demands the token of the form', async () => {
    const client = new PageClient(server);
    const redirection = await client.open(linkTo('topic'));
    assert.equal(redirection.status, 303);
    assert.equal(redirection.headers.get('location'), `/users/sign_in?return_to=${encodeURIComponent(linkTo('topic'))}`);
    const values = fields({ source_branch: 'topic', target_branch: 'main', title: 'Green' });
    assert.equal((await client.post(ACTION, values)).status, 403);
    assert.equal((await (await signedIn(stage.dev)).post(ACTION, values)).status, 403);
    assert.equal(await count(), 0);
  });

  for (const [what, values, text] of [
    ['no source branch', { source_branch: 'gone' }, 'The branch gone does not exist in ada/lamps.'],
    ['no target branch', { target_branch: 'gone' }, 'The target branch does not exist.'],
    ['one branch twice', { source_branch: 'main' }, "You can't use same project/branch for source and target."],
    ['no title', { title: ' ' }, "The title can't be blank."],
    ['a title that is too long', { title: 'a'.repeat(256) }, 'The title is too long (maximum is 255 characters).'],
    [
      'another target project',
      { target_project_id: '999' },
      'The target project is neither this project nor the one it was forked from.',
    ],
  ] as const) {
    it(`refuses ${what} in words, and keeps the other values`, async () => {
      const response = await submit({ title: 'Kept', ...values });
      assert.equal(response.status, what === 'another target project' ? 404 : 422);
      assert.ok(textOf(response.text).includes(text), textOf(response.text));
      const shown = formsOf(response.text).find(({ action }) => action === ACTION)?.fields ?? {};
      assert.equal(shown['merge_request[title]'], { title: 'Kept', ...values }.title.trim());
      assert.equal(await count(), 0);
      assert.ok(server.platform.requestLog.list(10).some(({ refusal }) => refusal !== null));
    });
  }

  it('says that the branch of a link does not exist', async () => {
    const page = await (await signedIn(stage.dev)).open(linkTo('gone'));
    assert.equal(page.status, 200);
    assert.ok(textOf(page.text).includes('The branch gone does not exist in ada/lamps.'), page.text);
  });

  it('links the merge request that is open already', async () => {
    await stage.open(stage.dev);
    const page = await (await signedIn(stage.dev)).open(linkTo('topic'));
    const again = await submit({});
    assert.deepEqual([page.status, again.status], [200, 422]);
    for (const { text } of [page, again]) {
      assert.ok(textOf(text).includes('The merge request !1 from topic into main is open already.'), text);
      assert.ok(text.includes(`<a href="${ACTION}/1">!1</a>`), text);
    }
    assert.equal(await count(), 1);
  });

  it('requires the developer role and a project that is not archived', async () => {
    const client = await signedIn(stage.rita);
    const page = await client.open(linkTo('topic'));
    assert.equal(page.status, 403);
    assert.match(textOf(page.text), /requires at least the Developer role/);
    const list = await client.open(ACTION);
    assert.ok(!list.text.includes(`${ACTION}/new`), list.text);
    const token = formsOf(list.text).find(({ action }) => action === '/users/sign_out')?.fields['authenticity_token'] ?? '';
    const values = fields({ source_branch: 'topic', target_branch: 'main', title: 'Green' });
    assert.equal((await client.post(ACTION, { ...values, authenticity_token: token })).status, 403);
    assert.equal(await count(), 0);

    const developer = await signedIn(stage.dev);
    assert.ok((await developer.open(ACTION)).text.includes(`${ACTION}/new`));
    assert.equal((await stage.send('POST', '/api/v4/projects/1/archive', stage.ada)).status, 201);
    const archived = await developer.open(linkTo('topic'));
    assert.equal(archived.status, 403);
    assert.match(textOf(archived.text), /This project is archived/);

    const hidden = projectWith(server.platform, stage.ada, { name: 'Hidden' });
    assert.equal((await developer.open(`/${hidden.project.full_path}/-/merge_requests/new`)).status, 404);
  });

  it('offers the source of a fork as target first', async () => {
    const response = await stage.send('POST', '/api/v4/projects/1/fork', stage.otto);
    const { id, path_with_namespace: path } = response.json() as { id: number; path_with_namespace: string };
    const action = `/${path}/-/merge_requests`;
    const client = await signedIn(stage.otto);
    const page = await client.open(linkTo('topic', action));
    assert.match(textOf(page.text), /Target project.*ada\/lamps.*otto\/lamps/);
    const upstream = await client.submit(page, action);
    assert.equal(upstream.headers.get('location'), `${ACTION}/1`);
    assert.partialDeepStrictEqual(await stage.get(), { source_project_id: id, target_project_id: 1 });
    const own = await client.submit(page, action, fields({ target_project_id: String(id) }));
    assert.equal(own.headers.get('location'), `${action}/1`);
  });
});
