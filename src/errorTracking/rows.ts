import * as l10n from '@vscode/l10n';
import type { ClientKeyRow } from '../clientKeys/rows.ts';
import type { ErrorStatus, TrackedError, TrackedFrame } from '../contract/trackedErrors.ts';
import { failureOfState } from '../support/listState.ts';
import { failureLook, type RowLook, visibleRow, messageLook } from '../ui/row.ts';
import { isLibraryPath, pathParts } from '../workspace/frames.ts';
import type { FramesState } from './frames.ts';
import type { ErrorListState } from './model.ts';
import type { ErrorProject } from './source.ts';
import { sparkline } from './sparkline.ts';
import { formatRoundAge } from '../support/ages.ts';

/** Row of the view, ready to be shown. IDs are stable. */
export type ErrorRow =
  | ClientKeyRow
  | (RowLook & { readonly rows: readonly ErrorRow[] } /** Project, if several are shown. */ & (
        | { readonly kind: 'project'; readonly project: ErrorProject }
        | { readonly kind: 'error'; readonly project: ErrorProject; readonly error: TrackedError; readonly isNew: boolean }
        | { readonly kind: 'frame'; readonly project: ErrorProject; readonly error: TrackedError; readonly frame: TrackedFrame }
        /** Collapsed frames of libraries. */
        | { readonly kind: 'libraries' }
        /** Plain text. */
        | { readonly kind: 'text' }
        | { readonly kind: 'more'; readonly project: ErrorProject }
      ));

export interface ErrorRowSettings {
  /** Start of all row IDs, which identifies the list. */
  readonly prefix: string;
  readonly project: ErrorProject;
  readonly frames: (errorId: string) => FramesState | undefined;
  readonly isNew: (error: TrackedError) => boolean;
  /** Row for the client keys, shown above the errors so that its position is fixed. */
  readonly keys: ClientKeyRow | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Language tag. */
  readonly locale: string;
}

/** Returns the rows; none if a welcome text is shown instead (see `errorAppearance`). */
export function errorRows(state: ErrorListState, settings: ErrorRowSettings): readonly ErrorRow[] {
  if (state.kind !== 'ready' || state.isDisabled || (state.errors.length === 0 && state.problem !== undefined)) return [];
  const { keys, prefix, project, locale } = settings;
  const formats = {
    number: new Intl.NumberFormat(locale),
    moment: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }),
  };
  return [
    ...(keys === undefined ? [] : [keys]),
    ...state.errors.map((error) => rowOf(error, settings, formats)),
    ...(state.next === undefined ? [] : [moreRow(prefix, project)]),
  ];
}

/** Returns the row of a project, with those of its errors below it. */
export function projectRow(state: ErrorListState, settings: ErrorRowSettings): ErrorRow {
  const { project, locale } = settings;
  const id = `${settings.prefix}/project`;
  const rows = errorRows(state, settings);
  const description = formatListState(state, new Intl.NumberFormat(locale));
  const failure = failureOfState(state);
  const look =
    failure === undefined ? messageLook(`${id}/text`, description, 'info') : failureLook(`${id}/text`, failure, description);
  const shown: readonly ErrorRow[] = rows.length > 0 ? rows : [{ ...look, kind: 'text', rows: [] }];
  return visibleRow({
    ...{ kind: 'project', id, project, label: project.path, description, tooltip: project.path, icon: 'repo', color: undefined },
    spoken: [project.path, description].filter(Boolean).join(', '),
    rows: shown,
  });
}

function formatListState(state: ErrorListState, number: Intl.NumberFormat): string {
  switch (state.kind) {
    case 'idle':
    case 'loading':
      return l10n.t('Loading…');
    case 'failed':
      return state.failure.message;
    case 'ready': {
      if (state.isDisabled) return l10n.t('Error tracking is off');
      const count = state.errors.length;
      if (count === 0) return state.problem?.message ?? l10n.t('no errors');
      if (state.next !== undefined) return l10n.t('{0} or more errors', number.format(count));
      return count === 1 ? l10n.t('1 error') : l10n.t('{0} errors', number.format(count));
    }
  }
}

/** Created once per list, because creating them takes longer than the rest of a row. */
interface Formats {
  readonly number: Intl.NumberFormat;
  readonly moment: Intl.DateTimeFormat;
}

/** Mark before the description of a new error; screen readers get a word instead. */
const NEW = '●';

