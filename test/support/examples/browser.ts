import { formsOf, PageClient } from '../pages.ts';
import type { Example } from './example.ts';
import type { Fixture } from './fixture.ts';

/** Returns a form of a page as the browser would send it, with its cookie. */
export async function formExample(
  client: PageClient,
  page: string,
  action: string,
  fields: Example['params'] = {},
): Promise<Example> {
  const response = await client.open(page);
  return sentForm(client, response.text, action, fields);
}

export function sentForm(client: PageClient, html: string, action: string, fields: Example['params'] = {}): Example {
  const form = formsOf(html).find((candidate) => candidate.action === action);
  if (form === undefined) throw new Error(`the page has no form for ${action}`);
  const { '': _button, ...sent } = form.fields;
  return { asForm: true, headers: { Cookie: client.cookieHeader() }, params: { ...sent, ...fields } };
}

/** Returns a browser in which root is signed in, without earlier mistyped codes counting against it. */
export async function browser({ server, root }: Fixture): Promise<PageClient> {
  server.platform.store.run('DELETE FROM attempts');
  const client = new PageClient(server);
  await client.signIn(root.username);
  return client;
}
