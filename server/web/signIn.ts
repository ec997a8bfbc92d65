import { html } from 'hono/html';
import type { Exchange } from '../http/exchange.ts';
import type { Platform } from '../platform.ts';
import { isUnclaimed } from '../identity/identity.ts';
import { formTokenField, notice, type PageContent, textField } from './layout.ts';
import type { PageRequest } from './route.ts';
import { isLocalPath } from './signInLinks.ts';

/** Where to go on after signing in; the start page unless a path of this server was named. */
export function returnTo(text: string | null): string {
  return text !== null && isLocalPath(text) ? text : '/';
}

/** Whether root's password may be set here: nobody has one yet, and the browser is on this machine. */
export function offersSetUp(platform: Platform, { address }: Exchange): boolean {
  return isUnclaimed(platform) && /^(?:::ffff:)?127\.|^::1$/.test(address);
}

/** What somebody who is not signed in sees: the sign-in form, or the set-up form while nobody has a password. */
export function entryContent(platform: Platform, request: PageRequest, goOn: string): PageContent {
  return offersSetUp(platform, request.exchange) ? setUpContent(request, goOn) : signInContent(request, goOn);
}

export function signInContent(
  request: PageRequest,
  goOn: string,
  failure?: {
    readonly login: string;
    readonly words: string;
    readonly status: number;
    readonly headers?: PageContent['headers'];
  },
): PageContent {
  return {
    title: 'Sign in',
    ...(failure === undefined ? {} : { status: failure.status }),
    ...(failure?.headers === undefined ? {} : { headers: failure.headers }),
    body: html`<div class="card">
${failure === undefined ? '' : notice('error', failure.words)}
<form method="post" action="/users/sign_in">
${formTokenField(request.formToken())}
<input type="hidden" name="return_to" value="${goOn}">
${textField({ name: 'login', label: 'Username or e-mail', value: failure?.login ?? '', autocomplete: 'username' })}
${textField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<button type="submit">Sign in</button>
</form>
</div>`,
  };
}

export function setUpContent(
  request: PageRequest,
  goOn: string,
  complaints: { readonly password?: string | undefined; readonly confirmation?: string | undefined } = {},
): PageContent {
  const isComplaint = complaints.password !== undefined || complaints.confirmation !== undefined;
  return {
    title: 'Set up this server',
    status: isComplaint ? 422 : 200,
    body: html`<div class="card">
<p>Nobody has a password on this server yet. Choose one for its administrator, <strong>root</strong>. You are signed in with it at once.</p>
<form method="post" action="/users/set_up">
${formTokenField(request.formToken())}
<input type="hidden" name="return_to" value="${goOn}">
<input type="text" name="username" value="root" autocomplete="username" hidden>
${textField({
  name: 'password',
  label: 'New password',
  type: 'password',
  hint: 'At least 8 characters.',
  error: complaints.password,
  autocomplete: 'new-password',
})}
${textField({
  name: 'password_confirmation',
  label: 'The same password again',
  type: 'password',
  error: complaints.confirmation,
  autocomplete: 'new-password',
})}
<button type="submit">Set password and sign in</button>
</form>
</div>`,
  };
}
