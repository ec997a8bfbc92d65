// Walks through the account settings pages, empty, filled and with an error, for tests that check every page and for screenshots.
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { setEnterpriseGroup } from '../../../server/features/users/enterprise.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { issueTokens } from '../../../server/features/oauth/tokens.ts';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import { deviceCodes, decide, poll } from '../../server/oauth/support.ts';
import { rootOf } from '../../server/projects/cast.ts';
import type { TestServer } from '../server.ts';

/** Walks a new user through every settings page and yields the name of each page. */
export async function* walkSettingsPages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  const ada = createUser(server.platform, { username: 'ada', name: 'Ada Lovelace', email: 'ada@signalbox.example' });
  if (typeof ada === 'string') throw new Error(ada);
  const submit = (name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click();
  const field = (label: string) => page.getByLabel(label, { exact: true });

  await page.goto(`${server.origin}${mintSignInLink(server.platform, ada, '/user_settings/personal_access_tokens')?.path}`);
  await page.getByText('No active tokens.').waitFor();
  yield 'tokens-empty';

  await field('Name').fill(' ');
  await submit('Create token');
  await page.getByText("The name can't be blank.").waitFor();
  yield 'tokens-refused';

  await field('Name').fill('Nightly build of the harbour lamps');
  await field('Description (optional)').fill('Runs on the machine in the yard and asks for nothing but issues');
  await page.getByLabel(/Full access to the API/).check();
  await page.getByLabel(/Read your profile/).check();
  await submit('Create token');
  await page.getByText('Token created.').waitFor();
  yield 'tokens-made';

  await submit(/^Rotate/);
  await page.getByLabel(/^New value of/).waitFor();
  yield 'tokens-replaced';

  await submit(/^Revoke/);
  await page.getByText('Token revoked.').waitFor();
  yield 'tokens-revoked';

  await page.getByRole('link', { name: 'Applications', exact: true }).click();
  await page.getByText('No applications yet.').waitFor();
  yield 'applications-empty';

  await field('Name').fill('Lamp board');
  await field('Redirect URIs').fill('javascript:alert(1)');
  await submit('Register application');
  await page.getByText('A redirect URI is forbidden by the server.').waitFor();
  yield 'applications-refused';

  await field('Redirect URIs').fill(
    'https://lamps.example/a/rather/long/path/to/the/callback/of/the/board\nhttp://lamps.example/callback',
  );
  await page.getByLabel(/^Confidential/).check();
  await page.getByLabel(/^Read your profile and/).check();
  await submit('Register application');
  await page.getByText('Application registered.').waitFor();
  yield 'applications-registered';

  const codes = await deviceCodes(server);
  await decide(server, codes, 'approve', 'ada');
  await poll(server, codes);
  const input = { applicationId: null, userId: ada.id, scopes: ['api'], grantType: 'password' };
  issueTokens(server.platform, input, 'bearer', server.platform.clock.now());
  await page.goto(`${server.origin}/user_settings/applications`);
  await page.getByText('Delete…').click();
  await page.getByText('Clients without an application ID', { exact: true }).first().waitFor();
  yield 'applications-granted';

  await submit('Revoke Clients without an application ID');
  await page.getByText('The application can no longer use your account.').waitFor();
  await submit(/^Revoke/);
  await page.getByText('No authorized applications.').waitFor();
  await page.getByText('The application can no longer use your account.').waitFor();
  yield 'applications-revoked';

  await page.getByRole('link', { name: 'Profile', exact: true }).click();
  await field('Bio (optional)').fill('Engines');
  await submit('Save profile');
  await page.getByText('Profile saved.').waitFor();
  yield 'profile-saved';

  await field('Name').fill(' ');
  await submit('Save profile');
  await page.getByText('Enter a name.').waitFor();
  yield 'profile-refused';

  await page.getByRole('link', { name: 'Password', exact: true }).click();
  await field('New password').fill('a long pass phrase');
  await field('Confirm new password').fill('a long pass phrase');
  await submit('Set password');
  await page.getByText('Password saved.').waitFor();
  yield 'password-set';

  await field('Current password').fill('wrong');
  await field('New password').fill('another pass phrase');
  await field('Confirm new password').fill('another pass phrase');
  await submit('Set password');
  await page.getByText('The password is incorrect.').waitFor();
  yield 'password-refused';

  await page.getByRole('link', { name: 'Email', exact: true }).click();
  await field('Current password').fill('a long pass phrase');
  await submit('Save email address');
  await page.getByText('Email address saved.').waitFor();
  yield 'email-saved';

  await field('Email address').fill('root@signalbox.example');
  await field('Current password').fill('a long pass phrase');
  await submit('Save email address');
  await page.getByText('This email address is already in use.').waitFor();
  yield 'email-refused';

  await page.getByRole('link', { name: 'Two-factor authentication', exact: true }).click();
  await page.getByRole('heading', { name: '2. Enter the code from your app' }).waitFor();
  yield 'two-factor-set-up';

  const key = (await page.locator('dd.mono').innerText()).replaceAll(' ', '');
  const app = new TOTP({ secret: Secret.fromBase32(key) });
  const code = (): string => app.generate({ timestamp: server.platform.clock.now() });
  await field('Current password').fill('a long pass phrase');
  await field('Verification code').fill('12345');
  await submit('Enable two-factor authentication');
  await page.getByText('The code is incorrect.').waitFor();
  yield 'two-factor-refused';

  await field('Current password').fill('a long pass phrase');
  await field('Verification code').fill(code());
  await submit('Enable two-factor authentication');
  await page.getByText('Two-factor authentication enabled.').waitFor();
  yield 'two-factor-codes';

  await page.getByRole('link', { name: 'I have saved my recovery codes' }).click();
  await field('Current password').fill('wrong');
  await submit('Create new recovery codes');
  await page.getByText('The password is incorrect.').waitFor();
  yield 'two-factor-on';

  await submit('Sign out');
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await page.goto(`${server.origin}/users/sign_in`);
  await field('Username or email').fill('ada');
  await field('Password').fill('a long pass phrase');
  await submit('Sign in');
  await page.getByText('Enter a code to continue.').waitFor();
  yield 'sign-in-code';

  // The code is typed without focusing a field first: the page must have set the focus.
  await page.keyboard.type('12345');
  await page.keyboard.press('Enter');
  await page.getByText('Incorrect code.').waitFor();
  yield 'sign-in-code-refused';

  server.platform.clock.advance(60_000);
  await field('Code').focus();
  await page.keyboard.type(code());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Hello, Ada Lovelace' }).waitFor();
  await page.goto(`${server.origin}/user_settings/two_factor_auth`);
  await field('Current password').fill('a long pass phrase');
  await submit('Disable two-factor authentication');
  await page.getByText('Two-factor authentication disabled.').waitFor();
  yield 'two-factor-off';

  const group = { name: 'Tidemark', path: 'tidemark', refusesPasswords: true };
  setEnterpriseGroup(server.platform, ada, createGroup(server.platform, rootOf(server.platform), group).group.id);
  await page.getByRole('link', { name: 'Password', exact: true }).click();
  await page.getByText('Password authentication is disabled for users of the group').waitFor();
  yield 'password-not-used';

  await submit('Sign out');
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await page.goto(`${server.origin}/users/sign_in`);
  await field('Username or email').fill('ada');
  await field('Password').fill('a long pass phrase');
  await submit('Sign in');
  await page.getByText('does not allow its users to sign in with a password').waitFor();
  yield 'sign-in-not-used';
}
