import { html } from 'hono/html';
import type { Core } from '../../core/core.ts';
import type { Caller, User } from '../../core/caller.ts';
import { isUnclaimed } from '../users/users.ts';
import { formTokenField, notice, type PageContent, textField } from '../../web/layout.ts';
import type { PageRequest } from '../../web/route.ts';
import { isLocalPath, SET_UP_PAGE } from './links.ts';

/** Returns the path to continue at after the sign-in: a path of this server, or the start page. */
export function returnTo(text: string | null): string {
  return text !== null && isLocalPath(text) ? text : '/';
}

/**
 * Returns true if this browser may set the password of root: no user has a password yet, and root is signed in here by a one-time link.
 */
export function maySetUp(core: Core, caller: Caller | undefined): boolean {
  return caller?.user.id === 1 && isUnclaimed(core);
}

/** Returns the page for anonymous visitors: the sign-in form, or the setup instructions while no user has a password. */
export function entryContent(core: Core, request: PageRequest, goOn: string): PageContent {
  return isUnclaimed(core) ? needsSetUpContent(goOn) : signInContent(request, goOn);
}

/** Returns the instructions for getting the link to the setup page. */
export function needsSetUpContent(goOn: string, status?: number): PageContent {
  return {
    title: 'Set up this server',
    ...(status === undefined ? {} : { status }),
    body: html`<div class="card">
<p>No user of this server has a password yet. Open a one-time link to set the first one:</p>
<ul>
<li>The server prints a link when it is started from a shell. The link expires after an hour; each start prints a new one.</li>
<li>With the admin token, you can create one: <code>POST /_local/sign-in-links</code> with the body <code>{"username": "root", "return_to": "${SET_UP_PAGE}"}</code>. It expires after five minutes.</li>
<li>In VS Code, <strong>Sign In</strong> opens the pages of the local server with you signed in.</li>
</ul>
<p>Open the link in this browser, then <a href="${goOn}">continue</a>.</p>
</div>`,
  };
}

export function signInContent(
  request: PageRequest,
  goOn: string,
  failure?: {
    readonly login: string;
    readonly text: string;
    readonly status: number;
    readonly headers?: PageContent['headers'];
  },
): PageContent {
  return {
    title: 'Sign in',
    ...(failure === undefined ? {} : { status: failure.status }),
    ...(failure?.headers === undefined ? {} : { headers: failure.headers }),
    body: html`<div class="card">
${failure === undefined ? '' : notice('error', failure.text)}
<form method="post" action="/users/sign_in">
${formTokenField(request.formToken())}
<input type="hidden" name="return_to" value="${goOn}">
${textField({ name: 'login', label: 'Username or email', value: failure?.login ?? '', autocomplete: 'username' })}
${textField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<button type="submit">Sign in</button>
</form>
</div>`,
  };
}

/** Returns the path of the page for the second factor, which continues at `goOn`. */
export function codePath(goOn: string): string {
  return goOn === '/' ? CODE_PAGE : `${CODE_PAGE}?return_to=${encodeURIComponent(goOn)}`;
}

export const CODE_PAGE = '/users/sign_in/two_factor';

/** Returns the page for the second factor. */
export function codeContent(
  request: PageRequest,
  user: User,
  goOn: string,
  failure?: { readonly text: string; readonly status: number; readonly headers?: PageContent['headers'] },
): PageContent {
  return {
    title: 'Two-factor authentication',
    ...(failure === undefined ? {} : { status: failure.status }),
    ...(failure?.headers === undefined ? {} : { headers: failure.headers }),
    body: html`<div class="card">
${failure === undefined ? '' : notice('error', failure.text)}
<p>Signing in as <strong>@${user.username}</strong>. Enter a code to continue.</p>
<form method="post" action="${CODE_PAGE}">
${formTokenField(request.formToken())}
<input type="hidden" name="return_to" value="${goOn}">
${textField({
  name: 'code',
  label: 'Code',
  hint: 'The six-digit code from your authenticator app, or a recovery code.',
  autocomplete: 'one-time-code',
  className: 'mono',
  autofocus: true,
})}
<button type="submit">Sign in</button>
</form>
<p class="small"><a href="/users/sign_in?return_to=${encodeURIComponent(goOn)}">Sign in as a different user</a></p>
</div>`,
  };
}

export function setUpContent(
  request: PageRequest,
  goOn: string,
  validationErrors: { readonly password?: string | undefined; readonly confirmation?: string | undefined } = {},
): PageContent {
  const isProblem = validationErrors.password !== undefined || validationErrors.confirmation !== undefined;
  return {
    title: 'Set up this server',
    status: isProblem ? 422 : 200,
    body: html`<div class="card">
<p>No user of this server has a password yet. Choose one for the administrator, <strong>root</strong>. You will be signed in right away.</p>
<form method="post" action="${SET_UP_PAGE}">
${formTokenField(request.formToken())}
<input type="hidden" name="return_to" value="${goOn}">
<input type="text" name="username" value="root" autocomplete="username" hidden>
${textField({
  name: 'password',
  label: 'New password',
  type: 'password',
  hint: 'At least 8 characters.',
  error: validationErrors.password,
  autocomplete: 'new-password',
})}
${textField({
  name: 'password_confirmation',
  label: 'Confirm new password',
  type: 'password',
  error: validationErrors.confirmation,
  autocomplete: 'new-password',
})}
<button type="submit">Set password and sign in</button>
</form>
</div>`,
  };
}
