import { html } from 'hono/html';
import { applicationScopes } from '../../../src/contract/scopes.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { type Authorization, authorizationsOf, revokeAuthorization } from './authorizations.ts';
import {
  type Application,
  applicationById,
  createApplication,
  deleteApplication,
  listApplications,
  setApplicationSecret,
} from './applications.ts';
import type { Core } from '../../core/core.ts';
import {
  ago,
  choiceOf,
  formTokenField,
  type Markup,
  notice,
  type PageContent,
  rowAction,
  secretOnce,
  textArea,
  textField,
} from '../../web/layout.ts';
import { personPageRoute, type Redirection, type SignedInPageRequest } from '../../web/route.ts';
import { settingsContent } from '../../web/settings.ts';
import { applicationErrors, isUnencryptedRedirect, redirectUrisOf } from './applicationRules.ts';
import { chosenScopes, scopeBadges, scopeBoxes } from '../personalTokens/personalTokens.ts';

const address = '/user_settings/applications';
const metadata = { specRef: 'OAuth applications' } as const;
const offeredScopes = applicationScopes();

/** Path segment that stands for clients that used the password grant without an application ID. */
const NO_APPLICATION = 'none';

/** The submitted values of a form and their validation errors. */
interface Draft {
  readonly name: string;
  readonly redirectUris: string;
  readonly scopes: readonly string[];
  readonly kind: string;
  readonly validationErrors: Readonly<Record<string, readonly string[]>>;
}

/** Returns the routes of the page that lists the OAuth applications a user has registered or authorized. */
export function applicationPages(core: Core): Route[] {
  return [
    personPageRoute({ method: 'GET', path: address, status: 'stated', ...metadata }, (request) =>
      showApplications(core, request),
    ),
    personPageRoute({ method: 'POST', path: address, status: 'inferred', response: 200, ...metadata }, (request) =>
      register(core, request),
    ),
    personPageRoute({ method: 'POST', path: `${address}/:id/renew`, status: 'inferred', response: 200, ...metadata }, (request) =>
      renewSecret(core, request),
    ),
    personPageRoute({ method: 'POST', path: `${address}/:id/delete`, status: 'inferred', ...metadata }, (request) =>
      remove(core, request),
    ),
    personPageRoute({ method: 'POST', path: `${address}/:id/revoke`, status: 'inferred', ...metadata }, (request) =>
      revoke(core, request),
    ),
  ];
}

function showApplications(core: Core, request: SignedInPageRequest): PageContent {
  const done = request.query.get('done');
  if (done === 'deleted') {
    return content(core, request, {
      above: notice('success', 'Application deleted. It can no longer access any account.'),
    });
  }
  if (done === 'revoked') {
    return content(core, request, {
      above: notice('success', 'Access revoked. The application can no longer use your account.'),
    });
  }
  return content(core, request, {});
}

function register(core: Core, request: SignedInPageRequest): PageContent {
  const { form, caller, context } = request;
  const name = (form.get('name') ?? '').trim();
  const sentUris = form.get('redirect_uri') ?? '';
  const redirectUris = redirectUrisOf(sentUris);
  const scopes = chosenScopes(form, offeredScopes);
  const kind = form.get('kind') ?? '';
  const validationErrors = {
    ...applicationErrors({ name, redirectUris, scopes }),
    ...(scopes.length === 0 ? { scopes: ['must have at least one scope'] } : {}),
    ...(kind === 'public' || kind === 'confidential' ? {} : { kind: ['must be selected'] }),
  };
  if (Object.keys(validationErrors).length > 0) {
    context.noteRefusal('application.valid', `invalid fields: ${Object.keys(validationErrors).join(', ')}`);
    return content(core, request, { draft: { name, redirectUris: sentUris, scopes, kind, validationErrors }, status: 422 });
  }
  const confidential = kind === 'confidential';
  const { application, secret } = createApplication(core, {
    name,
    redirectUris,
    scopes,
    confidential,
    owner: caller.user,
  });
  return content(core, request, { above: registered(application, secret, 'Application registered.') });
}

function renewSecret(core: Core, request: SignedInPageRequest): PageContent {
  const application = ownApplication(core, request);
  if (application.confidential === 0) {
    request.context.noteRefusal('application.confidential', 'a public application has no secret');
    return content(core, request, { above: notice('error', 'A public application has no secret.'), status: 422 });
  }
  const secret = setApplicationSecret(core, application);
  return content(core, request, {
    above: registered(application, secret, 'Secret renewed. The previous secret no longer works.'),
  });
}

function remove(core: Core, request: SignedInPageRequest): Redirection {
  deleteApplication(core, ownApplication(core, request));
  return { redirectTo: `${address}?done=deleted` };
}

function revoke(core: Core, request: SignedInPageRequest): Redirection {
  const id = request.pathParameters['id'] === NO_APPLICATION ? null : readId(request);
  if (id === undefined || !revokeAuthorization(core, request.caller.user.id, id)) {
    throw notFound('Application', 'the user has not authorized this application');
  }
  return { redirectTo: `${address}?done=revoked` };
}

function ownApplication(core: Core, request: SignedInPageRequest): Application {
  const id = readId(request);
  const application = id === undefined ? undefined : applicationById(core, id);
  if (application === undefined || application.owner_id !== request.caller.user.id) {
    throw notFound('Application', 'the user has not registered an application with this ID');
  }
  return application;
}

