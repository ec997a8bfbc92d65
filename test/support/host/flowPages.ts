// Walks through the pages that show OAuth flows, empty, filled and with refusals, for tests that check every page and for screenshots.
import type { Page } from 'playwright-core';
import { addressOf, codeClient, decideOn, exchangeCode, person, requestOf, returned } from '../../server/oauth/codes.ts';
import { decide, deviceCodes, poll, publicClient, token } from '../../server/oauth/support.ts';
import { rootOf } from '../../server/projects/cast.ts';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import type { TestServer } from '../server.ts';

/** Signs the administrator in, walks through the pages and yields the name of each page. */
export async function* walkFlowPages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  const root = rootOf(server.platform);
  const heading = (text: string): Promise<void> => page.getByRole('heading', { level: 1, name: text }).waitFor();
  await page.goto(`${server.origin}${mintSignInLink(server.platform, root, '/')?.path}`);
  await page.getByRole('link', { name: 'OAuth flows', exact: true }).click();
  await page.getByText('No OAuth requests since the server was started').waitFor();
  yield 'flows-empty';

  await makeFlows(server);
  await page.getByRole('link', { name: 'Reload' }).click();
  await page.getByText('Unknown client ffffffff').waitFor();
  yield 'flows';

  await page.getByRole('link', { name: 'Harbour lamps' }).last().click();
  await heading('Harbour lamps');
  yield 'flow-refused';

  await page.getByText('Parameters').last().click();
  await page.getByText('code_verifier', { exact: true }).last().waitFor();
  yield 'flow-sent';

  await page.goto(`${server.origin}/_local/oauth`);
  await page.getByRole('link', { name: 'A board with a very long name' }).last().click();
  await page.getByText('4 times').waitFor();
  yield 'flow-device';

  await page.goto(`${server.origin}/_local/oauth/00000000`);
  await heading('Flow not found');
  yield 'flow-gone';
}

/** Creates flows with every kind of result. */
async function makeFlows(server: TestServer): Promise<void> {
  const { clock } = server.platform;
  clock.freeze(clock.now());
  const lamps = codeClient(server, { name: 'Harbour lamps' });
  const browser = await person(server);
  const { code = '' } = returned(await decideOn(browser, requestOf(lamps)));
  clock.advance(1_200);
  await exchangeCode(server, code, lamps, { redirect_uri: 'https://lamps.example/callback/' });
  clock.advance(2_300);
  await exchangeCode(server, code, lamps, { code_verifier: 'v'.repeat(43) });
  await browser.open(addressOf(requestOf(lamps, { redirect_uri: 'https://lamps.example/Callback?from=the-start-page' })));

  const board = { ...publicClient(server) };
  server.platform.store.run('UPDATE oauth_applications SET name = $name WHERE uid = $uid', {
    uid: board.client_id,
    name: 'A board with a very long name_without_any_place_to_break_it_anywhere_at_all',
  });
  const codes = await deviceCodes(server, board);
  for (const pause of [5, 5, 6]) {
    await poll(server, codes, board);
    clock.advance(pause * 1_000);
  }
  await poll(server, codes, board);
  await poll(server, codes, board);
  await decide(server, codes);
  await poll(server, codes, board);
  await decideOn(browser, requestOf(lamps, { state: 'another' }), 'deny');
  await deviceCodes(server, board);
  await token(server, { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'f'.repeat(64) });
  await token(server, {
    grant_type: 'authorization_code',
    code: 'c',
    redirect_uri: 'https://lamps.example/',
    client_id: 'lamps',
  });
}
