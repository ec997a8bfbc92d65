import type { MailCore } from '../mail/mail.ts';
import { isoTime } from '../../core/clock.ts';
import { invalidRecord, notFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, integer, required, string } from '../../http/params.ts';
import { administratorRoute, RawResponse, type RequestOf, type Route, userRoute } from '../../http/route.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import type { User } from '../../core/caller.ts';
import { countEmails, type EmailRow, listEmails } from './store.ts';
import { findUser } from '../users/users.ts';
import { addEmail, findEmail, type NewEmail, removeEmail } from './manageEmails.ts';
import { email } from './responses.ts';

const metadata = { specRef: 'Email addresses', status: 'inferred' } as const;
const ofAccount = { ...metadata, key: 'id' } as const;

/** Returns the routes of the additional email addresses of an account. */
export function emailRoutes(core: MailCore): Route[] {
  return [
    userRoute(
      {
        ...metadata,
        method: 'GET',
        path: '/api/v4/user/emails',
        alsoScopes: ['read_user'],
        body: listOf(email),
        params: pageParameters,
      },
      (request) => list(core, request, request.caller.user),
    ),
    userRoute(
      {
        ...ofAccount,
        method: 'GET',
        path: '/api/v4/user/emails/:email_id',
        alsoScopes: ['read_user'],
        body: email,
        params: () => ({ email_id: required(integer) }),
      },
      ({ caller, params }) => presentEmail(ownEmail(core, caller.user, params.email_id)),
    ),
    userRoute(
      { ...metadata, method: 'POST', path: '/api/v4/user/emails', body: email, params: () => ({ email: required(string) }) },
      ({ caller, params }) => add(core, caller.user, { address: params.email }),
    ),
    userRoute(
      {
        ...ofAccount,
        method: 'DELETE',
        path: '/api/v4/user/emails/:email_id',
        params: () => ({ email_id: required(integer) }),
      },
      ({ caller, params }) => removeEmail(core, ownEmail(core, caller.user, params.email_id)),
    ),
    administratorRoute(
      {
        ...ofAccount,
        method: 'GET',
        path: '/api/v4/users/:id/emails',
        body: listOf(email),
        params: () => ({ id: required(integer), ...pageParameters() }),
      },
      (request) => list(core, request, userOf(core, request.params.id)),
    ),
    administratorRoute(
      {
        ...ofAccount,
        method: 'POST',
        path: '/api/v4/users/:id/emails',
        body: email,
        params: () => ({ id: required(integer), email: required(string), skip_confirmation: fallback(false, boolean) }),
      },
      ({ params }) => add(core, userOf(core, params.id), { address: params.email, isConfirmed: params.skip_confirmation }),
    ),
    administratorRoute(
      {
        ...ofAccount,
        method: 'DELETE',
        path: '/api/v4/users/:id/emails/:email_id',
        params: () => ({ id: required(integer), email_id: required(integer) }),
      },
      ({ params }) => removeEmail(core, ownEmail(core, userOf(core, params.id), params.email_id)),
    ),
  ];
}

function list(core: MailCore, request: RequestOf<typeof pageParameters>, user: User): RawResponse {
  const pages = {
    count: (cap: number) => countEmails(core.store, user.id, cap),
    rows: (limit: number, offset: number) => listEmails(core.store, user.id, limit, offset),
  };
  return new RawResponse(offsetResponse(request, request.params, pages, presentEmail));
}

/** @throws {Invalid} For an address that cannot be added. */
function add(core: MailCore, user: User, input: NewEmail): ResponseOf<typeof email> {
  const added = addEmail(core, user, input);
  if (!('id' in added)) throw invalidRecord({ email: added });
  return presentEmail(added);
}

/** @throws {NotFound} For an unknown user. */
function userOf(core: MailCore, id: number): User {
  const user = findUser(core, id);
  if (user === undefined) throw notFound('User');
  return user;
}

/** @throws {NotFound} For an address that the user does not have. */
function ownEmail(core: MailCore, user: User, id: number): EmailRow {
  const found = findEmail(core, user, id);
  if (found === undefined) throw notFound('Email');
  return found;
}

function presentEmail(row: EmailRow): ResponseOf<typeof email> {
  return { id: row.id, email: row.email, confirmed_at: row.confirmed_at === null ? null : isoTime(row.confirmed_at) };
}
