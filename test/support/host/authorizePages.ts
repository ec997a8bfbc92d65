// Walks through the pages of the authorization endpoint in the order in which a user sees them, for tests that check every page.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { mintSetUpLink } from '../../../server/features/signIn/links.ts';
import { addressOf, codeClient, OUT_OF_BAND, requestOf } from '../../server/oauth/codes.ts';
import type { Client } from '../../server/oauth/support.ts';
import { rootOf } from '../../server/projects/cast.ts';
import type { TestServer } from '../server.ts';

const PASSWORD = 'a long pass phrase';
/** Walks a new browser through the pages. Redirects to a client must reach it; the client is a separate server. */
export async function* walkAuthorizePages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  // The browser's own interception sees no redirects, so a real client is needed.
  const callbacks: string[] = [];
  const board = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      if (request.url?.startsWith('/callback')) callbacks.push(`${request.method} ${request.url} ${body}`);
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Board</title><h1>The board</h1>');
    });
  });
  await new Promise<void>((resolve) => board.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = board.address() as AddressInfo;
    yield* walk(page, server, `http://127.0.0.1:${port}/callback`, callbacks);
  } finally {
    board.closeAllConnections();
    board.close();
  }
}

async function* walk(
  page: Page,
  server: TestServer,
  callback: string,
  callbacks: readonly string[],
): AsyncGenerator<string, void, undefined> {
  const submit = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const heading = (text: string | RegExp): Promise<void> => page.getByRole('heading', { level: 1, name: text }).waitFor();
  const arrived = async (pattern: RegExp): Promise<void> => {
    await heading('The board');
    const last = callbacks.at(-1) ?? '';
    if (!pattern.test(last)) throw new Error(`unexpected callback: ${last}`);
  };
  const at = (client: Client, more: Readonly<Record<string, string>> = {}): string =>
    `${server.origin}${addressOf(requestOf(client, { redirect_uri: callback, ...more }))}`;
  const root = rootOf(server.platform);
  const { group } = createGroup(server.platform, root, { name: 'Signal works', path: 'signal-works', visibility: 'public' });

  const board = codeClient(server, { redirectUris: [callback] });
  await page.goto(`${server.origin}${mintSetUpLink(server.platform)}`);
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Confirm new password', { exact: true }).fill(PASSWORD);
  await submit('Set password and sign in');
  await heading(/^Hello, /);
  await page.goto(at(board, { scope: 'api read_user' }));
  await heading('Authorize Lamp board?');
  yield 'consent';

  await submit('Authorize');
  await arrived(/^GET \/callback\?code=[0-9a-f]{64}&state=xyz&iss=/);

  const name = 'A board with a very long name_without_any_place_to_break_it_anywhere_at_all';
  const owned = codeClient(server, { name, owner: root, redirectUris: ['http://lamps.example/'] });
  await page.goto(at(owned, { redirect_uri: 'http://lamps.example/', root_namespace_id: String(group.id) }));
  await page.getByText('This address is not encrypted').waitFor();
  yield 'consent-warned';

  await page.goto(at(board));
  await submit('Deny');
  await arrived(/^GET \/callback\?error=access_denied&/);

  const printer = codeClient(server, { name: 'Label printer', redirectUris: [OUT_OF_BAND] });
  await page.goto(at(printer, { redirect_uri: OUT_OF_BAND }));
  await page.getByText('You will get a code').waitFor();
  await submit('Authorize');
  await heading('Copy this code into Label printer');
  yield 'code-to-copy';

  await page.goto(at(board, { redirect_uri: 'https://lamps.example/elsewhere' }));
  await heading('Invalid request from the application');
  yield 'refused';

  await page.goto(at(board, { response_mode: 'form_post' }));
  await submit('Authorize');
  await arrived(/^POST \/callback code=[0-9a-f]{64}&state=xyz&iss=/);

  await page.route(/\/sendForm\.js/, (route) => route.abort());
  await page.goto(at(board, { response_mode: 'form_post' }));
  await submit('Authorize');
  await heading('Redirecting to the application');
  yield 'form-post';

  await submit('Continue');
  await arrived(/^POST \/callback code=/);

  const trusted = codeClient(server, { confidential: true, trusted: true, redirectUris: [callback] });
  await page.goto(at(trusted));
  await arrived(/^GET \/callback\?code=/);

  // A sign-in form before a response without a prompt: the policy of that form must not block the redirect.
  await page.context().clearCookies();
  await page.goto(at(trusted));
  await page.getByLabel('Username or email').fill('root');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.locator('main').getByRole('button', { name: 'Sign in', exact: true }).click();
  await arrived(/^GET \/callback\?code=/);
}
