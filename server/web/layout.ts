import { html } from 'hono/html';
import { isoTime, MINUTE } from '../core/clock.ts';
import { PRODUCT } from '../../src/contract/product.ts';
import type { User } from '../core/caller.ts';
import type { Core } from '../core/core.ts';
import type { Site } from '../http/requestContext.ts';
import { assetPath } from './assets.ts';
import { visibleDocument } from './visibleDocument.ts';

/** HTML from the escaping template `html`. */
export type Markup = ReturnType<typeof html>;

/** Content of a page. The layout adds the header bar, title and landmarks. */
export interface PageContent {
  /** Title, and text of the `h1` unless `heading` is set. */
  readonly title: string;
  readonly heading?: Markup | string;
  /** Navigation between the header bar and the content, such as the tabs of a project. */
  readonly tabs?: Markup;
  readonly body: Markup;
  /** Status; 200 by default. */
  readonly status?: number;
  /** `narrow` for a single form or message (the default), `wide` for lists and texts. */
  readonly width?: 'narrow' | 'wide';
  readonly headers?: Readonly<Record<string, string>>;
  /** Markup for the `head` of the document. */
  readonly head?: Markup;
}

export interface Frame {
  readonly core: Pick<Core, 'profile'>;
  readonly site: Site;
  /** Path of the page. */
  readonly path: string;
  readonly user: User | undefined;
  /** Form token of the sign-out button, if a user is signed in. */
  readonly formToken: string | undefined;
}

/** Returns the whole HTML document. Invisible characters in names, titles and code are shown as their code points. */
export async function layout(frame: Frame, content: PageContent): Promise<string> {
  const { core, site, user } = frame;
  const document = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${content.title === PRODUCT ? PRODUCT : `${content.title} · ${PRODUCT}`}</title>
<link rel="stylesheet" href="${assetPath(site, 'page.css')}">
<link rel="icon" type="image/svg+xml" href="${assetPath(site, 'logo.svg')}">
${content.head ?? ''}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<a class="brand" href="/"><img src="${assetPath(site, 'logo.svg')}" alt="" width="28" height="28"><span>${PRODUCT}</span></a>
<nav class="places" aria-label="Main">${places(frame)}</nav>
<nav aria-label="Account">${account(site, user, frame.formToken)}</nav>
</header>
${content.tabs ?? ''}
<main id="main" class="${content.width ?? 'narrow'}" tabindex="-1">
<h1>${content.heading ?? content.title}</h1>
${content.body}
</main>
<footer class="foot"><p>${PRODUCT} &middot; local server, release ${core.profile.release}</p></footer>
</body>
</html>
`;
  return visibleDocument(document.toString());
}

/** Returns the links of the navigation bar to the pages that belong to no project. */
function places({ user, path }: Frame): Markup {
  const links = {
    ...(user === undefined
      ? { '/explore/projects': 'Projects', '/explore/groups': 'Groups' }
      : { '/dashboard/projects': 'Projects', '/dashboard/groups': 'Groups' }),
    '/help/api': 'API',
    ...(user?.admin === 1 ? { '/_local/oauth': 'OAuth flows' } : {}),
  };
  return html`${Object.entries(links).map(
    ([address, name]) => html`<a class="who" href="${address}" ${address === path ? html`aria-current="page"` : ''}>${name}</a>
`,
  )}`;
}

function account(site: Site, user: User | undefined, formToken: string | undefined): Markup {
  if (user === undefined || formToken === undefined) return html`<a class="button quiet" href="/users/sign_in">Sign in</a>`;
  const unread = site.unreadMails(user.id);
  return html`<a class="who" href="/-/mailbox">Mailbox${unread === 0 ? '' : html` <span class="badge waiting">${unread}<span class="hidden"> unread</span></span>`}</a>
<a class="who" href="/user_settings/profile" title="Settings for ${user.name}">@${user.username}</a>
<form method="post" action="/users/sign_out">${formTokenField(formToken)}<button class="quiet" type="submit">Sign out</button></form>`;
}

/** Hidden field that every form requires. */
export function formTokenField(token: string): Markup {
  return html`<input type="hidden" name="authenticity_token" value="${token}">`;
}

/** Button for an action on a row of a list. Screen readers announce it with the name of the row. */
export function rowAction(action: string, text: string, of: string, formToken: string): Markup {
  return html`<form class="inline" method="post" action="${action}">${formTokenField(formToken)}<button class="second" type="submit">${text} <span class="hidden">${of}</span></button></form>`;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'password' | 'date';
  readonly value?: string;
  readonly hint?: string;
  /** Validation error of the sent value. */
  readonly error?: string | undefined;
  readonly autocomplete: string;
  readonly className?: string;
  readonly autofocus?: boolean;
  /** True if the field may be empty. */
  readonly optional?: boolean;
  /** First and last accepted day of a date. */
  readonly min?: string;
  readonly max?: string;
}

/** Labelled text field. Hint and error are associated with it for assistive technology. */
export function textField(field: Field): Markup {
  return labelled(
    field,
    html`<input id="${field.name}" name="${field.name}" type="${field.type ?? 'text'}" value="${field.value ?? ''}" class="${field.className ?? ''}"
 autocomplete="${field.autocomplete}" autocapitalize="none" spellcheck="false" ${field.optional === true ? '' : html`required`}
 ${field.min === undefined ? '' : html`min="${field.min}"`} ${field.max === undefined ? '' : html`max="${field.max}"`}
 ${descriptions(field)}
 ${field.autofocus === true ? html`autofocus` : ''}>`,
  );
}

function labelled(field: Pick<Field, 'name' | 'label' | 'hint' | 'error'>, input: Markup): Markup {
  return html`<div class="field">
<label for="${field.name}">${field.label}</label>
${field.error === undefined ? '' : html`<p class="complaint" id="${field.name}-error">${field.error}</p>`}
${input}
${field.hint === undefined ? '' : html`<p class="hint" id="${field.name}-hint">${field.hint}</p>`}
</div>`;
}

/** Returns the attributes that associate a field with its error and hint. */
function descriptions({ name, hint, error }: Pick<Field, 'name' | 'hint' | 'error'>): Markup | string {
  const described = [...(error === undefined ? [] : [`${name}-error`]), ...(hint === undefined ? [] : [`${name}-hint`])];
  if (described.length === 0) return '';
  return html`aria-describedby="${described.join(' ')}" ${error === undefined ? '' : html`aria-invalid="true"`}`;
}

/** Labelled multi-line text field. */
export function textArea(field: Omit<Field, 'type' | 'autocomplete' | 'min' | 'max'>): Markup {
  return labelled(
    field,
    html`<textarea id="${field.name}" name="${field.name}" class="mono" rows="3" autocomplete="off" autocapitalize="none" spellcheck="false"
 ${field.optional === true ? '' : html`required`} ${descriptions(field)}>${field.value ?? ''}</textarea>`,
  );
}

/** Group of radio buttons. */
export function choiceOf(group: {
  readonly name: string;
  readonly legend: string;
  readonly error?: string | undefined;
  readonly value: string | undefined;
  readonly choices: readonly { readonly value: string; readonly label: Markup | string }[];
}): Markup {
  const { name, error } = group;
  return html`<fieldset role="radiogroup" ${descriptions(group)}>
<legend>${group.legend}</legend>
${error === undefined ? '' : html`<p class="complaint" id="${name}-error">${error}</p>`}
${group.choices.map(
  ({ value, label }) =>
    html`<label class="choice"><input type="radio" name="${name}" value="${value}" ${value === group.value ? html`checked` : ''}><span>${label}</span></label>`,
)}
</fieldset>`;
}

export interface Choice {
  readonly name: string;
  readonly label: Markup | string;
  readonly checked: boolean;
}

/** Group of check boxes, each a separate field with the value `1`. */
export function checkBoxes(group: {
  readonly name: string;
  readonly legend: string;
  readonly error?: string | undefined;
  readonly choices: readonly Choice[];
}): Markup {
  return html`<fieldset ${descriptions(group)}>
<legend>${group.legend}</legend>
${group.error === undefined ? '' : html`<p class="complaint" id="${group.name}-error">${group.error}</p>`}
${group.choices.map((choice) => checkBox(choice))}
</fieldset>`;
}

export function checkBox({ name, label, checked }: Choice): Markup {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="1" ${checked ? html`checked` : ''}><span>${label}</span></label>`;
}

