// Walks through the pages of email addresses and notification settings, for tests that check every page.
import type { Page } from 'playwright-core';
import { confirmationPath } from '../../../server/features/mail/confirmationToken.ts';
import { addEmail } from '../../../server/features/emails/manageEmails.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import { actor, projectWith } from '../../server/projects/cast.ts';
import type { TestServer } from '../server.ts';

/** Walks a user with many projects through the pages and yields the name of each. */
export async function* walkNotificationPages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  const { platform } = server;
  const ada = actor(platform, 'ada');
  const { group } = createGroup(platform, ada.user, { name: 'Harbour', path: 'harbour-of-the-far-northern-islands' });
  projectWith(platform, ada, { name: 'Lighthouses', path: 'lighthouses-and-fog-horns', namespaceId: group.id });
  for (let count = 0; count < 25; count += 1) createProject(platform, ada.user, { name: `Mast ${count}` });
  const submit = (name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click();

  await page.goto(`${server.origin}${mintSignInLink(platform, ada.user, '/user_settings/emails')?.path}`);
  await page.getByText('You have no additional addresses.').waitFor();
  yield 'emails-empty';

  await page.getByLabel('New address').fill('nobody');
  await submit('Add address');
  await page.getByText('The address is invalid.').waitFor();
  yield 'emails-refused';

  await page.getByLabel('New address').fill('ada.of.the.northern.islands@harbour.example');
  await submit('Add address');
  await page.getByText('Address added.').waitFor();
  yield 'emails-added';

  const added = addEmail(platform, ada.user, { address: 'ada@work.example' });
  if (!('id' in added)) throw new Error(added.join());
  const link = confirmationPath(platform, added.id, added.email);
  await page.goto(`${server.origin}${link}`);
  await page.getByRole('heading', { name: 'Confirm your email address' }).waitFor();
  yield 'confirmation';

  await submit('Confirm address');
  await page.getByText('is confirmed.').waitFor();
  yield 'confirmed';

  await page.goto(`${server.origin}${link}`);
  await page.getByText('was already confirmed.').waitFor();
  yield 'confirmed-before';

  await page.goto(`${server.origin}${link}x`);
  await page.getByText('This link is not valid.').waitFor();
  yield 'confirmation-unknown';

  await page.getByRole('link', { name: 'Your addresses' }).click();
  await page.getByRole('link', { name: 'Notifications' }).first().click();
  await page.getByLabel('Email address').selectOption('ada@work.example');
  await page.getByLabel(/^Custom/).check();
  await submit('Save global settings');
  await page.getByText('Notification settings saved.').waitFor();
  yield 'settings-custom';

  await page.getByLabel('A release is published').check();
  await submit(/^Save events/);
  await page.getByText('Events: 3 of 21').waitFor();
  yield 'settings-events';

  await page.goto(`${server.origin}/-/profile/notifications?page=2`);
  await page.getByLabel('Search by path').fill('lighthouses');
  await submit('Search');
  await page.getByLabel('Level of harbour-of-the-far-northern-islands/lighthouses-and-fog-horns').selectOption('Disabled');
  await submit('Save level of harbour-of-the-far-northern-islands/lighthouses-and-fog-horns');
  await page.getByText('Disabled: nothing. It is set here.').waitFor();
  yield 'settings-project';

  await page.goto(`${server.origin}/-/profile/notifications?search=nothing`);
  await page.getByText('No group or project matches.').waitFor();
  yield 'settings-none';
}
