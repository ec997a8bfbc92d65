import assert from 'node:assert/strict';
import { visibleDocument } from '../../../server/web/visibleDocument.ts';

describe('pages with invisible characters', () => {
  for (const [text, document, expected] of [
    [
      'a page shows invisible characters in texts',
      '<p>a\u202eb <code>c\u200b</code></p>',
      '<p>a⟦U+202E⟧b <code>c⟦U+200B⟧</code></p>',
    ],
    ['a page shows invisible characters in its title', '<title>a\u202eb</title>', '<title>a⟦U+202E⟧b</title>'],
    [
      'a page shows invisible characters in attributes that are displayed or read aloud',
      '<a title="a\u202eb" aria-label="c\u202ed"><img alt="e\u202ef">',
      '<a title="a⟦U+202E⟧b" aria-label="c⟦U+202E⟧d"><img alt="e⟦U+202E⟧f">',
    ],
    [
      'a page keeps invisible characters in field values',
      '<input name="ref" value="a\u202eb">',
      '<input name="ref" value="a\u202eb">',
    ],
    ['a page keeps invisible characters in links', '<a href="/a\u202eb">a\u202eb</a>', '<a href="/a\u202eb">a⟦U+202E⟧b</a>'],
    [
      'a page keeps invisible characters in text areas',
      '<textarea rows="3">a\u202eb &lt;p&gt;</textarea><p>\u202e',
      '<textarea rows="3">a\u202eb &lt;p&gt;</textarea><p>⟦U+202E⟧',
    ],
    ['a page keeps line breaks and tabs', '<pre>a\n\tb\u202e</pre>', '<pre>a\n\tb⟦U+202E⟧</pre>'],
    ['a page without invisible characters is unchanged', '<p>ümläut 🚦 שלום</p>', '<p>ümläut 🚦 שלום</p>'],
  ] as const) {
    it(text, () => assert.equal(visibleDocument(document), expected));
  }
});
