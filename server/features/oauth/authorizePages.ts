import type { OAuthCore } from './oauthCore.ts';
import { html } from 'hono/html';
import { SECOND } from '../../core/clock.ts';
import { findGroup } from '../groups/groups.ts';
import { WireFailure } from '../../http/wireFailure.ts';
import type { Route } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { scopeList } from '../personalTokens/personalTokens.ts';
import { entryContent } from '../signIn/signIn.ts';
import type { Core } from '../../core/core.ts';
import { hashSecret } from '../../core/secrets.ts';
import { formTokenField, notice, type PageContent } from '../../web/layout.ts';
import { type PageResponse, type PageRequest, pageRoute } from '../../web/route.ts';
import { isUnencryptedRedirect } from './applicationRules.ts';
import { codeResponse, formPolicy, NATIVE_PATH, redirectHost, refusalResponse, refusedContent } from './authorizationResponse.ts';
import { type AuthorizationRequest, PROMPT_CHECK, readAuthorizationRequest } from './authorizationRequest.ts';
import { isOutOfBand } from './checks/redirectUri.ts';
import { isGrantedAlready, issueCode } from './codes.ts';
import { accessDenied, isOAuthError, malformedRequest, promptNeeded } from './failures.ts';
import { recordedRoute } from './flowRecorder.ts';
import { traceOf } from './flowTrace.ts';
import { READABLE } from './parameters.ts';
import { applicationById, codeByHash } from './store.ts';

/** Name of the form field that holds the request as a query string. Separate fields would change line breaks in `state`. */
const CARRIED = 'authorization_request';

const metadata = { specRef: 'Authorization endpoint', path: '/oauth/authorize' } as const;

/** Routes of the authorization endpoint: the page on which a user approves or denies a request (RFC 6749 §4.1). */
export function authorizePages(core: OAuthCore): Route[] {
  return [
    recordedRoute(
      core,
      'authorizationRequest',
      pageRoute({ method: 'GET', status: 'stated', ...metadata }, (page) => showRequest(core, page)),
    ),
    recordedRoute(
      core,
      'decision',
      pageRoute({ method: 'POST', status: 'inferred', ...metadata }, (page) => decideRequest(core, page)),
    ),
    recordedRoute(
      core,
      'decision',
      pageRoute({ method: 'DELETE', status: 'inferred', ...metadata }, (page) => denyRequest(core, page)),
    ),
    pageRoute({ method: 'GET', status: 'inferred', ...metadata, path: NATIVE_PATH }, (page) => showCode(core, page)),
  ];
}

function showRequest(core: OAuthCore, page: PageRequest): PageResponse {
  return withRequest(core, page, decodedQuery(page), (request) => ask(core, page, request));
}

function decideRequest(core: OAuthCore, page: PageRequest): PageResponse {
  return withRequest(core, page, new URLSearchParams(page.form.get(CARRIED) ?? ''), (request) =>
    page.form.get('_method') === 'delete' ? deny(core, page, request) : approve(core, page, request),
  );
}

function denyRequest(core: OAuthCore, page: PageRequest): PageResponse {
  return withRequest(core, page, decodedQuery(page), (request) => deny(core, page, request));
}

/** Returns the page with the code of an out-of-band client. */
function showCode(core: Core, page: PageRequest): PageContent {
  const code = page.query.get('code') ?? '';
  const row = codeByHash(core.store, hashSecret(code));
  const isGood = row !== undefined && row.spent_at === null && row.expires_at > page.now && isOutOfBand(row.redirect_uri);
  const application =
    isGood && row.user_id === page.caller?.user.id ? applicationById(core.store, row.application_id) : undefined;
  if (application !== undefined) return codeContent(application.name, code);
  page.context.noteRefusal('code.shown', 'a code is shown only to the user who granted it, until it is used or ten minutes old');
  return noCodeContent();
}

