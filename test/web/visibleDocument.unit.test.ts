import assert from 'node:assert/strict';
import { visibleDocument } from '../../server/web/visibleDocument.ts';

describe('a page with invisible characters', () => {
  for (const [text, document, expected] of [
    ['shows them in texts', '<p>a\u202eb <code>c\u200b</code></p>', '<p>a⟦U+202E⟧b <code>c⟦U+200B⟧</code></p>'],
    ['shows them in its title', '<title>a\u202eb</title>', '<title>a⟦U+202E⟧b</title>'],
    [
      'shows them in attributes that people read or hear',
      '<a title="a\u202eb" aria-label="c\u202ed"><img alt="e\u202ef">',
      '<a title="a⟦U+202E⟧b" aria-label="c⟦U+202E⟧d"><img alt="e⟦U+202E⟧f">',
    ],
    ['keeps the values of fields', '<input name="ref" value="a\u202eb">', '<input name="ref" value="a\u202eb">'],
    ['keeps addresses', '<a href="/a\u202eb">a\u202eb</a>', '<a href="/a\u202eb">a⟦U+202E⟧b</a>'],
    [
      'keeps the text of text areas',
      '<textarea rows="3">a\u202eb &lt;p&gt;</textarea><p>\u202e',
      '<textarea rows="3">a\u202eb &lt;p&gt;</textarea><p>⟦U+202E⟧',
    ],
    ['keeps line breaks and tabs', '<pre>a\n\tb\u202e</pre>', '<pre>a\n\tb⟦U+202E⟧</pre>'],
    ['stays as it is without any', '<p>ümläut 🚦 שלום</p>', '<p>ümläut 🚦 שלום</p>'],
  ] as const) {
    it(text, () => assert.equal(visibleDocument(document), expected));
  }
});