/**
 * In a narrow side bar, rows can be told apart by the type of the error and where it happened, so these come first; the message and the
 * counts follow.
 */
function rowOf(error: TrackedError, settings: ErrorRowSettings, { number, moment }: Formats): ErrorRow {
  const { prefix, project, frames, now, locale } = settings;
  const id = `${prefix}/error/${error.id}`;
  const events = formatEvents(error.count, number);
  const users = formatUsers(error.user_count, number);
  const age = formatRoundAge(now - error.last_seen, locale);
  const title = titleOf(error);
  const { type, message } = splitTitle(title);
  const isNew = settings.isNew(error);
  const status = formatStatus(error.status);
  const stillReported = formatStillReported(error, number, moment);
  const assignee = error.assignee === null ? '' : `@${error.assignee.username}`;
  const assignedText = error.assignee === null ? '' : l10n.t('Assigned to {0}', error.assignee.name);
  const day = error.hourly.reduce((sum, { count }) => sum + count, 0);
  return visibleRow({
    kind: 'error',
    id,
    project,
    error,
    isNew,
    label: type,
    description: [isNew ? NEW : '', shortCulprit(error.culprit), message, events, users, age, assignee]
      .filter(Boolean)
      .join(' · '),
    tooltip: [
      title,
      error.culprit,
      // Repeated here because a long title hides them in a narrow side bar.
      [status, events, users].filter(Boolean).join(' · '),
      stillReported,
      l10n.t('First seen: {0}', moment.format(error.first_seen)),
      l10n.t('Last seen: {0}', moment.format(error.last_seen)),
      day === 0 ? '' : `${sparkline(error.hourly)} ${l10n.t('{0} in 24 hours', formatEvents(day, number))}`,
      assignedText,
      error.issue === null ? '' : l10n.t('Issue: #{0} {1}', error.issue.iid, error.issue.title).trim(),
    ]
      .filter(Boolean)
      .join('\n'),
    spoken: [
      isNew ? l10n.t('New') : '',
      title,
      error.culprit,
      formatLevel(error.level),
      status,
      stillReported,
      events,
      users,
      l10n.t('last seen {0}', age),
      assignedText,
    ]
      .filter(Boolean)
      .join(', '),
    ...iconOf(error),
    rows: frameRows(id, project, error, frames(error.id)),
  });
}

/** Returns the title of an error, which is not empty. */
export function titleOf({ title }: Pick<TrackedError, 'title'>): string {
  return title === '' ? l10n.t('Untitled error') : title;
}

/** Splits a title such as `TypeError: fetch failed` into type and message. The title of a reported message is all type. */
function splitTitle(title: string): { readonly type: string; readonly message: string } {
  const [, type = title, message = ''] = /^([^\s:]\S*): (.+)$/s.exec(title) ?? [];
  return { type, message };
}

/** Returns a culprit such as `load (/srv/app/tides.js)` without the folders, for which a row has no space. */
function shortCulprit(culprit: string): string {
  return culprit.replace(/ \(([^()]*)\)$/, (_, location: string) => ` (${location.split(/[\\/]/).at(-1) ?? location})`);
}

function frameRows(
  prefix: string,
  project: ErrorProject,
  error: TrackedError,
  state: FramesState | undefined,
): readonly ErrorRow[] {
  if (state === undefined || state.kind === 'loading')
    return [messageRow(`${prefix}/loading`, l10n.t('Loading…'), 'loading~spin')];
  if (state.kind === 'failed') return [{ ...failureLook(`${prefix}/failed`, state.failure), kind: 'text', rows: [] }];
  const rows = state.frames.map((frame, index) => ({ frame, row: frameRow(`${prefix}/frame/${index}`, project, error, frame) }));
  if (rows.length === 0) return [messageRow(`${prefix}/none`, l10n.t('No stack trace'), 'info')];
  const own = rows.filter(({ frame }) => isOwn(frame)).map(({ row }) => row);
  const others = rows.filter(({ frame }) => !isOwn(frame)).map(({ row }) => row);
  return others.length === 0 ? own : [...own, librariesRow(`${prefix}/libraries`, others)];
}

function isOwn({ in_app: inApp, filename, abs_path: path }: TrackedFrame): boolean {
  return inApp ?? !isLibraryPath(path ?? filename ?? '<unknown>');
}

