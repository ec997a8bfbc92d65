// A person with a real browser, who is asked by foreign programs whether they may use an account of a server.
import type { Browser, BrowserContext } from 'playwright-core';
import { readSignInLink } from '../../../src/contract/control.ts';
import { openContext } from './browser.ts';

type Decision = 'approve' | 'deny';

export interface Person extends AsyncDisposable {
  /** Opens the page of an authorization request, decides, and is led back to the program. */
  readonly authorize: (address: string, decision: Decision) => Promise<void>;
  /** Opens an authorization request that asks nothing, and is led back to the program. */
  readonly visit: (address: string) => Promise<void>;
  /** Opens the page of a device, compares the code, and decides. */
  readonly connectDevice: (address: string, userCode: string, decision: Decision) => Promise<void>;
}

/** Somebody who is signed in on a server in another process. The program must answer at its redirect URI with a page. */
export async function personOn(browser: Browser, origin: string, adminToken: string, username: string): Promise<Person> {
  const context = await openContext(browser);
  try {
    return await signedIn(context, origin, adminToken, username);
  } catch (error) {
    await context.close();
    throw error;
  }
}

async function signedIn(context: BrowserContext, origin: string, adminToken: string, username: string): Promise<Person> {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const answer = await fetch(`${origin}/_local/sign-in-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ username, return_to: '/' }),
  });
  const link = readSignInLink(await answer.json());
  if (link === undefined) throw new Error(`no sign-in link for ${username}: ${answer.status}`);
  await page.goto(link.url);
  const heading = (text: RegExp): Promise<void> => page.getByRole('heading', { level: 1, name: text }).waitFor();
  const submit = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const returned = (address: string): Promise<void> => {
    const { port } = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
    return page.waitForURL((url) => url.hostname === '127.0.0.1' && url.port === port);
  };
  await heading(/^Hello, /);
  return {
    authorize: async (address, decision) => {
      await page.goto(address);
      await heading(/^Authorize .+\?$/);
      await submit(decision === 'approve' ? 'Authorize' : 'Deny');
      await returned(address);
    },
    visit: async (address) => {
      await page.goto(address);
      await returned(address);
    },
    connectDevice: async (address, userCode, decision) => {
      await page.goto(address);
      await submit('Continue');
      await heading(/^Approve /);
      await page.getByText(userCode, { exact: true }).waitFor();
      await submit(decision === 'approve' ? 'Approve' : 'Deny');
      await heading(decision === 'approve' ? /^Access approved$/ : /^Access denied$/);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
