import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { openRepository } from '../../../server/features/git/open.ts';
import { branchHead } from '../../../server/features/git/refs.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, rootOf, withToken } from '../projects/cast.ts';
import { testEnvironment } from '../../support/environment.ts';
import { until } from '../../support/until.ts';
import { type Clones, commitFile, startClones } from './clones.ts';

describe('pushes that arrive slowly', () => {
  let clones: Clones;
  let found: FoundProject;
  let sender: Actor;
  let root: Actor;
  /** A new branch with one commit. */
  let push: Buffer;
  let count = 0;
  before(async () => {
    clones = await startClones();
    root = withToken(clones.server.platform, rootOf(clones.server.platform));
  });
  after(() => clones.close());
  beforeEach(async () => {
    count += 1;
    sender = actor(clones.server.platform, `sender${count}`);
    const clone = await clones.cloned();
    found = clone.found;
    await call(clones.ada, 'POST', `/projects/${found.project.id}/members`, { user_id: sender.user.id, access_level: 30 });
    const before = branchHead(clones.server.platform, found.project.id, 'main') ?? '';
    const id = await commitFile(clone.git, clone.dir, 'b.txt');
    const pack = execFileSync('git', ['pack-objects', '--revs', '--stdout', '-q'], {
      cwd: clone.dir,
      env: testEnvironment(['git']),
      input: `${id}\n^${before}\n`,
    });
    const line = `${'0'.repeat(40)} ${id} refs/heads/late\0 report-status`;
    push = Buffer.concat([Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`), pack]);
  });

  const call = async ({ token }: Actor, method: string, where: string, json: object = {}): Promise<void> => {
    const { status } = await clones.server.request(method, `/api/v4${where}`, { token, json });
    assert.ok(status < 300, `${method} ${where}: ${status}`);
  };
  const branch = (): string | undefined => branchHead(clones.server.platform, found.project.id, 'late');

  function begin(headers: Readonly<Record<string, string>> = {}): {
    readonly upload: ClientRequest;
    readonly reply: Promise<IncomingMessage>;
  } {
    const upload = httpRequest(`${clones.server.origin}/${found.project.full_path}.git/git-receive-pack`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-git-receive-pack-request',
        Authorization: `Basic ${Buffer.from(`x:${sender.token}`).toString('base64')}`,
        ...headers,
      },
    });
    const reply = new Promise<IncomingMessage>((resolve, reject) => {
      upload.once('response', resolve).once('error', reject);
    });
    return { upload, reply };
  }

  /** Sends the push, and does something while the end of its pack is missing. Returns the report of the server. */
  async function pushWhile(act: () => Promise<void>): Promise<string> {
    const { upload, reply } = begin();
    upload.write(push.subarray(0, -30));
    const repository = await openRepository(clones.server.platform, found.project);
    const incoming = path.join(repository?.folder ?? '', 'incoming');
    await until(
      () => existsSync(incoming) && readdirSync(incoming).length > 0,
      (hasBegun) => hasBegun,
      'the pack arrives',
    );
    await act();
    upload.end(push.subarray(-30));
    return text(await reply);
  }

  for (const [what, act] of [
    ['is blocked', () => call(root, 'POST', `/users/${sender.user.id}/block`)],
    [
      'is deactivated',
      async () => {
        clones.server.platform.store.run("UPDATE users SET state = 'deactivated' WHERE id = ?", [sender.user.id]);
      },
    ],
    ['revokes the token', () => call(sender, 'DELETE', '/personal_access_tokens/self')],
    ['loses the membership', () => call(clones.ada, 'DELETE', `/projects/${found.project.id}/members/${sender.user.id}`)],
    [
      'becomes a reporter',
      () => call(clones.ada, 'PUT', `/projects/${found.project.id}/members/${sender.user.id}`, { access_level: 20 }),
    ],
    ['loses the project to the archive', () => call(clones.ada, 'POST', `/projects/${found.project.id}/archive`)],
  ] as const)
    it(`a push is refused at its end if its sender ${what} before`, async () => {
      const report = await pushWhile(act);
      assert.match(
        report,
        /ng refs\/heads\/late (?:You were not allowed to push any more when the push was complete|404 Project Not Found)/,
      );
      assert.equal(branch(), undefined);
    });

  it('a push of a sender who remains a developer is accepted', async () => {
    const report = await pushWhile(() =>
      call(clones.ada, 'PUT', `/projects/${found.project.id}/members/${sender.user.id}`, { access_level: 30 }),
    );
    assert.match(report, /ok refs\/heads\/late/);
    assert.notEqual(branch(), undefined);
  });

  for (const [what, sent] of [
    ['is cut off', () => gzipSync(push).subarray(0, -20)],
    ['is no gzip data', () => push],
    ['is empty', () => Buffer.alloc(0)],
  ] as const)
    it(`a compressed push that ${what} is 400`, async () => {
      const { upload, reply } = begin({ 'Content-Encoding': 'gzip' });
      upload.end(sent());
      const response = await reply;
      assert.equal(response.statusCode, 400, await text(response));
      assert.equal(branch(), undefined);
    });
});
