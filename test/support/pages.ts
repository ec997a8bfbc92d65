import assert from 'node:assert/strict';
import { sessionCookieName } from '../../server/features/signIn/session.ts';
import { mintSetUpLink, mintSignInLink } from '../../server/features/signIn/links.ts';
import { findUserByName } from '../../server/features/users/accounts.ts';
import { formsOf, textOf } from './html.ts';
import type { TestResponse, TestServer } from './server.ts';

export { formsOf, textOf };

/** Uses web pages without a browser: stores cookies, reads forms, and follows redirects on request. */
export class PageClient {
  readonly #server: TestServer;
  readonly #cookies = new Map<string, string>();
  /** Headers sent with every request. */
  readonly headers: Record<string, string> = {};

  constructor(server: TestServer) {
    this.#server = server;
  }

  /** Returns the value of the session cookie. */
  cookie(): string | undefined {
    return this.#cookies.get(sessionCookieName(this.#server.platform));
  }

  setCookie(value: string): void {
    this.#cookies.set(sessionCookieName(this.#server.platform), value);
  }

  /** Returns the `Cookie` header of every request. */
  cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  open(path: string, method = 'GET'): Promise<TestResponse> {
    return this.#send(method, path);
  }

  post(path: string, fields: Readonly<Record<string, string>>): Promise<TestResponse> {
    return this.#send('POST', path, fields);
  }

  /** Fills in the form with this action and sends it. */
  submit(page: TestResponse, action: string, fields: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
    const form = formsOf(page.text).find((candidate) => candidate.action === action);
    assert.ok(form, `the page has no form for ${action}:\n${page.text}`);
    return this.post(action, { ...form.fields, ...fields });
  }

  /** Follows a redirect. */
  follow(response: TestResponse): Promise<TestResponse> {
    assert.equal(response.status, 303, response.text);
    return this.open(response.headers.get('location') ?? '');
  }

  /** Signs in with a one-time link, which needs no password hash. */
  async signIn(username = 'root'): Promise<void> {
    const user = findUserByName(this.#server.platform, username);
    assert.ok(user);
    const link = mintSignInLink(this.#server.platform, user, '/');
    assert.equal((await this.open(link?.path ?? '')).status, 303);
  }

  /** Opens the set-up page with a link like the one the server prints at its start. */
  async openSetUp(): Promise<TestResponse> {
    return this.follow(await this.open(mintSetUpLink(this.#server.platform)));
  }

  /** Sets root's first password and signs root in. */
  async setUp(password: string): Promise<void> {
    const fields = { password, password_confirmation: password };
    assert.equal((await this.submit(await this.openSetUp(), '/users/set_up', fields)).status, 303);
  }

  async #send(method: string, path: string, form?: Readonly<Record<string, string>>): Promise<TestResponse> {
    const cookies = this.cookieHeader();
    const response = await this.#server.request(method, path, {
      headers: { ...this.headers, ...(cookies === '' ? {} : { Cookie: cookies }) },
      ...(form === undefined ? {} : { form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      const at = pair.indexOf('=');
      if (/max-age=0/i.test(line)) this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }
}
