import type { OAuthCore } from './oauthCore.ts';
import { html } from 'hono/html';
import type { RequestContext } from '../../http/requestContext.ts';
import { isLoopbackAddress } from '../../http/hostGuard.ts';
import type { Route } from '../../http/route.ts';
import type { Caller, User } from '../../core/caller.ts';
import { scopeList } from '../personalTokens/personalTokens.ts';
import { formatLockEnd, retryAfter } from '../attempts/attempts.ts';
import { entryContent } from '../signIn/signIn.ts';
import type { Core } from '../../core/core.ts';
import { ago, formTokenField, notice, type PageContent, textField } from '../../web/layout.ts';
import { type PageRequest, type PageResponse, pageRoute } from '../../web/route.ts';
import { codeEntryLockedUntil, recordWrongCode } from './codeEntry.ts';
import { decide, findByUserCode, type PendingDeviceGrant } from './deviceGrants.ts';
import { recordedRoute } from './flowRecorder.ts';
import { traceOf } from './flowTrace.ts';
import { normalisedUserCode, shownUserCode } from './userCode.ts';

const metadata = { specRef: 'Device authorization', addedIn: '17.1' } as const;

/** Routes of the pages on which a user enters a device code and approves or denies the request (RFC 8628 §3.3). */
export function devicePages(core: OAuthCore): Route[] {
  return [
    recordedRoute(
      core,
      'devicePage',
      pageRoute({ method: 'GET', path: '/oauth/device', status: 'stated', ...metadata }, (request) =>
        showCodeForm(core, request),
      ),
    ),
    recordedRoute(
      core,
      'devicePage',
      pageRoute({ method: 'POST', path: '/oauth/device', status: 'inferred', response: 200, ...metadata }, (request) =>
        showRequest(core, request),
      ),
    ),
    recordedRoute(
      core,
      'deviceDecision',
      pageRoute({ method: 'POST', path: '/oauth/device/confirm', status: 'inferred', ...metadata }, (request) =>
        decideRequest(core, request),
      ),
    ),
    pageRoute({ method: 'GET', path: '/oauth/device/approved', status: 'inferred', ...metadata }, approvedContent),
    pageRoute({ method: 'GET', path: '/oauth/device/denied', status: 'inferred', ...metadata }, deniedContent),
  ];
}

function showCodeForm(core: Core, request: PageRequest): PageResponse {
  const trace = traceOf(request.context);
  const sent = request.query.get('user_code');
  if (request.caller === undefined) {
    trace.record('The sign-in page was shown.');
    // The sign-in form is shown here instead of on its own page, so that the code never becomes part of another URL.
    return entryContent(core, request, devicePath(sent));
  }
  trace.record('The user code page was shown.');
  return codeContent(request, { typed: shownTyped(sent) });
}

function showRequest(core: Core, request: PageRequest): PageResponse {
  if (request.caller === undefined) {
    traceOf(request.context).record('The sign-in page was shown.');
    return { redirectTo: devicePath(request.form.get('user_code')) };
  }
  const found = lookUp(core, request, request.caller);
  return 'refusal' in found ? found.refusal : approveContent(request, found.grant, request.caller.user);
}

function decideRequest(core: Core, request: PageRequest): PageResponse {
  const { caller, form, context, now } = request;
  const trace = traceOf(context);
  if (caller === undefined) {
    trace.record('The user was no longer signed in; the sign-in page was shown.');
    return { redirectTo: devicePath(form.get('user_code')) };
  }
  const decision = form.get('decision');
  const found = lookUp(core, request, caller);
  if ('refusal' in found) return found.refusal;
  if (decision !== 'approve' && decision !== 'deny') return approveContent(request, found.grant, caller.user);
  const state = decision === 'approve' ? 'approved' : 'denied';
  if (decide(core, found.grant, { user: caller.user, state, now })) {
    trace.isDenied = state === 'denied';
    trace.record(`@${caller.user.username} ${state} the request.`);
    return { redirectTo: `/oauth/device/${state}` };
  }
  trace.record(REJECTED);
  context.noteRefusal('user_code.used', 'the request was approved, denied or expired in the meantime');
  return codeContent(request, { problem: validationErrors.used, status: 422 });
}

function approvedContent(): PageContent {
  return {
    title: 'Access approved',
    body: html`<div class="card">
${notice('success', 'Signed in. You can close this tab.')}
<p>The application continues within a few seconds.</p>
</div>`,
  };
}

function deniedContent(): PageContent {
  return {
    title: 'Access denied',
    body: html`<div class="card">
${notice('info', 'The application was not granted access to your account.')}
<p>You can close this tab.</p>
</div>`,
  };
}

