import { validateHeaderName, validateHeaderValue } from 'node:http';
import { invalidRecord, recordNotFound } from '../../core/errors.ts';
import { seal, unseal } from '../../core/sealing.ts';
import { isLongerThan } from '../../support/textLength.ts';
import { filterError, type FilterStrategy } from './branchFilter.ts';
import { eventNames, type EventName } from './events.ts';
import { noFailures } from './failures.ts';
import type { HookCore } from './hookCore.ts';
import { objectIn, stringMembers } from './json.ts';
import { filledIn, missingVariables, urlRefusal } from './hookUrl.ts';
import { countHooks, type HookContainer, hookOfContainer, type HookRow, insertHook, writeHook } from './store.ts';

// Hooks of projects and groups. Their URLs can contain credentials, so they are sealed together with the secrets.

/** Maximum number of hooks of a project and of a group, as on GitLab. */
const MAX_HOOKS = { project: 100, group: 50 } as const;
const MAX_URL = 2048;
const MAX_TEXT = 255;
const MAX_DESCRIPTION = 2048;
/** Maximum number of URL variables, and of custom headers. */
const MAX_PAIRS = 20;
const MAX_VALUE = 2048;

/** Secret values of a hook by name. */
export type Pairs = Readonly<Record<string, string>>;

export interface HookSecrets {
  /** May contain variables such as `{key}`. */
  readonly url: string;
  /** Sent as `X-Gitlab-Token`. Empty without one. */
  readonly token: string;
  readonly urlVariables: Pairs;
  readonly customHeaders: Pairs;
}

/** A hook with its secrets. */
export interface Hook extends Omit<HookRow, 'secrets' | 'events'> {
  readonly secrets: HookSecrets;
  readonly events: Readonly<Record<EventName, boolean>>;
}

export interface HookInput {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly urlVariables?: Pairs | undefined;
  readonly customHeaders?: Pairs | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly events: Readonly<Partial<Record<EventName, boolean | undefined>>>;
  readonly branchFilter?: string | undefined;
  readonly branchFilterStrategy?: FilterStrategy | undefined;
  readonly verifiesCertificates?: boolean | undefined;
}

export interface NewHook extends HookInput {
  readonly url: string;
}

function sealedAs(row: Pick<HookRow, 'project_id' | 'group_id'>): string {
  return row.project_id === null ? `hook of group ${row.group_id}` : `hook of project ${row.project_id}`;
}

/** Returns a hook with its secrets. They are empty if they were sealed with another key, as after a copy of the data. */
export function openHook(core: HookCore, row: HookRow): Hook {
  const { secrets, events, ...rest } = row;
  const open = objectIn(unseal(core, sealedAs(row), secrets) ?? '{}');
  const text = (name: string): string => {
    const value = open[name];
    return typeof value === 'string' ? value : '';
  };
  const switched = objectIn(events);
  return {
    ...rest,
    secrets: {
      url: text('url'),
      token: text('token'),
      urlVariables: stringMembers(open['urlVariables']),
      customHeaders: stringMembers(open['customHeaders']),
    },
    events: eventsOf((name) => switched[name] === true),
  };
}

function eventsOf(isOn: (name: EventName) => boolean): Hook['events'] {
  return {
    push_events: isOn('push_events'),
    tag_push_events: isOn('tag_push_events'),
    issues_events: isOn('issues_events'),
    confidential_issues_events: isOn('confidential_issues_events'),
    note_events: isOn('note_events'),
    confidential_note_events: isOn('confidential_note_events'),
    merge_requests_events: isOn('merge_requests_events'),
    job_events: isOn('job_events'),
    pipeline_events: isOn('pipeline_events'),
    releases_events: isOn('releases_events'),
    wiki_page_events: isOn('wiki_page_events'),
    deployment_events: isOn('deployment_events'),
    feature_flag_events: isOn('feature_flag_events'),
    emoji_events: isOn('emoji_events'),
    resource_access_token_events: isOn('resource_access_token_events'),
    repository_update_events: isOn('repository_update_events'),
  };
}

/** Returns a hook of a project or group. Throws `NotFound` if there is none with this ID. */
export function mustFindHook(core: HookCore, container: HookContainer, id: number): Hook {
  const row = hookOfContainer(core.store, container, id);
  if (row === undefined) throw recordNotFound('the project or group has no such hook');
  return openHook(core, row);
}

/** Creates a hook. Pushes are delivered unless told otherwise. Throws for invalid values and too many hooks. */
export function createHook(core: HookCore, container: HookContainer, input: NewHook): Hook {
  const { store, clock } = core;
  const blank: Hook = {
    id: 0,
    project_id: 'projectId' in container ? container.projectId : null,
    group_id: 'groupId' in container ? container.groupId : null,
    secrets: { url: input.url, token: '', urlVariables: {}, customHeaders: {} },
    name: null,
    description: null,
    events: eventsOf((name) => name === 'push_events'),
    branch_filter: '',
    branch_filter_strategy: 'wildcard',
    enable_ssl_verification: 1,
    created_at: clock.now(),
    ...noFailures,
  };
  const hook = withInput(blank, input);
  checkHook(core, hook);
  return store.transaction(() => {
    const kind = 'projectId' in container ? 'project' : 'group';
    const most = MAX_HOOKS[kind];
    if (countHooks(store, container, most) >= most) {
      throw invalidRecord({ base: [`Maximum number of ${kind} webhooks (${most}) exceeded`] });
    }
    return { ...hook, id: insertHook(store, sealedRow(core, hook)) };
  });
}

