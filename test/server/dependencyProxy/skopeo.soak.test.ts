import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programPath, testEnvironment } from '../../support/environment.ts';
import { type ServerProcess, spawnServer } from '../../support/serverProcess.ts';
import { digestOf, type Image, imageWith, startUpstreamRegistry, type UpstreamRegistry } from './upstreamRegistry.ts';

const ADMIN_TOKEN = `admin-${randomBytes(16).toString('hex')}`;
const BOTH = ['read_registry', 'write_registry'];

describe('skopeo and the dependency proxy', () => {
  let upstream: UpstreamRegistry;
  let image: Image;
  let folder: string;
  before(async function () {
    if (programPath('skopeo') === undefined) {
      console.log('skopeo is not on the PATH; on Debian it is installed with apt-get install skopeo');
      this.skip();
    }
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-test-'));
    upstream = await startUpstreamRegistry();
    image = imageWith(randomBytes(4_000_000).toString('hex'));
    upstream.push('library/alpine', 'latest', image);
  });
  after(async () => {
    await upstream?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const startServer = async (release: string): Promise<ServerProcess> => {
    const args = ['serve', '--memory', '--release', release, '--dependency-proxy-upstream', upstream.origin];
    const server = await spawnServer(args, { env: { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN } });
    await post(server, '/groups', { name: 'Crew', path: 'crew' });
    return server;
  };
  const post = async ({ origin }: ServerProcess, at: string, json: object): Promise<unknown> => {
    const headers = { 'PRIVATE-TOKEN': ADMIN_TOKEN, 'Content-Type': 'application/json' };
    const response = await fetch(`${origin}/api/v4${at}`, { method: 'POST', headers, body: JSON.stringify(json) });
    const text = await response.text();
    assert.equal(response.status, 201, text);
    return JSON.parse(text);
  };
  const tokenWith = async (server: ServerProcess, scopes: readonly string[]): Promise<string> =>
    String(Object(await post(server, '/users/1/personal_access_tokens', { name: 'pull', scopes })).token);

  /** Runs skopeo and returns its exit code and its error output. */
  const skopeo = (...args: readonly string[]): Promise<{ readonly code: number | null; readonly stderr: string }> =>
    new Promise((resolve, reject) => {
      const env = testEnvironment(['skopeo'], { HOME: folder, REGISTRY_AUTH_FILE: path.join(folder, 'auth.json') });
      const child = spawn('skopeo', args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        stderr += chunk;
      });
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, stderr }));
    });
  let copies = 0;
  /** Copies the image through the dependency proxy to a new folder. */
  const copy = async ({ origin }: ServerProcess, credentials: string) => {
    const copied = path.join(folder, `copy${(copies += 1)}`);
    const source = `docker://${new URL(origin).host}/crew/dependency_proxy/containers/alpine:latest`;
    const options = ['--src-tls-verify=false', '--src-creds', credentials];
    return { ...(await skopeo('--insecure-policy', 'copy', ...options, source, `dir:${copied}`)), copied };
  };
  const assertComplete = (copied: string): void => {
    const expected = image.blobs.map((blob) => digestOf(blob).replace('sha256:', ''));
    assert.deepEqual(readdirSync(copied).sort(), [...expected, 'manifest.json', 'version'].sort());
    assert.deepEqual(readFileSync(path.join(copied, 'manifest.json')), image.manifest);
    for (const [index, name] of expected.entries()) {
      assert.ok(readFileSync(path.join(copied, name)).equals(image.blobs[index] ?? Buffer.alloc(0)), name);
    }
  };

  it('a token without the scopes copies an image in release 17.11, also from the cache', async () => {
    await using server = await startServer('17.11');
    const token = await tokenWith(server, ['read_user']);
    const first = await copy(server, `root:${token}`);
    assert.equal(first.code, 0, first.stderr);
    assertComplete(first.copied);
    const fetched = upstream.requests.filter((request) => request.includes('/blobs/')).length;
    const second = await copy(server, `root:${token}`);
    assert.equal(second.code, 0, second.stderr);
    assertComplete(second.copied);
    assert.equal(upstream.requests.filter((request) => request.includes('/blobs/')).length, fetched);
    assert.equal((await skopeo('login', '--tls-verify=false', '-u', 'root', '-p', token, new URL(server.origin).host)).code, 0);
  });

  it('release 18.0 refuses a token without the scopes, and one with both copies the image', async () => {
    await using server = await startServer('18.0');
    for (const scopes of [['read_user'], ['read_registry']]) {
      const token = await tokenWith(server, scopes);
      const refused = await copy(server, `root:${token}`);
      assert.notEqual(refused.code, 0);
      assert.match(refused.stderr, /403 \(Forbidden\)|access forbidden/);
      const login = await skopeo('login', '--tls-verify=false', '-u', 'root', '-p', token, new URL(server.origin).host);
      assert.notEqual(login.code, 0);
    }
    const complete = await copy(server, `root:${await tokenWith(server, BOTH)}`);
    assert.equal(complete.code, 0, complete.stderr);
    assertComplete(complete.copied);
  });

  it('a deploy token of the group copies an image', async () => {
    await using server = await startServer('18.0');
    const { username, token } = Object(await post(server, '/groups/crew/deploy_tokens', { name: 'CI', scopes: BOTH }));
    const complete = await copy(server, `${username}:${token}`);
    assert.equal(complete.code, 0, complete.stderr);
    assertComplete(complete.copied);
  });
});
