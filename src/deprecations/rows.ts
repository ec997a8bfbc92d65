import * as l10n from '@vscode/l10n';
import type { DeprecatedCall } from '../contract/deprecatedCalls.ts';
import { compareReleases, type Release } from '../contract/releases.ts';
import { type RowLook, visibleRow } from '../ui/row.ts';
import type { CallListState } from './model.ts';
import { deprecationName } from './releaseChanges.ts';

/** Row of the view. Its id stays the same as long as it represents the same release, request or client. */
export interface CallRow extends RowLook {
  readonly kind: 'release' | 'request' | 'client' | 'replacement';
  /** ID of the deprecation; undefined for a release. */
  readonly deprecation: string | undefined;
  /** Sentence about the replacement; undefined for a release. */
  readonly replacement: string | undefined;
  readonly rows: readonly CallRow[];
}

export interface RowSettings {
  /** Release that the instance emulates, if it is known. */
  readonly emulated: Release | undefined;
  readonly locale: string;
}

/** Returns the calls grouped by the release that removes what they use, the next one first, and then those that still work. */
export function callRows(state: CallListState, settings: RowSettings): readonly CallRow[] {
  if (state.kind !== 'ready') return [];
  const breaking = Map.groupBy(
    state.calls.filter(({ breaks }) => breaks),
    (call) => call.removed_in ?? '',
  );
  const others = state.calls.filter(({ breaks }) => !breaks);
  const groups = [...breaking].toSorted(([a], [b]) => comparedAsReleases(a, b));
  return [
    ...groups.map(([removedIn, calls]) => breakingRow(removedIn, calls, settings)),
    ...(others.length === 0 ? [] : [workingRow(state.release, others, settings)]),
  ];
}

function breakingRow(removedIn: string, calls: readonly DeprecatedCall[], settings: RowSettings): CallRow {
  const { emulated } = settings;
  const isGone = emulated !== undefined && comparedAsReleases(emulated, removedIn) >= 0;
  const label = isGone ? l10n.t('Broken since release {0}', removedIn) : l10n.t('Breaks in release {0}', removedIn);
  const look = isGone ? { icon: 'error', color: 'charts.red' } : { icon: 'warning', color: 'charts.yellow' };
  return releaseRow({ id: `release/${removedIn}`, label, calls, look, settings });
}

function workingRow(release: Release, calls: readonly DeprecatedCall[], settings: RowSettings): CallRow {
  const label = l10n.t('Still works in release {0}', release);
  return releaseRow({ id: 'working', label, calls, look: { icon: 'pass', color: 'charts.green' }, settings });
}

interface ReleaseGroup {
  readonly id: string;
  readonly label: string;
  readonly calls: readonly DeprecatedCall[];
  readonly look: Pick<RowLook, 'icon' | 'color'>;
  readonly settings: RowSettings;
}

function releaseRow({ id, label, calls, look, settings }: ReleaseGroup): CallRow {
  const description = formatCount(calls, settings.locale);
  const requests = Map.groupBy(calls, ({ deprecation, request }) => `${deprecation}/${request}`);
  // By deprecation; each in the order of its latest call.
  const byDeprecation = Map.groupBy(requests.values(), ([call]) => call?.deprecation ?? '');
  return visibleRow({
    kind: 'release',
    id,
    label,
    description,
    tooltip: `${label}\n\n${description}`,
    spoken: `${label}, ${description}`,
    ...look,
    deprecation: undefined,
    replacement: undefined,
    rows: [...byDeprecation.values()].flat().map((group) => requestRow(group, look, settings)),
  });
}

/** Returns the row of a request of a deprecated element. Its rows are the replacement and, if there are several, the clients. */
function requestRow(calls: readonly DeprecatedCall[], look: Pick<RowLook, 'icon' | 'color'>, settings: RowSettings): CallRow {
  const { deprecation = '', request = '', replacement = '' } = calls[0] ?? {};
  const id = `call/${deprecation}/${request}`;
  const label = `${request} · ${deprecationName(deprecation)}`;
  const clients = [...Map.groupBy(calls, formatClient)];
  const [only] = clients;
  const who = clients.length === 1 && only !== undefined ? only[0] : l10n.t('{0} clients', clients.length);
  const description = `${who} · ${formatCount(calls, settings.locale)}`;
  const details = clients.map(([client, theirs]) => formatCalls(client, theirs, settings.locale));
  const replacementText = l10n.t('Replacement: {0}', replacement);
  return visibleRow({
    kind: 'request',
    id,
    label,
    description,
    tooltip: [label, ...details, replacementText].join('\n\n'),
    spoken: [label, who, formatCount(calls, settings.locale), replacementText].join(', '),
    ...look,
    deprecation,
    replacement,
    rows: [
      visibleRow({
        kind: 'replacement',
        id: `${id}/replacement`,
        label: replacement,
        description: '',
        tooltip: replacementText,
        spoken: replacementText,
        icon: 'lightbulb',
        color: undefined,
        deprecation,
        replacement,
        rows: [],
      }),
      ...(clients.length === 1 ? [] : clients.map(([client, theirs]) => clientRow(id, client, theirs, settings))),
    ],
  });
}

function clientRow(requestId: string, client: string, calls: readonly DeprecatedCall[], { locale }: RowSettings): CallRow {
  const { deprecation, replacement } = calls[0] ?? {};
  const count = formatCount(calls, locale);
  return visibleRow({
    kind: 'client',
    id: `${requestId}/client/${client}`,
    label: client,
    description: count,
    tooltip: formatCalls(client, calls, locale),
    spoken: `${client}, ${count}`,
    icon: 'vm',
    color: undefined,
    deprecation,
    replacement,
    rows: [],
  });
}

/** Returns the program, and the OAuth application if it used the token of one. */
function formatClient({ user_agent: program, application }: DeprecatedCall): string {
  const name = program === '' ? l10n.t('Unnamed client') : program;
  return application === null ? name : l10n.t('{0} ({1})', name, application);
}

/** Returns the details of the calls of one client: their number, first and last time, and users. */
function formatCalls(client: string, calls: readonly DeprecatedCall[], locale: string): string {
  const times = (of: (call: DeprecatedCall) => string): number[] => calls.map((call) => Date.parse(of(call)));
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const users = [...new Set(calls.map(({ username }) => (username === null ? l10n.t('anonymous') : `@${username}`)))];
  return [
    `${client} · ${formatCount(calls, locale)}`,
    l10n.t('First: {0}', formatted(format, Math.min(...times(({ first_at: first }) => first)))),
    l10n.t('Last: {0}', formatted(format, Math.max(...times(({ last_at: last }) => last)))),
    l10n.t('User: {0}', users.join(', ')),
  ].join('\n');
}

/** Returns the formatted time, or an empty text if the instance sent none. */
function formatted(format: Intl.DateTimeFormat, time: number): string {
  return Number.isNaN(time) ? '' : format.format(time);
}

function formatCount(calls: readonly DeprecatedCall[], locale: string): string {
  const count = calls.reduce((sum, call) => sum + call.count, 0);
  return count === 1 ? l10n.t('1 call') : l10n.t('{0} calls', count.toLocaleString(locale));
}

/** Compares two texts as releases. Texts that are none come last. */
function comparedAsReleases(a: string, b: string): number {
  const isRelease = (text: string): text is Release => /^\d+\.\d+$/.test(text);
  if (isRelease(a) && isRelease(b)) return compareReleases(a, b);
  return Number(isRelease(b)) - Number(isRelease(a));
}
