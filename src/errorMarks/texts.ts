import * as l10n from '@vscode/l10n';
import type { ErrorDetail } from '../contract/errorDetail.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import { formatEvents, formatUsers, titleOf } from '../errorTracking/rows.ts';
import { doubtText } from '../errorCode/doubts.ts';
import type { LineDoubt } from '../errorCode/lines.ts';
import { releaseOf } from '../errorCode/releaseOf.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import { sparkline } from '../errorTracking/sparkline.ts';
import { type ErrorOfProject, linkTo } from '../errorTracking/target.ts';
import { commands } from '../ids.ts';
import { formatRoundAge } from '../support/ages.ts';
import { escapeMarkdown } from '../support/markdown.ts';

/** Error at a line, with what is known of it. */
export interface MarkedError extends ErrorOfProject {
  readonly detail: ErrorDetail;
  /** Reason why the line may be another one than that of the event; null if it is that line. */
  readonly doubt: LineDoubt | null;
}

export interface TextSettings {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Language tag. */
  readonly locale: string;
}

/** Returns the text at the end of a line: how often its errors occurred, and when last. Users of several errors can be the same ones. */
export function lineText(marked: readonly MarkedError[], { now, locale }: TextSettings): string {
  const errors = marked.map(({ error }) => error);
  const number = new Intl.NumberFormat(locale);
  const events = errors.reduce((sum, { count }) => sum + count, 0);
  const last = Math.max(...errors.map(({ last_seen: seen }) => seen));
  const [first, ...others] = errors;
  const subject = others.length === 0 ? '' : l10n.t('{0} errors', number.format(errors.length));
  const users = others.length === 0 && first !== undefined ? formatUsers(first.user_count, number) : '';
  return [subject, formatEvents(events, number), users, formatRoundAge(now - last, locale)].filter(Boolean).join(' · ');
}

/** Maximum number of characters of the messages in all code lenses of a line. */
const MAX_LENS_MESSAGES = 90;

/** Returns the text above a line: what happened there, and how often. `count` is the number of lenses above the line. */
export function lensText(error: TrackedError, count: number, locale: string): string {
  return `${shortened(titleOf(error), MAX_LENS_MESSAGES / count)} · ${formatEvents(error.count, new Intl.NumberFormat(locale))}`;
}

/** Maximum number of errors that the hover of a line describes. */
const MAX_SHOWN = 3;
/** Maximum number of characters of a message in a hover. */
const MAX_MESSAGE = 300;

/** Returns the hover of a line as Markdown. `canChange` returns true if the instance can change the status of the errors of a project. */
export function hoverText(
  marked: readonly MarkedError[],
  canChange: (project: ErrorProject) => boolean,
  settings: TextSettings,
): string {
  const texts = marked.slice(0, MAX_SHOWN).map((one) => errorText(one, canChange(one.project), settings));
  const others = marked.length - texts.length;
  return [...texts, ...(others > 0 ? [l10n.t('Further errors at this line: {0}', others)] : [])].join('\n\n---\n\n');
}

function errorText(marked: MarkedError, canChange: boolean, settings: TextSettings): string {
  const { error, detail, doubt } = marked;
  const { locale } = settings;
  const number = new Intl.NumberFormat(locale);
  const release = releaseOf(detail)?.version;
  const day = detail.hourly.reduce((sum, { count }) => sum + count, 0);
  const metadata = [
    lineText([marked], settings),
    release === undefined ? '' : l10n.t('Release: {0}', release),
    doubt === null ? '' : doubtText(doubt, release),
  ];
  return [
    `**${escapeMarkdown(shortened(titleOf(error)))}**`,
    metadata.filter(Boolean).map(escapeMarkdown).join('  \n'),
    ...(day === 0
      ? []
      : [`\`${sparkline(detail.hourly)}\` ${escapeMarkdown(l10n.t('{0} in 24 hours', formatEvents(day, number)))}`]),
    [
      link(l10n.t('Show Error'), commands.errorTrackingShow, marked),
      ...(canChange
        ? [
            link(l10n.t('Resolve'), commands.errorTrackingResolve, marked),
            link(l10n.t('Ignore…'), commands.errorTrackingIgnore, marked),
            link(l10n.t('Assign…'), commands.errorTrackingAssign, marked),
            link(l10n.t('Merge…'), commands.errorTrackingMerge, marked),
          ]
        : []),
      error.issue === null
        ? link(l10n.t('Create Issue…'), commands.errorTrackingCreateIssue, marked)
        : link(l10n.t('Open Issue #{0}', error.issue.iid), commands.errorTrackingOpenIssue, marked),
      link(l10n.t('Replay in Debugger'), commands.errorReplayStart, marked),
      link(l10n.t('Open in Browser'), commands.errorTrackingOpenInBrowser, marked),
    ].join(' &nbsp;·&nbsp; '),
  ].join('\n\n');
}

function link(label: string, command: string, marked: MarkedError): string {
  return `[${label}](command:${command}?${encodeURIComponent(JSON.stringify([linkTo(marked)]))})`;
}

function shortened(text: string, length = MAX_MESSAGE): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
