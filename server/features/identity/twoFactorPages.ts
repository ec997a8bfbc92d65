import { html, raw } from 'hono/html';
import type { Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { ago, formTokenField, type Markup, notice, type PageContent, textField } from '../../web/layout.ts';
import { personPageRoute, type SignedInPageRequest, type Redirection } from '../../web/route.ts';
import {
  checkCurrentPassword,
  currentPasswordField,
  endSessionsOf,
  type ValidationErrors,
  validationStatus,
} from '../signIn/signIn.ts';
import { settingsContent } from '../../web/settings.ts';
import {
  disableSecondFactor,
  enableSecondFactor,
  type Enrolment,
  enrolment,
  hasSecondFactor,
  newRecoveryCodes,
  secondFactorState,
} from '../secondFactors/secondFactors.ts';

const address = '/user_settings/two_factor_auth';
const metadata = { specRef: 'Sign-in pages', status: 'local' } as const;

/** Returns the routes of the two-factor page: setup, new recovery codes and disabling. */
export function twoFactorPages(core: Core): Route[] {
  return [
    personPageRoute({ method: 'GET', path: address, ...metadata }, (request) => content(core, request)),

    personPageRoute({ method: 'POST', path: address, response: 200, ...metadata }, (request) => turnOn(core, request)),

    personPageRoute({ method: 'POST', path: `${address}/codes`, response: 200, ...metadata }, (request) =>
      renewCodes(core, request),
    ),

    personPageRoute({ method: 'POST', path: `${address}/disable`, ...metadata }, (request) => turnOff(core, request)),
  ];
}

async function turnOn(core: Core, request: SignedInPageRequest): Promise<PageContent | Redirection> {
  const { user } = request.caller;
  const refusal = await checkCurrentPassword(core, request);
  if (refusal !== undefined) return content(core, request, refusal);
  const outcome = await enableSecondFactor(core, user, request.form.get('code') ?? '');
  if (outcome === 'not started') {
    request.context.noteRefusal('second-factor.begun', 'two-factor authentication is already enabled, or its setup has expired');
    return { redirectTo: address };
  }
  if (outcome === 'wrong code') {
    request.context.noteRefusal('second-factor.code', 'the code does not match the secret at the current time of the server');
    return content(core, request, {
      fields: { code: 'The code is incorrect. Enter the current code from your authenticator app.' },
    });
  }
  // Sessions that were started with the password alone must not skip the second factor.
  endSessionsOf(core, user.id);
  request.signIn(user);
  return codesContent('Two-factor authentication enabled. All other sessions were signed out.', outcome);
}

async function renewCodes(core: Core, request: SignedInPageRequest): Promise<PageContent | Redirection> {
  const refusal = await refusalOfChange(core, request);
  if (refusal !== undefined) return refusal;
  const text = 'Recovery codes created. The previous codes no longer work.';
  return codesContent(text, newRecoveryCodes(core, request.caller.user));
}

async function turnOff(core: Core, request: SignedInPageRequest): Promise<PageContent | Redirection> {
  const refusal = await refusalOfChange(core, request);
  if (refusal !== undefined) return refusal;
  disableSecondFactor(core, request.caller.user);
  return { redirectTo: `${address}?done=1` };
}

/** Returns the page or redirect that refuses a change to an enabled second factor; undefined if the change is allowed. */
async function refusalOfChange(
  core: Core,
  request: SignedInPageRequest,
): Promise<PageContent | { readonly redirectTo: string } | undefined> {
  if (!hasSecondFactor(core, request.caller.user)) {
    request.context.noteRefusal('second-factor.on', 'two-factor authentication is not enabled');
    return { redirectTo: address };
  }
  const refusal = await checkCurrentPassword(core, request);
  return refusal === undefined ? undefined : content(core, request, refusal);
}

async function content(core: Core, request: SignedInPageRequest, validationErrors?: ValidationErrors): Promise<PageContent> {
  const { user } = request.caller;
  const state = secondFactorState(core, user);
  if (state !== undefined) return onContent(core, request, state, validationErrors);
  const isDone = validationErrors === undefined && request.query.get('done') === '1';
  const setup = await enrolment(core, user, new URL(request.baseUrl).hostname);
  return setUpContent(core, request, setup, await qrCode(setup.address), isDone, validationErrors);
}

function setUpContent(
  core: Core,
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
${isDone ? notice('success', 'Two-factor authentication disabled. You can sign in with your password alone.') : ''}
<p>Two-factor authentication is <strong>disabled</strong>. When it is enabled, you sign in with your password and a code from an
authenticator app. Access tokens and authorized applications keep working, but the OAuth password grant does not.</p>
<section aria-labelledby="app"><h2 id="app">1. Add the account to your authenticator app</h2>
<p>Scan the QR code, <a href="${inApp}">open your app on this device</a>, or enter the key manually.</p>
<div class="qr" role="img" aria-label="QR code that contains the key">${code}</div>
<dl class="facts"><dt>Key</dt><dd class="mono">${secret}</dd><dt>Type</dt><dd>time-based, 6 digits, 30 seconds</dd></dl></section>
<section aria-labelledby="confirm"><h2 id="confirm">2. Enter the code from your app</h2>
<form method="post" action="${address}">
${formTokenField(request.formToken())}
<input type="text" name="username" value="${user.username}" autocomplete="username" hidden>
${currentPasswordField(core, user, validationErrors)}
${textField({
  name: 'code',
  label: 'Verification code',
  error: validationErrors?.fields['code'],
  autocomplete: 'one-time-code',
  className: 'mono',
})}
<div class="actions"><button type="submit">Enable two-factor authentication</button></div>
</form></section>
</div>`,
    validationStatus(validationErrors),
  );
}

function onContent(
  core: Core,
  request: SignedInPageRequest,
  { since, recoveryCodes }: { readonly since: number; readonly recoveryCodes: number },
  validationErrors: ValidationErrors | undefined,
): PageContent {
  const { user } = request.caller;
  const left = recoveryCodes === 1 ? '1 recovery code left' : `${recoveryCodes} recovery codes left`;
  return settingsContent(
    address,
    html`<div class="card">
<p>Two-factor authentication was <strong>enabled</strong> ${ago(since, request.now)}. ${left}.</p>
${recoveryCodes === 0 ? notice('warning', 'You have no recovery codes left and cannot sign in if you lose your device. Create new recovery codes.') : ''}
<form method="post" action="${address}/codes">
${formTokenField(request.formToken())}
<input type="text" name="username" value="${user.username}" autocomplete="username" hidden>
${currentPasswordField(core, user, validationErrors)}
<div class="actions"><button type="submit">Create new recovery codes</button>
<button class="second" type="submit" formaction="${address}/disable">Disable two-factor authentication</button></div>
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
<p>If you lose your device, you can sign in with a recovery code instead of a verification code. Each code works once. Store them in a
safe place: they are not shown again.</p>
<ul class="recovery mono">${codes.map((code) => html`<li>${code}</li>`)}</ul></section>
<p><a class="button" href="${address}">I have saved my recovery codes</a></p>
</div>`,
  );
}

/** Returns a QR code, black on white in every theme because scanners need it, with a quiet zone of four modules (ISO/IEC 18004). */
async function qrCode(text: string): Promise<Markup> {
  const { renderSVG } = await import('uqr');
  return html`${raw(renderSVG(text, { border: 4, blackColor: 'black', whiteColor: 'white' }))}`;
}
