import type { MailCore } from '../mail/mail.ts';
import { isoTime } from '../../core/clock.ts';
import { invalidRecord, notFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, integer, required, string } from '../../http/params.ts';
import { type ApiRequest, administratorRoute, RawResponse, type Route, userRoute } from '../../http/route.ts';
import { listOf, type ResponseOf } from '../../http/responses.ts';
import type { User } from '../../core/caller.ts';
import { countEmails, type EmailRow, findUser, listEmails } from '../identity/identity.ts';
import { addEmail, findEmail, type NewEmail, removeEmail } from './manageEmails.ts';
import { email } from './responses.ts';

/** Returns the routes of the additional email addresses of an account. */
export function emailRoutes(core: MailCore): Route[] {
  const { store } = core;
  const metadata = { specRef: 'Email addresses', status: 'inferred' } as const;
  const ofAccount = { ...metadata, key: 'id' } as const;

  /** @throws {WireFailure} 404 for an unknown user. */
  const userOf = (id: number): User => {
    const user = findUser(core, id);
    if (user === undefined) throw notFound('User');
    return user;
  };
  const list = (request: ApiRequest<{ readonly page: number; readonly per_page: number }>, user: User): RawResponse =>
    new RawResponse(
      offsetResponse(
        request,
        request.params,
        {
          count: (cap) => countEmails(store, user.id, cap),
          rows: (limit, offset) => listEmails(store, user.id, limit, offset),
        },
        presentEmail,
      ),
    );
  /** @throws {WireFailure} 400 for an address that cannot be added. */
  const add = (user: User, input: NewEmail): ResponseOf<typeof email> => {
    const added = addEmail(core, user, input);
    if (!('id' in added)) throw invalidRecord({ email: added });
    return presentEmail(added);
  };
  /** @throws {WireFailure} 404 for an address that the user does not have. */
  const ownEmail = (user: User, id: number): EmailRow => {
    const found = findEmail(core, user, id);
    if (found === undefined) throw notFound('Email');
    return found;
  };

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
      (request) => list(request, request.caller.user),
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
      ({ caller, params }) => presentEmail(ownEmail(caller.user, params.email_id)),
    ),
    userRoute(
      { ...metadata, method: 'POST', path: '/api/v4/user/emails', body: email, params: () => ({ email: required(string) }) },
      ({ caller, params }) => add(caller.user, { address: params.email }),
    ),
    userRoute(
      {
        ...ofAccount,
        method: 'DELETE',
        path: '/api/v4/user/emails/:email_id',
        params: () => ({ email_id: required(integer) }),
      },
      ({ caller, params }) => removeEmail(core, ownEmail(caller.user, params.email_id)),
    ),
    administratorRoute(
      {
        ...ofAccount,
        method: 'GET',
        path: '/api/v4/users/:id/emails',
        body: listOf(email),
        params: () => ({ id: required(integer), ...pageParameters() }),
      },
      (request) => list(request, userOf(request.params.id)),
    ),
    administratorRoute(
      {
        ...ofAccount,
        method: 'POST',
        path: '/api/v4/users/:id/emails',
        body: email,
        params: () => ({ id: required(integer), email: required(string), skip_confirmation: fallback(false, boolean) }),
      },
      ({ params }) => add(userOf(params.id), { address: params.email, isConfirmed: params.skip_confirmation }),
    ),
    administratorRoute(
      {
        ...ofAccount,
        method: 'DELETE',
        path: '/api/v4/users/:id/emails/:email_id',
        params: () => ({ id: required(integer), email_id: required(integer) }),
      },
      ({ params }) => removeEmail(core, ownEmail(userOf(params.id), params.email_id)),
    ),
  ];
}

function presentEmail(row: EmailRow): ResponseOf<typeof email> {
  return { id: row.id, email: row.email, confirmed_at: row.confirmed_at === null ? null : isoTime(row.confirmed_at) };
}
