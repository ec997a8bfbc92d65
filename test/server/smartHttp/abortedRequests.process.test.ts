import { existsSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { processesIn } from '../../support/remainingProcesses.ts';
import { commitObject, gitObject, packOf, pushBody, treeObject } from '../../support/gitPacks.ts';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';
import { writeSlowGit } from '../../support/slowGit.ts';
import { testEnvironment } from '../../support/environment.ts';
import { pktLine } from '../../../server/features/smartHttp/pktLine.ts';
import { until } from '../../support/until.ts';

const token = 'aborted-requests-token-0123456789';

/** A request during which git runs, and the command of git. */
interface GitRequest {
  readonly name: string;
  readonly command: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly type?: string;
  readonly body?: Buffer;
}

const blob = gitObject('blob', 'lamp\n');
const tree = treeObject([['100644', 'a.txt', blob.id]]);
const head = commitObject(tree, 'Lamp');
const listing = Buffer.concat([pktLine('command=ls-refs\n'), Buffer.from('0000')]);
const requests: readonly GitRequest[] = [
  {
    name: 'first request of a clone',
    command: 'upload-pack',
    method: 'GET',
    path: '/root/lamps.git/info/refs?service=git-upload-pack',
  },
  {
    name: 'fetch',
    command: 'upload-pack',
    method: 'POST',
    path: '/root/lamps.git/git-upload-pack',
    type: 'application/x-git-upload-pack-request',
    body: listing,
  },
  {
    name: 'push',
    command: 'unpack-objects',
    method: 'POST',
    path: '/root/lamps.git/git-receive-pack',
    type: 'application/x-git-receive-pack-request',
    body: pushBody(['refs/heads/lamp'], head, packOf([blob, tree, head])),
  },
  { name: 'archive', command: 'archive', method: 'GET', path: '/api/v4/projects/1/repository/archive.tar' },
  { name: 'diff', command: 'diff-tree', method: 'GET', path: '/api/v4/projects/1/repository/commits/main/diff' },
  { name: 'list of commits', command: 'log', method: 'GET', path: '/api/v4/projects/1/repository/commits' },
];

/** Starts a server whose git never ends with the given commands, with a project that has a commit. */
async function serveSlowly(folder: string, commands: readonly string[]): Promise<ServerProcess> {
  const bin = path.dirname(writeSlowGit(path.join(folder, 'bin'), commands, '0000'));
  const { PATH = '' } = testEnvironment(['git']);
  const server = await spawnServer(['serve', '--data', path.join(folder, 'data'), '--seed', 'none'], {
    env: { SIGNALBOX_ADMIN_TOKEN: token, PATH: `${bin}${path.delimiter}${PATH}` },
  });
  await requestOf(server, token, 'POST', '/api/v4/projects', { name: 'Lamps', initialize_with_readme: true });
  return server;
}

/** Sends a request, and returns a function that ends its connection. */
function send({ origin }: ServerProcess, { method, path: target, type, body }: GitRequest): () => void {
  const request = http.request(`${origin}${target}`, {
    method,
    agent: false,
    headers: {
      Authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
      'PRIVATE-TOKEN': token,
      'Git-Protocol': 'version=2',
      ...(type === undefined ? {} : { 'Content-Type': type }),
    },
  });
  request.on('error', () => undefined);
  request.end(body);
  return () => request.destroy();
}

const canSee = existsSync('/proc/self/cwd');

describe('processes of git', () => {
  const folder = temporaryFolder();
  after(() => folder[Symbol.dispose]());
  const isSlow = (line: string): boolean => line.includes('sleep 600');

  for (const request of requests.filter(({ name }) => !['diff', 'list of commits'].includes(name))) {
    it(`none is left when the client of a ${request.name} disconnects`, async function () {
      // Only Linux shows the folders of other processes.
      if (!canSee) return this.skip();
      const own = path.join(folder.path, request.name);
      await using server = await serveSlowly(own, [request.command]);
      const leave = send(server, request);
      await until(
        () => processesIn(own),
        (lines) => lines.some(isSlow),
        'git runs',
      );
      leave();
      await until(
        () => processesIn(own),
        (lines) => !lines.some(isSlow),
        'git has ended',
      );
    });
  }

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`none is left after ${signal} to the server`, async function () {
      if (!canSee) return this.skip();
      const own = path.join(folder.path, signal);
      const commands = new Set(requests.map(({ command }) => command));
      await using server = await serveSlowly(own, [...commands]);
      for (const request of requests) send(server, request);
      const run = (lines: readonly string[]): boolean => lines.filter(isSlow).length === requests.length;
      await until(() => processesIn(own), run, 'all commands run');
      // The server responds after it has noted the command that it started last.
      await (await fetch(`${server.origin}/_local/health`)).text();
      server.child.kill(signal);
      await server.ended;
      await until(
        () => processesIn(own),
        (lines) => lines.length === 0,
        'git has ended',
      );
    });
  }
});
