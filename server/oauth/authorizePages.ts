import { html } from 'hono/html';
import { SECOND } from '../clock.ts';
import { findGroup } from '../groups/groups.ts';
import { WireFailure } from '../http/failures.ts';
import type { Route } from '../http/route.ts';
import { type Caller, findUser } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { hashSecret } from '../secrets.ts';
import { formTokenField, notice, type PageContent } from '../web/layout.ts';
import { type PageResponse, type PageRequest, pageRoute } from '../web/route.ts';
import { entryContent } from '../web/signIn.ts';
import { codeResponse, formPolicy, NATIVE_PATH, redirectHost, refusalResponse, refusedContent } from './authorizationResponse.ts';
import { type AuthorizationRequest, readAuthorizationRequest } from './authorizationRequest.ts';
import { isOutOfBand } from './checks/redirectUri.ts';
import { isGrantedAlready, issueCode } from './codes.ts';
import { accessDenied, isOAuthError, malformedRequest, promptNeeded } from './failures.ts';
import { recordFlowEvent } from './flowRecorder.ts';
import { scopeList } from './scopes.ts';
import { applicationById, codeByHash } from './store.ts';

/** Field of the page's form that holds the request as a query: as fields of their own, line breaks in `state` would change. */
const CARRIED = 'authorization_request';

const metadata = { specRef: 'Authorization endpoint', path: '/oauth/authorize' } as const;

/** The authorization endpoint: the page on which a person approves or denies what an application asks for (RFC 6749 §4.1). */
export function authorizePages(platform: Platform): Route[] {
  return [
    pageRoute(platform, { method: 'GET', status: 'stated', ...metadata }, (page) =>
      withRequest(page, decodedQuery(page), (request) => ask(page, request)),
    ),

    pageRoute(platform, { method: 'POST', status: 'inferred', ...metadata }, (page) =>
      withRequest(page, new URLSearchParams(page.form.get(CARRIED) ?? ''), (request) =>
        page.form.get('_method') === 'delete' ? deny(page, request) : approve(page, request),
      ),
    ),

    pageRoute(platform, { method: 'DELETE', status: 'inferred', ...metadata }, (page) =>
      withRequest(page, decodedQuery(page), (request) => deny(page, request)),
    ),

    pageRoute(platform, { method: 'GET', status: 'inferred', ...metadata, path: NATIVE_PATH }, (page) => {
      const code = page.query.get('code') ?? '';
      const row = codeByHash(platform.store, hashSecret(code));
      const isGood = row !== undefined && row.spent_at === null && row.expires_at > page.now && isOutOfBand(row.redirect_uri);
      const application =
        isGood && row.user_id === page.caller?.user.id ? applicationById(platform.store, row.application_id) : undefined;
      if (application !== undefined) return codeContent(application.name, code);
      page.context.noteRefusal('code.shown', 'a code is shown to whoever granted it, until it is used or ten minutes old');
      return noCodeContent();
    }),
  ];

  /** Answers what is wrong with a request: here while nobody is proven to be at the redirect URI, there afterwards. */
  function withRequest(
    page: PageRequest,
    values: URLSearchParams | WireFailure,
    response: (request: AuthorizationRequest) => PageResponse,
  ): PageResponse {
    try {
      if (values instanceof WireFailure) throw values;
      const request = readAuthorizationRequest(platform, values);
      return 'failure' in request ? refusalResponse(platform, page.context, request) : response(request);
    } catch (error) {
      if (!(error instanceof WireFailure) || !isOAuthError(error.body)) throw error;
      page.context.noteRefusal(`authorize.${error.rule}`, error.reason);
      return refusedContent(error.body.error, error.body.error_description, error.reason);
    }
  }

  function ask(page: PageRequest, request: AuthorizationRequest): PageResponse {
    const { caller, context, now } = page;
    const signedInAt = page.signedInAt();
    const isTooOld = request.maxAge !== undefined && signedInAt !== undefined && now - signedInAt > request.maxAge * SECOND;
    const isSilent = request.prompts.includes('none');
    const refuse = (failure: WireFailure): PageResponse => refusalResponse(platform, context, { failure, to: request });
    if (caller === undefined || isTooOld || request.prompts.includes('login')) {
      if (isSilent) {
        return refuse(
          promptNeeded(
            'login_required',
            caller === undefined
              ? 'prompt=none was sent, and nobody is signed in on this browser'
              : 'prompt=none was sent, and the sign-in on this browser is older than max_age',
          ),
        );
      }
      recordFlowEvent(context, { kind: 'signInAsked' });
      // Whoever signs in now has done what prompt=login asks for.
      return entryContent(platform, page, addressOf(request, 'login'));
    }
    const maySkip = !request.prompts.includes('consent') && !request.prompts.includes('select_account');
    if (maySkip && isGrantedAlready(platform, request, caller.user)) {
      return codeResponse(platform, context, request, codeFor(page, request, caller), isSilent);
    }
    if (isSilent) {
      return refuse(promptNeeded('consent_required', 'prompt=none was sent, and the person has not granted these scopes before'));
    }
    return consentContent(platform, page, request, caller);
  }

  function approve(page: PageRequest, request: AuthorizationRequest): PageResponse {
    const { caller, context } = page;
    if (caller === undefined) return { redirectTo: addressOf(request) };
    return codeResponse(platform, context, request, codeFor(page, request, caller));
  }

  function deny(page: PageRequest, request: AuthorizationRequest): PageResponse {
    if (page.caller === undefined) return { redirectTo: addressOf(request) };
    const failure = accessDenied('the person chose Deny on the page', 'denied');
    return refusalResponse(platform, page.context, { failure, to: request });
  }

  function codeFor(page: PageRequest, request: AuthorizationRequest, { user }: Caller): string {
    return issueCode(platform, request, { user, authenticatedAt: page.signedInAt(), now: page.now });
  }
}

