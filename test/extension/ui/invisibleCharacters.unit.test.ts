import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { describeEvent } from '../../../src/activity/describe.ts';
import { documentUri } from '../../../src/activity/documentAddress.ts';
import { fenced } from '../../../src/activity/documentParts.ts';
import { eventDocument } from '../../../src/activity/documentText.ts';
import { hoverOfEvent } from '../../../src/activity/hover.ts';
import { rowsOf } from '../../../src/activity/rows.ts';
import { readProjectBasic } from '../../../src/contract/projects.ts';
import { visible } from '../../../src/contract/visibleText.ts';
import { event, pushEvent } from '../activity/events.ts';
import { visibleRow } from '../../../src/ui/row.ts';

const locale = 'en';
const branch = pushEvent('pushed to', { ref: 'main\u202eniam', commit_title: 'Swap \u200bthe lamps' });
const tag = pushEvent('pushed new', { action: 'created', ref_type: 'tag', ref: 'v1\u200b' });
const issue = event({ target_title: 'Relay \u2067flickers', author: { id: 7, username: 'ana', name: 'Ana\u202e Novak' } });
const project = readProjectBasic({ id: 42, path_with_namespace: 'signals/re\u200blay' });

const INVISIBLE = /[\u200b\u202e\u2067]/u;

const textsOf = (shown: typeof branch): Readonly<Record<string, string>> => {
  const [day] = rowsOf(
    { kind: 'ready', events: [shown], next: undefined, at: 0, isCached: false, problem: undefined },
    {
      prefix: 'list',
      details: 'both',
      project: () => project,
      isUnread: () => false,
      maxEvents: 10,
      now: new Date(shown.created_at),
      locale,
    },
  );
  const row = day?.kind === 'day' ? day.rows[0] : undefined;
  if (row?.kind !== 'event') throw new Error('there is no row');
  return {
    label: row.label,
    description: row.description,
    'text for screen readers': row.spoken,
    hover: hoverOfEvent(shown, project, locale),
    document: eventDocument(shown, undefined, project, undefined, locale).text,
    'name of a tab': documentUri({ account: 'local/7', kind: 'event', event: 1 }, shown, locale).path,
  };
};

describe('invisible characters in names', () => {
  for (const [name, shown, expected] of [
    ['a branch', branch, 'main⟦U+202E⟧niam'],
    ['a tag', tag, 'v1⟦U+200B⟧'],
    ['an issue', issue, 'Relay ⟦U+2067⟧flickers'],
  ] as const) {
    for (const [location, text] of Object.entries(textsOf(shown))) {
      it(`are shown in the ${location} of ${name}`, () => {
        // Hovers escape Markdown characters.
        const plain = text.replaceAll('\\', '');
        assert.doesNotMatch(plain, INVISIBLE);
        assert.ok(location === 'description' ? plain.includes('re⟦U+200B⟧lay') : plain.includes(expected), text);
      });
    }
  }

  it('are shown in the names of users', () => {
    assert.match(textsOf(issue)['hover'] ?? '', /Ana⟦U\\\+202E⟧ Novak/);
    assert.match(textsOf(issue)['document'] ?? '', /Ana⟦U\+202E⟧ Novak/);
  });

  it('are shown in diffs', () => assert.equal(fenced('diff', '+a\u202eb'), '```diff\n+a⟦U+202E⟧b\n```'));

  it('are shown in every text of a row', () => {
    const text = 'a\u202eb';
    const shown = 'a⟦U+202E⟧b';
    assert.deepEqual(visibleRow({ label: text, description: text, tooltip: text, spoken: text, icon: 'tag' }), {
      label: shown,
      description: shown,
      tooltip: shown,
      spoken: shown,
      icon: 'tag',
    });
  });

  it('leave other text unchanged', () => {
    for (const text of ['main', 'ümläut 🚦\tline\nnext', '👩‍💻', '❤️', 'می‌خواهم', 'क्‍ष', 'שלום', 'a\u00a0b'])
      assert.equal(visible(text), text);
    assert.equal(describeEvent(event(), locale).label, 'Opened #12 Relay flickers');
  });

  for (const codePoint of [
    0x00, 0x0d, 0x7f, 0x85, 0xad, 0x200b, 0x200c, 0x200d, 0x202a, 0x202e, 0x2066, 0x2069, 0x3164, 0xfeff, 0xe0041,
  ]) {
    const number = codePoint.toString(16).toUpperCase().padStart(4, '0');
    it(`are shown for U+${number}`, () => assert.equal(visible(`a${String.fromCodePoint(codePoint)}b`), `a⟦U+${number}⟧b`));
  }
});
