import { html } from 'hono/html';
import {
  effectiveSetting,
  type EventSwitches,
  isNotificationLevel,
  isSwitchedOn,
  listedEvents,
  type NotificationEvent,
  type NotificationLevel,
  notificationEvents,
  notificationLevels,
} from '../../../../src/contract/notifications.ts';
import { findGroup } from '../../groups/groups.ts';
import { notFound } from '../../../core/errors.ts';
import type { Route } from '../../../http/route.ts';
import type { User } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { findProject } from '../../projectAccess/projectAccess.ts';
import { checkBox, checkBoxes, choiceOf, formTokenField, type Markup, notice, type PageContent } from '../../../web/layout.ts';
import { pageNumber } from '../../../web/pager.ts';
import { personPageRoute, type SignedInPageRequest, type Redirection } from '../../../web/route.ts';
import { settingsContent } from '../../../web/settings.ts';
import { confirmedAddresses, notificationAddress } from '../../emails/emails.ts';
import {
  findSetting,
  isEventAvailable,
  type SettingInput,
  settingsIn,
  type SettingsOfUser,
  updateSetting,
} from '../../notificationSettings/notificationSettings.ts';
import { scopesAround } from './scopes.ts';
import { listMemberships, type MembershipRow } from './store.ts';

const address = '/-/profile/notifications';
const metadata = { specRef: 'Notification settings', status: 'local' } as const;
/** Number of groups and projects on a page. */
const PAGE_SIZE = 20;
/** Maximum length of the text that is searched for. */
const MAX_SEARCH = 255;

const levelNames: Readonly<Record<NotificationLevel, string>> = {
  disabled: 'Disabled',
  participating: 'Participate',
  watch: 'Watch',
  global: 'Global',
  mention: 'On mention',
  custom: 'Custom',
};

const levelTexts: Readonly<Record<NotificationLevel, string>> = {
  participating: 'threads that you take part in, and mentions',
  watch: 'most activity',
  mention: 'only comments that mention you',
  custom: 'mentions, and the events that you select',
  disabled: 'nothing',
  global: 'the level of the group or account',
};

const eventNames: Readonly<Record<NotificationEvent, string>> = {
  new_release: 'A release is published',
  new_note: 'Somebody comments',
  new_issue: 'An issue is created',
  reopen_issue: 'An issue is reopened',
  close_issue: 'An issue is closed',
  reassign_issue: 'An issue is reassigned',
  issue_due: 'An issue is due tomorrow',
  new_merge_request: 'A merge request is created',
  push_to_merge_request: 'Somebody pushes to a merge request',
  reopen_merge_request: 'A merge request is reopened',
  close_merge_request: 'A merge request is closed',
  reassign_merge_request: 'A merge request is reassigned',
  change_reviewer_merge_request: 'The reviewers of a merge request change',
  merge_merge_request: 'A merge request is merged',
  failed_pipeline: 'A pipeline fails',
  fixed_pipeline: 'A pipeline succeeds after it had failed',
  success_pipeline: 'A pipeline succeeds',
  moved_project: 'A project is moved',
  merge_when_pipeline_succeeds: 'A merge request is set to auto-merge',
  new_epic: 'An epic is created',
  approver: 'A merge request that you can approve is created',
};

/** Returns the routes of the page with the notification settings of the signed-in user. */
export function notificationSettingPages(core: Core): Route[] {
  return [
    personPageRoute({ ...metadata, method: 'GET', path: address }, (request) => content(core, request)),

    // The address of the page on earlier releases of GitLab.
    personPageRoute({ ...metadata, method: 'GET', path: '/profile/notifications', response: 303 }, () => ({
      redirectTo: address,
    })),

    personPageRoute({ ...metadata, method: 'POST', path: address }, (request) => saveGlobalSettings(core, request)),

    ...(['group', 'project'] as const).map((kind) =>
      personPageRoute({ ...metadata, method: 'POST', path: `${address}/${kind}s/:id` }, (request) =>
        saveMembershipSettings(core, request, kind),
      ),
    ),
  ];
}

function saveGlobalSettings(core: Core, { form, caller, context }: SignedInPageRequest): PageContent | Redirection {
  const key = { kind: 'global' } as const;
  if (form.has('with_events')) {
    const { switches } = findSetting(core, caller.user, key);
    updateSetting(core, caller.user, key, { switches: sentSwitches(core, form, switches) });
    return { redirectTo: `${address}?done=1&open=global` };
  }
  const level = form.get('level');
  const email = notificationAddress(core, caller.user, form.get('notification_email') ?? '');
  if (!isNotificationLevel(level) || email === undefined) {
    context.noteRefusal('settings.valid', 'the level is unknown, or the address is not a confirmed one of the user');
    return { redirectTo: `${address}?done=0` };
  }
  updateSetting(core, caller.user, key, { level, email, ownActivity: form.get('own_activity') === '1' });
  return { redirectTo: `${address}?done=1${level === 'custom' ? '&open=global' : ''}` };
}

