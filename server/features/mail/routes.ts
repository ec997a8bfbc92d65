import type { MailCore } from './mailCore.ts';
import { nothingFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, checked, integer, required, string } from '../../http/params.ts';
import { listOf, message } from '../../http/responses.ts';
import { administratorRoute, type ApiRequest, RawResponse, type Route, userRoute } from '../../http/route.ts';
import { type Caller, isAdministrator } from '../../core/caller.ts';
import { publishUnread } from './newMails.ts';
import { mailPages } from './pages.ts';
import { presentMail, presentWholeMail } from './present.ts';
import { mailBasic, mailResponse, markedMails } from './responses.ts';
import { senderOf, sourceOf } from './sending.ts';
import { countMails, deleteMail, listMails, mailById, type MailFilter, type MailRow, writeAllRead, writeRead } from './store.ts';
import { waiting } from './waiting.ts';

/** Maximum time that a request is held until mails arrive, in seconds. */
const MAX_WAIT = 30;

const metadata = { specRef: 'Local mailbox', status: 'local' } as const;

/** Returns the routes of the local mailbox. */
export function mailRoutes(core: MailCore): Route[] {
  const { store } = core;

  /** Returns a mail that the caller received, or any mail for an administrator. */
  const mailOf = (caller: Caller, id: number): MailRow => {
    const row = mailById(store, id);
    if (row === undefined || (row.user_id !== caller.user.id && !isAdministrator(caller))) {
      throw nothingFound('no such mail, or it is not visible to the user');
    }
    return row;
  };

  return [
    userRoute(
      { ...metadata, method: 'GET', path: '/api/v4/user/mails', body: listOf(mailBasic), params: listParameters },
      (request) => listResponse(core, request, request.caller.user.id),
    ),
    userRoute(
      { ...metadata, method: 'POST', path: '/api/v4/user/mails/mark_as_read', successStatus: 200, body: markedMails },
      ({ caller, now }) => {
        const marked = writeAllRead(store, caller.user.id, now);
        const [last] = listMails(store, { userId: caller.user.id }, 1, 0);
        if (marked > 0 && last !== undefined) publishUnread(core, last.id, caller.user.id);
        return { marked };
      },
    ),
    administratorRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/mails',
        body: listOf(mailBasic),
        params: () => ({ user_id: integer(), ...listParameters() }),
      },
      (request) => listResponse(core, request, request.params.user_id),
    ),
    userRoute(
      { ...metadata, method: 'GET', path: '/api/v4/mails/:id', key: 'id', body: mailResponse, params: idParameter },
      ({ caller, params, baseUrl }) => presentWholeMail(core, mailOf(caller, params.id), baseUrl),
    ),
    userRoute(
      { ...metadata, method: 'GET', path: '/api/v4/mails/:id/source', key: 'id', body: message, params: idParameter },
      async ({ caller, params }) => {
        const row = mailOf(caller, params.id);
        const body = await sourceOf(core, row, senderOf(core, row));
        return new RawResponse({ status: 200, type: 'message/rfc822', body });
      },
    ),
    userRoute(
      {
        ...metadata,
        method: 'PUT',
        path: '/api/v4/mails/:id',
        key: 'id',
        body: mailBasic,
        params: () => ({ ...idParameter(), read: required(boolean) }),
      },
      ({ caller, params, baseUrl, now }) => {
        const row = mailOf(caller, params.id);
        if (params.read !== (row.read_at !== null)) {
          writeRead(store, row.id, params.read ? now : null);
          if (row.user_id !== null) publishUnread(core, row.id, row.user_id);
        }
        return presentMail(core, mailOf(caller, row.id), baseUrl);
      },
    ),
    userRoute(
      { ...metadata, method: 'DELETE', path: '/api/v4/mails/:id', key: 'id', params: idParameter },
      ({ caller, params }) => {
        const row = mailOf(caller, params.id);
        deleteMail(store, row.id);
        if (row.user_id !== null) publishUnread(core, row.id, row.user_id);
      },
    ),
    ...mailPages(core),
  ];
}

const idParameter = () => ({ id: required(integer) });

const listParameters = () => ({
  to: string(),
  search: string(),
  event: string(),
  unread: boolean(),
  after_id: integer(),
  /** Number of seconds that the request is held if no mail matches yet. */
  wait: checked(
    integer(),
    (seconds) => seconds === undefined || (seconds >= 0 && seconds <= MAX_WAIT),
    'has a value not allowed',
  ),
  ...pageParameters(),
});

interface ListParameters {
  readonly to: string | undefined;
  readonly search: string | undefined;
  readonly event: string | undefined;
  readonly unread: boolean | undefined;
  readonly after_id: number | undefined;
  readonly wait: number | undefined;
  readonly page: number;
  readonly per_page: number;
}

/** Returns a page of mails. With `wait`, the response is held until a mail matches, the time is over, or the server shuts down. */
async function listResponse(
  core: MailCore,
  request: ApiRequest<ListParameters>,
  userId: number | undefined,
): Promise<RawResponse> {
  const { store, clock } = core;
  const { to, search, event, unread, after_id: afterId, wait } = request.params;
  const filter: MailFilter = { userId, to, search, event, unread, afterId };
  const deadline = clock.systemNow() + (wait ?? 0) * 1000;
  while (countMails(store, filter, 1) === 0) {
    if (!(await waiting(core).next(deadline - clock.systemNow()))) break;
  }
  const list = {
    count: (cap: number) => countMails(store, filter, cap),
    rows: (limit: number, offset: number) => listMails(store, filter, limit, offset),
  };
  return new RawResponse(offsetResponse(request, request.params, list, (row) => presentMail(core, row, request.baseUrl)));
}