/** The query as parameters; a refusal when it is no text, because `state` could not be sent back as it came. */
function decodedQuery({ context }: PageRequest): URLSearchParams | WireFailure {
  try {
    decodeURIComponent(context.query.replaceAll('+', ' '));
    return new URLSearchParams(context.query);
  } catch {
    return malformedRequest('parameters.encoding', 'the query is not validly percent-encoded UTF-8');
  }
}

/** The address of the page for a request, without a prompt that is fulfilled. */
function addressOf(request: AuthorizationRequest, fulfilled?: string): string {
  return `${metadata.path}?${queryOf(request, fulfilled)}`;
}

function queryOf(request: AuthorizationRequest, fulfilled?: string): string {
  const query = [...request.sent].flatMap(([name, value]) => {
    const left =
      name === 'prompt'
        ? value
            .split(' ')
            .filter((prompt) => prompt !== fulfilled)
            .join(' ')
        : value;
    return left === '' ? [] : [`${name}=${encodeURIComponent(left.toWellFormed())}`];
  });
  return query.join('&');
}

function consentContent(platform: Platform, page: PageRequest, request: AuthorizationRequest, { user }: Caller): PageContent {
  const { application } = request;
  const token = page.formToken();
  const owner = application.owner_id === null ? undefined : findUser(platform, application.owner_id);
  const group = request.rootNamespaceId === undefined ? undefined : findGroup(platform, request.rootNamespaceId, { user });
  return {
    title: `Authorize ${application.name}?`,
    headers: formPolicy(request.redirectUri),
    body: html`<div class="card">
<p><strong>${application.name}</strong> wants to use your account. ${
      owner === undefined
        ? html`It was registered for this whole instance.`
        : html`It was registered by <strong>${owner.name}</strong> <span class="muted">@${owner.username}</span>.`
    }</p>
<div class="person"><p>Signed in as <strong>${user.name}</strong> <span class="muted">@${user.username}</span></p>
<form class="inline" method="post" action="/users/sign_out">${formTokenField(token)}<input type="hidden" name="return_to" value="${addressOf(request)}"><button class="quiet" type="submit">Not you?</button></form></div>
${group?.group.parent_id === null ? html`<p>It asks on behalf of the group <strong>${group.group.name}</strong>.</p>` : ''}
<section aria-labelledby="scopes-heading"><h2 id="scopes-heading">It will be able to</h2>
${scopeList(request.scopes)}</section>
${
  isOutOfBand(request.redirectUri)
    ? html`<p>Afterwards you are shown a code, which you copy into the application.</p>`
    : html`<p>Afterwards you are taken to <strong>${redirectHost(request.redirectUri)}</strong>.</p>`
}
${
  isOpenHttp(request.redirectUri)
    ? notice('warning', 'That address is not encrypted: whoever listens on the way can read what is sent there.')
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

/** Plain http to a host that is not this machine. */
function isOpenHttp(uri: string): boolean {
  return /^http:/i.test(uri) && !/^http:\/\/(?:127\.|\[::1\]|localhost(?:[:/?]|$))/i.test(uri);
}

/** For a program that no browser can be sent back to. */
function codeContent(application: string, code: string): PageContent {
  return {
    title: `Copy this code into ${application}`,
    body: html`<div class="card">
<div class="field">
<label for="code">Code</label>
<input class="mono" id="code" type="text" value="${code}" readonly autocomplete="off" spellcheck="false" aria-describedby="code-hint">
<p class="hint" id="code-hint">It is good once and for ten minutes. Whoever has it can use your account with this application.</p>
</div>
<p>Then you can close this tab.</p>
</div>`,
  };
}

function noCodeContent(): PageContent {
  return {
    title: 'There is no code to show',
    status: 404,
    body: html`<div class="card">
${notice('info', 'A code is shown to whoever granted it, until it is used or ten minutes old.')}
<p>Have the application ask again.</p>
</div>`,
  };
}