/** Read-only field with a secret that is shown only once. */
export function secretOnce(name: string, label: string, value: string): Markup {
  return html`<div class="field">
<label for="${name}">${label}</label>
<input class="mono" id="${name}" type="text" value="${value}" readonly autocomplete="off" spellcheck="false" aria-describedby="${name}-hint">
<p class="hint" id="${name}-hint">Copy it now. You will not be able to see it again.</p>
</div>`;
}

/** Message above a form or text. Errors are announced immediately. */
export function notice(kind: 'error' | 'success' | 'info' | 'warning', text: Markup | string): Markup {
  return html`<div class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}"><p>${text}</p></div>`;
}

/** Relative time with the exact time as its tooltip. */
export function ago(time: number, now: number): Markup {
  const iso = isoTime(time);
  return html`<time datetime="${iso}" title="${iso}">${distance(now - time)}</time>`;
}

function distance(milliseconds: number): string {
  // Rows that a request creates are slightly newer than its `now`.
  if (milliseconds < -MINUTE) return 'in the future';
  const minutes = Math.floor(milliseconds / MINUTE);
  if (minutes < 1) return 'less than a minute ago';
  if (minutes < 60) return count(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return count(hours, 'hour');
  return count(Math.floor(hours / 24), 'day');
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'} ago`;
}

/** Formats a number of bytes. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} byte${bytes === 1 ? '' : 's'}`;
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes.toFixed(1)} KiB` : `${(kibibytes / 1024).toFixed(1)} MiB`;
}
