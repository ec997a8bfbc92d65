import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { createRedirectListener, type Received, type RedirectListener } from '../../../src/auth/redirectListener.ts';

const PAGES = path.resolve(import.meta.dirname, '../../../media/pages');

/** Sends a request to a listener. `headers` can replace the host. */
async function ask(listener: RedirectListener, path: string, method = 'GET', headers: Readonly<Record<string, string>> = {}) {
  const { host, hostname, port } = new URL(listener.redirectUri);
  const sent = request({ hostname, port, path, method, agent: false, headers: { host, ...headers } });
  sent.end();
  const [response] = await once(sent, 'response');
  let body = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  await once(response, 'end');
  return { status: Number(response.statusCode), headers: new Headers(response.headers), body };
}

/** Sends raw bytes to a listener and returns its complete response. */
async function send(listener: RedirectListener, text: string): Promise<string> {
  const socket = connect(Number(new URL(listener.redirectUri).port), '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (data: string) => {
    received += data;
  });
  socket.end(text);
  await once(socket, 'close');
  return received;
}

describe('the redirect listener', () => {
  let listener: RedirectListener;
  const received: string[] = [];
  afterEach(() => {
    listener.close();
    received.length = 0;
  });
  async function listen(response: Received = 'accepted', language = 'en'): Promise<void> {
    listener = await createRedirectListener(
      language,
      PAGES,
    )((parameters) => {
      received.push(parameters.toString());
      return response;
    });
  }
  const callback = '/oauth/callback?code=abc&state=xyz';

  it('the redirect listener has a loopback address with a free port', async () => {
    await listen();
    assert.match(listener.redirectUri, /^http:\/\/127\.0\.0\.1:[1-9]\d*\/oauth\/callback$/);
  });

  it('the redirect listener passes on the parameters and responds with a page without scripts, cache and referrer', async () => {
    await listen();
    const { status, headers, body } = await ask(listener, callback);
    assert.deepEqual([status, received], [200, ['code=abc&state=xyz']]);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(body) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    assert.equal(
      headers.get('content-security-policy'),
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('connection'), 'close');
    assert.match(body, /^<!doctype html>\n<html lang="en">[\s\S]*You can close this tab/);
    assert.doesNotMatch(body, /<script|(?:src|href)="(?!data:)|code=abc|state=xyz/);
  });

  it('the final page has the style sheet and the logo of the pages of the server, and is plain without them', async () => {
    await listen();
    const { body } = await ask(listener, callback);
    assert.ok(body.includes(`<style>${readFileSync(path.join(PAGES, 'page.css'), 'utf8')}</style>`));
    const logo = readFileSync(path.join(PAGES, 'logo.svg')).toString('base64');
    assert.equal(body.split(`"data:image/svg+xml;base64,${logo}"`).length, 3);
    listener.close();
    listener = await createRedirectListener('en', path.join(PAGES, 'missing'))(() => 'accepted');
    assert.match((await ask(listener, callback)).body, /<style><\/style>[^]*<h1>Signed in<\/h1>/);
  });

  for (const [response, status, text] of [
    ['refused', 200, /Sign-in failed/],
    ['stray', 400, /No sign-in is in progress/],
  ] as const) {
    it(`the redirect listener shows a message if the redirect is ${response}`, async () => {
      await listen(response);
      const page = await ask(listener, callback);
      assert.equal(page.status, status);
      assert.match(page.body, text);
    });
  }

  it('the redirect listener escapes the language', async () => {
    await listen('accepted', '"><b>');
    assert.doesNotMatch((await ask(listener, callback)).body, /<b>/);
  });

  for (const [what, status, path, method, headers] of [
    ['another host', 421, callback, 'GET', { host: 'evil.example' }],
    ['localhost as host', 421, callback, 'GET', { host: 'localhost' }],
    ['another port', 421, callback, 'GET', { host: '127.0.0.1:1' }],
    ['HEAD', 405, callback, 'HEAD', {}],
    ['POST', 405, callback, 'POST', {}],
    ['another path', 404, '/', 'GET', {}],
    ['a longer path', 404, '/oauth/callback/?code=abc', 'GET', {}],
    ['a similar path', 404, '/oauth/callback2?code=abc', 'GET', {}],
    ['a complete URL instead of a path', 404, 'http://127.0.0.1/oauth/callback?code=abc', 'GET', {}],
  ] as const) {
    it(`the redirect listener rejects a request with ${what}`, async () => {
      await listen();
      const response = await ask(listener, path, method, headers);
      assert.deepEqual([response.status, received], [status, []]);
      assert.equal(response.headers.get('allow'), status === 405 ? 'GET' : null);
    });
  }

  it('the redirect listener rejects a request with two hosts or none', async () => {
    await listen();
    const { host } = new URL(listener.redirectUri);
    const two = await send(listener, `GET ${callback} HTTP/1.1\r\nHost: ${host}\r\nHost: ${host}\r\n\r\n`);
    const none = await send(listener, `GET ${callback} HTTP/1.0\r\n\r\n`);
    assert.match(two, /^HTTP\/1\.1 4\d\d /);
    assert.match(none, /^HTTP\/1\.1 4\d\d /);
    assert.deepEqual(received, []);
  });

  it('the redirect listener closes idle connections and incomplete requests, too, when it is closed', async () => {
    await listen();
    const port = Number(new URL(listener.redirectUri).port);
    const [idle, unfinished] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    await Promise.all([once(idle, 'connect'), once(unfinished, 'connect')]);
    unfinished.write('GET /oauth/callback HTTP/1.1\r\n');
    // After the response to a later request, the listener knows both connections.
    await ask(listener, '/');
    const closed = Promise.all(
      [idle, unfinished].map((socket) =>
        once(
          socket.on('error', () => undefined),
          'close',
        ),
      ),
    );
    listener.close();
    await closed;
    await assert.rejects(ask(listener, callback), { code: 'ECONNREFUSED' });
  });

  it('the redirect listener still responds if it is closed while it handles the request', async () => {
    listener = await createRedirectListener(
      'en',
      PAGES,
    )(() => {
      listener.close();
      return 'accepted';
    });
    const { status, body } = await ask(listener, callback);
    assert.equal(status, 200);
    assert.match(body, /<\/html>\n$/);
    await assert.rejects(ask(listener, callback), { code: 'ECONNREFUSED' });
  });
});