function frameRow(id: string, project: ErrorProject, error: TrackedError, frame: TrackedFrame): ErrorRow {
  const path = frame.filename ?? frame.abs_path ?? frame.module ?? frame.package ?? '';
  const name = pathParts(path).at(-1) ?? path;
  const location = frame.line === null ? name : `${name}:${frame.line}`;
  const called = nameOf(frame);
  const label = called ?? (location === '' ? l10n.t('(anonymous)') : location);
  const description = called === null ? '' : location;
  const whole = frame.line === null ? path : `${path}:${frame.line}${frame.column === null ? '' : `:${frame.column}`}`;
  return visibleRow({
    kind: 'frame',
    id,
    project,
    error,
    frame,
    label,
    description,
    tooltip: [whole, frame.code?.trim() ?? ''].filter(Boolean).join('\n'),
    spoken: [label, path, frame.line === null ? '' : l10n.t('line {0}', frame.line)].filter(Boolean).join(', '),
    icon: 'debug-stackframe',
    color: undefined,
    rows: [],
  });
}

/** SDKs report `?` for a function without a name. One of a native program is told apart by its address. */
function nameOf({ function: name, address }: TrackedFrame): string | null {
  return name === '?' ? l10n.t('(anonymous)') : (name ?? address ?? null);
}

function librariesRow(id: string, rows: readonly ErrorRow[]): ErrorRow {
  const label = rows.length === 1 ? l10n.t('1 library frame') : l10n.t('{0} library frames', rows.length);
  return { kind: 'libraries', id, label, description: '', tooltip: '', spoken: label, icon: 'library', color: undefined, rows };
}

function messageRow(id: string, label: string, icon: string): ErrorRow {
  return { ...messageLook(id, label, icon), kind: 'text', rows: [] };
}

function moreRow(prefix: string, project: ErrorProject): ErrorRow {
  const label = l10n.t('Load more');
  return { ...messageRow(`${prefix}/more`, label, 'ellipsis'), kind: 'more', project, tooltip: '' };
}

export function formatEvents(count: number, number: Intl.NumberFormat): string {
  return count === 1 ? l10n.t('1 event') : l10n.t('{0} events', number.format(count));
}

/** Returns an empty text if no user is known. */
export function formatUsers(count: number, number: Intl.NumberFormat): string {
  if (count === 0) return '';
  return count === 1 ? l10n.t('1 user') : l10n.t('{0} users', number.format(count));
}

export function formatStatus(status: ErrorStatus): string {
  switch (status) {
    case 'unresolved':
      return l10n.t('unresolved');
    case 'resolved':
      return l10n.t('resolved');
    case 'resolved_in_next_release':
      return l10n.t('resolved in the next release');
    case 'ignored':
      return l10n.t('ignored');
  }
}

/** Returns an empty text unless the error is resolved in the next release and older ones still report it. */
export function formatStillReported(
  { status, countSinceStatus, statusChangedAt }: TrackedError,
  number: Intl.NumberFormat,
  moment: Intl.DateTimeFormat,
): string {
  if (status !== 'resolved_in_next_release' || countSinceStatus === null || countSinceStatus === 0 || statusChangedAt === null)
    return '';
  return l10n.t(
    'still reported by older releases: {0} since {1}',
    number.format(countSinceStatus),
    moment.format(statusChangedAt),
  );
}

function formatLevel(level: string | null): string {
  switch (level) {
    case 'fatal':
      return l10n.t('fatal error');
    case 'warning':
      return l10n.t('warning');
    case 'info':
      return l10n.t('info');
    case 'debug':
      return l10n.t('debug');
    case null:
    default:
      return l10n.t('error');
  }
}

function iconOf({ status, level }: TrackedError): Pick<RowLook, 'icon' | 'color'> {
  if (status === 'resolved' || status === 'resolved_in_next_release') return { icon: 'pass', color: 'charts.green' };
  if (status === 'ignored') return { icon: 'circle-slash', color: 'disabledForeground' };
  switch (level) {
    case 'fatal':
      return { icon: 'flame', color: 'charts.red' };
    case 'warning':
      return { icon: 'warning', color: 'charts.yellow' };
    case 'info':
    case 'debug':
      return { icon: 'info', color: 'charts.blue' };
    case null:
    default:
      return { icon: 'error', color: 'charts.red' };
  }
}
