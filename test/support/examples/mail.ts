import { mailTo } from '../mails.ts';
import { unsubscribePath } from '../../../server/features/mail/unsubscribeToken.ts';
import { browser, formExample } from './browser.ts';
import type { Example, Examples, Make } from './example.ts';
import { admin, type Fixture } from './fixture.ts';

function newMail({ server, root }: Fixture): { readonly id: string } {
  return { id: String(mailTo(server.platform, root)) };
}

const ofMail: Make = (fixture) => ({ token: admin, path: newMail(fixture) });

const withMail: Make = (fixture) => {
  newMail(fixture);
  return { token: admin };
};

const pageOfMail: Make = async (fixture) => ({
  headers: { Cookie: (await browser(fixture)).cookieHeader() },
  path: newMail(fixture),
});

function formOfMail(name: string): Make {
  return async (fixture): Promise<Example> => {
    const path = newMail(fixture);
    const address = `/-/mailbox/${path.id}`;
    return { ...(await formExample(await browser(fixture), address, `${address}/${name}`)), path };
  };
}

function secret({ server, ada, issue }: Fixture): { readonly secret: string } {
  const thread = { type: 'Issue', id: issue.id } as const;
  const path = unsubscribePath(server.platform, { user_id: ada.id }, { thread }) ?? '';
  return { secret: path.split('/').at(-1) ?? '' };
}

export const mailExamples: Examples = {
  'GET /api/v4/user/mails': withMail,
  'GET /api/v4/mails': withMail,
  'GET /api/v4/mails/:id': ofMail,
  'GET /api/v4/mails/:id/source': ofMail,
  'PUT /api/v4/mails/:id': (fixture) => ({ token: admin, path: newMail(fixture), params: { read: true } }),
  'DELETE /api/v4/mails/:id': ofMail,
  'POST /api/v4/user/mails/mark_as_read': withMail,
  'GET /-/mailbox': async (fixture) => ({ headers: { Cookie: (await browser(fixture)).cookieHeader() } }),
  'POST /-/mailbox/mark_as_read': async (fixture) => {
    newMail(fixture);
    return formExample(await browser(fixture), '/-/mailbox', '/-/mailbox/mark_as_read');
  },
  'GET /-/mailbox/:id': pageOfMail,
  'GET /-/mailbox/:id/content': pageOfMail,
  'POST /-/mailbox/:id/unread': formOfMail('unread'),
  'POST /-/mailbox/:id/delete': formOfMail('delete'),
  'GET /-/mailbox/unsubscribe/:secret': (fixture) => ({ path: secret(fixture) }),
  'POST /-/mailbox/unsubscribe/:secret': (fixture) => ({
    path: secret(fixture),
    asForm: true,
    params: { 'List-Unsubscribe': 'One-Click' },
  }),
};
