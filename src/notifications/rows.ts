import * as l10n from '@vscode/l10n';
import {
  type EventReach,
  type NotificationEvent,
  notificationEvents,
  type NotificationLevel,
} from '../contract/notifications.ts';
import { failureLook, messageLook, type RowLook, visibleRow } from '../ui/row.ts';
import type { ScopeListAddress } from './api.ts';
import type { NotificationsModel } from './model.ts';
import { groupsAddress } from './scopeLists.ts';
import { globalScope, keyOfScope, type NotificationScope } from './scopes.ts';
import { type AppliedSetting, isMailed, isOnByDefault, type KnownSetting, reachIn } from './settings.ts';
import { formatEvent, formatLevel, formatReach, withSource } from './texts.ts';

export type NotificationRow = RowLook & { readonly rows: readonly NotificationRow[] } & (
    | {
        readonly kind: 'scope';
        readonly scope: NotificationScope;
        readonly level: NotificationLevel | undefined;
        readonly isPinned: boolean;
      }
    | { readonly kind: 'events'; readonly scope: NotificationScope }
    | {
        readonly kind: 'event';
        readonly scope: NotificationScope;
        readonly event: NotificationEvent;
        /** Undefined while unknown; such a row has no checkbox. */
        readonly isTicked: boolean | undefined;
        /** Grows with each click that had no effect, so that VS Code paints the checkbox again. */
        readonly version: number;
        /** True if the switch was set in this scope, so that it can be reset. */
        readonly isSet: boolean;
        /** True if the account may only read; such a row has no checkbox. */
        readonly isReadOnly: boolean;
      }
    | { readonly kind: 'projects' }
    | { readonly kind: 'more'; readonly address: ScopeListAddress }
    | { readonly kind: 'text' }
  );

export const allProjectsAddress: ScopeListAddress = { kind: 'projects', search: '' };

export interface NotificationRowSettings {
  readonly model: NotificationsModel;
  /** Returns what the level of a scope was before it became custom by a tick, for its row. */
  readonly noteOf: (scope: NotificationScope) => string | undefined;
  /** Returns true if the row with this id was expanded. Events of other rows are not made, because there can be thousands. */
  readonly isExpanded: (id: string) => boolean;
  /** Version of the checkboxes. */
  readonly version: number;
  /** Why the account may only read; undefined if it may change settings. */
  readonly readOnly: string | undefined;
}

/** Returns the rows of the view; none while a welcome text is shown instead. */
export function notificationRows(settings: NotificationRowSettings): readonly NotificationRow[] {
  const { model, noteOf, isExpanded, version, readOnly } = settings;
  const prefix = model.sourceKey();
  if (prefix === undefined || model.state(globalScope)?.kind !== 'ready') return [];
  const pinnedKeys = new Set(model.pins().map(keyOfScope));
  /** Events that level `custom` of this instance does not have. */
  const missing = missingEvents(model);

  function scopeRow(scope: NotificationScope, above: string, isFlat: boolean): NotificationRow {
    const id = `${above}/${keyOfScope(scope)}`;
    const own = model.setting(scope);
    const applied = model.applied(scope);
    const label = scope.kind === 'global' ? l10n.t('Global') : isFlat ? scope.path : scope.name;
    const isPinned = pinnedKeys.has(keyOfScope(scope));
    const state = model.state(scope);
    const failure = state?.kind === 'failed' ? state.failure.message : undefined;
    const text = failure ?? levelText(scope, own, applied, noteOf(scope));
    return visibleRow({
      kind: 'scope',
      id,
      scope,
      level: own?.level,
      isPinned,
      label,
      description: text,
      tooltip: [label === scope.path || scope.path === '' ? label : `${label}\n${scope.path}`, text].filter(Boolean).join('\n'),
      spoken: [kindText(scope), label, isPinned ? l10n.t('pinned') : '', text].filter(Boolean).join(', '),
      ...(failure === undefined
        ? iconOf(scope, applied?.setting.level, isFlat && isPinned)
        : { icon: 'warning', color: undefined }),
      rows: scope.kind === 'group' ? groupRows(id, scope) : eventRows(id, scope, own, applied),
    });
  }

  function groupRows(id: string, group: NotificationScope): readonly NotificationRow[] {
    const events: NotificationRow = {
      ...messageLook(`${id}/events`, l10n.t('Events'), 'list-selection'),
      kind: 'events',
      scope: group,
      rows: eventRows(`${id}/events`, group, model.setting(group), model.applied(group)),
    };
    if (!model.isOpen(keyOfScope(group))) return [events];
    const subgroups = model.groupsIn(group).map((scope) => scopeRow(scope, id, false));
    return [events, ...subgroups, ...listRows(id, { kind: 'projectsOf', group }, false)];
  }

  function listRows(id: string, address: ScopeListAddress, isFlat: boolean): readonly NotificationRow[] {
    const list = model.list(address);
    const rows = model.shown(address).map((scope) => scopeRow(scope, id, isFlat));
    // The text above the rows says that the sign-in has ended.
    if (list?.failure !== undefined && !(list.failure.kind === 'signedOut' && rows.length > 0)) {
      const look = failureLook(`${id}/failed`, list.failure);
      return [...rows, { ...look, kind: 'text', rows: [] }, { ...moreRow(id, address), label: l10n.t('Try Again') }];
    }
    if (list === undefined || (list.isLoading && rows.length === 0)) return [loadingRow(id)];
    return model.hasMore(address) ? [...rows, moreRow(id, address)] : rows;
  }

  function eventRows(
    id: string,
    scope: NotificationScope,
    own: KnownSetting | undefined,
    applied: AppliedSetting | undefined,
  ): readonly NotificationRow[] {
    if (!isExpanded(id)) return [];
    const state = model.state(scope);
    if (state?.kind === 'failed') return [{ ...failureLook(`${id}/failed`, state.failure), kind: 'text', rows: [] }];
    if (own === undefined || applied === undefined) return [loadingRow(id)];
    return notificationEvents
      .filter((event) => !missing.has(event))
      .map((event) => ({
        ...eventRow({ above: id, scope, event, own, applied, readOnly }),
        version,
      }));
  }

  if (model.search() !== '') {
    const found = (['groups', 'projects'] as const).flatMap((kind) =>
      listRows(`${prefix}/search/${kind}`, { kind, search: model.search() }, true),
    );
    const isEmpty = found.length === 0;
    return isEmpty
      ? [{ ...messageLook(`${prefix}/none`, l10n.t('No results for “{0}”', model.search()), 'info'), kind: 'text', rows: [] }]
      : found;
  }
  const projects: NotificationRow = {
    ...messageLook(`${prefix}/projects`, l10n.t('All Projects'), 'repo'),
    tooltip: l10n.t('All projects that you are a member of, by their latest activity'),
    kind: 'projects',
    rows: model.isOpen('projects') ? listRows(`${prefix}/projects`, allProjectsAddress, true) : [],
  };
  return [
    scopeRow(globalScope, prefix, false),
    ...model.pins().map((pin) => scopeRow(pin, `${prefix}/pinned`, true)),
    ...listRows(prefix, groupsAddress, false),
    projects,
  ];
}

