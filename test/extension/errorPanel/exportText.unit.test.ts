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
      '# TypeError: boom\n',
      '- **Release**: 1.0',
      '## Stack trace\n\n```\nTypeError: boom\n',
      '  2 function greet(name) {\n> 3   return name.trim();',
      '- sea: north',
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

  it('what a program sent cannot become Markdown or end a code block', () => {
    const title = '# **x** <img src=a> [link](b)';
    const data = eventData({ exceptions: [{ type: 'E', value: '```\n# end', handled: null, frames: [] }] });
    const text = errorMarkdown(errorDetail({ title }), errorEvent('a', data));
    assert.ok(text.startsWith('# \\# \\*\\*x\\*\\* \\<img src=a\\> \\[link\\](b)\n'), text);
    assert.ok(text.includes('````\nE: ```\n# end\n````'), text);
  });
});
