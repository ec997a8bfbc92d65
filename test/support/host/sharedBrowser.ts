// One browser for all tests of a process. Tests open contexts of their own, which share nothing.
import type { Browser } from 'playwright-core';
import { openBrowser } from './browser.ts';

let running: Promise<Browser> | undefined;

/** Returns the browser of this process. It is started by the first call, and closed after the last test. */
export function sharedBrowser(): Promise<Browser> {
  running ??= openBrowser().then((browser) =>
    browser.once('disconnected', () => {
      running = undefined;
    }),
  );
  return running;
}

after(async () => {
  await (await running)?.close();
});
