import { html } from 'hono/html';
import { conflict } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import {
  ensureRoot,
  enterpriseRefusal,
  findUser,
  findUserByLogin,
  isUnclaimed,
  passwordRefusingGroup,
  setPassword,
} from '../users/users.ts';
import type { User } from '../../core/caller.ts';
import { isBlocked, passwordProblem } from '../accountRules/accountRules.ts';
import { recordFailedSignIn, tryCode, tryPassword } from './passwordAttempts.ts';
import { hasSecondFactor } from '../secondFactors/secondFactors.ts';
import type { Core } from '../../core/core.ts';
import { formatLockEnd, retryAfter } from '../attempts/attempts.ts';
import { notice, type PageContent } from '../../web/layout.ts';
import { pageRoute, type PageRequest, type PageResponse } from '../../web/route.ts';
import {
  CODE_PAGE,
  codeContent,
  codePath,
  entryContent,
  maySetUp,
  needsSetUpContent,
  returnTo,
  setUpContent,
  signInContent,
} from './contents.ts';
import { endSessionsOf } from './session.ts';
import { dropSignInLinks, SET_UP_PAGE, spendSignInLink } from './links.ts';

const metadata = { specRef: 'Sign-in pages', status: 'local' } as const;

/** Maximum length of a redirect target, well below the limit of request targets. */
const MAX_REDIRECT_LENGTH = 4096;

/** Servers whose setup form is being handled. */
const settingUp = new WeakSet<Core>();

/** Routes of setup, sign-in, sign-out, and one-time links. */
export function signInPages(core: Core): Route[] {
  return [
    pageRoute({ method: 'GET', path: '/users/sign_in', ...metadata }, (request) => showSignIn(core, request)),

    pageRoute({ method: 'POST', path: '/users/sign_in', ...metadata }, (request) => handleSignIn(core, request)),

    pageRoute({ method: 'GET', path: CODE_PAGE, ...metadata }, (request) => showCode(core, request)),

    pageRoute({ method: 'POST', path: CODE_PAGE, ...metadata }, (request) => handleCode(core, request)),

    pageRoute({ method: 'POST', path: '/users/sign_out', ...metadata }, handleSignOut),

    pageRoute({ method: 'GET', path: SET_UP_PAGE, ...metadata }, (request) => showSetUp(core, request)),

    pageRoute({ method: 'POST', path: SET_UP_PAGE, ...metadata }, (request) => handleSetUp(core, request)),

    pageRoute(
      { method: 'GET', path: '/users/sign_in_links/:secret', secrets: ['secret'], response: 303, ...metadata },
      (request) => spendLink(core, request),
    ),
  ];
}

function showSignIn(core: Core, request: PageRequest): PageResponse {
  const goOn = returnTo(request.query.get('return_to'));
  return request.caller === undefined ? entryContent(core, request, goOn) : { redirectTo: goOn };
}

async function handleSignIn(core: Core, request: PageRequest): Promise<PageResponse> {
  const { context, form, now } = request;
  const goOn = returnTo(form.get('return_to'));
  const login = (form.get('login') ?? '').trim();
  const outcome = await tryPassword(core, login, form.get('password') ?? '');
  if (outcome === 'refused') {
    recordFailedSignIn(core, findUserByLogin(core, login), 'password');
    context.noteRefusal('password', 'incorrect username or password, or the account is blocked');
    return signInContent(request, goOn, { login, text: 'Incorrect username or password.', status: 422 });
  }
  if ('lockedUntil' in outcome) {
    context.noteRefusal('password.attempts', 'ten failed sign-in attempts within ten minutes lock the account for ten minutes');
    return signInContent(request, goOn, {
      login,
      text: `Too many failed sign-in attempts for this username. Try again ${formatLockEnd(outcome.lockedUntil, now)}.`,
      status: 429,
      headers: { 'Retry-After': retryAfter(outcome.lockedUntil, now) },
    });
  }
  const { user } = outcome;
  context.noteUser(user.username);
  const refusing = passwordRefusingGroup(core, user);
  if (refusing !== undefined) {
    context.noteRefusal('password.enterprise', enterpriseRefusal(refusing));
    const text = `The group ${refusing.name} does not allow its users to sign in with a password. Ask an administrator for a sign-in link.`;
    return signInContent(request, goOn, { login, text, status: 403 });
  }
  if (hasSecondFactor(core, user)) {
    request.beginSignIn(user);
    const path = codePath(goOn);
    // A long authorization request may exceed the limit when it is encoded again. A form sends it unchanged.
    return path.length > MAX_REDIRECT_LENGTH ? codeContent(request, user, goOn) : { redirectTo: path };
  }
  signIn(core, request, user, 'password');
  return { redirectTo: goOn };
}

function showCode(core: Core, request: PageRequest): PageResponse {
  const goOn = returnTo(request.query.get('return_to'));
  if (request.caller !== undefined) return { redirectTo: goOn };
  const user = halfSignedIn(core, request);
  return user === undefined
    ? { redirectTo: `/users/sign_in?return_to=${encodeURIComponent(goOn)}` }
    : codeContent(request, user, goOn);
}

