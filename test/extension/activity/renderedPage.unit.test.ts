import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { renderedPage } from '../../../src/activity/renderedPage.ts';

const page = (text: string, line?: number): string => renderedPage({ text, language: 'en', line, visit: 3 }, 'abc');
const bodyOf = (text: string): string => /<main>\n([\s\S]*)<\/main>/.exec(page(text))?.[1] ?? '';

describe('the page of a rendered document', () => {
  it('has headings, lists and links, with the line of each block', () => {
    const body = bodyOf('# #12 Relay\n\nSee <https://example.com/a>.\n\n* one\n');
    assert.match(body, /<h1 data-line="0">#12 Relay<\/h1>/);
    assert.match(body, /<p data-line="2">See <a href="https:\/\/example\.com\/a" title="https:\/\/example\.com\/a">/);
    assert.match(body, /<li data-line="4">one<\/li>/);
  });

  it('shows HTML of an instance as text, and runs none of its scripts', () => {
    const body = bodyOf('# Map<K, V>\n\n<script>alert(1)</script> <img src=x onerror=alert(1)>\n\n```html\n<b>\n```\n');
    assert.match(body, /Map&lt;K, V&gt;/);
    assert.doesNotMatch(body, /<(?:script|img|b)\b/);
    const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(page('')) ?? [];
    assert.equal(
      policy,
      "default-src 'none'; style-src 'nonce-abc'; script-src 'nonce-abc'; base-uri 'none'; form-action 'none'",
    );
  });

  it('links only to web pages, and shows images as links', () => {
    const body = bodyOf(
      '[a](command:x) [b](javascript:x) [c](/etc) ![lamp](https://example.com/l.png) [d](mailto:a@example.com)',
    );
    assert.deepEqual(
      [...body.matchAll(/href="([^"]*)"/g)].map(([, address]) => address),
      ['https://example.com/l.png'],
    );
  });

  it('marks the lines of a diff', () => {
    const body = bodyOf('```diff\n@@ -1 +1 @@\n-<old>\n+new\n same\n```\n');
    assert.match(body, /<span class="removed">-&#60;old&#62;<\/span>\n<span class="added">\+new<\/span>\n same<\/code>/);
  });

  it('names the line to which it scrolls', () => {
    assert.match(page('text', 7), /<body data-visit="3" data-start="7">/);
    assert.match(page('text'), /<body data-visit="3">/);
  });
});
