import assert from 'node:assert/strict';
import { createTag, removeRef } from '../../../server/features/pushes/refUpdates.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { createMilestone, deleteMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith, seenBy } from '../projects/cast.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

describe('releases', function () {
  let server: TestServer;
  let ada: Actor;
  let dev: Actor;
  let guest: Actor;
  let lamps: FoundProject;
  let head: string;
  let count = 0;

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    [ada, dev, guest] = [actor(platform, 'ada'), actor(platform, 'dev'), actor(platform, 'guest')];
    lamps = projectWith(platform, ada, { name: 'Lamps' }, [
      [dev, 30],
      [guest, 10],
    ]);
    head = await commitFiles(platform, lamps, ada, { 'README.md': 'Lamps' });
    await createTag(platform, seenBy(platform, lamps, ada), ada.user, { name: 'v1', ref: 'main' });
  });
  after(() => server.close());

  const call = (method: string, path: string, json?: unknown, as = dev): Promise<TestResponse> =>
    server.request(method, `/api/v4/projects/${lamps.project.id}/releases${path}`, {
      token: as.token,
      ...(json === undefined ? {} : { json }),
    });
  const made = async (input: Record<string, unknown> = {}): Promise<string> => {
    const tag = `t${(count += 1)}/x`;
    const response = await call('POST', '', { tag_name: tag, ref: 'main', ...input });
    assert.equal(response.status, 201, response.text);
    return tag;
  };
  const at = (tag: string): string => `/${encodeURIComponent(tag)}`;

  it('releases are created for an existing tag, with its name and commit', async () => {
    const response = await call('POST', '', { tag_name: 'v1', description: 'The **first** one' });
    assert.equal(response.status, 201, response.text);
    assert.partialDeepStrictEqual(response.json(), {
      tag_name: 'v1',
      name: 'v1',
      description: 'The **first** one',
      upcoming_release: false,
      author: { username: 'dev' },
      commit: { id: head },
      commit_path: `/ada/lamps/-/commit/${head}`,
      tag_path: '/ada/lamps/-/tags/v1',
      assets: { count: 3, links: [] },
      _links: { self: `${server.origin}/ada/lamps/-/releases/v1` },
    });
    const again = await call('POST', '', { tag_name: 'v1' });
    assert.deepEqual([again.status, again.json()], [409, { message: 'Release already exists' }]);
    const tag = await server.request('GET', `/api/v4/projects/${lamps.project.id}/repository/tags/v1`, { token: dev.token });
    assert.partialDeepStrictEqual(tag.json(), { release: { tag_name: 'v1', description: 'The **first** one' } });
    const withHtml = await call('GET', '/v1?include_html_description=true');
    assert.partialDeepStrictEqual(withHtml.json(), { description_html: '<p>The <strong>first</strong> one</p>\n' });
  });

  it('releases create the tag from a ref, annotated if there is a message', async () => {
    const tag = await made({ tag_message: 'Lamps are on', name: 'On' });
    const response = await server.request('GET', `/api/v4/projects/${lamps.project.id}/repository/tags${at(tag)}`, {
      token: dev.token,
    });
    assert.partialDeepStrictEqual(response.json(), { message: 'Lamps are on', commit: { id: head } });
  });

  for (const [what, input, status, body] of [
    ['without a tag', {}, 400, { error: 'tag_name is missing' }],
    ['for a missing tag without a ref', { tag_name: 'none' }, 422, { message: 'Ref is not specified' }],
    ['for an unknown ref', { tag_name: 'none', ref: 'nowhere' }, 400, { message: 'Target nowhere is invalid' }],
    ['for an invalid tag name', { tag_name: 'a..b', ref: 'main' }, 400, { message: 'Tag name invalid' }],
    [
      'with a name that is too long',
      { tag_name: 'none', ref: 'main', name: 'x'.repeat(256) },
      400,
      { message: 'Validation failed: Name is too long (maximum is 255 characters)' },
    ],
    ['with an invalid time', { tag_name: 'none', ref: 'main', released_at: 'soon' }, 400, { error: 'released_at is invalid' }],
    ['with invalid assets', { tag_name: 'none', ref: 'main', assets: 'x' }, 400, { error: 'assets is invalid' }],
    [
      'with a link without a URL',
      { tag_name: 'none', ref: 'main', assets: { links: [{ name: 'a' }] } },
      400,
      { error: 'assets[links][0][url] is missing' },
    ],
    [
      'with a link of a script scheme',
      { tag_name: 'none', ref: 'main', assets: { links: [{ name: 'a', url: 'javascript:alert(1)' }] } },
      400,
      { message: 'Validation failed: Links url is blocked: Only allowed schemes are http, https, ftp' },
    ],
  ] as const) {
    it(`releases are refused ${what}, without creating a tag`, async () => {
      const response = await call('POST', '', input);
      assert.deepEqual([response.status, response.json()], [status, body]);
      const tag = await server.request('GET', `/api/v4/projects/${lamps.project.id}/repository/tags/none`, { token: dev.token });
      assert.equal(tag.status, 404);
    });
  }

  it('releases in the future are marked as upcoming until the day has come', async () => {
    const later = new Date(server.platform.clock.now() + 86_400_000).toISOString();
    const tag = await made({ released_at: later });
    assert.partialDeepStrictEqual((await call('GET', at(tag))).json(), { upcoming_release: true, released_at: later });
    const latest = await call('GET', '/permalink/latest?include_html_description=true&order_by=x');
    assert.equal(latest.status, 302);
    assert.equal(
      latest.headers.get('location'),
      `${server.origin}/api/v4/projects/${lamps.project.id}/releases${at(tag)}?include_html_description=true`,
    );
    const now = new Date(server.platform.clock.now()).toISOString();
    assert.partialDeepStrictEqual((await call('PUT', at(tag), { released_at: now })).json(), { upcoming_release: false });
  });

  it('releases can be sorted by release or creation, and filtered by update', async () => {
    const old = await made({ released_at: '2001-01-01T00:00:00Z' });
    const names = async (query: string): Promise<string[]> =>
      ((await call('GET', `?per_page=100&${query}`)).json() as { tag_name: string }[]).map((one) => one.tag_name);
    assert.equal((await names('sort=asc'))[0], old);
    assert.equal((await names('order_by=created_at'))[0], old);
    assert.deepEqual(await names('updated_after=2999-01-01T00:00:00Z'), []);
    assert.deepEqual(await names('updated_before=2001-01-01T00:00:00Z'), []);
  });

  it('releases are updated and deleted, and their tags stay', async () => {
    const tag = await made();
    assert.partialDeepStrictEqual((await call('PUT', at(tag), { name: 'Two', description: 'New' })).json(), {
      name: 'Two',
      description: 'New',
    });
    const empty = await call('PUT', at(tag), {});
    assert.deepEqual([empty.status, empty.json()], [400, { message: 'params is empty' }]);
    const gone = await call('DELETE', at(tag));
    assert.equal(gone.status, 200);
    assert.partialDeepStrictEqual(gone.json(), { tag_name: tag });
    const missing = await call('GET', at(tag));
    assert.deepEqual([missing.status, missing.json()], [404, { message: '404 Not Found' }]);
    assert.equal((await call('PUT', at(tag), { name: 'x' })).status, 403);
    assert.equal((await call('DELETE', at(tag))).status, 403);
    assert.equal((await call('POST', '', { tag_name: tag })).status, 201);
  });

  it('releases have milestones by title or id, of the project and its groups, with their progress', async () => {
    const { platform } = server;
    const container = { kind: 'project', id: lamps.project.id } as const;
    const first = createMilestone(platform, container, ada.user, { title: 'First' });
    const second = createMilestone(platform, container, ada.user, { title: 'Second' });
    createIssue(platform, lamps, ada.user, { title: 'Done', milestoneId: first.id });
    const titles = (response: TestResponse): unknown =>
      (response.json() as { milestones?: { title: string }[] }).milestones?.map(({ title }) => title);
    const tag = await made({ milestones: ['First'] });
    const one = (await call('GET', at(tag))).json() as { milestones: unknown[] };
    assert.equal(one.milestones.length, 1);
    assert.partialDeepStrictEqual(one.milestones[0], { id: first.id, issue_stats: { total: 1, closed: 0 } });
    const moved = await call('PUT', at(tag), { milestone_ids: [second.id] });
    assert.deepEqual(titles(moved), ['Second'], moved.text);
    assert.deepEqual(titles(await call('PUT', at(tag), { name: 'Same' })), ['Second']);
    assert.deepEqual(titles(await call('PUT', at(tag), { milestones: [] })), undefined);
    for (const [input, body] of [
      [{ milestones: ['First', 'None', 'Nor'] }, { message: 'Milestone(s) not found: None, Nor' }],
      [{ milestone_ids: [first.id, 999] }, { message: 'Milestone id(s) not found: 999' }],
      [
        { milestones: ['First'], milestone_ids: [first.id] },
        { error: 'milestones, milestone_ids Cannot specify milestones and milestone_ids at the same time' },
      ],
    ] as const) {
      for (const response of [
        await call('PUT', at(tag), input),
        await call('POST', '', { tag_name: 'none', ref: 'main', ...input }),
      ]) {
        assert.deepEqual([response.status, response.json()], [400, body]);
      }
    }
    await call('PUT', at(tag), { milestone_ids: [second.id] });
    deleteMilestone(platform, second, ada.user);
    assert.equal(titles(await call('GET', at(tag))), undefined);
  });

  it('releases are deleted with their tag', async () => {
    const tag = await made();
    await removeRef(server.platform, seenBy(server.platform, lamps, ada), ada.user, 'tag', tag);
    assert.equal((await call('GET', at(tag))).status, 404);
  });

  it('releases have links with unique names and URLs', async () => {
    const tag = await made({ assets: { links: [{ name: 'Image', url: 'https://files.example/1', link_type: 'image' }] } });
    const links = `${at(tag)}/assets/links`;
    const input = { name: 'Book', url: 'https://files.example/2', direct_asset_path: '/docs/book.pdf' };
    const response = await call('POST', links, input);
    assert.equal(response.status, 201, response.text);
    const link = response.json() as { id: number };
    assert.deepEqual(response.json(), {
      id: link.id,
      name: 'Book',
      url: 'https://files.example/2',
      direct_asset_url: `${server.origin}/ada/lamps/-/releases${at(tag)}/downloads/docs/book.pdf`,
      link_type: 'other',
    });
    for (const [json, message] of [
      [input, { name: ['has already been taken'], url: ['has already been taken'], filepath: ['has already been taken'] }],
      [{ name: '', url: 'https://x.example' }, { name: ["can't be blank"] }],
      [{ name: 'a', url: 'data:text/html,x' }, { url: ['is blocked: Only allowed schemes are http, https, ftp'] }],
      [{ name: 'a', url: 'https://x.example', filepath: '/../x' + '/'.repeat(100) }, { filepath: ['is in an invalid format'] }],
      [{ name: 'a', url: 'https://x.example', filepath: 'docs' }, { filepath: ['is in an invalid format'] }],
    ] as const) {
      const refused = await call('POST', links, json);
      assert.deepEqual([refused.status, refused.json()], [400, { message }]);
    }
    const changed = await call('PUT', `${links}/${link.id}`, { name: 'Manual', link_type: 'runbook' });
    assert.partialDeepStrictEqual(changed.json(), { name: 'Manual', link_type: 'runbook', url: input.url });
    assert.equal((await call('PUT', `${links}/${link.id}`, { link_type: 'image' })).status, 400);
    assert.partialDeepStrictEqual((await call('GET', at(tag))).json(), { assets: { count: 5 } });
    assert.equal((await call('DELETE', `${links}/${link.id}`)).status, 200);
    assert.equal((await call('GET', `${links}/${link.id}`)).status, 404);
  });

  it('releases can be written by developers, and are visible to everyone, without code for guests', async () => {
    const tag = await made();
    for (const [method, path, json] of [
      ['POST', '', { tag_name: 'no', ref: 'main' }],
      ['PUT', at(tag), { name: 'no' }],
      ['DELETE', at(tag), undefined],
      ['POST', `${at(tag)}/assets/links`, { name: 'no', url: 'https://x.example' }],
    ] as const) {
      assert.equal((await call(method, path, json, guest)).status, 403, `${method} ${path}`);
    }
    assert.equal((await call('GET', at(tag), undefined, guest)).status, 403);
    const seen = (await call('GET', '', undefined, guest)).json() as Record<string, unknown>[];
    assert.ok(seen.length > 0);
    for (const one of seen) {
      assert.ok(!('commit' in one) && !('tag_path' in one) && !('sources' in Object(one['assets'])), JSON.stringify(one));
    }
    const stranger = actor(server.platform, 'stranger');
    for (const path of ['', at(tag), `${at(tag)}/assets/links`]) {
      const response = await call('GET', path, undefined, stranger);
      assert.deepEqual([response.status, response.json()], [404, { message: '404 Project Not Found' }]);
    }
  });

  describe('pages of releases', () => {
    let page: PageClient;
    before(async () => {
      page = new PageClient(server);
      await page.signIn('dev');
    });

    it('the page of releases lists them, and that of a release shows its description, details and assets', async () => {
      const tag = await made({
        name: 'Lamp <3>',
        description: '# News\n\n<script>alert(1)</script> [x](javascript:alert(1))',
        assets: { links: [{ name: '<b>Book', url: 'https://files.example/2', direct_asset_path: '/book.pdf' }] },
      });
      const list = await page.open('/ada/lamps/-/releases');
      assert.match(textOf(list.text), /Lamp <3> t\d+\/x less than a minute ago/);
      for (const address of [at(tag), `/${tag}`]) {
        const response = await page.open(`/ada/lamps/-/releases${address}`);
        assert.equal(response.status, 200);
        assert.doesNotMatch(response.text, /<script|href="javascript/);
        assert.match(textOf(response.text), /^Lamp <3> .*Author dev Example News <script>.*<b>Book Source code \(zip\)/);
      }
      const asset = await page.open(`/ada/lamps/-/releases${at(tag)}/downloads/book.pdf`);
      assert.equal(asset.headers.get('location'), 'https://files.example/2');
      assert.equal((await page.open(`/ada/lamps/-/releases${at(tag)}/downloads/none`)).status, 404);
      assert.equal((await page.open('/ada/lamps/-/releases/none')).status, 404);
    });

    it('pages of releases offer downloads of the source code', async () => {
      const tag = await made();
      const { sources } = ((await call('GET', at(tag))).json() as { assets: { sources: { format: string; url: string }[] } })
        .assets;
      assert.deepEqual(
        sources.map(({ format }) => format),
        ['zip', 'tar.gz', 'tar'],
      );
      for (const [index, begin] of ['PK', '\x1f', 'pax_global_header'].entries()) {
        const response = await page.open(sources[index]?.url ?? '');
        assert.equal(response.status, 200);
        assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename\*=UTF-8''lamps-t\d+-x\./);
        assert.ok(response.text.startsWith(begin), response.text.slice(0, 20));
      }
      assert.equal((await page.open('/ada/lamps/-/archive/none/lamps-none.zip')).status, 404);
      const asGuest = new PageClient(server);
      await asGuest.signIn('guest');
      assert.equal((await asGuest.open(sources[0]?.url ?? '')).status, 404);
      assert.doesNotMatch((await asGuest.open(`/ada/lamps/-/releases${at(tag)}`)).text, /Source code|\/-\/commit/);
    });
  });
});
