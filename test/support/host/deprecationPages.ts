// Walks through the pages of deprecations, empty and filled, for tests that check every page and for screenshots.
import type { Page } from 'playwright-core';
import type { DeprecationId } from '../../../src/contract/deprecations.ts';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import { rootOf } from '../../server/projects/cast.ts';
import type { TestServer } from '../server.ts';

/** Opens the report without calls, with calls of several clients and with a search, and pages of deprecations. */
export async function* walkDeprecationPages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  const { platform } = server;
  const add = (deprecation: DeprecationId, request: string, userAgent: string, username = 'root'): void =>
    platform.deprecatedCalls.add({
      deprecation,
      at: platform.clock.now(),
      username,
      userAgent,
      oauthTokenId: undefined,
      request,
    });
  await page.goto(`${server.origin}${mintSignInLink(platform, rootOf(platform), '/help/deprecations')?.path}`);
  await page.getByText('None of your clients').waitFor();
  yield 'deprecations-empty';

  add('password-grant', 'POST /oauth/token', 'lamp-board/1.0');
  add(
    'public-subscription-endpoints',
    'PATCH /api/v4/namespaces/:previous_namespace_id/minutes/move/:target_namespace_id',
    'x'.repeat(80),
  );
  for (let call = 0; call < 3; call += 1) add('runner-registration', 'POST /api/v4/runners', 'tide-clock/2.0', '');
  await page.getByLabel('Calls of all users').check();
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByText('3 times').waitFor();
  yield 'deprecations';

  await page.getByRole('textbox', { name: 'Search' }).fill('permission');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('takeOwnershipPipelineSchedule').waitFor();
  yield 'deprecations-found';

  await server.request('GET', '/api/v4/audit_events?page=2', { token: server.adminToken });
  await server.request('GET', '/api/v4/version', { token: server.adminToken });
  await page.getByRole('button', { name: 'Send reads again' }).click();
  await page.getByText('2 of 2 reads differ').waitFor();
  yield 'replayed-reads';

  for (const id of ['public-subscription-endpoints', 'take-ownership-permission'] as const) {
    await page.goto(`${server.origin}/help/deprecations/${id}`);
    await page.getByText('Behavior of this server').waitFor();
    yield id;
  }
}
