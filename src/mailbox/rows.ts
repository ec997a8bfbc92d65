import * as l10n from '@vscode/l10n';
import { groupByDay } from '../activity/days.ts';
import type { MailBasic } from '../contract/mail.ts';
import { type RowLook, visibleRow } from '../ui/row.ts';
import type { MailboxState } from './model.ts';
import { formatEventOf, formatReason } from './texts.ts';

/** Row of the view. Its id stays the same as long as the row represents the same mail or day. */
export type MailRow =
  | { readonly kind: 'day'; readonly id: string; readonly label: string; readonly rows: readonly MailRow[] }
  | (RowLook & { readonly kind: 'mail'; readonly mail: MailBasic })
  | { readonly kind: 'more'; readonly id: string };

/** Mark before the description of an unread mail; screen readers get a word instead. */
const UNREAD = '●';

/** Returns the rows of a mailbox. `prefix` is the key of the list. */
export function mailRows(state: MailboxState, prefix: string, now: Date, locale: string): readonly MailRow[] {
  if (state.kind !== 'ready') return [];
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
  const days = groupByDay(state.mails, now, locale).map(
    ({ key, label, events }): MailRow => ({
      kind: 'day',
      id: `${prefix}/day/${key}`,
      label,
      rows: events.map((mail) => rowOf(mail, prefix, label, time, locale)),
    }),
  );
  return state.next === undefined ? days : [...days, { kind: 'more', id: `${prefix}/more` }];
}

function rowOf(mail: MailBasic, prefix: string, day: string, timeFormat: Intl.DateTimeFormat, locale: string): MailRow {
  const date = new Date(mail.created_at);
  const time = timeFormat.format(date);
  const reason = formatReason(mail.reason);
  const sender = senderOf(mail.from);
  const subject = mail.subject === '' ? l10n.t('(no subject)') : mail.subject;
  const event = mail.event === null ? '' : formatEventOf(mail.event);
  const look = visibleRow({
    label: subject,
    description: [mail.read ? '' : UNREAD, reason, time].filter(Boolean).join(' · '),
    tooltip: [
      subject,
      l10n.t('Sender: {0}', mail.from),
      l10n.t('Recipient: {0}', mail.to),
      new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' }).format(date),
      ...(event === '' ? [] : [l10n.t('Event: {0}', event)]),
      ...(reason === '' ? [] : [l10n.t('Reason: {0}', reason)]),
    ].join('\n'),
    spoken: [
      mail.read ? '' : l10n.t('Unread'),
      subject,
      sender === '' ? '' : l10n.t('from {0}', sender),
      reason,
      `${day} ${time}`,
    ]
      .filter(Boolean)
      .join(', '),
    icon: mail.read ? 'mail-read' : 'mail',
    color: mail.read ? undefined : 'charts.blue',
  });
  return { kind: 'mail', id: `${prefix}/mail/${mail.id}`, mail, ...look };
}

/** Returns the display name of an address such as `Ada Moss <ada@example.com>`, else the address. */
function senderOf(from: string): string {
  const name = /^\s*"?([^"<]*?)"?\s*<.*>\s*$/.exec(from)?.[1] ?? '';
  return name === '' ? from : name;
}
