import * as l10n from '@vscode/l10n';
import { documentOf, type DocumentPart, formatLink, formatPerson, formatTime, oneLine } from '../activity/documentParts.ts';
import type { NotificationEventBasic, RecipientDecision, Remedy } from '../contract/notificationDecisions.ts';
import type { ScopedSetting } from '../contract/notifications.ts';
import { formatEvent, formatLevel } from '../notifications/texts.ts';
import type { SettingsExplanation } from './explanation.ts';
import type { Thread } from './question.ts';
import { remedySentence, ruleSentence, settingSentence, verdictOf, verdictOfReach } from './sentences.ts';

/** The target of an event. */
export interface Subject {
  /** Full path of the project or group; empty if unknown. */
  readonly path: string;
  readonly thread: Thread | undefined;
  readonly title: string;
  readonly page: string | undefined;
}

/** Document with the lines of its remedies. */
export interface WhyDocument {
  /** Markdown. */
  readonly text: string;
  readonly remedies: readonly { readonly remedy: Remedy; readonly sentence: string /** Zero-based. */; readonly line: number }[];
}

/** Returns the explanation of a decision about the user. `happened` is the event if it happened. */
export function decisionDocument(
  decision: RecipientDecision,
  subject: Subject,
  happened: NotificationEventBasic | undefined,
  locale: string,
): WhyDocument {
  const { mailed, rules, remedies } = decision;
  const hasHappened = happened !== undefined;
  const last = rules.at(-1);
  const cause = mailed || last === undefined ? '' : ruleSentence(last, decision);
  return documentWith(
    [
      `# ${hasHappened ? (mailed ? l10n.t('Why was I mailed?') : l10n.t('Why was I not mailed?')) : l10n.t('Would I be mailed?')}`,
      [`**${verdictOf(decision, hasHappened)}**`, oneLine(cause)].filter(Boolean).join(' '),
      listOf([
        l10n.t('Event: {0}', formatEvent(decision.event)),
        ...subjectLines(subject),
        ...(happened === undefined
          ? []
          : [
              l10n.t('Caused by: {0}', happened.actor === null ? l10n.t('nobody') : formatPerson(happened.actor)),
              l10n.t('Date: {0}', formatTime(happened.created_at, locale)),
            ]),
        l10n.t('Level that applies: {0}', oneLine(settingSentence(decision.setting))),
      ]),
      formatLink(subject.page),
      `## ${l10n.t('Rules, in the order in which they apply')}`,
      rules
        .map((rule, at) => `${at + 1}. ${rule.outcome === 'refused' ? '✗' : '✓'} ${oneLine(ruleSentence(rule, decision))}`)
        .join('\n'),
    ],
    remedies,
    mailed,
    hasHappened,
  );
}

/** Returns what the settings say about an event on an instance that does not explain its mails. */
export function settingsDocument(explanation: SettingsExplanation, subject: Subject): WhyDocument {
  const { event, chain, setting, mailed, reach, relations, remedies } = explanation;
  const verdict = mailed && relations.length > 0 ? l10n.t('You would be mailed.') : verdictOfReach(event, reach);
  const known = relations.map(({ type }) =>
    type === 'subscription' ? l10n.t('You subscribed, which counts at every level.') : l10n.t('You take part in the thread.'),
  );
  return documentWith(
    [
      `# ${l10n.t('Would I be mailed?')}`,
      `**${verdict}**`,
      l10n.t(
        'This instance does not explain its mails. The verdict follows from your notification settings and assumes that you can read what the event is about and did not cause it. The full explanation, rule by rule, is available on the local server only.',
      ),
      listOf([
        l10n.t('Event: {0}', formatEvent(event)),
        ...subjectLines(subject),
        ...known,
        l10n.t('Level that applies: {0}', oneLine(settingSentence(setting))),
      ]),
      formatLink(subject.page),
      `## ${l10n.t('Settings, from the project to your global setting')}`,
      chain.map((one, at) => `${at + 1}. ${one === setting ? '✓ ' : ''}${oneLine(chainLine(one))}`).join('\n'),
      setting.level === 'custom' && setting.scope.kind === 'global'
        ? l10n.t('The instance does not tell which events your global setting selects.')
        : '',
    ],
    remedies,
    mailed,
    false,
  );
}

/** Returns the document of an event whose recipients have not been decided yet. */
export function pendingDocument(): WhyDocument {
  const text = documentOf([
    `# ${l10n.t('Why was I mailed?')}`,
    l10n.t('The recipients of this event have not been decided yet. Refresh this document in a moment.'),
  ]).text;
  return { text, remedies: [] };
}

function documentWith(
  parts: readonly string[],
  remedies: readonly Remedy[],
  isMailed: boolean,
  hasHappened: boolean,
): WhyDocument {
  const sentences = remedies.map((remedy) => remedySentence(remedy, isMailed));
  const heading = hasHappened ? l10n.t('What would change it next time') : l10n.t('What would change it');
  const all: readonly DocumentPart[] = [
    ...parts,
    ...(sentences.length === 0 ? [] : [`## ${heading}`]),
    // `note` is the key under which the line of a part is returned.
    ...sentences.map((sentence, note) => ({ note, text: `- ${oneLine(sentence)}` })),
  ];
  const { text, lines } = documentOf(all);
  return {
    text,
    remedies: remedies.map((remedy, at) => ({ remedy, sentence: sentences[at] ?? '', line: lines.get(at) ?? 0 })),
  };
}

function subjectLines({ path, thread, title }: Subject): readonly string[] {
  const name = thread === undefined ? title : `${thread.type === 'Issue' ? '#' : '!'}${thread.iid} ${title}`;
  return [
    ...(path === '' ? [] : [l10n.t('Project: {0}', oneLine(path))]),
    ...(name.trim() === '' ? [] : [l10n.t('About: {0}', oneLine(name))]),
  ];
}

function chainLine({ level, scope }: ScopedSetting): string {
  switch (scope.kind) {
    case 'global':
      return l10n.t('Global setting: {0}', formatLevel(level));
    case 'group':
      return l10n.t('Group {0}: {1}', scope.path, formatLevel(level));
    case 'project':
      return l10n.t('Project {0}: {1}', scope.path, formatLevel(level));
  }
}

function listOf(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}
