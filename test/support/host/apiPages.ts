// Walks through the search of the API reference and the pages on which endpoints are tried out, for tests and for screenshots.
import type { Page } from 'playwright-core';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { rootOf } from '../../server/projects/cast.ts';
import type { TestServer } from '../server.ts';

/** Searches for an endpoint with the keyboard, sends a read, and sends a change without and with its confirmation. */
export async function* walkApiPages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  const { platform } = server;
  const root = rootOf(platform);
  createProject(platform, root, { name: 'Lamps' });
  // Makes the document, which takes longer than a page.
  await server.request('GET', '/api/v4/openapi.json');
  await page.goto(`${server.origin}${mintSignInLink(platform, root, '/help/api?method=GET')?.path}`);
  await page.getByRole('textbox', { name: 'Search' }).fill('projects/{id}/issues labels');
  await page.keyboard.press('Enter');
  await page.getByText(/^\d+ endpoints? found/).waitFor();
  await page.evaluate(() => {
    for (const details of [...document.querySelectorAll('details')].slice(0, 1)) details.open = true;
  });
  yield 'endpoint-search';

  await page.goto(`${server.origin}/help/api/endpoints/get_api_v4_projects_id`);
  yield 'endpoint-read';
  await page.getByLabel('id', { exact: true }).fill('root/lamps');
  await page.keyboard.press('Enter');
  await page.getByText('200 OK').waitFor();
  yield 'endpoint-response';

  await page.goto(`${server.origin}/help/api/endpoints/post_api_v4_projects_id_issues`);
  yield 'endpoint-change';
  await page.evaluate(() => document.querySelector('form[action*="endpoints"]')?.setAttribute('novalidate', ''));
  await page.getByLabel('title', { exact: true }).fill('The lamp is dark');
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByText('Nothing was sent.').waitFor();
  yield 'endpoint-errors';
  await page.getByLabel('id', { exact: true }).fill('root/lamps');
  await page.getByLabel('Send this request').check();
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByText('201 Created').waitFor();
  yield 'endpoint-changed';
}
