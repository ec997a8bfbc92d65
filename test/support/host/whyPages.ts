// Walks through the page that explains who is mailed, for tests that check every page.
import type { Page } from 'playwright-core';
import { decideAll } from '../../../server/features/notifications/work.ts';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import { actor, projectWith, rootOf } from '../../server/projects/cast.ts';
import type { TestServer } from '../server.ts';

/** Walks the administrator through explanations and yields the name of each page. */
export async function* walkWhyPages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  const { platform } = server;
  const ada = actor(platform, 'ada');
  const rita = actor(platform, 'rita');
  const { full_path: fullPath } = projectWith(
    platform,
    ada,
    { name: 'Lighthouses', path: 'lighthouses-and-fog-horns-of-the-northern-islands' },
    [[rita, 30]],
  ).project;
  await server.request('POST', '/api/v4/projects/1/issues', { token: ada.token, json: { title: 'Too dim' } });
  await server.request('POST', '/api/v4/projects/1/issues/1/notes', { token: rita.token, json: { body: 'Which bulb?' } });
  decideAll(platform);

  await page.goto(`${server.origin}${mintSignInLink(platform, rootOf(platform), '/-/notifications/why')?.path}`);
  await page.getByRole('heading', { level: 1, name: 'Who would be mailed?' }).waitFor();
  yield 'why-form';

  const submit = (): Promise<void> => page.getByRole('button', { name: 'Explain' }).click();
  await page.getByLabel(/^Project or group/).fill(`${fullPath}#9`);
  await submit();
  await page.getByText('does not exist, or you cannot see it.').waitFor();
  yield 'why-refused';

  await page.getByLabel(/^Project or group/).fill(`${fullPath}#1`);
  await page.getByLabel('Event', { exact: true }).selectOption('close_issue');
  await submit();
  await page.getByText('2 candidates, 2 mailed').waitFor();
  yield 'why-possible';

  await page.goto(`${server.origin}/-/notifications/why?event_id=2`);
  await page.getByText('2 candidates, 1 mailed').waitFor();
  await page.getByText('Rules', { exact: true }).first().click();
  yield 'why-happened';

  await page.goto(`${server.origin}/-/notifications/why?event_id=2&user=rita`);
  await page.getByText('Choose to be notified of your own activity.').waitFor();
  yield 'why-one';
}
