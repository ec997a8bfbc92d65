import type { Site } from '../../http/requestContext.ts';
import { html } from 'hono/html';
import type { RequestContext } from '../../http/requestContext.ts';
import type { WireFailure } from '../../http/wireFailure.ts';
import { assetPath } from '../../web/assets.ts';
import { notice, type PageContent } from '../../web/layout.ts';
import type { PageResponse } from '../../web/route.ts';
import type { ReturnAddress, ReturnedRefusal } from './authorizationRequest.ts';
import { isOutOfBand } from './checks/redirectUri.ts';
import { isOAuthError, type OAuthErrorBody } from './failures.ts';
import { shownUri } from './flowParameters.ts';
import { traceOf } from './flowTrace.ts';

/** Path of the page that shows a code for out-of-band clients, the same as on GitLab. */
export const NATIVE_PATH = '/oauth/authorize/native';

/** Members of an authorization response, in order. */
type Members = readonly (readonly [name: string, value: string])[];

/** Sends the browser back with a code (RFC 6749 §4.1.2). */
export function codeResponse(context: RequestContext, to: ReturnAddress, code: string, isDirect = true): PageResponse {
  return respond(context, to, [['code', code]], isDirect);
}

/** Sends the browser back with an error (RFC 6749 §4.1.2.1). The reason goes to the request log. */
export function refusalResponse(context: RequestContext, { failure, to }: ReturnedRefusal): PageResponse {
  context.noteRefusal(`authorize.${failure.rule}`, failure.reason);
  const text = isOAuthError(failure.body) ? failure.body : { error: 'server_error', error_description: '' };
  if (isOutOfBand(to.redirectUri)) return shownRefusal(context, failure, to, text);
  return respond(context, to, [
    ['error', text.error],
    ['error_description', text.error_description],
  ]);
}

/**
 * Redirects to the client with the unchanged `state` and `iss` (RFC 9207). With `isDirect` false, a page redirects instead: browsers apply
 * the form policy of a page to every redirect after its form, and the sign-in form may have led here.
 */
function respond(context: RequestContext, to: ReturnAddress, result: Members, isDirect = true): PageResponse {
  const members: Members = [
    ...result,
    ...(to.state === undefined ? [] : [['state', to.state] as const]),
    ['iss', context.baseUrl] as const,
  ];
  recordSentBack(context, to, members);
  if (isOutOfBand(to.redirectUri)) return { redirectTo: `${NATIVE_PATH}?${result.map((member) => member.join('=')).join('&')}` };
  if (to.mode === 'form_post') return formPage(context.site, to.redirectUri, members);
  const location = addressWith(to.redirectUri, to.mode === 'fragment' ? '#' : '?', members);
  return isDirect ? { redirectTo: location } : redirectPage(location, to.redirectUri);
}

/** Records the members of the response without their values, except for that of `error`. */
function recordSentBack(context: RequestContext, to: ReturnAddress, members: Members): void {
  const trace = traceOf(context);
  trace.isSentBack = true;
  const names = members.map(([name, value]) => (name === 'error' ? `error=${value}` : name)).join(', ');
  const place = { query: 'in the query', fragment: 'in the fragment', form_post: 'in a form post' }[to.mode];
  if (!isOutOfBand(to.redirectUri))
    trace.record(`The browser was redirected to ${shownUri(to.redirectUri)} with ${names} ${place}.`);
  else if (members.some(([name]) => name === 'code')) {
    trace.record('The code was shown on a page, to be copied into the application.');
  } else trace.record(`An error page was shown (${names}); the application was not notified.`);
}

/** Returns the error page for an out-of-band client, which cannot be redirected to. */
function shownRefusal(
  context: RequestContext,
  { rule, reason }: WireFailure,
  to: ReturnAddress,
  text: OAuthErrorBody,
): PageContent {
  recordSentBack(context, to, [['error', text.error]]);
  if (rule !== 'denied') return refusedContent(text.error, text.error_description, reason);
  return {
    title: 'Access denied',
    body: html`<div class="card">
${notice('info', 'The application was not granted access to your account.')}
<p>You can close this tab.</p>
</div>`,
  };
}

/** Returns the redirect URI with the members added to its own query. Spaces become `%20`, which every URL parser accepts. */
function addressWith(uri: string, mark: '?' | '#', members: Members): string {
  const text = members.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&');
  if (mark === '#' || !uri.includes('?')) return `${uri}${mark}${text}`;
  return /[?&]$/.test(uri) ? `${uri}${text}` : `${uri}&${text}`;
}

/** Returns the Content-Security-Policy of a page whose form leads to a redirect URI. */
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

/** Returns a description of the target of a redirect URI: a host, or the application that handles its scheme. */
export function redirectHost(uri: string): string {
  return /^https?:/i.test(uri) && URL.canParse(uri)
    ? new URL(uri).host
    : `the application that handles ${uri.split(':', 1)[0]}: links`;
}

function redirectPage(location: string, uri: string): PageContent {
  return {
    title: 'Redirecting to the application',
    head: html`<meta http-equiv="refresh" content="0;url=${location}">
`,
    body: html`<div class="card">
<p>You are being redirected to ${redirectHost(uri)}.</p>
<p><a class="button" href="${location}">Continue</a></p>
</div>`,
  };
}

/** OAuth 2.0 Form Post Response Mode: a form that a script submits, or its button if scripts are disabled. */
function formPage(site: Site, uri: string, members: Members): PageContent {
  return {
    title: 'Redirecting to the application',
    head: html`<script src="${assetPath(site, 'sendForm.js')}" defer></script>
`,
    headers: formPolicy(uri, true),
    body: html`<div class="card">
<p>You are being redirected to ${redirectHost(uri)}.</p>
<form method="post" action="${uri}" data-send>
${members.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">Continue</button>
</form>
</div>`,
  };
}

/** Returns the page for an invalid authorization request, with details for the developer of the application. */
export function refusedContent(error: string, description: string, reason: string): PageContent {
  return {
    title: 'Invalid request from the application',
    status: 400,
    body: html`<div class="card">
${notice('error', description)}
<p>No access was granted. Report these details to the developer of the application:</p>
<dl class="facts"><dt>Error</dt><dd><code>${error}</code></dd><dt>Reason</dt><dd class="typed">${reason}</dd></dl>
<p><a href="/">Go to the start page</a></p>
</div>`,
  };
}
