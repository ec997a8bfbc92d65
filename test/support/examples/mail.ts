import { mailTo } from '../mails.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture } from './fixture.ts';

function mailId({ server, root }: Fixture): { id: string } {
  return { id: String(mailTo(server.platform, root)) };
}

export const mailExamples: Examples = {
  'GET /api/v4/user/mails': (fixture) => {
    mailId(fixture);
    return { token: admin };
  },
  'GET /api/v4/mails': (fixture) => {
    mailId(fixture);
    return { token: admin };
  },
  'GET /api/v4/mails/:id': (fixture) => ({ token: admin, path: mailId(fixture) }),
  'GET /api/v4/mails/:id/source': (fixture) => ({ token: admin, path: mailId(fixture) }),
  'PUT /api/v4/mails/:id': (fixture) => ({ token: admin, path: mailId(fixture), params: { read: true } }),
  'DELETE /api/v4/mails/:id': (fixture) => ({ token: admin, path: mailId(fixture) }),
  'POST /api/v4/user/mails/mark_as_read': (fixture) => {
    mailId(fixture);
    return { token: admin };
  },
};
