import { html } from 'hono/html';
import { DAY, dayStart, isoDate } from '../../core/clock.ts';
import { isForAdministrators, personalTokenScopes } from '../../../src/contract/scopes.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import {
  ago,
  formTokenField,
  type Markup,
  notice,
  type PageContent,
  rowAction,
  secretOnce,
  textField,
} from '../../web/layout.ts';
import { personPageRoute, type SignedInPageRequest, type Redirection } from '../../web/route.ts';
import { settingsContent } from '../../web/settings.ts';
import type { Caller } from '../../core/caller.ts';
import { isActiveToken } from './present.ts';
import { chosenScopes, scopeBadges, scopeBoxes } from './scopes.ts';
import { listPersonalTokens, personalTokenById, type PersonalTokenRow } from './store.ts';
import {
  endPersonalToken,
  type IssuedPersonalToken,
  issuePersonalToken,
  latestExpiry,
  rotatePersonalToken,
  tokenErrors,
} from './tokens.ts';

const address = '/user_settings/personal_access_tokens';
const metadata = { specRef: 'Personal access tokens', status: 'local' } as const;
/** Number of inactive tokens shown, newest first. */
const MAX_INACTIVE_SHOWN = 20;
/** Default lifetime in the form, in milliseconds. */
const DEFAULT_LIFETIME = 30 * DAY;

/** The submitted values of a form and their validation errors. */
interface Draft {
  readonly name: string;
  readonly description: string;
  readonly expiresAt: string;
  readonly scopes: readonly string[];
  readonly validationErrors: Readonly<Record<string, readonly string[]>>;
}

/** Returns the routes of the page that manages the personal access tokens of the signed-in user. */
export function tokenPages(core: Core): Route[] {
  return [
    personPageRoute({ method: 'GET', path: address, ...metadata }, (request) => showTokens(core, request)),

    // The address on GitLab, to which programs link.
    personPageRoute({ method: 'GET', path: `/-${address}`, response: 303, ...metadata }, ({ context }) => ({
      redirectTo: context.query === '' ? address : `${address}?${context.query}`,
    })),

    personPageRoute({ method: 'POST', path: address, response: 200, ...metadata }, (request) => createToken(core, request)),

    personPageRoute({ method: 'POST', path: `${address}/:id/rotate`, response: 200, ...metadata }, (request) =>
      rotateToken(core, request),
    ),

    personPageRoute({ method: 'POST', path: `${address}/:id/revoke`, ...metadata }, (request) => revokeToken(core, request)),
  ];
}

function showTokens(core: Core, request: SignedInPageRequest): PageContent | Redirection {
  const isRevoked = request.query.get('done') === 'revoked';
  return content(core, request, {
    draft: draftOfLink(core, request),
    above: isRevoked ? notice('success', 'Token revoked. It can no longer be used.') : '',
  });
}

/** Returns the values with which a program that links to the page fills in the form. Unknown scopes are left out. */
function draftOfLink(core: Core, { query, caller }: SignedInPageRequest): Partial<Draft> {
  const scopes = (query.get('scopes') ?? '').split(',');
  return {
    name: query.get('name') ?? '',
    description: query.get('description') ?? '',
    scopes: offeredScopes(core, caller).filter((scope) => scopes.includes(scope)),
  };
}

function createToken(core: Core, request: SignedInPageRequest): PageContent | Redirection {
  const { form, now, context, caller } = request;
  const scopes = chosenScopes(form, offeredScopes(core, caller));
  const [name, description, expiresAt] = ['name', 'description', 'expires_at'].map((field) => (form.get(field) ?? '').trim());
  const input = {
    name: name ?? '',
    description: description === '' ? null : description,
    scopes,
    expiresAt: readDay(expiresAt ?? '') ?? null,
  };
  const validationErrors = {
    ...tokenErrors(core, input, now),
    ...(input.expiresAt === null
      ? { expires_at: ['is not a valid date'] }
      : input.expiresAt <= now
        ? { expires_at: ['must be in the future'] }
        : {}),
    ...(scopes.length === 0 ? { scopes: ['must have at least one scope'] } : {}),
  };
  if (Object.keys(validationErrors).length > 0) {
    context.noteRefusal('token.valid', `invalid fields: ${Object.keys(validationErrors).join(', ')}`);
    return content(core, request, {
      draft: { name: input.name, description: description ?? '', expiresAt: expiresAt ?? '', scopes, validationErrors },
      status: 422,
    });
  }
  return issued(core, request, issuePersonalToken(core, caller.user, input), 'Your new token');
}

function rotateToken(core: Core, request: SignedInPageRequest): PageContent | Redirection {
  const token = ownToken(core, request);
  const replaced = rotatePersonalToken(core, request.caller.user, token, expiryWithSameLifetime(token, request.now));
  if (replaced !== undefined) return issued(core, request, replaced, `New value of “${token.name}”`);
  request.context.noteRefusal('token.alive', 'the token is revoked or expired and cannot be rotated');
  return content(core, request, {
    above: notice('error', 'This token was revoked or has expired. Create a new token instead.'),
    status: 409,
  });
}

function revokeToken(core: Core, request: SignedInPageRequest): PageContent | Redirection {
  endPersonalToken(core, ownToken(core, request), request.now);
  return { redirectTo: `${address}?done=revoked` };
}

function ownToken(core: Core, { pathParameters, caller }: SignedInPageRequest): PersonalTokenRow {
  const id = pathParameters['id'] ?? '';
  const token = /^\d{1,15}$/.test(id) ? personalTokenById(core.store, Number(id)) : undefined;
  if (token?.user_id !== caller.user.id) throw notFound('Token', 'the user has no token with this ID');
  return token;
}

