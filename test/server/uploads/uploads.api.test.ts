import assert from 'node:assert/strict';
import { createUpload } from '../../../server/features/uploads/files.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { PageClient } from '../../support/pages.ts';
import { checkScenario, type Scenario } from '../../support/scenarios.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const MIB = 1024 * 1024;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('uploads', () => {
  let server: TestServer;
  let owner: Actor;
  let guest: Actor;
  let stranger: Actor;
  let open: FoundProject;
  let hidden: FoundProject;
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    [owner, guest, stranger] = [actor(platform, 'ada'), actor(platform, 'bob'), actor(platform, 'cleo')];
    open = projectWith(platform, owner, { name: 'Open', visibility: 'public' });
    hidden = projectWith(platform, owner, { name: 'Hidden' }, [[guest, 10]]);
  });
  after(() => server.close());

  const at = ({ project }: FoundProject, rest = ''): string => `/api/v4/projects/${project.id}/uploads${rest}`;
  const send = async (found: FoundProject, who: Actor, name: string, bytes: Buffer): Promise<Response> => {
    const form = new FormData();
    form.set('file', new File([new Uint8Array(bytes)], name));
    return fetch(`${server.origin}${at(found)}`, { method: 'POST', headers: { 'PRIVATE-TOKEN': who.token }, body: form });
  };
  const sent = async (found: FoundProject, name: string, bytes: Buffer): Promise<Readonly<Record<string, string>>> => {
    const response = await send(found, owner, name, bytes);
    assert.equal(response.status, 201);
    return Object(await response.json());
  };
  const signedIn = async ({ user }: Actor): Promise<PageClient> => {
    const client = new PageClient(server);
    await client.signIn(user.username);
    return client;
  };
  const check = async (table: readonly Scenario[]): Promise<void> => {
    for (const row of table) checkScenario(await server.request(row.method ?? 'GET', row.path, row), row);
  };

  it('a file is uploaded, listed, read by its address and deleted', async () => {
    const made = await sent(open, 'red lamp.png', PNG);
    const secret = made['url']?.split('/')[2] ?? '';
    assert.match(secret, /^[0-9a-f]{32}$/);
    const url = `/uploads/${secret}/red_lamp.png`;
    assert.deepEqual(made, {
      id: made['id'],
      alt: 'red_lamp',
      url,
      full_path: `/-/project/${open.project.id}${url}`,
      markdown: `![red_lamp](${url})`,
    });
    await check([
      {
        name: 'list',
        path: at(open),
        token: owner.token,
        status: 200,
        has: [{ id: made['id'], size: PNG.length, filename: 'red_lamp.png', uploaded_by: { username: 'ada' } }],
      },
      {
        name: 'by id',
        path: at(open, `/${made['id']}`),
        token: owner.token,
        status: 200,
        responseHeaders: { 'content-type': 'image/png' },
      },
      { name: 'by address', path: `/api/v4/projects/${open.project.id}${url}`, token: stranger.token, status: 200 },
      {
        name: 'wrong name',
        path: at(open, `/${secret}/lamp.png`),
        token: owner.token,
        status: 404,
        body: { message: '404 Upload Not Found' },
      },
      { name: 'other project', path: at(hidden, `/${made['id']}`), token: owner.token, status: 404 },
      { name: 'stranger deletes', method: 'DELETE', path: at(open, `/${made['id']}`), token: stranger.token, status: 403 },
      { name: 'owner deletes', method: 'DELETE', path: at(open, `/${secret}/red_lamp.png`), token: owner.token, status: 204 },
      { name: 'gone', method: 'DELETE', path: at(open, `/${made['id']}`), token: owner.token, status: 404 },
    ]);
  });

  it('whoever is signed in and sees the project uploads; maintainers list', async () => {
    const post = { method: 'POST', json: { file: 'text' } };
    await check([
      { name: 'anonymous', ...post, path: at(open), status: 401 },
      { name: 'stranger', ...post, path: at(open), token: stranger.token, status: 201 },
      { name: 'stranger', ...post, path: at(hidden), token: stranger.token, status: 404 },
      { name: 'guest', ...post, path: at(hidden), token: guest.token, status: 201 },
      { name: 'no file', method: 'POST', path: at(open), token: owner.token, status: 400, body: { error: 'file is missing' } },
      { name: 'guest lists', path: at(hidden), token: guest.token, status: 403 },
    ]);
  });

  it('a file can be as large as the setting max_attachment_size', async () => {
    const limit = async (mebibytes: number): Promise<void> => {
      const json = { max_attachment_size: mebibytes };
      const response = await server.request('PUT', '/api/v4/application/settings', { token: server.adminToken, json });
      assert.equal(response.status, 200, response.text);
    };
    const size = async (bytes: number): Promise<number> => (await send(open, owner, 'large', Buffer.alloc(bytes))).status;
    assert.equal(await size(40 * MIB), 201);
    await limit(2);
    assert.equal(await size(2 * MIB), 201);
    for (const bytes of [2 * MIB + 1, 3 * MIB]) {
      const tooLarge = await send(open, owner, 'large', Buffer.alloc(bytes));
      assert.deepEqual([tooLarge.status, await tooLarge.json()], [413, { message: '413 Request Entity Too Large' }]);
    }
    await limit(100);
    assert.equal(await size(3 * MIB), 201);
  });

  it('the web address of an upload shows images and downloads everything else, to those who see the project', async () => {
    const image = await sent(hidden, 'lamp.png', PNG);
    const page = await sent(hidden, 'page.html', Buffer.from('<script>alert(1)</script>'));
    const anonymous = new PageClient(server);
    const away = await anonymous.open(image['full_path'] ?? '');
    assert.equal(away.status, 303);
    assert.match(away.headers.get('location') ?? '', /^\/users\/sign_in\?return_to=/);
    const member = await signedIn(guest);
    const shown = await member.open(image['full_path'] ?? '');
    assert.equal(shown.status, 200);
    assert.equal(shown.headers.get('content-type'), 'image/png');
    assert.match(shown.headers.get('content-disposition') ?? '', /^inline/);
    const downloaded = await member.open(page['full_path'] ?? '');
    assert.equal(downloaded.headers.get('content-type'), 'application/octet-stream');
    assert.equal(downloaded.headers.get('x-content-type-options'), 'nosniff');
    assert.match(downloaded.headers.get('content-security-policy') ?? '', /sandbox/);
    assert.match(downloaded.headers.get('content-disposition') ?? '', /^attachment/);
    assert.equal((await (await signedIn(stranger)).open(image['full_path'] ?? '')).status, 404);
    const short = await member.open(`/${hidden.project.full_path}${image['url']}`);
    assert.deepEqual([short.status, short.headers.get('location')], [303, image['full_path']]);
  });

  it('texts of a project show its uploads', async () => {
    const { url = '', full_path: path = '', markdown = '' } = await sent(open, 'lamp.png', PNG);
    const made = await server.request('POST', `/api/v4/projects/${open.project.id}/issues`, {
      token: owner.token,
      json: { title: 'Dark', description: `${markdown} and [it](${url}) ![other](https://files.example/a.png)` },
    });
    const page = await new PageClient(server).open(`/${open.project.full_path}/-/issues/${Object(made.json()).iid}`);
    assert.ok(page.text.includes(`<img src="${path}" alt="lamp"`), page.text);
    assert.ok(page.text.includes(`<a href="${path}"`), page.text);
    assert.ok(!page.text.includes('files.example'), page.text);
  });

  it('a release links an upload by a permanent address', async () => {
    const found = projectWith(server.platform, owner, { name: 'Released', visibility: 'public' });
    await commitFiles(server.platform, found, owner, { 'README.md': 'Released\n' });
    const { full_path: path = '' } = await sent(found, 'lamp.zip', Buffer.from('PK\u0000'));
    const url = `${server.origin}${path}`;
    const release = await server.request('POST', `/api/v4/projects/${found.project.id}/releases`, {
      token: owner.token,
      json: {
        tag_name: 'v1.0.0',
        ref: 'main',
        assets: { links: [{ name: 'lamp', url, link_type: 'package', direct_asset_path: '/lamp.zip' }] },
      },
    });
    assert.equal(release.status, 201, release.text);
    const client = new PageClient(server);
    const moved = await client.open(`/${found.project.full_path}/-/releases/v1.0.0/downloads/lamp.zip`);
    assert.equal(moved.status, 303);
    assert.equal(moved.headers.get('location'), url);
    assert.equal((await client.open(path)).text, 'PK\u0000');
  });

  it('the request log has no secrets of uploads', async () => {
    const { url = '', full_path: path = '' } = await sent(hidden, 'lamp.png', PNG);
    const secret = url.split('/')[2] ?? '';
    const paths = [at(hidden, url.slice('/uploads'.length)), path, `/${hidden.project.full_path}${url}`];
    for (const address of paths) await server.request('GET', address, { token: owner.token });
    const signIn = await new PageClient(server).open(path);
    assert.equal(signIn.status, 303);
    await server.request('GET', signIn.headers.get('location') ?? '');
    const entries = server.platform.requestLog.list(paths.length + 2);
    assert.deepEqual(
      entries.map((entry) => entry.path),
      ['/users/sign_in', path, ...paths.toReversed()].map((address) => address.replace(secret, '[masked]')),
    );
    assert.ok(!JSON.stringify(entries).includes(secret));
  });

  it('uploads are removed with their project', () => {
    const { platform } = server;
    const found = projectWith(platform, owner, { name: 'Short' });
    const { id } = createUpload(platform, found.project, owner.user, { name: 'a.txt', bytes: Buffer.from('a') });
    const rows = () => platform.store.all('SELECT 1 FROM upload_contents WHERE upload_id = $id', { id }).length;
    assert.equal(rows(), 1);
    platform.store.run('DELETE FROM projects WHERE id = $id', { id: found.project.id });
    assert.equal(rows(), 0);
  });
});
