// A person with a real browser, who is asked by foreign programs whether they may use an account of a server.
import type { Browser } from 'playwright-core';
import { openContext } from './browser.ts';
import { decideOnDevicePage, type RunningPlatform } from './platform.ts';

type Decision = 'approve' | 'deny';

export interface Person {
  /** Opens the page of an authorization request, decides, and is led back to the program. */
  readonly authorize: (address: string, decision: Decision) => Promise<void>;
  /** Opens an authorization request that asks nothing, and is led back to the program. */
  readonly visit: (address: string) => Promise<void>;
  /** Opens the page of a device, compares the code, and decides. */
  readonly connectDevice: (address: string, userCode: string, decision: Decision) => Promise<void>;
}

/** Somebody who is signed in, in a browser profile of their own. A program must answer at its redirect URI with a page. */
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
