// A person with a real browser who decides whether third-party programs may use an account of a server.
import type { Browser } from 'playwright-core';
import { openContext } from './browser.ts';
import { decideOnDevicePage, type RunningPlatform } from './platform.ts';

type Decision = 'approve' | 'deny';

export interface Person {
  /** Opens the page of an authorization request, decides, and follows the redirect to the program. */
  readonly authorize: (address: string, decision: Decision) => Promise<void>;
  /** Opens an authorization request without a prompt and follows the redirect to the program. */
  readonly visit: (address: string) => Promise<void>;
  /** Opens the device page, compares the code and decides. */
  readonly connectDevice: (address: string, userCode: string, decision: Decision) => Promise<void>;
}

/** Returns a person who is signed in, in a new browser profile. A program must respond with a page at its redirect URI. */
export async function personOn(browser: Browser, platform: RunningPlatform, username: string): Promise<Person> {
  const page = await (await openContext(browser)).newPage();
  page.setDefaultTimeout(20_000);
  await platform.signIn(page, username);
  const returned = (address: string): Promise<void> => {
    const { port } = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
    return page.waitForURL((url) => url.hostname === '127.0.0.1' && url.port === port);
  };
  return {
    authorize: async (address, decision) => {
      await page.goto(address);
      await page.getByRole('heading', { level: 1, name: /^Authorize .+\?$/ }).waitFor();
      await page.getByRole('button', { name: decision === 'approve' ? 'Authorize' : 'Deny', exact: true }).click();
      await returned(address);
    },
    visit: async (address) => {
      await page.goto(address);
      await returned(address);
    },
    connectDevice: async (address, userCode, decision) => {
      await page.goto(address);
      await decideOnDevicePage(page, userCode, decision === 'approve' ? 'Approve' : 'Deny');
    },
  };
}
