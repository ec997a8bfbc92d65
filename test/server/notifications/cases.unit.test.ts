import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { decide, type Decision } from '../../../server/features/notifications/rules.ts';
import { remediesFor } from '../../../server/features/notifications/remedies.ts';
import { cases, detailsOf } from './cases.ts';
import { verdictOf } from './verdict.ts';

describe('rules of notification mail', () => {
  it('has at least 250 different cases', () => {
    assert.ok(new Set(cases.map((one) => JSON.stringify(one))).size >= 250, `${cases.length} cases`);
  });

  it('every case cites a row of the documentation, and every row has a case', () => {
    const page = readFileSync(path.join(import.meta.dirname, '../../../docs/interface.md'), 'utf8');
    const [, section = ''] = page.split('#### Who is mailed\n');
    const [text = ''] = section.split(/^#{1,4} /m);
    const rows = [...text.matchAll(/^\| (?!Rule|Event|Level)([^|]+?) \|/gm)].map(([, cell = '']) =>
      cell.replace(/^`(\w+)`.*/, '$1'),
    );
    const sentences = ['A setting', 'Of several reasons'];
    for (const sentence of sentences) assert.match(text, new RegExp(`^${sentence}|[.\\n] ?${sentence}`, 'm'));
    assert.deepEqual([...new Set(cases.map(({ row }) => row))].sort(), [...new Set([...rows, ...sentences])].sort());
  });

  it('every case is decided as documented', () => {
    const wrong = cases.flatMap((one) => {
      const verdict = verdictOf(decide(detailsOf(one)));
      return verdict === one.expected ? [] : [`${JSON.stringify(one)} was decided as "${verdict}"`];
    });
    assert.deepEqual(wrong, []);
  });

  it('every verdict is a sentence that says the same', () => {
    for (const one of cases) {
      const decision: Decision = decide(detailsOf(one));
      assert.match(decision.text, decision.mailed ? /^The user is mailed[^.]*\.$/ : /^The user is not mailed\. .+\.$/);
      for (const { text } of decision.rules) assert.match(text, /^[A-Z].*\.$/);
    }
  });

  it('what a level refuses can be reversed, and the remedies of a decision differ', () => {
    for (const one of cases) {
      const texts = remediesFor(detailsOf(one)).map(({ text }) => text);
      assert.equal(new Set(texts).size, texts.length, JSON.stringify(one));
      if (one.expected === 'not mailed: level') assert.notDeepEqual(texts, [], JSON.stringify(one));
    }
  });

  it('no remedy names a subscription to a snippet', () => {
    for (const one of cases.filter(({ target }) => target === 'Snippet')) {
      const kinds = remediesFor(detailsOf(one)).map(({ kind }) => kind);
      assert.ok(!kinds.includes('subscribe') && !kinds.includes('unsubscribe'), JSON.stringify(one));
    }
  });
});
