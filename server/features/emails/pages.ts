import { type MailCore, CONFIRMATION_PATH } from '../mail/mail.ts';
import { html } from 'hono/html';
import { MINUTE } from '../../core/clock.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { checkCurrentPassword, currentPasswordField, type ValidationErrors, validationStatus } from '../signIn/signIn.ts';
import { type EmailRow, listEmails } from './store.ts';
import { isEmail } from '../accountRules/accountRules.ts';
import { updateUser } from '../users/users.ts';
import { checkBox, formTokenField, type Markup, notice, type PageContent, rowAction, textField } from '../../web/layout.ts';
import {
  type PageRequest,
  pageRoute,
  personPageRoute,
  type SignedInPageRequest,
  type Redirection,
  type PageResponse,
} from '../../web/route.ts';
import { settingsContent } from '../../web/settings.ts';
import {
  addEmail,
  confirmEmail,
  type EndedConfirmation,
  findConfirmation,
  findEmail,
  MAX_EMAILS,
  removeEmail,
  sendConfirmation,
} from './manageEmails.ts';

const address = '/user_settings/emails';
const metadata = { specRef: 'Email addresses', status: 'local' } as const;

/** Results that a redirect to the page reports. */
const reports: Readonly<Record<string, string>> = {
  '1': 'Email address saved.',
  added: 'Address added. Open the link in the mail that was sent to it.',
  sent: 'Mail sent. Open the link in it to confirm the address.',
  early: 'A mail was sent less than a minute ago. Wait a minute before you send another one.',
  removed: 'Address removed.',
};

/** Returns the routes of the page with the email addresses of the signed-in user, and of the page that confirms one. */
export function emailPages(core: MailCore): Route[] {
  return [
    personPageRoute({ ...metadata, method: 'GET', path: address }, (request) => content(core, request, {})),

    personPageRoute({ ...metadata, method: 'POST', path: address }, (request) => savePrimaryEmail(core, request)),

    personPageRoute({ ...metadata, method: 'POST', path: `${address}/additional` }, (request) => addAdditional(core, request)),

    personPageRoute({ ...metadata, method: 'POST', path: `${address}/:id/resend` }, (request) =>
      resendConfirmation(core, request),
    ),

    personPageRoute({ ...metadata, method: 'POST', path: `${address}/:id/remove` }, (request) => removeAddress(core, request)),

    // Opening the link changes nothing, because programs that check mails open links, too.
    pageRoute({ ...metadata, method: 'GET', path: CONFIRMATION_PATH }, (request) => showConfirmation(core, request)),

    pageRoute({ ...metadata, method: 'POST', path: CONFIRMATION_PATH, response: 200 }, (request) =>
      confirmAddress(core, request),
    ),
  ];
}

async function savePrimaryEmail(core: MailCore, request: SignedInPageRequest): Promise<PageContent | Redirection> {
  const { form, caller, context } = request;
  const email = (form.get('email') ?? '').trim();
  const isPublic = form.get('public_email') === '1';
  const draft = { email, isPublic };
  if (!isEmail(email)) {
    context.noteRefusal('email.valid', 'the text is not a valid email address');
    return content(core, request, { draft, validationErrors: { fields: { email: 'Enter a valid email address.' } } });
  }
  const refusal = await checkCurrentPassword(core, request);
  if (refusal !== undefined) return content(core, request, { draft, validationErrors: refusal });
  const changed = updateUser(core, caller.user, { email, public_email: isPublic ? email : '' });
  if (typeof changed === 'string') {
    context.noteRefusal('email.free', 'another user has this email address');
    return content(core, request, { draft, validationErrors: { fields: { email: 'This email address is already in use.' } } });
  }
  return { redirectTo: `${address}?done=1` };
}

function addAdditional(core: MailCore, request: SignedInPageRequest): PageContent | Redirection {
  const { form, caller, context } = request;
  const additional = (form.get('additional_email') ?? '').trim();
  const added = addEmail(core, caller.user, { address: additional });
  if ('id' in added) return { redirectTo: `${address}?done=added` };
  context.noteRefusal('email.valid', `the address ${added.join(', ')}`);
  const validationErrors = { fields: { additional_email: `The address ${added.join(', ')}.` } };
  return content(core, request, { additional, validationErrors });
}

function resendConfirmation(core: MailCore, request: SignedInPageRequest): PageContent | Redirection {
  const email = ownEmail(core, request);
  if (email.confirmed_at !== null) return { redirectTo: address };
  if (request.now < (email.confirmation_sent_at ?? 0) + MINUTE) {
    request.context.noteRefusal('email.resend', 'a mail was sent to this address less than a minute ago');
    return { redirectTo: `${address}?done=early` };
  }
  sendConfirmation(core, request.caller.user, email);
  return { redirectTo: `${address}?done=sent` };
}

function removeAddress(core: MailCore, request: SignedInPageRequest): PageContent | Redirection {
  removeEmail(core, ownEmail(core, request));
  return { redirectTo: `${address}?done=removed` };
}

