import { addEmail } from '../../../server/features/emails/manageEmails.ts';
import { confirmationPath } from '../../../server/features/mail/confirmationToken.ts';
import type { User } from '../../../server/core/caller.ts';
import { browser, formExample } from './browser.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture } from './fixture.ts';

const page = '/user_settings/emails';

function emailOf({ server, fresh }: Fixture, user: User): { readonly id: number; readonly email: string } {
  const added = addEmail(server.platform, user, { address: `${fresh('address')}@example.com` });
  if (!('id' in added)) throw new Error(added.join());
  return added;
}

async function emailForm(fixture: Fixture, action: string): Promise<Example> {
  const id = String(emailOf(fixture, fixture.root).id);
  return { ...(await formExample(await browser(fixture), page, `${page}/${id}/${action}`)), path: { id } };
}

function tokenFor(fixture: Fixture): string {
  const { id, email } = emailOf(fixture, fixture.ada);
  const [, token = ''] = confirmationPath(fixture.server.platform, id, email).split('=');
  return token;
}

export const emailExamples: Examples = {
  'GET /api/v4/user/emails': (fixture) => {
    emailOf(fixture, fixture.root);
    return { token: admin };
  },
  'GET /api/v4/user/emails/:email_id': (fixture) => ({
    token: admin,
    path: { email_id: String(emailOf(fixture, fixture.root).id) },
  }),
  'POST /api/v4/user/emails': ({ fresh }) => ({ token: admin, params: { email: `${fresh('new')}@example.com` } }),
  'DELETE /api/v4/user/emails/:email_id': (fixture) => ({
    token: admin,
    path: { email_id: String(emailOf(fixture, fixture.root).id) },
  }),
  'GET /api/v4/users/:id/emails': (fixture) => {
    emailOf(fixture, fixture.root);
    return { token: admin, path: { id: String(fixture.root.id) } };
  },
  'POST /api/v4/users/:id/emails': ({ ada, fresh }) => ({
    token: admin,
    path: { id: String(ada.id) },
    params: { email: `${fresh('new')}@example.com`, skip_confirmation: true },
  }),
  'DELETE /api/v4/users/:id/emails/:email_id': (fixture) => ({
    token: admin,
    path: { id: String(fixture.ada.id), email_id: String(emailOf(fixture, fixture.ada).id) },
  }),
  'GET /user_settings/emails': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'POST /user_settings/emails': async (fixture) =>
    formExample(await browser(fixture), page, page, { email: `${fixture.fresh('root')}@example.com` }),
  'POST /user_settings/emails/additional': async (fixture) =>
    formExample(await browser(fixture), page, `${page}/additional`, {
      additional_email: `${fixture.fresh('other')}@example.com`,
    }),
  'POST /user_settings/emails/:id/resend': (fixture) => emailForm(fixture, 'resend'),
  'POST /user_settings/emails/:id/remove': (fixture) => emailForm(fixture, 'remove'),
  'GET /-/profile/emails/confirmation': (fixture) => ({ params: { confirmation_token: tokenFor(fixture) } }),
  'POST /-/profile/emails/confirmation': async (fixture) => {
    const link = `/-/profile/emails/confirmation?confirmation_token=${tokenFor(fixture)}`;
    return formExample(await browser(fixture), link, '/-/profile/emails/confirmation');
  },
};
