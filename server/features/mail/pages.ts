import type { MailCore } from './mailCore.ts';
import { html } from 'hono/html';
import { recordNotFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { isAdministrator } from '../../core/caller.ts';
import { storageFailureOf } from '../../store/storageFailure.ts';
import { ago, formTokenField, type Markup, notice, type PageContent } from '../../web/layout.ts';
import { pageNumber } from '../../web/pager.ts';
import {
  type PageRequest,
  type PageResponse,
  pageRoute,
  personPageRoute,
  type Redirection,
  type SignedInPageRequest,
} from '../../web/route.ts';
import { publishUnread, unreadMails } from './newMails.ts';
import { contentOfMail, htmlOfMail, messageOf, pathOfMail, textOfMail } from './render.ts';
import { senderOf, sourceOf } from './sending.ts';
import { deleteMail, listMails, mailById, type MailFilter, type MailRow, writeAllRead, writeRead } from './store.ts';
import { unsubscribeRoutes } from './unsubscribe.ts';

const ADDRESS = '/-/mailbox';
const PER_PAGE = 30;
const MAX_SEARCH_LENGTH = 200;

const metadata = { specRef: 'Local mailbox', status: 'local' } as const;

/** The mailbox page frames the mail, and nothing else. */
const framingPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
/** The framed mail loads nothing, runs nothing, and can only open links in new windows. */
const framedPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; form-action 'none'; base-uri 'none'; sandbox allow-popups allow-popups-to-escape-sandbox";

/** Returns the pages of the mailbox. They work without scripts. */
export function mailPages(core: MailCore): Route[] {
  return [
    ...unsubscribeRoutes(core),

    personPageRoute({ ...metadata, method: 'GET', path: ADDRESS }, (request) => listContent(core, request)),

    personPageRoute({ ...metadata, method: 'POST', path: `${ADDRESS}/mark_as_read` }, (request) => markAllRead(core, request)),

    personPageRoute({ ...metadata, method: 'GET', path: `${ADDRESS}/:id` }, (request) => showMail(core, request)),

    personPageRoute({ ...metadata, method: 'POST', path: `${ADDRESS}/:id/unread` }, (request) => markUnread(core, request)),

    personPageRoute({ ...metadata, method: 'POST', path: `${ADDRESS}/:id/delete` }, (request) => removeMail(core, request)),

    pageRoute({ ...metadata, method: 'GET', path: `${ADDRESS}/:id/content`, role: 'user' }, (request) =>
      framedMail(core, request),
    ),
  ];
}

function markAllRead(core: MailCore, { caller, now }: SignedInPageRequest): Redirection {
  const marked = writeAllRead(core.store, caller.user.id, now);
  const [last] = listMails(core.store, { userId: caller.user.id }, 1, 0);
  if (marked > 0 && last !== undefined) publishUnread(core, last.id, caller.user.id);
  return { redirectTo: `${ADDRESS}?done=read` };
}

async function showMail(core: MailCore, request: SignedInPageRequest): Promise<PageContent> {
  const row = mailOf(core, request);
  // Administrators who look at the mails of others leave no trace in them.
  if (row.read_at === null && row.user_id === request.caller.user.id) markRead(core, row, request.now);
  return mailContent(core, request, row);
}

function markUnread(core: MailCore, request: SignedInPageRequest): Redirection {
  const row = mailOf(core, request);
  if (row.read_at !== null) changeRead(core, row, null);
  return { redirectTo: ADDRESS };
}

function removeMail(core: MailCore, request: SignedInPageRequest): Redirection {
  const row = mailOf(core, request);
  deleteMail(core.store, row.id);
  if (row.user_id !== null) publishUnread(core, row.id, row.user_id);
  return { redirectTo: `${ADDRESS}?done=deleted` };
}

async function framedMail(core: MailCore, { caller, pathParameters, baseUrl }: PageRequest): Promise<PageResponse> {
  if (caller === undefined) throw recordNotFound('no user is signed in');
  const row = mailOf(core, { caller, pathParameters });
  const sender = { ...senderOf(core, row), origin: baseUrl };
  return {
    file: {
      status: 200,
      type: 'text/html; charset=utf-8',
      headers: { 'Content-Security-Policy': framedPolicy, 'X-Frame-Options': 'SAMEORIGIN' },
      body: await htmlOfMail(core, row, sender, { isFramed: true }),
    },
  };
}

/** Returns the mail that a path names if the user received it; any mail for an administrator. */
function mailOf(
  core: MailCore,
  { caller, pathParameters: { id = '' } }: Pick<SignedInPageRequest, 'caller' | 'pathParameters'>,
): MailRow {
  const row = /^\d{1,15}$/.test(id) ? mailById(core.store, Number(id)) : undefined;
  if (row === undefined || (row.user_id !== caller.user.id && !isAdministrator(caller))) {
    throw recordNotFound('no such mail, or it is not visible to the user');
  }
  return row;
}

function changeRead(core: MailCore, row: MailRow, readAt: number | null): void {
  writeRead(core.store, row.id, readAt);
  if (row.user_id !== null) publishUnread(core, row.id, row.user_id);
}

/** Marks a mail as read because it is shown. It is shown although the disk is full. */
function markRead(core: MailCore, row: MailRow, now: number): void {
  try {
    changeRead(core, row, now);
  } catch (error) {
    if (storageFailureOf(error) === undefined) throw error;
  }
}

function listContent(core: MailCore, request: SignedInPageRequest): PageContent {
  const { caller, query, now } = request;
  const showsAll = query.get('all') === '1' && isAdministrator(caller);
  const search = (query.get('search') ?? '').slice(0, MAX_SEARCH_LENGTH);
  const onlyUnread = query.get('unread') === '1';
  const page = pageNumber(request);
  const filter: MailFilter = {
    userId: showsAll ? undefined : caller.user.id,
    search,
    ...(onlyUnread ? { unread: true } : {}),
  };
  const rows = listMails(core.store, filter, PER_PAGE + 1, (page - 1) * PER_PAGE);
  const addressOf = (changed: Readonly<Record<string, string>>): string => {
    const all = {
      ...(showsAll ? { all: '1' } : {}),
      ...(search === '' ? {} : { search }),
      ...(onlyUnread ? { unread: '1' } : {}),
    };
    const text = new URLSearchParams({ ...all, ...changed }).toString();
    return text === '' ? ADDRESS : `${ADDRESS}?${text}`;
  };
  const isFiltered = search !== '' || onlyUnread;
  return {
    title: showsAll ? 'Mails of everybody' : 'Mailbox',
    width: 'wide',
    body: html`${doneNotice(query.get('done'))}
${
  isAdministrator(caller)
    ? html`<nav class="tabs" aria-label="Mailboxes">
<a href="${ADDRESS}" ${showsAll ? '' : html`aria-current="page"`}>Own mails</a>
<a href="${ADDRESS}?all=1" ${showsAll ? html`aria-current="page"` : ''}>Everybody</a>
</nav>`
    : ''
}
<div class="card">
<form method="get" action="${ADDRESS}" class="filters" role="search">
${showsAll ? html`<input type="hidden" name="all" value="1">` : ''}
<div class="field"><label for="search">Search</label>
<input id="search" name="search" type="text" value="${search}" autocomplete="off" spellcheck="false"></div>
<label class="choice"><input type="checkbox" name="unread" value="1" ${onlyUnread ? html`checked` : ''}><span>Unread only</span></label>
<button class="second" type="submit">Show</button>
</form>
${
  rows.length === 0
    ? html`<p class="muted">${isFiltered ? 'No mail matches.' : 'No mails have arrived yet.'}</p>`
    : html`<ul class="rows mails">${rows.slice(0, PER_PAGE).map((row) => listRow(core, row, showsAll, now))}</ul>`
}
${unreadMails(core, caller.user.id) > 0 && !showsAll ? markAllForm(request) : ''}
</div>
${pages(addressOf, page, rows.length > PER_PAGE)}`,
  };
}

function doneNotice(done: string | null): Markup | string {
  if (done === 'read') return notice('success', 'All mails are marked as read.');
  return done === 'deleted' ? notice('success', 'The mail was deleted.') : '';
}

function listRow(core: MailCore, row: MailRow, showsRecipient: boolean, now: number): Markup {
  const { from, subject } = messageOf(core, row, senderOf(core, row));
  const isUnread = row.read_at === null;
  return html`<li class="${isUnread ? 'unread' : ''}">
<a href="${ADDRESS}/${row.id}">${isUnread ? html`<span class="hidden">Unread: </span>` : ''}${subject === '' ? 'No subject' : subject}</a>
<p class="muted small">${from.name}${showsRecipient ? html` to ${row.address}` : ''} &middot; ${ago(row.created_at, now)}${
    row.reason === null ? '' : html` &middot; ${reasonText(row.reason)}`
  }${row.failed_at === null ? '' : html` <span class="badge refused">not delivered</span>`}</p>
</li>
`;
}

function reasonText(reason: string): string {
  return reason.replaceAll('_', ' ');
}

function markAllForm(request: SignedInPageRequest): Markup {
  return html`<form method="post" action="${ADDRESS}/mark_as_read" class="actions start">${formTokenField(request.formToken())}<button class="second" type="submit">Mark all as read</button></form>`;
}

function pages(
  addressOf: (changed: Readonly<Record<string, string>>) => string,
  page: number,
  hasMore: boolean,
): Markup | string {
  if (page === 1 && !hasMore) return '';
  return html`<nav class="actions start" aria-label="Pages">
${page === 1 ? '' : html`<a class="button second" rel="prev" href="${addressOf({ page: String(page - 1) })}">Previous page</a>`}
${hasMore ? html`<a class="button second" rel="next" href="${addressOf({ page: String(page + 1) })}">Next page</a>` : ''}
</nav>`;
}

const views = { '': 'Formatted', text: 'Plain text', source: 'Source' } as const;

async function mailContent(core: MailCore, request: SignedInPageRequest, row: MailRow): Promise<PageContent> {
  const { query, now, baseUrl } = request;
  const address = `${ADDRESS}/${row.id}`;
  const view = query.get('view') ?? '';
  const message = messageOf(core, row, senderOf(core, row));
  const path = pathOfMail(contentOfMail(row));
  const title = message.subject === '' ? 'No subject' : message.subject;
  return {
    title,
    width: 'wide',
    headers: { 'Content-Security-Policy': framingPolicy },
    body: html`<div class="card">
<p class="muted"><a href="${ADDRESS}">Mailbox</a></p>
<dl class="facts">
<dt>From</dt><dd>${message.from.name} &lt;${message.from.address}&gt;</dd>
<dt>To</dt><dd>${message.to}</dd>
<dt>Received</dt><dd>${ago(row.created_at, now)}</dd>
${row.reason === null ? '' : html`<dt>Reason</dt><dd>${reasonText(row.reason)}</dd>`}
${deliveryRow(row, now)}
</dl>
<div>
<nav class="tabs" aria-label="Views">${Object.entries(views).map(
      ([name, label]) =>
        html`<a href="${name === '' ? address : `${address}?view=${name}`}" ${name === view || (name === '' && !Object.hasOwn(views, view)) ? html`aria-current="page"` : ''}>${label}</a>
`,
    )}</nav>
${await viewOf(core, row, view, baseUrl, title)}
</div>
<div class="row-actions">
${path === null ? '' : html`<a class="button second" href="${path}">Open what it is about</a>`}
${row.event_id === null ? '' : html`<a class="button second" href="/-/notifications/why?event_id=${row.event_id}">Why was it sent?</a>`}
<form class="inline" method="post" action="${address}/unread">${formTokenField(request.formToken())}<button class="second" type="submit">Mark as unread</button></form>
<form class="inline" method="post" action="${address}/delete">${formTokenField(request.formToken())}<button class="second" type="submit">Delete</button></form>
</div>
</div>`,
  };
}

function deliveryRow(row: MailRow, now: number): Markup | string {
  if (row.attempts === null) return '';
  const tries = row.attempts === 1 ? '1 attempt' : `${row.attempts} attempts`;
  if (row.sent_at !== null) return html`<dt>SMTP server</dt><dd>Accepted ${ago(row.sent_at, now)}</dd>`;
  const error = row.error === null ? '' : html`: ${row.error}`;
  return row.failed_at === null
    ? html`<dt>SMTP server</dt><dd><span class="badge waiting">waiting</span> ${tries}${error}</dd>`
    : html`<dt>SMTP server</dt><dd><span class="badge refused">not delivered</span> ${tries}${error}</dd>`;
}

async function viewOf(core: MailCore, row: MailRow, view: string, baseUrl: string, title: string): Promise<Markup> {
  if (view === 'text') {
    return html`<pre tabindex="0">${textOfMail(core, row, { ...senderOf(core, row), origin: baseUrl })}</pre>`;
  }
  if (view === 'source') {
    const source = await sourceOf(core, row, senderOf(core, row));
    return html`<pre tabindex="0">${source.toString('utf8').replaceAll('\r\n', '\n')}</pre>`;
  }
  return html`<iframe class="mail" src="${ADDRESS}/${row.id}/content" title="${title}" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`;
}
