import * as l10n from '@vscode/l10n';
import { documentOf, formatLink, formatTime, oneLine } from '../activity/documentParts.ts';
import type { Mail } from '../contract/mail.ts';
import { visible } from '../contract/visibleText.ts';
import { formatEventOf, formatReason } from './texts.ts';

/** Returns the document of a mail: its details and its plain text. */
export function mailText(mail: Mail, locale: string): string {
  const reason = formatReason(mail.reason);
  const details = [
    l10n.t('Sender: {0}', oneLine(mail.from)),
    l10n.t('Recipient: {0}', oneLine(mail.to)),
    l10n.t('Date: {0}', formatTime(mail.created_at, locale)),
    ...(mail.event === null ? [] : [l10n.t('Event: {0}', oneLine(formatEventOf(mail.event)))]),
    ...(reason === '' ? [] : [l10n.t('Reason: {0}', oneLine(reason))]),
  ];
  return documentOf([
    `# ${oneLine(mail.subject) || l10n.t('(no subject)')}`,
    details.map((detail) => `- ${detail}`).join('\n'),
    formatLink(mail.about?.web_url ?? undefined),
    '---',
    // The plain text of a mail is not Markdown, but most of it is written by users as Markdown, so it is shown unchanged.
    visible(mail.text).trim(),
  ]).text;
}
