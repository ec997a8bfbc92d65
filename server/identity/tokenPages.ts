import { html } from 'hono/html';
import { DAY, dayStart, isoDate } from '../clock.ts';
import { notFound } from '../http/failures.ts';
import type { Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import {
  ago,
  checkBoxes,
  formTokenField,
  type Markup,
  notice,
  type PageContent,
  rowAction,
  secretOnce,
  textField,
} from '../web/layout.ts';
import { personPageRoute, type SignedInPageRequest } from '../web/route.ts';
import { settingsContent } from '../web/settings.ts';
import type { Caller } from './identity.ts';
import { isActiveToken } from './present.ts';
import { personalTokenScopes, scopeDescriptions } from './scopes.ts';
import { listPersonalTokens, type PersonalTokenRow, personalTokenById } from './store.ts';
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
/** Of the tokens that are over, so many of the newest are listed. */
const SHOWN_INACTIVE = 20;
/** What a form is filled with. */
const USUAL_LIFE = 30 * DAY;
/** Scopes of no use to people who are not administrators. */
const administratorScopes = new Set(['sudo', 'admin_mode']);

/** A form as it was sent, with what is wrong with it. */
interface Draft {
  readonly name: string;
  readonly description: string;
  readonly expiresAt: string;
  readonly scopes: readonly string[];
  readonly validationErrors: Readonly<Record<string, readonly string[]>>;
}

/** Personal access tokens of the person who is signed in. */
export function tokenPages(platform: Platform): Route[] {
  const { store } = platform;

  return [
    personPageRoute(platform, { method: 'GET', path: address, ...metadata }, (request) => {
      const isRevoked = request.query.get('done') === 'revoked';
      return content(request, {
        above: isRevoked ? notice('success', 'The token is revoked. Nothing can use it any more.') : '',
      });
    }),

    personPageRoute(platform, { method: 'POST', path: address, response: 200, ...metadata }, (request) => {
      const { form, now, context, caller } = request;
      const scopes = offeredScopes(caller).filter((scope) => form.get(`scopes[${scope}]`) === '1');
      const [name, description, expiresAt] = ['name', 'description', 'expires_at'].map((field) => (form.get(field) ?? '').trim());
      const input = {
        name: name ?? '',
        description: description === '' ? null : description,
        scopes,
        expiresAt: readDay(expiresAt ?? '') ?? null,
      };
      const validationErrors = {
        ...tokenErrors(platform, input, now),
        ...(input.expiresAt === null
          ? { expires_at: ['is not a day'] }
          : input.expiresAt <= now
            ? { expires_at: ['must lie in the future'] }
            : {}),
        ...(scopes.length === 0 ? { scopes: ['needs at least one'] } : {}),
      };
      if (Object.keys(validationErrors).length > 0) {
        context.noteRefusal('token.valid', `not valid: ${Object.keys(validationErrors).join(', ')}`);
        return content(request, {
          draft: { name: input.name, description: description ?? '', expiresAt: expiresAt ?? '', scopes, validationErrors },
          status: 422,
        });
      }
      return issued(request, issuePersonalToken(platform, caller.user, input), 'Your new token');
    }),

    personPageRoute(platform, { method: 'POST', path: `${address}/:id/rotate`, response: 200, ...metadata }, (request) => {
      const token = ownToken(request);
      const replaced = rotatePersonalToken(platform, request.caller.user, token, sameLife(token, request.now));
      if (replaced !== undefined) return issued(request, replaced, `The token in place of “${token.name}”`);
      request.context.noteRefusal('token.alive', 'the token is revoked or expired and cannot be replaced');
      return content(request, {
        above: notice('error', 'This token was revoked or has expired; make a new one instead.'),
        status: 409,
      });
    }),

    personPageRoute(platform, { method: 'POST', path: `${address}/:id/revoke`, ...metadata }, (request) => {
      endPersonalToken(platform, ownToken(request), request.now);
      return { redirectTo: `${address}?done=revoked` };
    }),
  ];

  function ownToken({ pathParameters, caller }: SignedInPageRequest): PersonalTokenRow {
    const id = pathParameters['id'] ?? '';
    const token = /^\d{1,15}$/.test(id) ? personalTokenById(store, Number(id)) : undefined;
    if (token?.user_id !== caller.user.id) throw notFound('Token', 'the person has no token of this number');
    return token;
  }

  function offeredScopes({ user }: Caller): readonly string[] {
    return personalTokenScopes(platform).filter((scope) => user.admin === 1 || !administratorScopes.has(scope));
  }

  function issued(request: SignedInPageRequest, { token, row }: IssuedPersonalToken, label: string): PageContent {
    return content(request, {
      above: html`<section class="card" aria-labelledby="issued">
<h2 id="issued">${row.name}</h2>
${notice('success', `The token is ready. It expires on ${row.expires_at === null ? 'no day' : isoDate(row.expires_at)}.`)}
${secretOnce('token', label, token)}
</section>`,
    });
  }

  function content(
    request: SignedInPageRequest,
    parts: { readonly above?: Markup | string; readonly draft?: Draft; readonly status?: number },
  ): PageContent {
    const { caller } = request;
    const formToken = request.formToken();
    const filter = { userId: caller.user.id, now: request.now };
    const page = { order: 'id', sort: 'desc', offset: 0 } as const;
    const active = listPersonalTokens(store, { ...filter, active: true }, { ...page, limit: -1 });
    const over = listPersonalTokens(store, { ...filter, active: false }, { ...page, limit: SHOWN_INACTIVE });
    return settingsContent(
      address,
      html`${parts.above ?? ''}
<section class="card" aria-labelledby="active">
<h2 id="active">Active tokens</h2>
${
  active.length === 0
    ? html`<p class="muted">You have none. A token lets a program use your account without your password.</p>`
    : html`<ul class="rows">${active.map((token) => tokenItem(token, request.now, formToken))}</ul>`
}
</section>
${createForm(formToken, request.now, caller, parts.draft)}
${
  over.length === 0
    ? ''
    : html`<section class="card" aria-labelledby="over">
<h2 id="over">Revoked and expired</h2>
<ul class="rows">${over.map((token) => tokenItem(token, request.now, formToken))}</ul>
</section>`
}`,
      parts.status === undefined ? {} : { status: parts.status },
    );
  }

  function createForm(formToken: string, now: number, caller: Caller, draft: Draft | undefined): Markup {
    const problem = (field: string): string | undefined => {
      const text = draft?.validationErrors[field]?.[0];
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
  hint: 'Say where the token is used, so that you know it again.',
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
  label: 'Expires on',
  type: 'date',
  value: draft?.expiresAt ?? isoDate(now + USUAL_LIFE),
  hint: `At midnight UTC, at the latest on ${isoDate(latestExpiry(now))}.`,
  error: problem('expires_at'),
  autocomplete: 'off',
  min: isoDate(now + DAY),
  max: isoDate(latestExpiry(now)),
})}
${checkBoxes({
  name: 'scopes',
  legend: 'What the token may do',
  error: problem('scopes'),
  choices: offeredScopes(caller).map((scope) => ({
    name: `scopes[${scope}]`,
    label: html`${scopeDescriptions[scope] ?? scope} <span class="badge mono">${scope}</span>`,
    checked: draft?.scopes.includes(scope) ?? false,
  })),
})}
<div class="actions"><button type="submit">Make token</button></div>
</form>
</section>`;
  }
}

const fieldNames: Readonly<Record<string, string>> = {
  name: 'The name',
  description: 'The description',
  expires_at: 'The day',
  scopes: 'The token',
};

function tokenItem(token: PersonalTokenRow, now: number, formToken: string): Markup {
  const isActive = isActiveToken(token, now);
  const action = (name: string, text: string): Markup => rowAction(`${address}/${token.id}/${name}`, text, token.name, formToken);
  return html`<li><p><strong>${token.name}</strong>${token.revoked_at === null ? '' : html` <span class="badge">revoked</span>`}${
    token.revoked_at === null && !isActive ? html` <span class="badge">expired</span>` : ''
  }</p>
${token.description === null ? '' : html`<p class="typed small">${token.description}</p>`}
<p class="marks">${token.scopes.split(' ').map((scope) => html`<span class="badge mono">${scope}</span>`)}</p>
<p class="muted small">Made ${ago(token.created_at, now)} &middot; ${
    token.last_used_at === null ? 'never used' : html`used ${ago(token.last_used_at, now)}`
  } &middot; ${token.expires_at === null ? 'does not expire' : `expires on ${isoDate(token.expires_at)}`}</p>
${isActive ? html`<div class="row-actions">${action('rotate', 'Replace')}${action('revoke', 'Revoke')}</div>` : ''}</li>`;
}

/** When a token in place of this one expires, so that it lives as long as this one was to. */
function sameLife({ created_at, expires_at }: PersonalTokenRow, now: number): number {
  const latest = latestExpiry(now);
  return expires_at === null ? latest : Math.min(latest, expires_at + latestExpiry(now) - latestExpiry(created_at));
}

/** Midnight UTC of `YYYY-MM-DD`, as date fields send it. */
function readDay(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return match === null ? undefined : dayStart(Number(match[1]), Number(match[2]), Number(match[3]));
}
