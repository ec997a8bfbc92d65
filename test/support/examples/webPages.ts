import type { User } from '../../../server/core/caller.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { disableSecondFactor } from '../../../server/features/secondFactors/secondFactor.ts';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import { signedIn } from '../../server/oauth/support.ts';
import { PageClient } from '../pages.ts';
import { confidentialIdFor } from './applications.ts';
import { browser, formExample } from './browser.ts';
import type { Example, Examples } from './example.ts';
import { type Fixture, PASSWORD, tokenIdOf } from './fixture.ts';
import { awaitingSecondFactor, secondFactorForm, secondFactorOf } from './secondFactors.ts';

function personWithPassword({ server, fresh, passwordHash }: Fixture): User {
  const username = fresh('signer');
  const user = createUser(server.platform, {
    username,
    name: username,
    email: `${username}@example.com`,
    passwordHash,
  });
  if (typeof user === 'string') throw new Error(user);
  return user;
}

async function applicationForm(fixture: Fixture, action: string): Promise<Example> {
  const id = confidentialIdFor(fixture.server, fixture.fresh('app'), fixture.root);
  const page = '/user_settings/applications';
  return { ...(await formExample(await browser(fixture), page, `${page}/${id}/${action}`)), path: { id } };
}

async function tokenForm(fixture: Fixture, action: string): Promise<Example> {
  const id = tokenIdOf(fixture.server, fixture.root);
  const page = '/user_settings/personal_access_tokens';
  return { ...(await formExample(await browser(fixture), page, `${page}/${id}/${action}`)), path: { id } };
}

export const webPageExamples: Examples = {
  'GET /users/sign_in': (fixture) => {
    personWithPassword(fixture);
    return { params: { return_to: '/oauth/device' } };
  },
  'POST /users/sign_in': (fixture) => {
    const { username } = personWithPassword(fixture);
    return formExample(new PageClient(fixture.server), '/users/sign_in', '/users/sign_in', {
      login: username,
      password: PASSWORD,
    });
  },
  'GET /users/sign_in/two_factor': async (fixture) => ({
    headers: { Cookie: (await awaitingSecondFactor(fixture)).client.cookieHeader() },
  }),
  'POST /users/sign_in/two_factor': async (fixture) => {
    const { client, code } = await awaitingSecondFactor(fixture);
    // The code of the set-up cannot be used again, so the clock advances.
    fixture.server.platform.clock.advance(30_000);
    return formExample(client, '/users/sign_in/two_factor', '/users/sign_in/two_factor', { code: code() });
  },
  'POST /users/sign_out': async (fixture) => formExample(await browser(fixture), '/', '/users/sign_out'),
  'GET /users/set_up': async ({ server }) => {
    server.platform.store.run('UPDATE users SET password_hash = NULL');
    const client = new PageClient(server);
    await client.signIn();
    return { headers: { Cookie: client.cookieHeader() } };
  },
  'POST /users/set_up': async ({ server }) => {
    server.platform.store.run('UPDATE users SET password_hash = NULL');
    const client = new PageClient(server);
    await client.signIn();
    return formExample(client, '/users/set_up', '/users/set_up', {
      password: PASSWORD,
      password_confirmation: PASSWORD,
    });
  },
  'GET /user_settings/profile': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'POST /user_settings/profile': async (fixture) =>
    formExample(await browser(fixture), '/user_settings/profile', '/user_settings/profile', { bio: 'Keeps the lamps lit' }),
  'GET /user_settings/password': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'POST /user_settings/password': async (fixture) => {
    fixture.server.platform.store.run('UPDATE users SET password_hash = NULL');
    return formExample(await browser(fixture), '/user_settings/password', '/user_settings/password', {
      password: PASSWORD,
      password_confirmation: PASSWORD,
    });
  },
  'GET /user_settings/two_factor_auth': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'POST /user_settings/two_factor_auth': async (fixture) => {
    disableSecondFactor(fixture.server.platform, fixture.root);
    const { code } = await secondFactorOf(fixture, fixture.root);
    const page = '/user_settings/two_factor_auth';
    return formExample(await browser(fixture), page, page, { code: code() });
  },
  'POST /user_settings/two_factor_auth/codes': (fixture) => secondFactorForm(fixture),
  'POST /user_settings/two_factor_auth/disable': (fixture) => secondFactorForm(fixture),
  'GET /user_settings/applications': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
  }),
  'POST /user_settings/applications': async (fixture) =>
    formExample(await browser(fixture), '/user_settings/applications', '/user_settings/applications', {
      name: fixture.fresh('app'),
      redirect_uri: 'https://lamps.example/callback',
      kind: 'confidential',
      'scopes[api]': '1',
    }),
  'POST /user_settings/applications/:id/renew': (fixture) => applicationForm(fixture, 'renew'),
  'POST /user_settings/applications/:id/delete': (fixture) => applicationForm(fixture, 'delete'),
  'POST /user_settings/applications/:id/revoke': async (fixture) => {
    await signedIn(fixture.server);
    const id = '1';
    const page = '/user_settings/applications';
    return { ...(await formExample(await browser(fixture), page, `${page}/${id}/revoke`)), path: { id } };
  },
  'GET /user_settings/personal_access_tokens': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
  }),
  'GET /-/user_settings/personal_access_tokens': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
  }),
  'POST /user_settings/personal_access_tokens': async (fixture) =>
    formExample(await browser(fixture), '/user_settings/personal_access_tokens', '/user_settings/personal_access_tokens', {
      name: 'made by form',
      'scopes[api]': '1',
    }),
  'POST /user_settings/personal_access_tokens/:id/rotate': (fixture) => tokenForm(fixture, 'rotate'),
  'POST /user_settings/personal_access_tokens/:id/revoke': (fixture) => tokenForm(fixture, 'revoke'),
  'GET /users/sign_in_links/:secret': ({ server, root }) => ({
    path: { secret: mintSignInLink(server.platform, root, '/')?.path.split('/').at(-1) ?? '' },
  }),
};