/** Reports the errors of a request: on this page until client and redirect URI are verified, at the redirect URI afterwards. */
function withRequest(
  core: OAuthCore,
  page: PageRequest,
  values: URLSearchParams | WireFailure,
  response: (request: AuthorizationRequest) => PageResponse,
): PageResponse {
  const trace = traceOf(page.context);
  try {
    trace.check(READABLE);
    if (values instanceof WireFailure) throw values;
    const request = readAuthorizationRequest(core, trace, values);
    return 'failure' in request ? refusalResponse(page.context, request) : response(request);
  } catch (error) {
    if (!(error instanceof WireFailure) || !isOAuthError(error.body)) throw error;
    page.context.noteRefusal(`authorize.${error.rule}`, error.reason);
    trace.record(
      traceOf(page.context).hasSent('redirect_uri')
        ? 'Refused with an error page, because the browser is only redirected if the client and redirect URI are verified.'
        : 'Refused with an error page.',
    );
    return refusedContent(error.body.error, error.body.error_description, error.reason);
  }
}

function ask(core: Core, page: PageRequest, request: AuthorizationRequest): PageResponse {
  const { caller, context, now } = page;
  const signedInAt = page.signedInAt();
  const isTooOld = request.maxAge !== undefined && signedInAt !== undefined && now - signedInAt > request.maxAge * SECOND;
  const isSilent = request.prompts.includes('none');
  const trace = traceOf(context);
  const refuse = (failure: WireFailure): PageResponse => {
    trace.check(PROMPT_CHECK);
    return refusalResponse(context, { failure, to: request });
  };
  if (caller === undefined || isTooOld || request.prompts.includes('login')) {
    if (isSilent) {
      return refuse(
        promptNeeded(
          'login_required',
          caller === undefined
            ? 'prompt=none was sent, but no user is signed in in this browser'
            : 'prompt=none was sent, but the sign-in in this browser is older than max_age',
        ),
      );
    }
    trace.record('The sign-in page was shown.');
    // Signing in fulfills prompt=login.
    return entryContent(core, page, addressOf(request, 'login'));
  }
  const maySkip = !request.prompts.includes('consent') && !request.prompts.includes('select_account');
  if (maySkip && isGrantedAlready(core, request, caller.user)) {
    trace.record(`No consent from @${caller.user.username} was needed.`);
    return codeResponse(context, request, codeFor(core, page, request, caller), isSilent);
  }
  if (isSilent) {
    return refuse(promptNeeded('consent_required', 'prompt=none was sent, but the user has not granted these scopes yet'));
  }
  trace.record(`The consent page was shown to @${caller.user.username}.`);
  return consentContent(core, page, request, caller);
}

function approve(core: Core, page: PageRequest, request: AuthorizationRequest): PageResponse {
  const { caller, context } = page;
  if (caller === undefined) return askAgain(page, request);
  traceOf(context).record(`@${caller.user.username} approved the request.`);
  return codeResponse(context, request, codeFor(core, page, request, caller));
}

function deny(core: Core, page: PageRequest, request: AuthorizationRequest): PageResponse {
  if (page.caller === undefined) return askAgain(page, request);
  traceOf(page.context).record(`@${page.caller.user.username} denied the request.`);
  const failure = accessDenied('the user chose Deny on the page', 'denied');
  return refusalResponse(page.context, { failure, to: request });
}

function codeFor(core: Core, page: PageRequest, request: AuthorizationRequest, { user }: Caller): string {
  const code = issueCode(core, request, { user, authenticatedAt: page.signedInAt(), now: page.now });
  traceOf(page.context).issued = { code: codeByHash(core.store, hashSecret(code)) };
  return code;
}

/** Returns the query parameters, or a refusal if the query is not valid text, because `state` could not be sent back unchanged. */
function decodedQuery({ context }: PageRequest): URLSearchParams | WireFailure {
  try {
    decodeURIComponent(context.query.replaceAll('+', ' '));
    return new URLSearchParams(context.query);
  } catch {
    return malformedRequest('parameters.encoding', 'the query is not validly percent-encoded UTF-8');
  }
}