/** Updates a hook; omitted values are kept. With another URL it is no longer disabled. Throws for invalid values. */
export function updateHook(core: HookCore, before: Hook, input: HookInput): Hook {
  const changed = withInput(before, input);
  checkHook(core, changed);
  // The failures were those of another receiver.
  const hook = addressOf(changed) === addressOf(before) ? changed : { ...changed, ...noFailures };
  writeHook(core.store, sealedRow(core, hook));
  return hook;
}

function addressOf({ secrets: { url, urlVariables } }: Hook): string {
  return filledIn(url, urlVariables);
}

function withInput(hook: Hook, input: HookInput): Hook {
  const { verifiesCertificates } = input;
  return {
    ...hook,
    secrets: {
      url: input.url?.trim() ?? hook.secrets.url,
      token: input.token ?? hook.secrets.token,
      urlVariables: input.urlVariables ?? hook.secrets.urlVariables,
      customHeaders: input.customHeaders ?? hook.secrets.customHeaders,
    },
    name: input.name ?? hook.name,
    description: input.description ?? hook.description,
    events: eventsOf((name) => input.events[name] ?? hook.events[name]),
    branch_filter: input.branchFilter ?? hook.branch_filter,
    branch_filter_strategy: input.branchFilterStrategy ?? hook.branch_filter_strategy,
    enable_ssl_verification: verifiesCertificates === undefined ? hook.enable_ssl_verification : verifiesCertificates ? 1 : 0,
  };
}

function sealedRow(core: HookCore, { secrets, events, ...row }: Hook): HookRow {
  return {
    ...row,
    secrets: seal(core, sealedAs(row), JSON.stringify(secrets)),
    events: JSON.stringify(Object.fromEntries(eventNames.filter((name) => events[name]).map((name) => [name, true]))),
  };
}

/** Throws the validation errors of a hook by field. */
function checkHook({ origin }: HookCore, hook: Hook): void {
  const { url, token, urlVariables, customHeaders } = hook.secrets;
  const missing = missingVariables(url, urlVariables);
  const tooLong = (text: string | null, most: number): string[] =>
    isLongerThan(text ?? '', most) ? [`is too long (maximum is ${most} characters)`] : [];
  const errors: Readonly<Record<string, readonly (string | undefined)[]>> = {
    url: [
      ...(missing.length > 0
        ? [`has variables without a value: ${missing.join(', ')}`]
        : [urlRefusal(filledIn(url, urlVariables), origin)]),
      ...tooLong(url, MAX_URL),
    ],
    token: [...tooLong(token, MAX_TEXT), isHeaderValue('X-Gitlab-Token', token) ? undefined : 'must be usable as a header'],
    name: tooLong(hook.name, MAX_TEXT),
    description: tooLong(hook.description, MAX_DESCRIPTION),
    url_variables: [pairsError(urlVariables, isPairName)],
    custom_headers: [
      pairsError(customHeaders, (name) => isPairName(name) && isHeaderName(name)),
      Object.entries(customHeaders).every(([name, value]) => isHeaderValue(name, value))
        ? undefined
        : 'must be usable as headers',
    ],
    push_events_branch_filter: [filterError(hook), ...tooLong(hook.branch_filter, MAX_DESCRIPTION)],
  };
  const found = Object.entries(errors)
    .map(([field, texts]) => [field, texts.filter((text) => text !== undefined)] as const)
    .filter(([, texts]) => texts.length > 0);
  if (found.length > 0) throw invalidRecord(Object.fromEntries(found));
}

function pairsError(pairs: Pairs, isName: (name: string) => boolean): string | undefined {
  const entries = Object.entries(pairs);
  if (entries.length > MAX_PAIRS) return `must not be more than ${MAX_PAIRS}`;
  return entries.every(([name, value]) => isName(name) && value !== '' && !isLongerThan(value, MAX_VALUE))
    ? undefined
    : 'contain an illegal key or value';
}

function isPairName(name: string): boolean {
  return name.length <= MAX_TEXT && /^[a-z][a-z0-9]*(?:[._-]?[a-z0-9]+)*$/i.test(name);
}

/** Headers that the delivery itself sets. */
const ownHeaders =
  /^(?:host|content-length|content-type|transfer-encoding|connection|keep-alive|expect|upgrade|te|trailer|user-agent|idempotency-key|x-gitlab-.*)$/i;

function isHeaderName(name: string): boolean {
  if (ownHeaders.test(name)) return false;
  try {
    validateHeaderName(name);
    return true;
  } catch {
    return false;
  }
}

function isHeaderValue(name: string, value: string): boolean {
  try {
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