/** Returns events that the instance does not report with level `custom`. Free tiers have no epics. */
function missingEvents(model: NotificationsModel): ReadonlySet<NotificationEvent> {
  return model.reportsEpics() === false ? new Set(['new_epic']) : new Set();
}

interface EventRowSettings extends Pick<NotificationRowSettings, 'readOnly'> {
  /** ID of the row above. */
  readonly above: string;
  readonly scope: NotificationScope;
  readonly event: NotificationEvent;
  readonly own: KnownSetting;
  readonly applied: AppliedSetting;
}

function eventRow({ above, scope, event, own, applied, readOnly }: EventRowSettings): NotificationRow {
  const isOwn = own.level === 'custom';
  const state = isOwn ? own.switches[event] : undefined;
  const reach = reachIn(applied.setting, event);
  const isInherited = own.level === 'global';
  const text =
    reach === undefined
      ? l10n.t('Not reported by the instance')
      : isOwn && state === null
        ? isOnByDefault(event)
          ? l10n.t('Default (on)')
          : l10n.t('Default (off)')
        : formatReach(reach);
  const description = isInherited && reach !== undefined ? withSource(text, applied.source) : text;
  const label = formatEvent(event);
  const reason = readOnly === undefined ? [] : [readOnly];
  return {
    kind: 'event',
    id: `${above}/${event}`,
    scope,
    event,
    isTicked: reach === undefined ? undefined : isOwn && typeof state === 'boolean' ? state : isMailed(reach),
    isSet: isOwn && typeof state === 'boolean',
    isReadOnly: readOnly !== undefined,
    version: 0,
    label,
    description,
    tooltip: [label, description, ...reason].join('\n'),
    spoken: [label, description, ...reason].join(', '),
    icon: iconOfEvent(reach, isOwn ? state : undefined, readOnly),
    color: undefined,
    rows: [],
  };
}

function iconOfEvent(reach: EventReach | undefined, state: boolean | null | undefined, readOnly: string | undefined): string {
  if (reach === undefined) return 'question';
  if (readOnly !== undefined) return 'lock';
  return state === null ? 'circle-outline' : '';
}

function levelText(
  scope: NotificationScope,
  own: KnownSetting | undefined,
  applied: AppliedSetting | undefined,
  note: string | undefined,
): string {
  if (own === undefined || applied === undefined) return '';
  const level = formatLevel(applied.setting.level);
  const text = own.level === 'global' && scope.kind !== 'global' ? withSource(level, applied.source) : level;
  return [text, note, own.email].filter(Boolean).join(' · ');
}

function kindText({ kind }: NotificationScope): string {
  switch (kind) {
    case 'global':
      return '';
    case 'group':
      return l10n.t('group');
    case 'project':
      return l10n.t('project');
  }
}

function iconOf(
  { kind }: NotificationScope,
  level: NotificationLevel | undefined,
  isPinned: boolean,
): Pick<RowLook, 'icon' | 'color'> {
  const color = level === 'disabled' ? 'disabledForeground' : undefined;
  if (isPinned) return { icon: 'pinned', color };
  switch (kind) {
    case 'global':
      return { icon: level === 'disabled' ? 'bell-slash' : 'bell', color };
    case 'group':
      return { icon: 'organization', color };
    case 'project':
      return { icon: 'repo', color };
  }
}

function loadingRow(above: string): NotificationRow {
  return { ...messageLook(`${above}/loading`, l10n.t('Loading…'), 'loading~spin'), kind: 'text', rows: [] };
}

function moreRow(above: string, address: ScopeListAddress): NotificationRow {
  return { ...messageLook(`${above}/more`, l10n.t('Load more'), 'ellipsis'), kind: 'more', address, tooltip: '', rows: [] };
}

/** Returns the row with this id among rows and those below them. The id of a row is the start of the ids below it. */
export function findRow(rows: readonly NotificationRow[], id: string): NotificationRow | undefined {
  for (const row of rows) {
    if (row.id === id) return row;
    const found = id.startsWith(`${row.id}/`) ? findRow(row.rows, id) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