function saveMembershipSettings(core: Core, request: SignedInPageRequest, kind: 'group' | 'project'): PageContent | Redirection {
  const { form, caller, context } = request;
  const id = idOf(core, request, kind);
  const key = { kind, id };
  const list = new URLSearchParams();
  for (const name of ['search', 'page']) if ((form.get(name) ?? '') !== '') list.set(name, form.get(name) ?? '');
  if (form.has('with_events')) {
    const { switches } = findSetting(core, caller.user, key);
    updateSetting(core, caller.user, key, { switches: sentSwitches(core, form, switches) });
    list.set('open', `${kind}-${id}`);
  } else {
    const level = form.get('level');
    if (isNotificationLevel(level)) updateSetting(core, caller.user, key, { level });
    else context.noteRefusal('settings.valid', 'the level is unknown');
    if (level === 'custom') list.set('open', `${kind}-${id}`);
    if (!isNotificationLevel(level)) list.set('done', '0');
  }
  if (!list.has('done')) list.set('done', '1');
  return { redirectTo: `${address}?${list.toString()}#${kind}-${id}` };
}

/** Returns the ID of a group or project that the user can see. */
function idOf(core: Core, { pathParameters, caller }: SignedInPageRequest, kind: 'group' | 'project'): number {
  const id = pathParameters['id'] ?? '';
  if (/^\d{1,15}$/.test(id)) {
    const found = kind === 'group' ? findGroup(core, id, caller)?.group : findProject(core, id, caller)?.project;
    if (found !== undefined) return found.id;
  }
  throw notFound('Page', `no ${kind} has this ID, or the user cannot see it`);
}

/** Returns the switches that differ from what the form showed, so that those nobody touched keep their default. */
function sentSwitches(core: Core, form: URLSearchParams, before: EventSwitches): SettingInput['switches'] {
  const changed = availableEvents(core).flatMap((event) => {
    const value = form.get(`events[${event}]`) === '1';
    return value === isOn(before, event) ? [] : [[event, value] as const];
  });
  return Object.fromEntries(changed);
}

function availableEvents(core: Core): readonly NotificationEvent[] {
  return [...listedEvents, ...notificationEvents.filter((event) => event === 'approver')].filter((event) =>
    isEventAvailable(core, event),
  );
}

function content(core: Core, request: SignedInPageRequest): PageContent {
  const { query } = request;
  const done = query.get('done');
  return settingsContent(
    address,
    html`${done === '1' ? notice('success', 'Notification settings saved.') : ''}${
      done === '0' ? notice('error', 'The settings were not saved: choose a level and one of your confirmed addresses.') : ''
    }
${globalSection(core, request)}
${membershipSection(core, request)}`,
  );
}

function globalSection(core: Core, request: SignedInPageRequest): Markup {
  const { user } = request.caller;
  const setting = findSetting(core, user, { kind: 'global' });
  const formToken = request.formToken();
  const addresses = confirmedAddresses(core, user);
  return html`<section class="card" aria-labelledby="global">
<h2 id="global">Global settings</h2>
<p>They apply to every group and project with the level <strong>Global</strong>. Mails arrive in the <a href="/-/mailbox">local mailbox</a>.</p>
<form method="post" action="${address}">
${formTokenField(formToken)}
${choiceOf({
  name: 'level',
  legend: 'Level',
  value: setting.level,
  choices: offeredLevels(setting.level === 'global').map((level) => ({
    value: level,
    label: html`<strong>${levelNames[level]}</strong>: ${level === 'global' ? 'nothing, because there is no other level above' : levelTexts[level]}`,
  })),
})}
<div class="field"><label for="notification_email">Email address</label>
<select id="notification_email" name="notification_email" aria-describedby="notification_email-hint">${addresses.map(
    (email) => html`<option value="${email}" ${email === (setting.email ?? user.email) ? html`selected` : ''}>${email}</option>`,
  )}</select>
<p class="hint" id="notification_email-hint">Your primary address and the other addresses that you have confirmed. <a href="/user_settings/emails">Add an address</a></p></div>
${checkBox({ name: 'own_activity', label: 'Notify me of my own activity', checked: setting.ownActivity })}
<div class="actions start"><button type="submit">Save global settings</button></div>
</form>
${setting.level === 'custom' ? eventsForm(core, { request, action: address, of: 'global', name: 'all groups and projects', switches: setting.switches }) : ''}
</section>`;
}

function membershipSection(core: Core, request: SignedInPageRequest): Markup {
  const { caller, query } = request;
  const search = (query.get('search') ?? '').trim().slice(0, MAX_SEARCH);
  const page = pageNumber(request);
  const rows = listMemberships(core.store, caller.user.id, search, { limit: PAGE_SIZE + 1, offset: (page - 1) * PAGE_SIZE });
  const shown = rows.slice(0, PAGE_SIZE);
  return html`<section class="card" aria-labelledby="memberships">
<h2 id="memberships">Groups and projects</h2>
<form class="filters" method="get" action="${address}" role="search">
<div class="field"><label for="search">Search by path</label>
<input id="search" name="search" type="text" value="${search}" maxlength="${MAX_SEARCH}" autocomplete="off" autocapitalize="none" spellcheck="false"></div>
<div class="actions start"><button class="second" type="submit">Search</button></div>
</form>
${
  shown.length === 0
    ? html`<p class="muted">${
        search === '' && page === 1 ? 'You are not a member of any group or project.' : 'No group or project matches.'
      }</p>`
    : html`<ul class="rows">${shown.map((row) => membershipItem(core, request, row, { search, page }))}</ul>`
}
${pages(search, page, rows.length > PAGE_SIZE)}
</section>`;
}

