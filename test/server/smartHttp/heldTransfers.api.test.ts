import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { commitObject, gitObject, pushObjects, treeObject } from '../../support/gitPacks.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import { projectWith } from '../projects/cast.ts';
import { type Clones, startClones } from './clones.ts';

/** Number of transfers at once. */
const TRANSFERS = 16;

describe('clients that hold their transfers', () => {
  let clones: Clones;
  let path: string;
  before(async () => {
    clones = await startClones();
    const { server, ada } = clones;
    const { project } = projectWith(server.platform, ada, { name: 'Large', visibility: 'public' });
    path = project.full_path;
    const blob = gitObject('blob', randomBytes(12 * 1024 * 1024));
    const tree = treeObject([['100644', 'random.bin', blob.id]]);
    const head = commitObject(tree, 'Large');
    assert.match(await pushObjects(addressOf(server, path), ada.token, [blob, tree, head], head), /ok refs/);
  });
  after(() => clones.close());

  const post = (service: string, headers = ''): string =>
    `POST /${path}.git/git-${service} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-git-${service}-request\r\n${headers}Transfer-Encoding: chunked\r\n\r\n`;

  for (const [name, requestOf] of [
    ['fetches whose requests never end', () => `${post('upload-pack')}4\r\n0032\r\n`],
    [
      'pushes whose packs never end',
      () => {
        const credentials = Buffer.from(`x:${clones.ada.token}`).toString('base64');
        const command = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/held`;
        const body = `${(command.length + 4).toString(16).padStart(4, '0')}${command}0000PACK\0\0\0\u0002\0\0\0\u0001`;
        return `${post('receive-pack', `Authorization: Basic ${credentials}\r\n`)}${body.length.toString(16)}\r\n${body}\r\n`;
      },
    ],
    ['archives that nobody reads', () => `GET /${path}/-/archive/main/x.tar HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    [
      'raw files that nobody reads',
      () =>
        `GET /api/v4/projects/${encodeURIComponent(path)}/repository/files/random.bin/raw?ref=main HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    ],
  ] as const) {
    it(`${TRANSFERS} ${name} do not keep others from cloning`, async () => {
      const { server, folder } = clones;
      const { port } = new URL(server.origin);
      const sockets = await Promise.all(
        Array.from({ length: TRANSFERS }, async () => {
          const socket = net.connect(Number(port), '127.0.0.1').on('error', () => undefined);
          socket.pause();
          await once(socket, 'connect');
          await new Promise((resolve) => socket.write(requestOf(), resolve));
          return socket;
        }),
      );
      try {
        const found = await clones.newProject('public');
        await gitClient(folder).succeed('clone', '-q', addressOf(server, found.project.full_path), name.replaceAll(' ', '-'));
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    });
  }
});