function showConfirmation(core: MailCore, request: PageRequest): PageResponse {
  const token = request.query.get('confirmation_token') ?? '';
  const confirmation = findConfirmation(core, token);
  if (confirmation.outcome !== 'pending') return endOf(request, confirmation);
  return {
    title: 'Confirm your email address',
    body: html`<form class="card" method="post" action="${CONFIRMATION_PATH}">
${formTokenField(request.formToken())}<input type="hidden" name="confirmation_token" value="${token}">
<p>Confirm that <strong>${confirmation.email.email}</strong> is your email address.</p>
<div class="actions"><button type="submit">Confirm address</button></div>
</form>`,
  };
}

function confirmAddress(core: MailCore, request: PageRequest): PageResponse {
  const confirmation = confirmEmail(core, request.form.get('confirmation_token') ?? '');
  if (confirmation.outcome !== 'pending') return endOf(request, confirmation);
  return confirmationContent('success', html`<strong>${confirmation.email.email}</strong> is confirmed.`);
}

function ownEmail(core: MailCore, { pathParameters, caller }: SignedInPageRequest): EmailRow {
  const id = pathParameters['id'] ?? '';
  const email = /^\d{1,15}$/.test(id) ? findEmail(core, caller.user, Number(id)) : undefined;
  if (email === undefined) throw notFound('Email', 'the user has no address with this ID');
  return email;
}

function content(
  core: MailCore,
  request: SignedInPageRequest,
  sent: {
    readonly draft?: { readonly email: string; readonly isPublic: boolean };
    readonly additional?: string;
    readonly validationErrors?: ValidationErrors;
  },
): PageContent {
  const { user } = request.caller;
  const { draft, validationErrors } = sent;
  const formToken = request.formToken();
  const report = validationErrors === undefined ? reports[request.query.get('done') ?? ''] : undefined;
  return settingsContent(
    address,
    html`${report === undefined ? '' : notice('success', report)}
<section class="card" aria-labelledby="primary">
<h2 id="primary">Primary address</h2>
<p>You can sign in with your email address or your username.</p>
<form method="post" action="${address}">
${formTokenField(formToken)}
${textField({
  name: 'email',
  label: 'Email address',
  value: draft?.email ?? user.email,
  error: validationErrors?.fields['email'],
  autocomplete: 'email',
})}
${checkBox({ name: 'public_email', label: 'Show my email address on my public profile', checked: draft?.isPublic ?? user.public_email !== '' })}
${currentPasswordField(core, user, validationErrors)}
<div class="actions"><button type="submit">Save email address</button></div>
</form>
</section>
<section class="card" aria-labelledby="additional">
<h2 id="additional">Additional addresses</h2>
<p><a href="/-/profile/notifications">Notifications</a> can be sent to an address when it is confirmed.</p>
${additionalList(listEmails(core.store, user.id, MAX_EMAILS, 0), formToken)}
<form method="post" action="${address}/additional">
${formTokenField(formToken)}
${textField({
  name: 'additional_email',
  label: 'New address',
  value: sent.additional ?? '',
  error: validationErrors?.fields['additional_email'],
  autocomplete: 'off',
})}
<div class="actions"><button type="submit">Add address</button></div>
</form>
</section>`,
    validationStatus(validationErrors),
  );
}

/** Returns the page of a link that confirms nothing. */
function endOf({ context }: Pick<PageRequest, 'context'>, confirmation: EndedConfirmation): PageContent {
  context.noteRefusal('email.confirmation', `the confirmation link is ${confirmation.outcome}`);
  switch (confirmation.outcome) {
    case 'already confirmed':
      return confirmationContent('info', html`<strong>${confirmation.email.email}</strong> was already confirmed.`);
    case 'outdated':
      return {
        ...confirmationContent('error', 'This link is more than three days old. Send a new one from the page of your addresses.'),
        status: 410,
      };
    case 'unknown':
      return {
        ...confirmationContent('error', 'This link is not valid. It may be incomplete, or the address was removed.'),
        status: 404,
      };
  }
}

function additionalList(emails: readonly EmailRow[], formToken: string): Markup {
  if (emails.length === 0) return html`<p class="muted">You have no additional addresses.</p>`;
  return html`<ul class="rows">${emails.map(({ id, email, confirmed_at: confirmedAt }) => {
    const isConfirmed = confirmedAt !== null;
    return html`<li><p><strong>${email}</strong> <span class="badge">${isConfirmed ? 'confirmed' : 'not confirmed'}</span></p>
<div class="row-actions">${isConfirmed ? '' : rowAction(`${address}/${id}/resend`, 'Send mail again', `to ${email}`, formToken)}
${rowAction(`${address}/${id}/remove`, 'Remove', email, formToken)}</div></li>`;
  })}</ul>`;
}

function confirmationContent(kind: 'success' | 'info' | 'error', text: Markup | string): PageContent {
  return {
    title: 'Email address',
    body: html`<div class="card">${notice(kind, text)}
<div class="actions start"><a class="button second" href="${address}">Your addresses</a></div></div>`,
  };
}
