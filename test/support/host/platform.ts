// A server as a separate program: a remote instance to VS Code, and to the test one whose clock can be advanced and whose process can be
// paused.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import { DEVICE_CODE_GRANT } from '../../../src/contract/oauth.ts';
import { spawnServer } from '../serverProcess.ts';
import { until } from '../until.ts';

/** A user of the demo data who is a member of several projects. */
export const DEMO_USER = { username: 'amara', name: 'Amara Okafor' } as const;

export type RunningPlatform = {
  readonly origin: string;
  /** Label of the instance in the extension. */
  readonly label: string;
  /** Personal access token of root. */
  readonly adminToken: string;
  /** Advances the clock of the server. */
  advance(seconds: number): Promise<void>;
  /** Returns paths with queries of the latest requests of API clients, newest first. */
  apiRequests(): Promise<readonly string[]>;
  /** Returns the statuses of the latest responses for this path, in any area, newest first. */
  statuses(path: string): Promise<readonly number[]>;
  /** Signs the browser of a page in as a user. */
  signIn(page: Page, username: string): Promise<void>;
  /** Sends a PUT request to the API on behalf of a user. */
  putAs(username: string, path: string, body: Readonly<Record<string, unknown>>): Promise<void>;
  /** Creates an issue as root in the project of this name. */
  createIssue(project: string, title: string): Promise<void>;
  /** Pauses the process: the system accepts connections, but nobody responds. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
};

/**
 * Starts dist/server.js in memory or with a data folder, with the demo data or with root only. `options` are additional command line
 * options.
 */
export async function startPlatform(
  seed: 'demo' | 'none' = 'demo',
  options: readonly string[] = [],
  data?: string,
): Promise<RunningPlatform> {
  const adminToken = randomBytes(32).toString('hex');
  const server = await spawnServer(
    ['serve', '--port', '0', ...(data === undefined ? ['--memory'] : ['--data', data]), '--seed', seed, ...options],
    {
      env: { SIGNALBOX_ADMIN_TOKEN: adminToken },
    },
  );
  assert.equal(server.line['event'], 'listening', server.stderr());
  const { origin } = server;

  async function ask(path: string, body?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const response = await fetch(`${origin}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return response.json();
  }

  async function requestLog(): Promise<readonly unknown[]> {
    const response = await fetch(`${origin}/_local/requests?limit=500`, { headers: { authorization: `Bearer ${adminToken}` } });
    const entries: unknown = await response.json();
    assert.ok(Array.isArray(entries));
    return entries;
  }

  return {
    origin,
    label: new URL(origin).host,
    adminToken,
    async advance(seconds) {
      await ask('/_local/clock', { advance_seconds: seconds });
    },
    async apiRequests() {
      return (await requestLog())
        .map((entry) => `${textMember(entry, 'path')}?${textMember(entry, 'query').replace(/^\?/, '')}`)
        .filter((path) => path.startsWith('/api/'));
    },
    async statuses(path) {
      return (await requestLog()).flatMap((entry) =>
        typeof entry === 'object' && entry !== null && Reflect.get(entry, 'path') === path
          ? [Number(Reflect.get(entry, 'status'))]
          : [],
      );
    },
    async signIn(page, username) {
      await page.goto(textMember(await ask('/_local/sign-in-links', { username, return_to: '/' }), 'url'));
      await page.getByRole('heading', { level: 1, name: /^Hello, / }).waitFor();
    },
    async putAs(username, path, body) {
      const headers = { authorization: `Bearer ${adminToken}`, sudo: username, 'content-type': 'application/json' };
      const response = await fetch(`${origin}${path}`, { method: 'PUT', headers, body: JSON.stringify(body) });
      assert.ok(response.ok, `${path}: ${response.status}`);
    },
    async createIssue(project, title) {
      const found = await ask(`/api/v4/projects?search=${encodeURIComponent(project)}`);
      const ids = (Array.isArray(found) ? found : []).flatMap((one: unknown) =>
        typeof one === 'object' && one !== null && Reflect.get(one, 'name') === project ? [String(Reflect.get(one, 'id'))] : [],
      );
      assert.equal(ids.length, 1, `projects of the name ${project}`);
      await ask(`/api/v4/projects/${ids[0]}/issues`, { title });
    },
    freeze: () => server.child.kill('SIGSTOP'),
    thaw: () => server.child.kill('SIGCONT'),
    close: () => server.stop(),
  };
}

/** Sends a request to a platform as root, or as another user. It must succeed. */
export async function ask(
  { origin, adminToken }: RunningPlatform,
  method: string,
  path: string,
  body?: object,
  username?: string,
): Promise<unknown> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${adminToken}`,
      'content-type': 'application/json',
      ...(username === undefined ? {} : { sudo: username }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  const value: unknown = text === '' ? undefined : JSON.parse(text);
  return value;
}

/** Approves or denies the code of an open device page; `code` is the one that the editor shows. */
export async function decideOnDevicePage(page: Page, code: string, decision: 'Approve' | 'Deny'): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Connect an application' }).waitFor();
  assert.equal(await page.getByLabel('Code', { exact: true }).inputValue(), code);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: /^Approve / }).waitFor();
  await page.getByText(code, { exact: true }).waitFor();
  await page.getByRole('button', { name: decision, exact: true }).click();
  const result = decision === 'Approve' ? 'Access approved' : 'Access denied';
  await page.getByRole('heading', { level: 1, name: result }).waitFor();
}

/** Returns an access token of the user signed in on the page's browser: a device grant of a separate client, approved on the page. */
export async function tokenByDevicePage(page: Page, origin: string): Promise<string> {
  const ask = async (path: string, form: Readonly<Record<string, string>>): Promise<unknown> =>
    (await fetch(`${origin}/oauth/${path}`, { method: 'POST', body: new URLSearchParams(form) })).json();
  const codes = await ask('authorize_device', { client_id: EXTENSION_CLIENT_ID, scope: 'api' });
  await page.goto(textMember(codes, 'verification_uri_complete'));
  await decideOnDevicePage(page, textMember(codes, 'user_code'), 'Approve');
  const form = { grant_type: DEVICE_CODE_GRANT, client_id: EXTENSION_CLIENT_ID, device_code: textMember(codes, 'device_code') };
  const tokens = await until(
    () => ask('token', form),
    (response) => typeof response === 'object' && response !== null && 'access_token' in response,
    'token of the API client',
  );
  return textMember(tokens, 'access_token');
}

function textMember(value: unknown, name: string): string {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  assert.ok(typeof member === 'string', `no ${name} in ${JSON.stringify(value)}`);
  return member;
}