async function handleCode(core: Core, request: PageRequest): Promise<PageResponse> {
  const { context, form, now } = request;
  const goOn = returnTo(form.get('return_to'));
  const user = halfSignedIn(core, request);
  if (user === undefined) {
    context.noteRefusal('second-factor.session', 'no correct password was entered in this browser in the last ten minutes');
    const text = 'The code must be entered within ten minutes of the password. Sign in again.';
    return signInContent(request, goOn, { login: '', text, status: 422 });
  }
  context.noteUser(user.username);
  const outcome = await tryCode(core, user, form.get('code') ?? '');
  if (outcome === 'accepted') {
    signIn(core, request, user, 'code');
    return { redirectTo: goOn };
  }
  if (typeof outcome === 'object') {
    context.noteRefusal(
      'password.attempts',
      'ten incorrect passwords or codes within ten minutes lock the account for ten minutes',
    );
    return codeContent(request, user, goOn, {
      text: `Too many failed sign-in attempts. Try again ${formatLockEnd(outcome.lockedUntil, now)}.`,
      status: 429,
      headers: { 'Retry-After': retryAfter(outcome.lockedUntil, now) },
    });
  }
  recordFailedSignIn(core, user, 'code');
  context.noteRefusal(`second-factor.${outcome.replaceAll(' ', '-')}`, codeRefusals[outcome].reason);
  return codeContent(request, user, goOn, { text: codeRefusals[outcome].text, status: 422 });
}

function handleSignOut({ form, signOut }: PageRequest): PageResponse {
  signOut();
  return { redirectTo: returnTo(form.get('return_to')) };
}

function showSetUp(core: Core, request: PageRequest): PageResponse {
  const goOn = returnTo(request.query.get('return_to'));
  if (!isUnclaimed(core)) return { redirectTo: '/users/sign_in' };
  if (maySetUp(core, request.caller)) return setUpContent(request, goOn);
  request.context.noteRefusal('setup.link', noSetUpLink);
  return needsSetUpContent(goOn, 403);
}

async function handleSetUp(core: Core, request: PageRequest): Promise<PageResponse> {
  const { context, form } = request;
  const goOn = returnTo(form.get('return_to'));
  if (!isUnclaimed(core)) {
    context.noteRefusal('setup.unclaimed', 'a user has a password already, so the setup page is closed; sign in instead');
    return { redirectTo: '/users/sign_in' };
  }
  if (!maySetUp(core, request.caller)) {
    context.noteRefusal('setup.link', noSetUpLink);
    return needsSetUpContent(goOn, 403);
  }
  const password = form.get('password') ?? '';
  const problem = passwordProblem(password);
  const isSame = password === form.get('password_confirmation');
  if (problem !== undefined || !isSame) {
    context.noteRefusal('setup.password', problem === undefined ? 'the passwords do not match' : `the password ${problem}`);
    return setUpContent(request, goOn, {
      password: problem === undefined ? undefined : `The password ${problem}.`,
      confirmation: isSame ? undefined : 'The passwords do not match.',
    });
  }
  // Hashing takes time; of two concurrent requests only the first may set the password.
  if (settingUp.has(core)) throw conflict('another setup is in progress', undefined, 'setup.busy');
  settingUp.add(core);
  try {
    const root = ensureRoot(core);
    await setPassword(core, root, password);
    // Other sessions and links of root end, so that from now on the password is required.
    endSessionsOf(core, root.id);
    dropSignInLinks(core, root.id);
    request.signIn(root);
    context.noteUser(root.username);
  } finally {
    settingUp.delete(core);
  }
  return { redirectTo: goOn };
}

function spendLink(core: Core, request: PageRequest): PageResponse {
  const { context } = request;
  // Link previews must not use up the link (RFC 9110 §9.2.1).
  if (context.method === 'HEAD') return { title: 'Sign-in link', body: html`<div class="card"></div>` };
  const link = spendSignInLink(core, request.pathParameters['secret'] ?? '');
  const user = link === undefined ? undefined : findUser(core, link.userId);
  if (link === undefined || user === undefined || isBlocked(user)) {
    context.noteRefusal('sign-in-link', 'the link was already used or has expired, or its account is blocked');
    return spentLinkContent();
  }
  request.signIn(user);
  context.noteUser(user.username);
  return { redirectTo: link.returnTo };
}

/** Returns the user whose code is requested, unless the second factor was turned off in the meantime. */
function halfSignedIn(core: Core, request: PageRequest): User | undefined {
  const user = request.halfSignedIn();
  return user !== undefined && hasSecondFactor(core, user) ? user : undefined;
}

function signIn(core: Core, request: PageRequest, user: User, by: 'password' | 'code'): void {
  core.store.transaction(() => {
    request.signIn(user);
    core.changes.publish({ kind: 'signedIn', userId: user.id, by });
  });
}

const noSetUpLink = 'the setup page requires a browser that has opened a one-time link for root';

/** Reasons and texts of rejected codes, for the request log and the page. */
const codeRefusals = {
  wrong: {
    reason: 'the code matches neither the current time step, the ones before and after it, nor an unused recovery code',
    text: 'Incorrect code. Each code is valid for about a minute.',
  },
  'used before': {
    reason: 'a code of this time step was already used, and each code is valid once',
    text: 'This code has already been used. Wait for the next one.',
  },
  unreadable: {
    reason: 'the secret was encrypted with the key of another data folder, so only recovery codes work',
    text: 'This server can no longer verify codes from your app. Use a recovery code, or ask an administrator to turn off two-factor authentication.',
  },
} as const;

function spentLinkContent(): PageContent {
  return {
    title: 'This link no longer works',
    status: 410,
    body: html`<div class="card">
${notice('info', 'A sign-in link works once and expires after five minutes. The link that the server prints when it starts expires after an hour.')}
<p>Request a new link, or <a href="/users/sign_in">sign in with your password</a>.</p>
</div>`,
  };
}
