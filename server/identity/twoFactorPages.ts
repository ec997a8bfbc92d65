import { html, raw } from 'hono/html';
import type { Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { ago, formTokenField, type Markup, notice, type PageContent, textField } from '../web/layout.ts';
import { personPageRoute, type SignedInPageRequest } from '../web/route.ts';
import { endSessionsOf } from '../web/session.ts';
import { settingsContent } from '../web/settings.ts';
import { checkCurrentPassword, type ValidationErrors, validationStatus, currentPasswordField } from './currentPassword.ts';
import {
  disableSecondFactor,
  enableSecondFactor,
  type Enrolment,
  enrolment,
  hasSecondFactor,
  newRecoveryCodes,
  secondFactorState,
} from './secondFactor.ts';

const address = '/user_settings/two_factor_auth';
const metadata = { specRef: 'Sign-in pages', status: 'local' } as const;

/** The second factor of the person who is signed in: set up, new recovery codes, switched off. */
export function twoFactorPages(platform: Platform): Route[] {
  return [
    personPageRoute(platform, { method: 'GET', path: address, ...metadata }, (request) => content(request)),

    personPageRoute(platform, { method: 'POST', path: address, response: 200, ...metadata }, async (request) => {
      const { user } = request.caller;
      const refusal = await checkCurrentPassword(platform, request);
      if (refusal !== undefined) return content(request, refusal);
      const outcome = await enableSecondFactor(platform, user, request.form.get('code') ?? '');
      if (outcome === 'not begun') {
        request.context.noteRefusal('second-factor.begun', 'it is on already, or its secret was shown too long ago');
        return { redirectTo: address };
      }
      if (outcome === 'wrong code') {
        request.context.noteRefusal('second-factor.code', 'the code does not fit the secret at this time of the server’s clock');
        return content(request, { fields: { code: 'This code is wrong. Enter the one that your app shows now.' } });
      }
      // Whoever is signed in elsewhere with the password alone must show the second factor, too.
      endSessionsOf(platform, user.id);
      request.signIn(user);
      return codesContent('Two-factor authentication is on. Other browsers are signed out.', outcome);
    }),

    personPageRoute(platform, { method: 'POST', path: `${address}/codes`, response: 200, ...metadata }, async (request) => {
      const refusal = await checkSwitch(request);
      if (refusal !== undefined) return refusal;
      const text = 'These are your new recovery codes. The earlier ones are no longer good.';
      return codesContent(text, newRecoveryCodes(platform, request.caller.user));
    }),

    personPageRoute(platform, { method: 'POST', path: `${address}/disable`, ...metadata }, async (request) => {
      const refusal = await checkSwitch(request);
      if (refusal !== undefined) return refusal;
      disableSecondFactor(platform, request.caller.user);
      return { redirectTo: `${address}?done=1` };
    }),
  ];

  /** What keeps from changing a second factor that is on. */
  async function checkSwitch(request: SignedInPageRequest): Promise<PageContent | { readonly redirectTo: string } | undefined> {
    if (!hasSecondFactor(platform, request.caller.user)) {
      request.context.noteRefusal('second-factor.on', 'two-factor authentication is off');
      return { redirectTo: address };
    }
    const refusal = await checkCurrentPassword(platform, request);
    return refusal === undefined ? undefined : content(request, refusal);
  }

  async function content(request: SignedInPageRequest, validationErrors?: ValidationErrors): Promise<PageContent> {
    const { user } = request.caller;
    const state = secondFactorState(platform, user);
    if (state !== undefined) return onContent(platform, request, state, validationErrors);
    const isDone = validationErrors === undefined && request.query.get('done') === '1';
    const begun = await enrolment(platform, user, new URL(request.baseUrl).hostname);
    return setUpContent(platform, request, begun, await qrCode(begun.address), isDone, validationErrors);
  }
}

function setUpContent(
  platform: Platform,
  request: SignedInPageRequest,
  { secret, address: inApp }: Enrolment,
  code: Markup,
  isDone: boolean,
  validationErrors: ValidationErrors | undefined,
): PageContent {
  const { user } = request.caller;
  return settingsContent(
    address,
    html`<div class="card">
${isDone ? notice('success', 'It is switched off. Your password is enough to sign in.') : ''}
<p>Two-factor authentication is <strong>off</strong>. With it, signing in takes your password and a code that an authenticator app on your
phone shows. Access tokens and applications keep working; the password grant does not.</p>
<section aria-labelledby="app"><h2 id="app">1. Tell your app</h2>
<p>Scan this code with it, <a href="${inApp}">open it on this device</a>, or type the key.</p>
<div class="qr" role="img" aria-label="QR code that holds the key">${code}</div>
<dl class="facts"><dt>Key</dt><dd class="mono">${secret}</dd><dt>Kind</dt><dd>by time, 6 digits, 30 seconds</dd></dl></section>
<section aria-labelledby="confirm"><h2 id="confirm">2. Confirm</h2>
<form method="post" action="${address}">
${formTokenField(request.formToken())}
<input type="text" name="username" value="${user.username}" autocomplete="username" hidden>
${currentPasswordField(platform, user, validationErrors)}
${textField({
  name: 'code',
  label: 'Code that the app shows',
  error: validationErrors?.fields['code'],
  autocomplete: 'one-time-code',
  className: 'mono',
})}
<div class="actions"><button type="submit">Switch on</button></div>
</form></section>
</div>`,
    validationStatus(validationErrors),
  );
}

function onContent(
  platform: Platform,
  request: SignedInPageRequest,
  { since, recoveryCodes }: { readonly since: number; readonly recoveryCodes: number },
  validationErrors: ValidationErrors | undefined,
): PageContent {
  const { user } = request.caller;
  const left = recoveryCodes === 1 ? '1 recovery code is left' : `${recoveryCodes} recovery codes are left`;
  return settingsContent(
    address,
    html`<div class="card">
<p>Two-factor authentication is <strong>on</strong>, switched on ${ago(since, request.now)}. ${left}.</p>
${recoveryCodes === 0 ? notice('warning', 'Without recovery codes you cannot sign in when your phone is lost. Make new ones.') : ''}
<form method="post" action="${address}/codes">
${formTokenField(request.formToken())}
<input type="text" name="username" value="${user.username}" autocomplete="username" hidden>
${currentPasswordField(platform, user, validationErrors)}
<div class="actions"><button type="submit">New recovery codes</button>
<button class="second" type="submit" formaction="${address}/disable">Switch off</button></div>
</form>
</div>`,
    validationStatus(validationErrors),
  );
}

function codesContent(text: string, codes: readonly string[]): PageContent {
  return settingsContent(
    address,
    html`<div class="card">
${notice('success', text)}
<section aria-labelledby="codes"><h2 id="codes">Recovery codes</h2>
<p>Each signs you in once, in place of a code, when your phone is lost. Keep them where your phone is not. They are not shown again, and
nobody can look them up.</p>
<ul class="recovery mono">${codes.map((code) => html`<li>${code}</li>`)}</ul></section>
<p><a class="button" href="${address}">I have kept them</a></p>
</div>`,
  );
}

/** Black on white whatever the theme: readers of such codes need that. Four modules of white around it (ISO/IEC 18004). */
async function qrCode(text: string): Promise<Markup> {
  const { renderSVG } = await import('uqr');
  return html`${raw(renderSVG(text, { border: 4, blackColor: 'black', whiteColor: 'white' }))}`;
}