function offeredScopes(core: Core, { user }: Caller): readonly string[] {
  return personalTokenScopes(core.profile.release).filter((scope) => user.admin === 1 || !isForAdministrators(scope));
}

function issued(core: Core, request: SignedInPageRequest, { token, row }: IssuedPersonalToken, label: string): PageContent {
  return content(core, request, {
    above: html`<section class="card" aria-labelledby="issued">
<h2 id="issued">${row.name}</h2>
${notice('success', row.expires_at === null ? 'Token created. It does not expire.' : `Token created. It expires on ${isoDate(row.expires_at)}.`)}
${secretOnce('token', label, token)}
</section>`,
  });
}

function content(
  core: Core,
  request: SignedInPageRequest,
  parts: { readonly above?: Markup | string; readonly draft?: Partial<Draft>; readonly status?: number },
): PageContent {
  const { caller } = request;
  const formToken = request.formToken();
  const filter = { userId: caller.user.id, now: request.now };
  const page = { order: 'id', sort: 'desc', offset: 0 } as const;
  const active = listPersonalTokens(core.store, { ...filter, active: true }, { ...page, limit: -1 });
  const inactive = listPersonalTokens(core.store, { ...filter, active: false }, { ...page, limit: MAX_INACTIVE_SHOWN });
  return settingsContent(
    address,
    html`${parts.above ?? ''}
<section class="card" aria-labelledby="active">
<h2 id="active">Active tokens</h2>
${
  active.length === 0
    ? html`<p class="muted">No active tokens. A token gives a script or application access to your account without your password.</p>`
    : html`<ul class="rows">${active.map((token) => tokenItem(token, request.now, formToken))}</ul>`
}
</section>
${createForm(core, formToken, request.now, caller, parts.draft)}
${
  inactive.length === 0
    ? ''
    : html`<section class="card" aria-labelledby="inactive">
<h2 id="inactive">Inactive tokens</h2>
<ul class="rows">${inactive.map((token) => tokenItem(token, request.now, formToken))}</ul>
</section>`
}`,
    parts.status === undefined ? {} : { status: parts.status },
  );
}

function createForm(core: Core, formToken: string, now: number, caller: Caller, draft: Partial<Draft> | undefined): Markup {
  const problem = (field: string): string | undefined => {
    const text = draft?.validationErrors?.[field]?.[0];
    return text === undefined ? undefined : `${fieldNames[field] ?? field} ${text}.`;
  };
  return html`<section class="card" aria-labelledby="new">
<h2 id="new">New token</h2>
<form method="post" action="${address}">
${formTokenField(formToken)}
${textField({
  name: 'name',
  label: 'Name',
  value: draft?.name ?? '',
  hint: 'For example, the script or application that uses the token.',
  error: problem('name'),
  autocomplete: 'off',
})}
${textField({
  name: 'description',
  label: 'Description (optional)',
  value: draft?.description ?? '',
  error: problem('description'),
  autocomplete: 'off',
  optional: true,
})}
${textField({
  name: 'expires_at',
  label: 'Expiration date',
  type: 'date',
  value: draft?.expiresAt ?? isoDate(now + DEFAULT_LIFETIME),
  hint: `The token expires at midnight UTC. Latest possible date: ${isoDate(latestExpiry(now))}.`,
  error: problem('expires_at'),
  autocomplete: 'off',
  min: isoDate(now + DAY),
  max: isoDate(latestExpiry(now)),
})}
${scopeBoxes('Scopes', { offered: offeredScopes(core, caller), chosen: draft?.scopes ?? [], error: problem('scopes') })}
<div class="actions"><button type="submit">Create token</button></div>
</form>
</section>`;
}

const fieldNames: Readonly<Record<string, string>> = {
  name: 'The name',
  description: 'The description',
  expires_at: 'The expiration date',
  scopes: 'The token',
};

function tokenItem(token: PersonalTokenRow, now: number, formToken: string): Markup {
  const isActive = isActiveToken(token, now);
  const action = (name: string, text: string): Markup => rowAction(`${address}/${token.id}/${name}`, text, token.name, formToken);
  return html`<li><p><strong>${token.name}</strong>${token.revoked_at === null ? '' : html` <span class="badge">revoked</span>`}${
    token.revoked_at === null && !isActive ? html` <span class="badge">expired</span>` : ''
  }</p>
${token.description === null ? '' : html`<p class="typed small">${token.description}</p>`}
<p class="marks">${scopeBadges(token.scopes)}</p>
<p class="muted small">Created ${ago(token.created_at, now)} &middot; ${
    token.last_used_at === null ? 'never used' : html`last used ${ago(token.last_used_at, now)}`
  } &middot; ${token.expires_at === null ? 'does not expire' : `expires on ${isoDate(token.expires_at)}`}</p>
${isActive ? html`<div class="row-actions">${action('rotate', 'Rotate')}${action('revoke', 'Revoke')}</div>` : ''}</li>`;
}

/** Returns the expiry of a token that replaces this one: it keeps the lifetime of the original. */
function expiryWithSameLifetime({ created_at, expires_at }: PersonalTokenRow, now: number): number {
  const latest = latestExpiry(now);
  return expires_at === null ? latest : Math.min(latest, expires_at + latestExpiry(now) - latestExpiry(created_at));
}

/** Returns midnight UTC of a date in the form `YYYY-MM-DD`, which date fields send. */
function readDay(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return match === null ? undefined : dayStart(Number(match[1]), Number(match[2]), Number(match[3]));
}
