import { html } from 'hono/html';
import type { RequestContext } from '../http/requestContext.ts';
import type { WireFailure } from '../http/failures.ts';
import type { Platform } from '../platform.ts';
import { assetPath } from '../web/assets.ts';
import { notice, type PageContent } from '../web/layout.ts';
import type { PageResponse } from '../web/route.ts';
import type { ReturnAddress, ReturnedRefusal } from './authorizationRequest.ts';
import { isOutOfBand } from './checks/redirectUri.ts';
import { isOAuthError, type OAuthErrorBody } from './failures.ts';
import { recordFlowEvent } from './flowRecorder.ts';

/** Where a code is shown that cannot be sent anywhere; the real platform's path. */
export const NATIVE_PATH = '/oauth/authorize/native';

/** Members of an answer of the authorization endpoint, in order. */
type Members = readonly (readonly [name: string, value: string])[];

/** Sends the browser back with a code (RFC 6749 §4.1.2). */
export function codeResponse(
  platform: Platform,
  context: RequestContext,
  to: ReturnAddress,
  code: string,
  isDirect = true,
): PageResponse {
  return respond(platform, context, to, [['code', code]], isDirect);
}

/** Sends the browser back with a refusal (RFC 6749 §4.1.2.1), which the journal explains. */
export function refusalResponse(platform: Platform, context: RequestContext, { failure, to }: ReturnedRefusal): PageResponse {
  context.noteRefusal(`authorize.${failure.rule}`, failure.reason);
  const text = isOAuthError(failure.body) ? failure.body : { error: 'server_error', error_description: '' };
  if (isOutOfBand(to.redirectUri)) return shownRefusal(context, failure, to, text);
  return respond(platform, context, to, [
    ['error', text.error],
    ['error_description', text.error_description],
  ]);
}

/**
 * The way back, with `state` as it came and `iss` (RFC 9207). `isDirect` false: by a page, because browsers hold a form's policy against
 * every redirect behind it, and the sign-in form may be in front of this one.
 */
function respond(platform: Platform, context: RequestContext, to: ReturnAddress, said: Members, isDirect = true): PageResponse {
  const members: Members = [
    ...said,
    ...(to.state === undefined ? [] : [['state', to.state] as const]),
    ['iss', context.baseUrl] as const,
  ];
  recordFlowEvent(context, { kind: 'sentBack', mode: to.mode, redirectUri: to.redirectUri, members });
  if (isOutOfBand(to.redirectUri)) return { redirectTo: `${NATIVE_PATH}?${said.map((member) => member.join('=')).join('&')}` };
  if (to.mode === 'form_post') return formPage(platform, to.redirectUri, members);
  const location = addressWith(to.redirectUri, to.mode === 'fragment' ? '#' : '?', members);
  return isDirect ? { redirectTo: location } : leadingPage(location, to.redirectUri);
}

/** Nobody can be told but the person. */
function shownRefusal(
  context: RequestContext,
  { rule, reason }: WireFailure,
  to: ReturnAddress,
  text: OAuthErrorBody,
): PageContent {
  recordFlowEvent(context, { kind: 'sentBack', mode: to.mode, redirectUri: to.redirectUri, members: [['error', text.error]] });
  if (rule !== 'denied') return refusedContent(text.error, text.error_description, reason);
  return {
    title: 'Access denied',
    body: html`<div class="card">
${notice('info', 'The application got no access to your account.')}
<p>You can close this tab.</p>
</div>`,
  };
}

/** The redirect URI with its own query kept. Spaces become `%20`, which every reader of addresses understands. */
function addressWith(uri: string, mark: '?' | '#', members: Members): string {
  const text = members.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&');
  if (mark === '#' || !uri.includes('?')) return `${uri}${mark}${text}`;
  return /[?&]$/.test(uri) ? `${uri}${text}` : `${uri}&${text}`;
}

/** What a page may send its forms to, when one leads to a redirect URI. */
export function formPolicy(uri: string, script = false): Readonly<Record<string, string>> {
  if (isOutOfBand(uri)) return {};
  const target = /^https?:/i.test(uri) && URL.canParse(uri) ? new URL(uri).origin : `${uri.split(':', 1)[0]}:`;
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      ...(script ? ["script-src 'self'"] : []),
      "style-src 'self'",
      "img-src 'self'",
      `form-action 'self' ${target}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join(';'),
  };
}

/** Whom a redirect URI leads to, in words: a host, or the program behind a scheme. */
export function redirectHost(uri: string): string {
  return /^https?:/i.test(uri) && URL.canParse(uri)
    ? new URL(uri).host
    : `the program that opens ${uri.split(':', 1)[0]}: addresses`;
}

function leadingPage(location: string, uri: string): PageContent {
  return {
    title: 'Back to the application',
    head: html`<meta http-equiv="refresh" content="0;url=${location}">
`,
    body: html`<div class="card">
<p>You are being taken back to ${redirectHost(uri)}.</p>
<p><a class="button" href="${location}">Continue</a></p>
</div>`,
  };
}

/** OAuth 2.0 Form Post Response Mode: a form for the client, sent by a script, or by its button where no script runs. */
function formPage(platform: Platform, uri: string, members: Members): PageContent {
  return {
    title: 'Back to the application',
    head: html`<script src="${assetPath(platform, 'sendForm.js')}" defer></script>
`,
    headers: formPolicy(uri, true),
    body: html`<div class="card">
<p>You are being taken back to ${redirectHost(uri)}.</p>
<form method="post" action="${uri}" data-send>
${members.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">Continue</button>
</form>
</div>`,
  };
}

/** For whoever writes the application: a person who only clicked can do nothing about it. */
export function refusedContent(error: string, description: string, reason: string): PageContent {
  return {
    title: 'The application sent a request that cannot be answered',
    status: 400,
    body: html`<div class="card">
${notice('error', description)}
<p>Nothing was granted. Tell whoever runs the application:</p>
<dl class="facts"><dt>Error</dt><dd><code>${error}</code></dd><dt>Reason</dt><dd class="typed">${reason}</dd></dl>
<p><a href="/">Go to the start page</a></p>
</div>`,
  };
}
