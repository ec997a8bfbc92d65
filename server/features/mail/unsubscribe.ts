import { html } from 'hono/html';
import { recordNotFound } from '../../core/errors.ts';
import type { HttpResponse, RequestContext } from '../../http/requestContext.ts';
import type { Route } from '../../http/route.ts';
import type { User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { changeSubscription } from '../subscriptions/subscriptions.ts';
import { layout, notice, type PageContent } from '../../web/layout.ts';
import { type PageRequest, pageRoute } from '../../web/route.ts';
import { readUnsubscribeToken, UNSUBSCRIBE_PATH } from './unsubscribeToken.ts';

const metadata = { specRef: 'Local mailbox', status: 'local', path: `${UNSUBSCRIBE_PATH}/:secret`, secrets: ['secret'] } as const;

const nouns = { Issue: 'issue', MergeRequest: 'merge request', Epic: 'epic' } as const;
type Thread = NonNullable<ReturnType<typeof readUnsubscribeToken>>['thread'];

/**
 * Unsubscribing from a thread with the link of a mail, without signing in (RFC 8058). The link proves that the mail was received, so the
 * form needs no session. Only POST changes something, because mail clients and scanners open links.
 */
export function unsubscribeRoutes(core: Core): Route[] {
  return [
    pageRoute({ ...metadata, method: 'GET' }, (request) => askWhether(core, request)),
    {
      ...metadata,
      area: 'page',
      method: 'POST',
      scopes: [],
      role: 'anyone',
      successStatus: 200,
      handle: (context) => unsubscribe(core, context),
    },
  ];
}

function askWhether(core: Core, { pathParameters: { secret = '' } }: PageRequest): PageContent {
  const { user, thread } = recipientOf(core, secret);
  return questionContent(secret, user, thread);
}

async function unsubscribe(core: Core, context: RequestContext): Promise<HttpResponse> {
  const { user, thread } = recipientOf(core, context.pathParameters['secret'] ?? '');
  changeSubscription(core, thread, user, { to: false, participates: true });
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    // A redirect would make some mail services repeat the request as GET (RFC 8058 §3.1).
    body: await layout({ ...context, user: undefined, formToken: undefined }, doneContent(user, thread)),
  };
}

/** @throws {NotFound} For a secret that this server did not make, and after the user was deleted. */
function recipientOf(core: Core, secret: string): { readonly user: User; readonly thread: Thread } {
  const read = readUnsubscribeToken(core, secret);
  const user = read === undefined ? undefined : findUser(core, read.userId);
  if (read === undefined || user === undefined) throw recordNotFound('the link was not made by this server, or the user is gone');
  return { user, thread: read.thread };
}

function questionContent(secret: string, user: User, { type }: Thread): PageContent {
  return {
    title: 'Unsubscribe',
    body: html`<div class="card">
<p>${user.email} gets mails about ${article(type)}. Do you want to get no more of them, unless somebody mentions you?</p>
<form method="post" action="${UNSUBSCRIBE_PATH}/${secret}"><button type="submit" name="List-Unsubscribe" value="One-Click">Unsubscribe</button></form>
</div>`,
  };
}

function doneContent(user: User, { type }: Thread): PageContent {
  return {
    title: 'Unsubscribed',
    body: html`${notice('success', `${user.email} gets no more mails about this ${nouns[type]}, unless somebody mentions you.`)}
<div class="card"><p>You can subscribe again through the API, or take part in the thread. <a href="/-/profile/notifications">Notification settings</a> decide about all other mails.</p></div>`,
  };
}

function article(type: Thread['type']): string {
  return type === 'MergeRequest' ? 'a merge request' : `an ${nouns[type]}`;
}
