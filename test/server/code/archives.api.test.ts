import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createTag } from '../../../server/features/pushes/refUpdates.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { testEnvironment } from '../../support/environment.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { commitFiles } from '../git/repository.ts';

describe('archives of a repository', () => {
  let server: TestServer;
  let ada: Actor;
  let gus: Actor;
  let rob: Actor;
  let files: Actor;
  let open: FoundProject;
  let head: string;

  // The tests only read.
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    [ada, gus, rob] = [actor(platform, 'ada'), actor(platform, 'gus'), actor(platform, 'rob')];
    files = actor(platform, 'files', { scopes: ['read_repository'] });
    open = projectWith(platform, ada, { name: 'Open', visibility: 'public' });
    head = await commitFiles(platform, open, ada, {
      'README.md': '# Open\n',
      'src/größe 🚦.txt': 'x',
      'src/-dash': 'y',
      'lib/b.bin': '\0\u0001',
      'odd/a:b/c': 'z',
    });
    await createTag(platform, open, ada.user, { name: 'group/v1', ref: 'main' });
    const closed = projectWith(platform, ada, { name: 'Closed' }, [
      [rob, 20],
      [gus, 10],
    ]);
    await commitFiles(platform, closed, ada, { a: 'a' });
    projectWith(platform, ada, { name: 'Empty', visibility: 'public' });
  });
  after(() => server.close());

  const address = (rest: string, project = 'ada%2Fopen'): string =>
    `${server.origin}/api/v4/projects/${project}/repository/archive${rest}`;
  const env = testEnvironment();
  const entriesOf = async (response: Response): Promise<string[]> => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'archive');
    writeFileSync(file, Buffer.from(await response.arrayBuffer()));
    const list = execFileSync('tar', ['--list', '--quoting-style=literal', '--file', file], { encoding: 'utf8', env });
    return list.split('\n').filter((line) => line !== '' && !line.endsWith('/'));
  };
  const all = ['README.md', 'lib/b.bin', 'odd/a:b/c', 'src/-dash', 'src/größe 🚦.txt'];

  for (const [rest, name, paths] of [
    ['', () => `open-main-${head}.tar.gz`, all],
    ['.tar?sha=main', () => `open-main-${head}.tar`, all],
    ['.tgz?sha=group%2Fv1', () => `open-group-v1-${head}.tar.gz`, all],
    ['.tar.gz?path=src', () => `open-main-${head}-src.tar.gz`, all.slice(3)],
    ['.tar?path=/src/-dash/', () => `open-main-${head}-src--dash.tar`, ['src/-dash']],
    ['.tar?path=odd%2Fa:b', () => `open-main-${head}-odd-a-b.tar`, ['odd/a:b/c']],
  ] as const) {
    it(`archive${rest} contains the files below a folder with its name`, async () => {
      const response = await fetch(address(rest));
      assert.equal(response.status, 200);
      const disposition = `attachment; filename*=UTF-8''${name()}`;
      assert.equal(response.headers.get('content-disposition'), disposition);
      const folder = name().replace(/\.tar(?:\.gz)?$/, '');
      assert.deepEqual((await entriesOf(response)).toSorted(), paths.map((one) => `${folder}/${one}`).toSorted());
    });
  }

  it('a zip archive of a commit ID is a zip file', async () => {
    const response = await fetch(address(`.zip?sha=${head}`));
    assert.equal(response.headers.get('content-type'), 'application/zip');
    const content = Buffer.from(await response.arrayBuffer());
    assert.equal(content.toString('latin1', 0, 2), 'PK');
    assert.ok(content.includes(`open-${head}-${head}/README.md`));
  });

  for (const [rest, project, status, body] of [
    ['?sha=none', undefined, 404, { message: '404 File Not Found' }],
    ['?sha=--output=x', undefined, 404, { message: '404 File Not Found' }],
    ['.zip?path=none', undefined, 404, { message: '404 File Not Found' }],
    ['.zip?path=../src', undefined, 404, { message: '404 File Not Found' }],
    ['.tar.bz2', undefined, 406, { error: "The requested format 'tar.bz2' is not supported." }],
    ['.exe', undefined, 406, { error: "The requested format 'exe' is not supported." }],
    ['', 'ada%2Fempty', 404, { message: '404 File Not Found' }],
    ['', 'ada%2Fclosed', 404, { message: '404 Project Not Found' }],
  ] as const) {
    it(`archive${rest} of ${project ?? 'ada/open'} is refused with ${status}`, async () => {
      const response = await fetch(address(rest, project));
      assert.deepEqual([response.status, await response.json()], [status, body]);
    });
  }

  it('archives of a private project are for reporters, also by a token with read_repository', async () => {
    const status = async (token: string, project = 'ada%2Fclosed'): Promise<number> => {
      const response = await fetch(address('.tar', project), { headers: { 'PRIVATE-TOKEN': token } });
      await response.arrayBuffer();
      return response.status;
    };
    assert.deepEqual(await Promise.all([gus.token, rob.token].map((token) => status(token))), [403, 200]);
    assert.equal(await status(files.token, 'ada%2Fopen'), 200);
  });

  it('the page of an archive takes a path, and the page of a directory links to it', async () => {
    const page = await fetch(`${server.origin}/ada/open/-/tree/main/src`);
    const link = /href="([^"]+\.tar\?path=src)"/.exec(await page.text())?.[1];
    assert.equal(link, '/ada/open/-/archive/main/open-main.tar?path=src');
    assert.deepEqual(await entriesOf(await fetch(`${server.origin}${link}`)), [
      'open-main/src/-dash',
      'open-main/src/größe 🚦.txt',
    ]);
    assert.equal((await fetch(`${server.origin}/ada/open/-/archive/main/open-main.tar?path=none`)).status, 404);
  });

  for (const name of ['%2e%2e', '.', '...', '..%20', '..%5C..%5Cx', 'a%5Cb', 'C%3A', 'a%00b', 'a%0Ab', 'a%1Bb', 'a'.repeat(256)])
    it(`an archive with the folder ${name.slice(0, 20)} is refused, because it could be unpacked elsewhere`, async () => {
      for (const format of ['zip', 'tar', 'tar.gz'])
        assert.equal((await fetch(`${server.origin}/ada/open/-/archive/main/${name}.${format}`)).status, 404);
    });

  it('git ends when the client disconnects, and more archives follow', async () => {
    const { platform } = server;
    const big = projectWith(platform, ada, { name: 'Big', visibility: 'public' });
    const noise = Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 127 || 1);
    await commitFiles(platform, big, ada, { big: Buffer.from(noise).toString('latin1') });
    const { start } = platform.repositories.git;
    const ends: Promise<unknown>[] = [];
    Object.assign(platform.repositories.git, {
      start: async (...given: Parameters<typeof start>) => {
        const child = await start(...given);
        if (given[1][0] === 'archive') ends.push(child.ended);
        return child;
      },
    });
    for (let index = 0; index < 20; index += 1) {
      const leaving = new AbortController();
      const response = await fetch(address('.tar', 'ada%2Fbig'), { signal: leaving.signal });
      await response.body?.getReader().read();
      leaving.abort();
    }
    Object.assign(platform.repositories.git, { start });
    await Promise.all(ends);
    assert.equal(ends.length, 20);
    assert.equal((await fetch(address('.tar'))).status, 200);
  });
});