function content(
  core: Core,
  request: SignedInPageRequest,
  parts: { readonly above?: Markup | string; readonly draft?: Draft; readonly status?: number },
): PageContent {
  const { caller, now } = request;
  const formToken = request.formToken();
  const own = listApplications(core, caller.user);
  const granted = authorizationsOf(core, caller.user.id);
  return settingsContent(
    address,
    html`${parts.above ?? ''}
<section class="card" aria-labelledby="own">
<h2 id="own">Your applications</h2>
${
  own.length === 0
    ? html`<p class="muted">No applications yet. A registered application can ask users for access to their accounts.</p>`
    : html`<ul class="rows">${own.map((application) => applicationItem(application, now, formToken))}</ul>`
}
</section>
${registerForm(formToken, parts.draft)}
<section class="card" aria-labelledby="granted">
<h2 id="granted">Authorized applications</h2>
${
  granted.length === 0
    ? html`<p class="muted">No authorized applications.</p>`
    : html`<ul class="rows">${granted.map((authorization) => authorizationItem(authorization, now, formToken))}</ul>`
}
</section>`,
    parts.status === undefined ? {} : { status: parts.status },
  );
}

function registered(application: Application, secret: string | undefined, text: string): Markup {
  return html`<section class="card" aria-labelledby="registered">
<h2 id="registered">${application.name}</h2>
${notice('success', text)}
<dl class="facts"><dt>Application ID</dt><dd class="mono">${application.uid}</dd></dl>
${secret === undefined ? html`<p>This application is public and has no secret. It identifies itself with its application ID and uses PKCE.</p>` : secretOnce('secret', 'Secret', secret)}
${unencryptedWarning(application)}
</section>`;
}

function unencryptedWarning(application: Application): Markup | string {
  const unencrypted = redirectUrisOf(application.redirect_uris).filter(isUnencryptedRedirect);
  return unencrypted.length === 0
    ? ''
    : notice(
        'warning',
        `Authorization codes sent to ${unencrypted.join(' and ')} are not encrypted and can be intercepted. Use HTTPS for all hosts except this machine.`,
      );
}

function registerForm(formToken: string, draft: Draft | undefined): Markup {
  const problem = (field: string): string | undefined => {
    const text = draft?.validationErrors[field]?.[0];
    return text === undefined ? undefined : `${fieldNames[field] ?? field} ${text.replace(/\.$/, '')}.`;
  };
  return html`<section class="card" aria-labelledby="new">
<h2 id="new">New application</h2>
<form method="post" action="${address}">
${formTokenField(formToken)}
${textField({
  name: 'name',
  label: 'Name',
  value: draft?.name ?? '',
  hint: 'Users see this name when the application asks for access.',
  error: problem('name'),
  autocomplete: 'off',
})}
${textArea({
  name: 'redirect_uri',
  label: 'Redirect URIs',
  value: draft?.redirectUris ?? '',
  hint: 'One URI per line. Requests must use one of them exactly; only the port of loopback addresses such as http://127.0.0.1/ can differ. Not needed for the device flow.',
  error: problem('redirect_uri'),
  optional: true,
})}
${choiceOf({
  name: 'kind',
  legend: 'Client type',
  error: problem('kind'),
  value: draft?.kind,
  choices: [
    {
      value: 'public',
      label: html`<strong>Public</strong>: command-line, desktop, mobile and browser applications. They cannot keep a secret, so they have none and use PKCE.`,
    },
    {
      value: 'confidential',
      label: html`<strong>Confidential</strong>: applications that run on a server. Requests without the secret are rejected, so this type does not suit command-line applications.`,
    },
  ],
})}
${scopeBoxes('Scopes the application can request', { offered: offeredScopes, chosen: draft?.scopes ?? [], error: problem('scopes') })}
<div class="actions"><button type="submit">Register application</button></div>
</form>
</section>`;
}

const fieldNames: Readonly<Record<string, string>> = {
  name: 'The name',
  redirect_uri: 'A redirect URI',
  kind: 'The client type',
  scopes: 'The application',
};

function applicationItem(application: Application, now: number, formToken: string): Markup {
  const uris = redirectUrisOf(application.redirect_uris);
  const isConfidential = application.confidential === 1;
  return html`<li><p><strong>${application.name}</strong> <span class="badge">${isConfidential ? 'confidential' : 'public'}</span></p>
<dl class="facts small">
<dt>Application ID</dt><dd class="mono">${application.uid}</dd>
<dt>Redirect URIs</dt><dd>${uris.length === 0 ? 'none' : uris.map((uri) => html`<span class="line mono">${uri}</span>`)}</dd>
<dt>Scopes</dt><dd class="marks">${scopeBadges(application.scopes)}</dd>
<dt>Registered</dt><dd>${ago(application.created_at, now)}</dd>
</dl>
${unencryptedWarning(application)}
<div class="row-actions">${isConfidential ? rowAction(`${address}/${application.id}/renew`, 'New secret', application.name, formToken) : ''}
<details><summary>Delete…</summary><p>The application loses access to the accounts of all users who authorized it.</p>${rowAction(`${address}/${application.id}/delete`, 'Delete', application.name, formToken)}</details></div></li>`;
}

function authorizationItem(authorization: Authorization, now: number, formToken: string): Markup {
  const { applicationId, scopes, since, renewedAt } = authorization;
  const name = authorization.name ?? 'Clients without an application ID';
  return html`<li><p><strong>${name}</strong></p>
${applicationId === null ? html`<p class="small">They got their tokens with your username and password.</p>` : ''}
<p class="marks">${scopeBadges(scopes.join(' '))}</p>
<p class="muted small">Granted ${ago(since, now)} &middot; last renewed ${ago(renewedAt, now)}</p>
<div class="row-actions">${rowAction(`${address}/${applicationId ?? NO_APPLICATION}/revoke`, 'Revoke', name, formToken)}</div></li>`;
}

function readId({ pathParameters }: SignedInPageRequest): number | undefined {
  const id = pathParameters['id'] ?? '';
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}
