import assert from 'node:assert/strict';
import { openContext } from '../../support/host/browser.ts';
import { busiestIssue, walkResourcePages } from '../../support/host/resourcePages.ts';
import { sharedBrowser } from '../../support/host/sharedBrowser.ts';
import { startTestServer } from '../../support/server.ts';

it('a web address with a note scrolls to it', async () => {
  await using server = await startTestServer();
  await using context = await openContext(await sharedBrowser());
  const page = await context.newPage();
  for await (const name of walkResourcePages(page, server)) if (name === 'person') break;
  const issue = `${server.origin}${busiestIssue(server)}`;
  await page.goto(issue);
  const last = page.locator('li[id^=note_]').last();
  await page.goto(`${issue}#${await last.getAttribute('id')}`);
  const box = await last.boundingBox();
  assert.ok(box !== null && box.y < 900, JSON.stringify(box));
});