/** Redirects a user who is no longer signed in to the page of the request, which asks for the sign-in. */
function askAgain({ context }: PageRequest, request: AuthorizationRequest): PageResponse {
  traceOf(context).record('The user was no longer signed in; the sign-in page was shown.');
  return { redirectTo: addressOf(request) };
}

/** Returns the address of the page for a request, without the fulfilled prompt. */
function addressOf(request: AuthorizationRequest, fulfilled?: string): string {
  return `${metadata.path}?${queryOf(request, fulfilled)}`;
}

function queryOf(request: AuthorizationRequest, fulfilled?: string): string {
  const query = [...request.sent].flatMap(([name, value]) => {
    const remaining =
      name === 'prompt'
        ? value
            .split(' ')
            .filter((prompt) => prompt !== fulfilled)
            .join(' ')
        : value;
    return remaining === '' ? [] : [`${name}=${encodeURIComponent(remaining.toWellFormed())}`];
  });
  return query.join('&');
}

function consentContent(core: Core, page: PageRequest, request: AuthorizationRequest, { user }: Caller): PageContent {
  const { application } = request;
  const token = page.formToken();
  const owner = application.owner_id === null ? undefined : findUser(core, application.owner_id);
  const group = request.rootNamespaceId === undefined ? undefined : findGroup(core, request.rootNamespaceId, { user });
  return {
    title: `Authorize ${application.name}?`,
    headers: formPolicy(request.redirectUri),
    body: html`<div class="card">
<p><strong>${application.name}</strong> wants to access your account. ${
      owner === undefined
        ? html`It is available to all users of this instance.`
        : html`It was registered by <strong>${owner.name}</strong> <span class="muted">@${owner.username}</span>.`
    }</p>
<div class="person"><p>Signed in as <strong>${user.name}</strong> <span class="muted">@${user.username}</span></p>
<form class="inline" method="post" action="/users/sign_out">${formTokenField(token)}<input type="hidden" name="return_to" value="${addressOf(request)}"><button class="quiet" type="submit">Not you?</button></form></div>
${group?.group.parent_id === null ? html`<p>It requests access for the group <strong>${group.group.name}</strong>.</p>` : ''}
<section aria-labelledby="scopes-heading"><h2 id="scopes-heading">Requested permissions</h2>
${scopeList(request.scopes)}</section>
${
  isOutOfBand(request.redirectUri)
    ? html`<p>You will get a code to copy into the application.</p>`
    : html`<p>You will be redirected to <strong>${redirectHost(request.redirectUri)}</strong>.</p>`
}
${
  isUnencryptedRedirect(request.redirectUri)
    ? notice('warning', 'This address is not encrypted. Others on the network can read what is sent to it.')
    : ''
}
<form method="post" action="${metadata.path}">
${formTokenField(token)}
<input type="hidden" name="${CARRIED}" value="${queryOf(request)}">
<div class="actions">
<button type="submit">Authorize</button>
<button class="second" type="submit" name="_method" value="delete">Deny</button>
</div>
</form>
</div>`,
  };
}

/** Returns the page that shows the code, for an application that a browser cannot be redirected to. */
function codeContent(application: string, code: string): PageContent {
  return {
    title: `Copy this code into ${application}`,
    body: html`<div class="card">
<div class="field">
<label for="code">Code</label>
<input class="mono" id="code" type="text" value="${code}" readonly autocomplete="off" spellcheck="false" aria-describedby="code-hint">
<p class="hint" id="code-hint">The code works once and expires after ten minutes. Anyone who has it can access your account through this application.</p>
</div>
<p>Once you have copied it, you can close this tab.</p>
</div>`,
  };
}

function noCodeContent(): PageContent {
  return {
    title: 'Code not available',
    status: 404,
    body: html`<div class="card">
${notice('info', 'A code is shown only to the user who granted it, until it is used or ten minutes old.')}
<p>Start again in the application.</p>
</div>`,
  };
}
