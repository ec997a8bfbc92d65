import assert from 'node:assert/strict';
import { routeDefinitions } from '../../../server/app.ts';
import type { Route } from '../../../server/http/route.ts';
import { formsOf, PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

describe('pages', () => {
  let server: TestServer;
  let person: PageClient;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());
  beforeEach(async () => {
    person = new PageClient(server);
    await person.signIn();
  });

  /** Returns the page routes without path parameters. */
  const rows = (method: string): readonly Route[] =>
    routeDefinitions(server.platform).filter((row) => row.area === 'page' && row.method === method && !row.path.includes(':'));

  async function formToken(): Promise<string> {
    const page = await person.open('/oauth/device');
    return formsOf(page.text)[0]?.fields['authenticity_token'] ?? '';
  }

  function checkHeaders(response: TestResponse, what: string): void {
    assert.equal(
      response.headers.get('content-security-policy'),
      "default-src 'none';style-src 'self';img-src 'self';form-action 'self';frame-ancestors 'none';base-uri 'none'",
      what,
    );
    assert.equal(response.headers.get('x-frame-options'), 'DENY', what);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff', what);
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer', what);
    assert.equal(response.headers.get('cache-control'), 'no-store', what);
    assert.equal(response.headers.get('access-control-allow-origin'), null, what);
    assert.equal(response.headers.get('x-powered-by'), null, what);
  }

  it('pages forbid scripts, frames, third-party content, referrers and caching, also for errors', async () => {
    person.headers['Origin'] = 'https://elsewhere.example';
    for (const { path } of [...rows('GET'), { path: '/nothing/here' }]) checkHeaders(await person.open(path), path);
    for (const { path } of rows('POST')) checkHeaders(await person.post(path, {}), path);
  });

  it('pages contain no inline script or style, and have a language, landmarks and one main heading', async () => {
    const pages = await Promise.all([...rows('GET').map(({ path }) => path), '/nothing/here'].map((path) => person.open(path)));
    const shown = pages.filter(({ status }) => status !== 303);
    assert.ok(shown.length > 4);
    for (const { text } of shown) {
      assert.match(text, /^<!doctype html>\n<html lang="en">/);
      assert.doesNotMatch(text, /<script|<style|\sstyle=|\son[a-z]+=|javascript:/i);
      assert.match(text, /<title>[^<]+<\/title>/);
      assert.equal(text.match(/<h1\b/g)?.length, 1);
      assert.equal(text.match(/<main\b/g)?.length, 1);
      // The API reference shows types as code.
      assert.doesNotMatch(text.replaceAll('<code>null</code>', ''), /\[object |undefined|null/);
      assert.equal(text.match(/(?:src|href|action)="(?!\/)/g)?.filter((part) => part !== 'href="').length ?? 0, 0);
    }
  });

  it('an unknown address returns an error page, and HEAD no body', async () => {
    for (const path of ['/nothing', '/nothing/here', '/users/sign_in/deeper', '/assets/pages/../page.css', '/oauth/devices']) {
      const response = await person.open(path);
      assert.equal(response.status, 404, path);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(textOf(response.text), /^Page not found/);
    }
    const head = await person.open('/nothing', 'HEAD');
    assert.equal(head.status, 404);
    assert.equal(head.text, '');
    assert.equal((await person.open('/', 'HEAD')).status, 200);
  });

  describe('with forms', () => {
    it('forms without the form token of the session are refused and change nothing', async () => {
      const token = await formToken();
      const other = new PageClient(server);
      await other.signIn();
      for (const { path } of rows('POST')) {
        for (const sent of [{}, { authenticity_token: '' }, { authenticity_token: `${token}x` }]) {
          const response = await person.post(path, sent);
          assert.equal(response.status, 403, path);
          assert.match(textOf(response.text), /This form has expired/);
          assert.equal(server.platform.requestLog.list(1)[0]?.refusal?.rule, 'form.token');
        }
        assert.equal((await other.post(path, { authenticity_token: token })).status, 403, path);
        assert.equal((await server.request('POST', path, { form: { authenticity_token: token } })).status, 403, path);
      }
      assert.match(textOf((await person.open('/')).text), /signed in as @root/);
    });

    it('forms from pages of other sites are refused, even with the token', async () => {
      const authenticity_token = await formToken();
      const foreign: Record<string, string>[] = [
        { Origin: 'https://elsewhere.example' },
        { Origin: server.origin.replace('127.0.0.1', 'localhost') },
        { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
        { Origin: 'null', 'Sec-Fetch-Site': 'same-site' },
        { 'Sec-Fetch-Site': 'cross-site' },
      ];
      for (const { path } of rows('POST')) {
        for (const headers of foreign) {
          Object.assign(person.headers, headers);
          const response = await person.post(path, { authenticity_token });
          for (const name of Object.keys(headers)) delete person.headers[name];
          assert.equal(response.status, 403, `${path} ${JSON.stringify(headers)}`);
          assert.equal(server.platform.requestLog.list(1)[0]?.refusal?.rule, 'origin');
        }
      }
    });

    it('forms from own pages are accepted with all headers that browsers send, including the Origin null', async () => {
      const own: Record<string, string>[] = [
        { Origin: server.origin, 'Sec-Fetch-Site': 'same-origin' },
        { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' },
        { Origin: 'null' },
        {},
      ];
      for (const headers of own) {
        const client = new PageClient(server);
        await client.signIn();
        const page = await client.open('/');
        Object.assign(client.headers, headers);
        assert.equal((await client.submit(page, '/users/sign_out')).status, 303, JSON.stringify(headers));
      }
    });

    it('pages accept only forms of limited length with every field once', async () => {
      const authenticity_token = await formToken();
      const headers = { Cookie: person.cookieHeader() };
      const send = (form: string): Promise<TestResponse> => server.request('POST', '/users/sign_out', { form, headers });
      const json = await server.request('POST', '/users/sign_out', { json: { authenticity_token }, headers });
      assert.equal(json.status, 415);
      assert.equal((await send(`authenticity_token=${authenticity_token}&a=1&a=2`)).status, 400);
      assert.equal((await send(`authenticity_token=${authenticity_token}&a=${'x'.repeat(70_000)}`)).status, 413);
      assert.equal((await send(`authenticity_token=${authenticity_token}`)).status, 303);
    });
  });
});

describe('static files', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('static files used by pages are cached permanently under the hash of their content', async () => {
    const page = await server.request('GET', '/');
    const addresses = [...new Set(page.text.match(/\/assets\/pages\/[\w.]+\?v=[0-9a-f]+/g))];
    assert.deepEqual(addresses.map((address) => address.replace(/\?.*/, '')).toSorted(), [
      '/assets/pages/logo.svg',
      '/assets/pages/page.css',
    ]);
    for (const address of addresses) {
      const response = await server.request('GET', address);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /^(?:text\/css; charset=utf-8|image\/svg\+xml)$/);
      assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.deepEqual(response.headers.getSetCookie(), []);
      const old = await server.request('GET', address.replace(/v=.*/, 'v=old'));
      assert.equal(old.headers.get('cache-control'), 'public, max-age=0, must-revalidate');
      const etag = response.headers.get('etag') ?? '';
      assert.equal((await server.request('GET', address, { headers: { 'If-None-Match': etag } })).status, 304);
    }
  });

  it('other static files do not exist', async () => {
    for (const name of ['package.json', '..%2F..%2Fpackage.json', 'constructor', 'page.css%00', '.', 'PAGE.CSS']) {
      assert.equal((await server.request('GET', `/assets/pages/${name}`)).status, 404, name);
    }
  });
});
