import assert from 'node:assert/strict';
import { createTag } from '../../../server/features/pushes/refUpdates.ts';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith, seenBy } from '../projects/cast.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { commitFiles } from '../git/repository.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
/** Names and contents that could be misread as markup. */
const HOSTILE = [
  '<script>alert(1)</script>.txt',
  '"onmouseover="alert(1)',
  "'><img src=x onerror=alert(1)>.md",
  '-/tree/main/x',
  'a/-/blob/b',
  'per%cent %2e%2e',
  'hash#tag?query=1',
  'javascript:alert(1)',
  '${7*7}{{7*7}}',
  'ümläut 🚦.txt',
];
const EVIL = '</code></pre><script>alert(1)</script><!-- "\' &amp; ${x}';

describe('the pages of a repository', function () {
  let server: TestServer;
  let ada: Actor;
  let lamps: FoundProject;
  let asAda: PageClient;
  let asBob: PageClient;
  let nobody: PageClient;
  let first: string;
  let second: string;

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    const bob = actor(platform, 'bob');
    const eve = actor(platform, 'eve');
    lamps = projectWith(platform, ada, { name: 'Lamps', visibility: 'public' });
    first = await commitFiles(
      platform,
      lamps,
      ada,
      {
        'README.md': '# About lamps\n\nSee [the red one](docs/red.md), ![a lamp](docs/lamp.png).\n\n<b>no tag</b>',
        'docs/red.md': '# Red\n\n[back](../README.md)',
        'docs/on off.txt': 'one\ntwo\r\nthree\n',
        'empty.txt': '',
      },
      { message: 'First lamps\n\nWith <i>words</i> about them.' },
    );
    second = await createCommit(platform, seenBy(platform, lamps, ada), ada.user, {
      branch: 'feature/green/lamp',
      startBranch: 'main',
      message: 'Green <lamp>',
      actions: [
        { action: 'update', path: 'docs/red.md', content: Buffer.from('# Green\n\n[back](../README.md)') },
        { action: 'create', path: 'docs/lamp.png', content: PNG },
        { action: 'create', path: 'docs/page.html', content: Buffer.from('<script>alert(1)</script>') },
        { action: 'move', path: 'docs/moved.txt', previousPath: 'docs/on off.txt' },
        { action: 'delete', path: 'empty.txt' },
      ],
    });
    await createTag(platform, seenBy(platform, lamps, ada), ada.user, { name: 'v1', ref: 'main', message: 'The <first>' });
    const hidden = projectWith(platform, ada, { name: 'Hidden' }, [
      [bob, 10],
      [eve, 20],
    ]);
    await commitFiles(platform, hidden, ada, { 'secret.txt': 'TOPSECRET' });
    projectWith(platform, ada, { name: 'Empty', visibility: 'public' });
    [asAda, asBob, nobody] = [new PageClient(server), new PageClient(server), new PageClient(server)];
    await asAda.signIn('ada');
    await asBob.signIn('bob');
  });
  after(() => server.close());

  const shows = async (path: string, client = nobody): Promise<{ text: string; html: string }> => {
    const response = await client.open(path);
    assert.equal(response.status, 200, `${path}: ${response.status} ${textOf(response.text)}`);
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.doesNotMatch(response.text, /\[object |undefined|<script|<img src=x|<[^>]* on\w+=/);
    return { text: textOf(response.text), html: response.text };
  };

  it('the project page shows the readme and the files of the default branch', async () => {
    const { text, html } = await shows('/ada/lamps');
    assert.match(text, /Files .*docs\/ README.md empty.txt README.md About lamps See the red one/);
    assert.match(html, /<h3 id="text-about-lamps">/);
    assert.match(html, /<a href="\/ada\/lamps\/-\/blob\/main\/docs\/red.md">the red one<\/a>/);
    assert.match(html, /<img src="\/ada\/lamps\/-\/raw\/main\/docs\/lamp.png" alt="a lamp">/);
    assert.match(html, /&lt;b&gt;no tag/);
    assert.match((await shows('/ada/empty')).text, /This repository is empty\./);
  });

  it('a directory lists its entries, with links to their pages', async () => {
    const { text, html } = await shows('/ada/lamps/-/tree/feature/green/lamp/docs');
    assert.match(
      text,
      /^docs Files Commits Branches Tags feature\/green\/lamp lamps \/ docs Download zip Download tar.gz Download tar lamp.png moved.txt page.html red.md$/,
    );
    assert.match(html, /href="\/ada\/lamps\/-\/blob\/feature\/green\/lamp\/docs\/page.html"/);
    const file = await nobody.open('/ada/lamps/-/tree/main/docs/on%20off.txt');
    assert.equal(file.headers.get('location'), '/ada/lamps/-/blob/main/docs/on%20off.txt');
    const folder = await nobody.open('/ada/lamps/-/blob/main/docs');
    assert.equal(folder.headers.get('location'), '/ada/lamps/-/tree/main/docs');
    assert.match((await shows(`/ada/lamps/-/tree/${first}`)).text, /README.md/);
    assert.match((await shows('/ada/lamps/-/tree/v1/docs')).text, /on off.txt/);
  });

  it('a file shows its lines with anchors', async () => {
    const { text, html } = await shows('/ada/lamps/-/blob/main/docs/on%20off.txt');
    assert.match(html, /<li id="L2"><a href="#L2" aria-label="Line 2">2<\/a><code>two<\/code><\/li>/);
    assert.match(text, /1 one 2 two 3 three$/);
    assert.match((await shows('/ada/lamps/-/blob/main/empty.txt')).text, /This file is empty\.$/);
    assert.match((await shows('/ada/lamps/-/blob/feature/green/lamp/docs/lamp.png')).text, /Binary files are not displayed\./);
    assert.match((await shows('/ada/lamps/-/blob/feature/green/lamp/docs/page.html')).text, /<script>alert\(1\)<\/script>$/);
    assert.match((await shows('/ada/lamps/-/blob/main/docs/red.md')).html, /<h2 id="text-red">Red<\/h2>/);
    assert.match((await shows('/ada/lamps/-/blob/main/docs/red.md?plain=1')).html, /<code># Red<\/code>/);
  });

  it('a raw file is never executed', async () => {
    for (const [path, type, disposition] of [
      ['main/docs/red.md', 'text/plain; charset=utf-8', /^inline; filename\*=UTF-8''red.md$/],
      ['feature/green/lamp/docs/page.html', 'text/plain; charset=utf-8', /^inline/],
      ['feature/green/lamp/docs/lamp.png', 'image/png', /^inline/],
    ] as const) {
      const response = await nobody.open(`/ada/lamps/-/raw/${path}`);
      assert.equal(response.status, 200, path);
      assert.equal(response.headers.get('content-type'), type);
      assert.equal(response.headers.get('content-security-policy'), "default-src 'none'; sandbox");
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.match(response.headers.get('content-disposition') ?? '', disposition);
    }
    await commitFiles(server.platform, lamps, ada, { 'a.bin': 'a\0b' }, { branch: 'bytes', startBranch: 'main' });
    const bytes = await nobody.open('/ada/lamps/-/raw/bytes/a.bin');
    assert.equal(bytes.headers.get('content-type'), 'application/octet-stream');
    assert.match(bytes.headers.get('content-disposition') ?? '', /^attachment/);
  });

  it('a commit shows message, author, parents and changes', async () => {
    const { text, html } = await shows(`/ada/lamps/-/commit/${second}`);
    for (const part of [
      'Green <lamp>',
      'ada Example <ada@example.com>',
      first.slice(0, 8),
      '5 changed files',
      '-# Red',
      '+# Green',
      'Renamed from docs/on off.txt.',
      '+<script>alert(1)</script>',
      'docs/lamp.png new No lines to show',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.match(html, /<span class="added">\+# Green\n<\/span>/);
    assert.match(
      (await shows(`/ada/lamps/-/commit/${first.slice(0, 10)}`)).text,
      /With <i>words<\/i> about them\..*none \(root commit\)/,
    );
  });

  it('the history of a branch or path is paginated', async () => {
    assert.match((await shows('/ada/lamps/-/commits/feature/green/lamp')).text, /Green <lamp>.*First lamps/);
    assert.doesNotMatch((await shows('/ada/lamps/-/commits/feature/green/lamp/README.md')).text, /Green/);
    await commitFiles(server.platform, lamps, ada, { '0': '0' }, { branch: 'long', startBranch: 'main', message: 'Step 0' });
    for (let step = 1; step <= 20; step += 1) {
      await commitFiles(server.platform, lamps, ada, { [String(step)]: 'x' }, { branch: 'long', message: `Step ${step}` });
    }
    const page = await shows('/ada/lamps/-/commits/long');
    assert.match(page.html, /href="\/ada\/lamps\/-\/commits\/long\?page=2"/);
    assert.doesNotMatch(page.text, /First lamps/);
    const last = await shows('/ada/lamps/-/commits/long?page=2');
    assert.match(last.text, /Step 0 .*First lamps/);
    assert.doesNotMatch(last.html, /page=3/);
  });

  it('branches and tags are listed, and a tag links to its files', async () => {
    const { text } = await shows('/ada/lamps/-/branches');
    assert.match(text, /main default/);
    assert.match(text, /feature\/green\/lamp [0-9a-f]{8} Green <lamp>/);
    assert.match((await shows('/ada/lamps/-/tags')).text, /v1 The <first> /);
    assert.equal((await nobody.open('/ada/lamps/-/tags/v1')).headers.get('location'), '/ada/lamps/-/tree/v1');
  });

  it('a comparison shows the commits of one ref that another lacks', async () => {
    for (const to of ['feature/green/lamp', 'feature%2Fgreen%2Flamp']) {
      const { text } = await shows(`/ada/lamps/-/compare/main...${to}`);
      assert.match(text, /Commits Green <lamp>.*5 changed files/);
    }
    assert.match((await shows('/ada/lamps/-/compare/main...main')).text, /No commits\. 0 changed files/);
  });

  it('hostile names and contents are escaped', async () => {
    const files = Object.fromEntries(HOSTILE.map((name) => [name, `${name}\n${EVIL}`]));
    await commitFiles(server.platform, lamps, ada, files, { branch: 'odd/"<b>', startBranch: 'main', message: EVIL });
    const branch = 'odd/%22%3Cb%3E';
    for (const name of HOSTILE) {
      const folder = name.split('/').slice(0, -1).join('/');
      const address = (kind: string, path: string): string =>
        `/ada/lamps/-/${kind}/${branch}/${path
          .split('/')
          .map((part) => (part === '-' ? '%2D' : encodeURIComponent(part)))
          .join('/')}`;
      const listed = await shows(folder === '' ? `/ada/lamps/-/tree/${branch}` : address('tree', folder));
      assert.ok(listed.html.includes(`href="${address('blob', name).replaceAll("'", '&#39;')}"`), name);
      const file = await shows(`${address('blob', name)}?plain=1`);
      assert.ok(file.text.includes(EVIL), file.text);
      await shows(address('blob', name));
      const raw = await nobody.open(address('raw', name));
      assert.equal(raw.text, files[name]);
      assert.equal(raw.headers.get('content-type'), 'text/plain; charset=utf-8');
    }
    for (const path of [
      `commits/${branch}`,
      'branches',
      `commit/${encodeURIComponent('odd/"<b>')}`,
      `compare/main...${branch}`,
      `tree/${branch}`,
    ]) {
      await shows(`/ada/lamps/-/${path}`);
    }
  });

  it('long content is truncated with a notice', async () => {
    const many = Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`many/${index}`, 'x']));
    const lines = Array.from({ length: 6000 }, (_, index) => `line ${index}`).join('\n');
    const id = await commitFiles(
      server.platform,
      lamps,
      ada,
      { ...many, 'long.txt': lines },
      { branch: 'big', startBranch: 'main' },
    );
    assert.match((await shows('/ada/lamps/-/tree/big/many')).text, /Showing the first 1000 of 1100 entries\.$/);
    assert.match(
      (await shows('/ada/lamps/-/blob/big/long.txt')).text,
      /line 4999 Showing the first 5000 lines\. Open the raw file to see all of them\.$/,
    );
    const changes = (await shows(`/ada/lamps/-/commit/${id}`)).text;
    assert.match(changes, /1101 changed files/);
    assert.match(changes, /Showing the first 1000 of 6002 lines\./);
    assert.match(changes, /Showing the first 100 of 1101 files\.$/);
  });

  it('private code looks absent, and anonymous users are sent to sign in and back', async () => {
    const paths = [
      '',
      '/-/tree/main',
      '/-/blob/main/secret.txt',
      '/-/raw/main/secret.txt',
      '/-/commits/main',
      '/-/commit/main',
      '/-/branches',
      '/-/tags',
      '/-/compare/main...main',
    ];
    const stranger = new PageClient(server);
    actor(server.platform, 'stranger');
    await stranger.signIn('stranger');
    for (const path of paths) {
      for (const project of ['/ada/hidden', '/ada/nothing']) {
        assert.equal((await stranger.open(`${project}${path}`)).status, 404, path);
        const response = await nobody.open(`${project}${path}`);
        if (path === '') assert.equal(response.status, 404);
        else
          assert.equal(response.headers.get('location'), `/users/sign_in?return_to=${encodeURIComponent(`${project}${path}`)}`);
      }
      // Guests can see the project but not its code.
      const guest = await asBob.open(`/ada/hidden${path}`);
      assert.equal(guest.status, path === '' ? 200 : 404, path);
      assert.ok(!guest.text.includes('secret.txt') && !guest.text.includes('TOPSECRET'));
      assert.equal((await asAda.open(`/ada/hidden${path}`)).status, 200, path);
    }
  });

  it('missing resources respond with 404', async () => {
    for (const path of [
      'tree/nothing',
      'tree/main/nothing',
      'tree/main..feature',
      'tree/--all',
      'blob/main/nothing.txt',
      'blob/main/../README.md/x',
      'raw/main/docs',
      'raw/main',
      'commits/nothing',
      'commits/main/nothing',
      'commit/0000000000000000000000000000000000000000',
      'commit/main..x',
      'compare/main',
      'compare/main...nothing',
      'compare/...',
      'tags/nothing',
      'wiki',
    ]) {
      assert.equal((await nobody.open(`/ada/lamps/-/${path}`)).status, 404, path);
    }
    assert.equal((await nobody.open('/ada/empty/-/tree/other')).status, 404);
    assert.match((await shows('/ada/empty/-/branches')).text, /No branches\./);
  });
});

it('without git the project page is shown with a notice', async () => {
  await using server = await startTestServer({ git: 'no-such-git' });
  const ada = actor(server.platform, 'ada');
  const { project } = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' });
  server.platform.store.run("INSERT INTO repositories (project_id, folder, created_at) VALUES ($id, 'x', 0)", {
    id: project.id,
  });
  const client = new PageClient(server);
  const page = await client.open('/ada/lamps');
  assert.equal(page.status, 200);
  assert.match(textOf(page.text), /Files The files can't be shown: git was not found on PATH\./);
  const tree = await client.open('/ada/lamps/-/tree/main');
  assert.equal(tree.status, 503);
  assert.match(textOf(tree.text), /Git, which is not installed on this machine/);
});
