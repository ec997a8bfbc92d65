// The pages on which people set up their own account, empty, filled and with an error, for tests that look at all and for pictures.
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { createGroup } from '../../../server/groups/groups.ts';
import { setEnterpriseGroup } from '../../../server/identity/enterprise.ts';
import { createUser } from '../../../server/identity/identity.ts';
import { issueTokens } from '../../../server/oauth/tokens.ts';
import { mintSignInLink } from '../../../server/web/signInLinks.ts';
import { deviceCodes, decide, poll } from '../../oauth/support.ts';
import { rootOf } from '../../projects/cast.ts';
import type { TestServer } from '../server.ts';

/** Walks a new person through every page of their settings and stops at each: the name of the page is the value. */
export async function* walkSettingsPages(page: Page, server: TestServer): AsyncGenerator<string, void, undefined> {
  const ada = createUser(server.platform, { username: 'ada', name: 'Ada Lovelace', email: 'ada@signalbox.example' });
  if (typeof ada === 'string') throw new Error(ada);
  const submit = (name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click();
  const field = (label: string) => page.getByLabel(label, { exact: true });

  await page.goto(`${server.origin}${mintSignInLink(server.platform, ada, '/user_settings/personal_access_tokens')?.path}`);
  await page.getByText('You have none.').waitFor();
  yield 'tokens-empty';

  await field('Name').fill(' ');
  await submit('Make token');
  await page.getByText("The name can't be blank.").waitFor();
  yield 'tokens-refused';

  await field('Name').fill('Nightly build of the harbour lamps');
  await field('Description (optional)').fill('Runs on the machine in the yard and asks for nothing but issues');
  await page.getByLabel(/Read and write everything/).check();
  await page.getByLabel(/Read your profile/).check();
  await submit('Make token');
  await page.getByText('The token is ready.').waitFor();
  yield 'tokens-made';

  await submit(/^Replace/);
  await page.getByLabel(/^The token in place of/).waitFor();
  yield 'tokens-replaced';

  await submit(/^Revoke/);
  await page.getByText('The token is revoked.').waitFor();
  yield 'tokens-revoked';

  await page.getByRole('link', { name: 'Applications', exact: true }).click();
  await page.getByText('You have registered none.').waitFor();
  yield 'applications-empty';

  await field('Name').fill('Lamp board');
  await field('Redirect URIs').fill('javascript:alert(1)');
  await submit('Register application');
  await page.getByText('A redirect URI is forbidden by the server.').waitFor();
  yield 'applications-refused';

  await field('Redirect URIs').fill(
    'https://lamps.example/a/rather/long/path/to/the/callback/of/the/board\nhttp://lamps.example/callback',
  );
  await page.getByLabel(/^Yes, it is confidential/).check();
  await page.getByLabel(/^Read your profile and/).check();
  await submit('Register application');
  await page.getByText('The application is registered.').waitFor();
  yield 'applications-registered';

  const codes = await deviceCodes(server);
  await decide(server, codes, 'approve', 'ada');
  await poll(server, codes);
  const input = { applicationId: null, userId: ada.id, scopes: ['api'], grantType: 'password' };
  issueTokens(server.platform, input, 'bearer', server.platform.clock.now());
  await page.goto(`${server.origin}/user_settings/applications`);
  await page.getByText('Delete…').click();
  await page.getByText('Programs that used your password', { exact: true }).first().waitFor();
  yield 'applications-granted';

  await submit('Revoke Programs that used your password');
  await page.getByText('The application can no longer use your account.').waitFor();
  await submit(/^Revoke/);
  await page.getByText('There are none.').waitFor();
  await page.getByText('The application can no longer use your account.').waitFor();
  yield 'applications-revoked';

  await page.getByRole('link', { name: 'Profile', exact: true }).click();
  await field('About you (optional)').fill('Engines');
  await submit('Save profile');
  await page.getByText('Your profile is saved.').waitFor();
  yield 'profile-saved';

  await field('Name').fill(' ');
  await submit('Save profile');
  await page.getByText('Enter a name.').waitFor();
  yield 'profile-refused';

  await page.getByRole('link', { name: 'Password', exact: true }).click();
  await field('New password').fill('a long pass phrase');
  await field('The same password again').fill('a long pass phrase');
  await submit('Set password');
  await page.getByText('Your password is set.').waitFor();
  yield 'password-set';

  await field('Your current password').fill('wrong');
  await field('New password').fill('another pass phrase');
  await field('The same password again').fill('another pass phrase');
  await submit('Set password');
  await page.getByText('This is not your password.').waitFor();
  yield 'password-refused';

  await page.getByRole('link', { name: 'E-mail', exact: true }).click();
  await field('Your current password').fill('a long pass phrase');
  await submit('Save e-mail address');
  await page.getByText('Your e-mail address is saved.').waitFor();
  yield 'email-saved';

  await field('E-mail address').fill('root@signalbox.example');
  await field('Your current password').fill('a long pass phrase');
  await submit('Save e-mail address');
  await page.getByText('Somebody else has this address.').waitFor();
  yield 'email-refused';

  await page.getByRole('link', { name: 'Two-factor authentication', exact: true }).click();
  await page.getByRole('heading', { name: '2. Confirm' }).waitFor();
  yield 'two-factor-set-up';

  const key = (await page.locator('dd.mono').innerText()).replaceAll(' ', '');
  const app = new TOTP({ secret: Secret.fromBase32(key) });
  const code = (): string => app.generate({ timestamp: server.platform.clock.now() });
  await field('Your current password').fill('a long pass phrase');
  await field('Code that the app shows').fill('12345');
  await submit('Switch on');
  await page.getByText('This code is wrong.').waitFor();
  yield 'two-factor-refused';

  await field('Your current password').fill('a long pass phrase');
  await field('Code that the app shows').fill(code());
  await submit('Switch on');
  await page.getByText('Two-factor authentication is on.').waitFor();
  yield 'two-factor-codes';

  await page.getByRole('link', { name: 'I have kept them' }).click();
  await field('Your current password').fill('wrong');
  await submit('New recovery codes');
  await page.getByText('This is not your password.').waitFor();
  yield 'two-factor-on';

  await submit('Sign out');
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await page.goto(`${server.origin}/users/sign_in`);
  await field('Username or e-mail').fill('ada');
  await field('Password').fill('a long pass phrase');
  await submit('Sign in');
  await page.getByText('a code is still needed').waitFor();
  yield 'sign-in-code';

  // The code is typed where the focus is: nobody needs the mouse here.
  await page.keyboard.type('12345');
  await page.keyboard.press('Enter');
  await page.getByText('This code is wrong.').waitFor();
  yield 'sign-in-code-refused';

  server.platform.clock.advance(60_000);
  await field('Code').focus();
  await page.keyboard.type(code());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Hello, Ada Lovelace' }).waitFor();
  await page.goto(`${server.origin}/user_settings/two_factor_auth`);
  await field('Your current password').fill('a long pass phrase');
  await submit('Switch off');
  await page.getByText('It is switched off.').waitFor();
  yield 'two-factor-off';

  const group = { name: 'Tidemark', path: 'tidemark', refusesPasswords: true };
  setEnterpriseGroup(server.platform, ada, createGroup(server.platform, rootOf(server.platform), group).group.id);
  await page.getByRole('link', { name: 'Password', exact: true }).click();
  await page.getByText('does not let its people use passwords').waitFor();
  yield 'password-not-used';

  await submit('Sign out');
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await page.goto(`${server.origin}/users/sign_in`);
  await field('Username or e-mail').fill('ada');
  await field('Password').fill('a long pass phrase');
  await submit('Sign in');
  await page.getByText('does not let its people sign in with a password').waitFor();
  yield 'sign-in-not-used';
}
