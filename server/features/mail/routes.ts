import { isoTime } from '../../clock.ts';
import { listOf } from '../../http/responses.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { RawResponse, type Route, userRoute } from '../../http/route.ts';
import type { Platform } from '../../platform.ts';
import { mailBasic } from './responses.ts';
import { countMails, listMails, type MailRow } from './store.ts';

/** Returns the routes of the local mailbox. */
export function mailRoutes(platform: Platform): Route[] {
  const { store } = platform;
  return [
    userRoute(
      platform,
      {
        method: 'GET',
        path: '/api/v4/user/mails',
        specRef: 'Local mailbox',
        status: 'local',
        body: listOf(mailBasic),
        params: pageParameters,
      },
      (request) => {
        const filter = { userId: request.caller.user.id };
        const list = {
          count: (cap: number) => countMails(store, filter, cap),
          rows: (limit: number, offset: number) => listMails(store, filter, limit, offset),
        };
        return new RawResponse(offsetResponse(request, request.params, list, presentMail));
      },
    ),
  ];
}

function presentMail(row: MailRow): Record<string, unknown> {
  return {
    id: row.id,
    user_id: row.user_id,
    to: row.address,
    subject: row.subject,
    reason: row.reason,
    read: row.read_at !== null,
    created_at: isoTime(row.created_at),
  };
}
