import type { MailCore } from './mailCore.ts';
import { nothingFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, checked, integer, required, string, type ParametersOf } from '../../http/params.ts';
import { listOf, message, type ResponseOf } from '../../http/responses.ts';
import {
  administratorRoute,
  type ApiRequest,
  RawResponse,
  type Route,
  userRoute,
  type SignedInRequest,
} from '../../http/route.ts';
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

const markMailParameters = () => ({ ...idParameter(), read: required(boolean) });

/** Returns the routes of the local mailbox. */
export function mailRoutes(core: MailCore): Route[] {
  return [
    userRoute(
      { ...metadata, method: 'GET', path: '/api/v4/user/mails', body: listOf(mailBasic), params: listParameters },
      (request) => listResponse(core, request, request.caller.user.id),
    ),
    userRoute(
      { ...metadata, method: 'POST', path: '/api/v4/user/mails/mark_as_read', successStatus: 200, body: markedMails },
      (request) => markAllRead(core, request),
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
      ({ caller, params, baseUrl }) => presentWholeMail(core, mailOf(core, caller, params.id), baseUrl),
    ),
    userRoute(
      { ...metadata, method: 'GET', path: '/api/v4/mails/:id/source', key: 'id', body: message, params: idParameter },
      (request) => showSource(core, request),
    ),
    userRoute(
      { ...metadata, method: 'PUT', path: '/api/v4/mails/:id', key: 'id', body: mailBasic, params: markMailParameters },
      (request) => markMail(core, request),
    ),
    userRoute({ ...metadata, method: 'DELETE', path: '/api/v4/mails/:id', key: 'id', params: idParameter }, (request) =>
      removeMail(core, request),
    ),
    ...mailPages(core),
  ];
}

function markAllRead(core: MailCore, { caller, now }: SignedInRequest<unknown>): ResponseOf<typeof markedMails> {
  const marked = writeAllRead(core.store, caller.user.id, now);
  const [last] = listMails(core.store, { userId: caller.user.id }, 1, 0);
  if (marked > 0 && last !== undefined) publishUnread(core, last.id, caller.user.id);
  return { marked };
}

async function showSource(
  core: MailCore,
  { caller, params }: SignedInRequest<ParametersOf<typeof idParameter>>,
): Promise<RawResponse> {
  const row = mailOf(core, caller, params.id);
  const body = await sourceOf(core, row, senderOf(core, row));
  return new RawResponse({ status: 200, type: 'message/rfc822', body });
}

function markMail(
  core: MailCore,
  { caller, params, baseUrl, now }: SignedInRequest<ParametersOf<typeof markMailParameters>>,
): ResponseOf<typeof mailBasic> {
  const row = mailOf(core, caller, params.id);
  if (params.read !== (row.read_at !== null)) {
    writeRead(core.store, row.id, params.read ? now : null);
    if (row.user_id !== null) publishUnread(core, row.id, row.user_id);
  }
  return presentMail(core, mailOf(core, caller, row.id), baseUrl);
}

function removeMail(core: MailCore, { caller, params }: SignedInRequest<ParametersOf<typeof idParameter>>): void {
  const row = mailOf(core, caller, params.id);
  deleteMail(core.store, row.id);
  if (row.user_id !== null) publishUnread(core, row.id, row.user_id);
}

/** Returns a mail that the caller received, or any mail for an administrator. */
function mailOf(core: MailCore, caller: Caller, id: number): MailRow {
  const row = mailById(core.store, id);
  if (row === undefined || (row.user_id !== caller.user.id && !isAdministrator(caller))) {
    throw nothingFound('no such mail, or it is not visible to the user');
  }
  return row;
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