/** Finds the pending request of the entered code, and counts failed attempts. */
function lookUp(core: Core, request: PageRequest, caller: Caller): { grant: PendingDeviceGrant } | { refusal: PageContent } {
  const { context, form, now } = request;
  const trace = traceOf(context);
  const typed = form.get('user_code') ?? '';
  if (normalisedUserCode(typed) === '') {
    trace.record(REJECTED);
    context.noteRefusal('user_code', 'no code was sent');
    return { refusal: codeContent(request, { problem: 'Enter the code that is shown on your device.', status: 422 }) };
  }
  const entry = { userId: caller.user.id, address: context.address };
  const lockedUntil = codeEntryLockedUntil(core, entry);
  if (lockedUntil !== undefined) {
    trace.record(REJECTED);
    context.noteRefusal(
      'user_code.attempts',
      'code entry is locked for ten minutes after ten wrong codes of an account, or a hundred from an address, within ten minutes',
    );
    return { refusal: lockedContent(lockedUntil, now) };
  }
  const found = findByUserCode(core, typed, now);
  if (typeof found === 'object') return { grant: found };
  trace.record(REJECTED);
  context.noteRefusal(`user_code.${found}`, reasons[found]);
  if (found === 'unknown') recordWrongCode(core, entry);
  return { refusal: codeContent(request, { typed: shownTyped(typed), problem: validationErrors[found], status: 422 }) };
}

const REJECTED = 'The user code was rejected.';

const validationErrors = {
  unknown: 'This code does not exist. Check the letters and try again.',
  expired: 'This code has expired. Request a new code in the application.',
  used: 'This code has already been used. Request a new code in the application.',
} as const;

const reasons = {
  unknown: 'no device grant has this user code',
  expired: 'the user code has expired; the application must request a new one',
  used: 'the user code was already approved or denied',
} as const;

function codeContent(
  request: PageRequest,
  entry: { readonly typed?: string; readonly problem?: string; readonly status?: number },
): PageContent {
  return {
    title: 'Connect an application',
    status: entry.status ?? 200,
    body: html`<div class="card">
<p>Enter the code that the application shows. You can review the requested permissions before you approve.</p>
<form method="post" action="/oauth/device">
${formTokenField(request.formToken())}
${textField({
  name: 'user_code',
  label: 'Code',
  value: entry.typed ?? '',
  hint: 'Eight letters, with or without the dash.',
  error: entry.problem,
  autocomplete: 'off',
  className: 'code',
  autofocus: true,
})}
<button type="submit">Continue</button>
</form>
</div>`,
  };
}

function approveContent(request: PageRequest, grant: PendingDeviceGrant, user: User): PageContent {
  traceOf(request.context).record(`The consent page was shown to @${user.username}.`);
  const code = shownUserCode(grant.userCode);
  const token = request.formToken();
  return {
    title: `Approve ${grant.application.name}?`,
    body: html`<div class="card">
<p><strong>${grant.application.name}</strong> wants to access your account.</p>
<div class="person"><p>Signed in as <strong>${user.name}</strong> <span class="muted">@${user.username}</span></p>
<form class="inline" method="post" action="/users/sign_out">${formTokenField(token)}<input type="hidden" name="return_to" value="${devicePath(code)}"><button class="quiet" type="submit">Not you?</button></form></div>
<section aria-labelledby="scopes-heading"><h2 id="scopes-heading">Requested permissions</h2>
${scopeList(grant.scopes.split(' '))}</section>
<section aria-labelledby="code-heading"><h2 id="code-heading">Check that the application shows this code</h2>
<p class="usercode">${code}</p></section>
<p class="small muted">Requested ${ago(grant.created_at, request.now)}, ${origin(grant.address, request.context)}.</p>
${notice('warning', 'Approve only if you started this sign-in and the codes match. If someone sent you the code, deny the request.')}
<form method="post" action="/oauth/device/confirm">
${formTokenField(token)}
<input type="hidden" name="user_code" value="${grant.userCode}">
<div class="actions">
<button type="submit" name="decision" value="approve">Approve</button>
<button class="second" type="submit" name="decision" value="deny">Deny</button>
</div>
</form>
</div>`,
  };
}

function origin(address: string, context: RequestContext): string {
  if (isLoopbackAddress(address)) return `from the machine that runs this server (${address})`;
  return address === context.address ? `from your IP address (${address})` : `from ${address}, which is not your IP address`;
}

function lockedContent(until: number, now: number): PageContent {
  return {
    title: 'Too many incorrect codes',
    status: 429,
    headers: { 'Retry-After': retryAfter(until, now) },
    body: html`<div class="card">
${notice('error', `Too many incorrect codes were entered. Try again ${formatLockEnd(until, now)}.`)}
<p>Before you try again, request a new code in the application.</p>
<p><a href="/oauth/device">Enter a code</a></p>
</div>`,
  };
}

/** Returns a code as prefilled in the form: with its dash if it has eight letters, else as entered. */
function shownTyped(sent: string | null): string {
  const code = normalisedUserCode(sent ?? '');
  return code.length === 8 ? shownUserCode(code) : code.slice(0, 32);
}

function devicePath(userCode: string | null): string {
  const shown = shownTyped(userCode);
  return shown === '' ? '/oauth/device' : `/oauth/device?user_code=${shown}`;
}
