// Walks through the sign-in pages in the order in which a user sees them, for tests that check every page and for screenshots.
import type { Page } from 'playwright-core';
import { deviceCodes } from '../../server/oauth/support.ts';
import { mintSetUpLink } from '../../../server/features/signIn/links.ts';
import type { TestServer } from '../server.ts';

const PASSWORD = 'a long pass phrase';

/**
 * Walks a new browser through every page of a new server and yields the name of each page. The server must not have users other than root.
 */
export async function* walkDevicePages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  const submit = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const heading = (text: string | RegExp): Promise<void> => page.getByRole('heading', { level: 1, name: text }).waitFor();
  const field = (label: string) => page.getByLabel(label, { exact: true });

  const first = await deviceCodes(server);
  await page.goto(first.verification_uri_complete);
  await heading('Set up this server');
  yield 'set-up-locked';

  await page.goto(`${server.origin}${mintSetUpLink(server.platform)}`);
  await field('New password').waitFor();
  yield 'set-up';

  await field('New password').fill(PASSWORD);
  await field('Confirm new password').fill('another one');
  await submit('Set password and sign in');
  await page.getByText('The passwords do not match.').waitFor();
  yield 'set-up-refused';

  await field('New password').fill(PASSWORD);
  await field('Confirm new password').fill(PASSWORD);
  await submit('Set password and sign in');
  await heading(/^Hello, /);
  await page.goto(`${server.origin}/oauth/device`);
  await heading('Connect an application');
  yield 'code';

  await field('Code').fill('AAAA-AAAA');
  await submit('Continue');
  await page.getByText('This code does not exist.').waitFor();
  yield 'code-unknown';

  await field('Code').fill(first.user_code);
  await submit('Continue');
  await heading(/^Approve /);
  yield 'approve';

  await submit('Approve');
  await heading('Access approved');
  yield 'approved';

  await page.goto(first.verification_uri_complete);
  await submit('Continue');
  await page.getByText('This code has already been used.').waitFor();
  yield 'code-used';

  const second = await deviceCodes(server);
  await page.goto(second.verification_uri_complete);
  await submit('Continue');
  await submit('Deny');
  await heading('Access denied');
  yield 'denied';

  const third = await deviceCodes(server);
  server.platform.clock.advance(301_000);
  await page.goto(third.verification_uri_complete);
  await submit('Continue');
  await page.getByText('This code has expired.').waitFor();
  yield 'code-expired';

  await page.goto(server.origin);
  await heading(/^Hello, /);
  yield 'start';

  await page.goto(`${server.origin}/no/such/page`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  yield 'not-found';

  await page.goto(`${server.origin}/users/sign_in_links/spent`);
  await heading('This link no longer works');
  yield 'link-spent';

  await page.goto(`${server.origin}/oauth/device`);
  for (let attempt = 0; attempt < 12; attempt++) {
    await field('Code').fill(`BBBB-BBB${'BCDFGHJKLMNP'.charAt(attempt)}`);
    await submit('Continue');
    if (await page.getByRole('heading', { name: 'Too many incorrect codes' }).isVisible()) break;
  }
  await heading('Too many incorrect codes');
  yield 'locked';

  await page.context().clearCookies();
  await page.goto(server.origin);
  await heading('Welcome');
  yield 'start-signed-out';

  await page.goto(third.verification_uri_complete);
  await heading('Sign in');
  yield 'sign-in';

  await field('Username or email').fill('root');
  await field('Password').fill('wrong');
  await submit('Sign in');
  await page.getByText('Incorrect username or password.').waitFor();
  yield 'sign-in-refused';
}