function membershipItem(
  core: Core,
  request: SignedInPageRequest,
  row: MembershipRow,
  list: { readonly search: string; readonly page: number },
): Markup {
  const { kind, id, path } = row;
  const { user } = request.caller;
  const chain = chainOf(core, user, row);
  const [own] = chain;
  const action = `${address}/${kind}s/${id}`;
  const field = `${kind}-${id}-level`;
  return html`<li id="${kind}-${id}"><p><a href="/${kind === 'group' ? 'groups/' : ''}${path}">${path}</a> <span class="badge">${kind}</span></p>
<p class="muted small">${effectiveText(chain)}</p>
<form class="filters" method="post" action="${action}">
${formTokenField(request.formToken())}${listFields(list)}
<div class="field"><label class="hidden" for="${field}">Level of ${path}</label>
<select id="${field}" name="level">${offeredLevels(true).map(
    (level) => html`<option value="${level}" ${level === own.level ? html`selected` : ''}>${levelNames[level]}</option>`,
  )}</select></div>
<div class="actions start"><button class="second" type="submit">Save <span class="hidden">level of ${path}</span></button></div>
</form>
${own.level === 'custom' ? eventsForm(core, { request, action, of: `${kind}-${id}`, name: path, switches: own.switches, list }) : ''}</li>`;
}

function chainOf(core: Core, user: User, { kind, id, path, namespace_id: namespaceId }: MembershipRow): SettingsOfUser['chain'] {
  const settings = settingsIn(core, scopesAround(core, { kind, id, path, namespaceId }), [user.id]).get(user.id);
  if (settings === undefined) throw new Error(`the ${kind} ${id} has no settings`);
  return settings.chain;
}

function eventsForm(
  core: Core,
  options: {
    readonly request: SignedInPageRequest;
    readonly action: string;
    readonly of: string;
    readonly name: string;
    readonly switches: EventSwitches;
    readonly list?: { readonly search: string; readonly page: number };
  },
): Markup {
  const { request, action, of, name, switches, list } = options;
  const events = availableEvents(core);
  const isOpen = request.query.get('open') === of;
  const on = events.filter((event) => isOn(switches, event)).length;
  return html`<details class="events" ${isOpen ? html`open` : ''}><summary>Events: ${on} of ${events.length} <span class="hidden">of ${name}</span></summary>
<form method="post" action="${action}">
${formTokenField(request.formToken())}${list === undefined ? '' : listFields(list)}<input type="hidden" name="with_events" value="1">
${checkBoxes({
  name: `${of}-events`,
  legend: 'Mail me when',
  choices: events.map((event) => ({ name: `events[${event}]`, label: eventNames[event], checked: isOn(switches, event) })),
})}
<div class="actions start"><button class="second" type="submit">Save events <span class="hidden">of ${name}</span></button></div>
</form></details>`;
}

/** Returns the levels in the order in which they are offered. */
function offeredLevels(withGlobal: boolean): readonly NotificationLevel[] {
  const order: readonly NotificationLevel[] = ['global', 'watch', 'participating', 'mention', 'custom', 'disabled'];
  return order.filter((level) => notificationLevels.includes(level) && (withGlobal || level !== 'global'));
}

function isOn(switches: EventSwitches, event: NotificationEvent): boolean {
  return switches[event] ?? isSwitchedOn({}, event);
}

/** Says which level applies and where it was set. */
function effectiveText(chain: SettingsOfUser['chain']): string {
  const { level, scope } = effectiveSetting(chain);
  if (scope === chain[0].scope) return `${levelNames[level]}: ${levelTexts[level]}. It is set here.`;
  const from = scope.kind === 'group' ? `the group ${scope.path}` : 'your global settings';
  return `${levelNames[level]}: ${level === 'global' ? 'nothing' : levelTexts[level]}. It comes from ${from}.`;
}

function listFields({ search, page }: { readonly search: string; readonly page: number }): Markup {
  return html`${search === '' ? '' : html`<input type="hidden" name="search" value="${search}">`}${
    page === 1 ? '' : html`<input type="hidden" name="page" value="${page}">`
  }`;
}

function pages(search: string, page: number, hasMore: boolean): Markup | string {
  if (page === 1 && !hasMore) return '';
  const to = (number: number): string =>
    `${address}?${new URLSearchParams({ ...(search === '' ? {} : { search }), page: String(number) }).toString()}#memberships`;
  return html`<nav class="actions start" aria-label="Pages">
${page === 1 ? '' : html`<a class="button second" rel="prev" href="${to(page - 1)}">Previous page</a>`}
${hasMore ? html`<a class="button second" rel="next" href="${to(page + 1)}">Next page</a>` : ''}
</nav>`;
}
