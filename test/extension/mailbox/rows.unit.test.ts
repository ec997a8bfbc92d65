import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { MailBasic } from '../../../src/contract/mail.ts';
import { type MailRow, mailRows } from '../../../src/mailbox/rows.ts';
import { mailText } from '../../../src/mailbox/mailText.ts';
import { germanTexts, useLanguage } from '../../support/extension/language.ts';
import { mail } from './mails.ts';

const NOW = new Date('2026-11-20T18:00:00.000Z');

const rowsOf = (mails: readonly MailBasic[], next?: string, locale = 'en'): readonly MailRow[] =>
  mailRows({ kind: 'ready', mails, next, at: 0, problem: undefined }, 'list', NOW, locale);

/** Returns the only row of the only day. */
function rowOf(changed: Partial<MailBasic> = {}, locale = 'en'): MailRow & { readonly kind: 'mail' } {
  const [day] = rowsOf([mail(changed)], undefined, locale);
  const row = day?.kind === 'day' ? day.rows[0] : undefined;
  assert.ok(row?.kind === 'mail');
  return row;
}

describe('the rows of the mailbox', () => {
  it('are grouped by day, newest first, and end with a row that loads more', () => {
    const rows = rowsOf([mail({ id: 9 }), mail({ id: 8, created_at: '2026-11-19T12:00:00.000Z' })], 'more');
    assert.deepEqual(
      rows.map((row) => (row.kind === 'day' ? row.label : row.kind)),
      ['Today', 'Yesterday', 'more'],
    );
    assert.deepEqual(rowsOf([]), []);
    assert.deepEqual(mailRows({ kind: 'loading' }, 'list', NOW, 'en'), []);
  });

  it('mark unread mails with a dot, an icon and a word for screen readers', () => {
    const unread = rowOf();
    assert.match(unread.description, /^● · mentioned · \d+:05/);
    assert.equal(unread.icon, 'mail');
    assert.match(unread.spoken, /^Unread, Re: Lamps \| Too dim \(#1\), from Rita Reed, mentioned, Today /);
    const read = rowOf({ read: true });
    assert.match(read.description, /^mentioned · /);
    assert.equal(read.icon, 'mail-read');
    assert.doesNotMatch(read.spoken, /Unread/);
  });

  const reasons: readonly (readonly [reason: string | null, english: string, german: string])[] = [
    ['own_activity', 'own activity', 'eigene Aktivität'],
    ['assigned', 'assigned', 'zugewiesen'],
    ['review_requested', 'review requested', 'Review angefordert'],
    ['mentioned', 'mentioned', 'erwähnt'],
    ['subscribed', 'subscribed', 'abonniert'],
    ['something_new', 'something new', 'something new'],
  ];
  for (const [reason, english] of reasons) {
    it(`say that the reason is “${english}”`, () => {
      assert.ok(rowOf({ reason }).description.includes(`· ${english} ·`));
    });
  }

  describe('in German', () => {
    useLanguage(germanTexts);
    for (const [reason, , german] of reasons) {
      it(`say that the reason is “${german}”`, () => {
        assert.ok(rowOf({ reason }, 'de').description.includes(`· ${german} ·`));
      });
    }
  });

  it('have no reason if the mail has none, and a replacement for an empty subject', () => {
    assert.match(rowOf({ reason: null, read: true }).description, /^\d+:05/);
    assert.equal(rowOf({ subject: '' }).label, '(no subject)');
  });

  it('show the address of a sender without a name, and invisible characters as code points', () => {
    assert.match(rowOf({ from: 'build@example.com' }).spoken, /, from build@example\.com,/);
    assert.match(rowOf({ from: '"Reed, Rita" <a@example.com>' }).spoken, /, from Reed, Rita,/);
    assert.doesNotMatch(rowOf({ subject: 'a\u202eb' }).label, /\u202e/);
  });

  it('name sender, recipient, event and reason in the tooltip', () => {
    const { tooltip } = rowOf();
    for (const part of ['Sender: Rita Reed <', 'Recipient: ada@', 'Event: New comment', 'Reason: mentioned'])
      assert.ok(tooltip.includes(part), tooltip);
    assert.match(rowOf({ event: 'something_else' }).tooltip, /Event: something else/);
  });
});

describe('the document of a mail', () => {
  it('has the subject as its heading, the details, the link and the text', () => {
    const text = mailText({ ...mail(), text: 'Which bulb?\r\n', html: '' }, 'en');
    assert.match(text, /^# Re: Lamps \| Too dim \(#1\)\n\n- Sender: Rita Reed /);
    assert.match(text, /\n- Event: New comment\n- Reason: mentioned\n\n<http:.*#note_3>\n\n---\n\nWhich bulb\?\n$/);
  });
});
