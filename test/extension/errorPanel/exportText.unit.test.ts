import assert from 'node:assert/strict';
import { errorMarkdown, stackText } from '../../../src/errorPanel/exportText.ts';
import { errorDetail, errorEvent, eventData, shownFrame } from './details.ts';

const chain = eventData({
  exceptions: [
    {
      type: 'TypeError',
      value: 'boom',
      handled: false,
      frames: [shownFrame('greet'), shownFrame('', { line: null, column: null })],
    },
    { type: 'Error', value: null, handled: null, frames: [] },
  ],
});

describe('texts of errors', () => {
  it('a stack trace lists each exception with its frames, the innermost first', () => {
    assert.equal(
      stackText(errorEvent('a', chain)),
      ['TypeError: boom', '    at greet (src/greet.js:3:26)', '    at src/greet.js', 'Caused by: Error'].join('\n'),
    );
  });

  it('an event without an exception has the stack of its threads, and its message', () => {
    const data = eventData({ message: 'Started', threads: [{ name: 'main', crashed: true, frames: [shownFrame('run')] }] });
    assert.equal(stackText(errorEvent('a', data)), 'Started\nThread main\n    at run (src/greet.js:3:26)');
    assert.equal(stackText(errorEvent('a', null)), '');
  });

  it('Markdown has the facts, the stack trace, the code and the tags', () => {
    const code = [
      { line: 2, text: 'function greet(name) {' },
      { line: 3, text: '  return name.trim();' },
    ];
    const data = eventData({
      exceptions: [{ type: 'TypeError', value: 'boom', handled: false, frames: [shownFrame('greet', { code })] }],
      tags: [{ name: 'sea', value: 'north', kind: 'text' }],
    });
    const text = errorMarkdown(errorDetail(), errorEvent('a', data));
    for (const part of [
      '# `TypeError: boom`\n',
      '- **Release**: `1.0`',
      '## Stack trace\n\n```\nTypeError: boom\n',
      '  2 function greet(name) {\n> 3   return name.trim();',
      '- `sea`: `north`',
    ])
      assert.ok(text.includes(part), `${part} is not in ${text}`);
  });

  it('Markdown links to the page of the error, whose address is not escaped', () => {
    const textOf = (webUrl: string): string => errorMarkdown(errorDetail({ webUrl }), errorEvent('a'));
    const page = 'https://127.0.0.1/sea/shop/-/error_tracking/7/details';
    assert.ok(textOf(page).includes(`- **Page**: <${page}>`), textOf(page));
    assert.ok(textOf('https://127.0.0.1/a b><img>').includes('<https://127.0.0.1/a%20b%3E%3Cimg%3E>'));
    assert.ok(!textOf('javascript:alert(1)').includes('Page'));
  });

  const texts = [
    '@acme@1.2.0',
    '@acme/web@1.2.0',
    '@all',
    '#1 !2 ~bug %"v1" $3 &4 ^alert#5 acme/web#6 GL-7',
    'https://gitlab.example.com/acme/web/-/issues/1',
    '0805334f1111222233334444555566667777888a',
    ':rocket: [[_TOC_]] [ ] <!-- x --> <img src=a> **x** [link](b)',
    '/close',
    '`@acme`',
    '``` @acme ```',
    'a`@acme`b``c',
    '@acme\n/close\n# heading\n```\n@acme',
    '\\@acme &#64;acme',
  ];
  for (const text of texts)
    it(`“${text.replaceAll('\n', ' ⏎ ')}” is only in code, wherever a program sends it`, () => {
      const frame = shownFrame(text, { filename: text, module: text, code: [{ line: 3, text }] });
      const data = eventData({
        exceptions: [{ type: text, value: text, handled: null, frames: [frame] }],
        tags: [{ name: text, value: text, kind: 'text' }],
      });
      const event = { ...errorEvent('a', data), release: text, environment: text, level: text };
      const error = errorDetail({ title: text, firstRelease: { version: text, commit: null } });
      const prose = withoutCode(errorMarkdown(error, event));
      assert.equal(
        prose.replace(/^- \*\*Occurred\*\*: .*$/m, ''),
        withoutCode(
          errorMarkdown(errorDetail({ firstRelease: { version: '1.0', commit: null } }), {
            ...errorEvent(
              'a',
              eventData({
                exceptions: [
                  { type: 'E', value: 'v', handled: null, frames: [shownFrame('f', { code: [{ line: 3, text: 'x' }] })] },
                ],
                tags: [{ name: 'sea', value: 'north', kind: 'text' }],
              }),
            ),
            environment: 'production',
            level: 'error',
          }),
        ).replace(/^- \*\*Occurred\*\*: .*$/m, ''),
      );
    });

  /** Returns Markdown without code blocks and code spans, by the rules of CommonMark 0.31 §4.5 and §6.1. */
  function withoutCode(markdown: string): string {
    return markdown.replace(/^(`{3,})\n[^]*?\n\1\n/gm, '<block>\n').replace(/(?<!`)(`+)(?!`)[^]*?[^`]\1(?!`)/g, '<span>');
  }
});
