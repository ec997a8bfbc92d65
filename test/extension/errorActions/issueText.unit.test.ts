import assert from 'node:assert/strict';
import { issueDescription, issueTitleOf } from '../../../src/errorActions/issueText.ts';
import { errorDetail, errorEvent, eventData, shownFrame } from '../errorPanel/details.ts';

describe('the issue about an error', () => {
  it('has the facts, a link to the page of the error, and the stack, but not its own title', () => {
    const exceptions = [{ type: 'TypeError', value: 'boom', handled: false, frames: [shownFrame('greet')] }];
    const text = issueDescription(errorDetail({ latestEvent: errorEvent('a', eventData({ exceptions })) }));
    assert.doesNotMatch(text, /^# /m);
    assert.match(text, /- \*\*Page\*\*: <http:\/\/127\.0\.0\.1\/x>/);
    assert.match(text, /## Stack trace\n\n```\nTypeError: boom\n {4}at greet \(src\/greet\.js:3:26\)/);
  });

  it('is there without a stored event, and is not longer than instances allow', () => {
    assert.match(issueDescription(errorDetail()), /\*\*Page\*\*/);
    const exceptions = [{ type: 'E', value: 'x'.repeat(300_000), handled: false, frames: [] }];
    const text = issueDescription(errorDetail({ latestEvent: errorEvent('a', eventData({ exceptions })) }));
    assert.ok(text.length <= 100_001 && text.endsWith('…'));
  });

  it('is cut before a line whose code span would have no end', () => {
    const tags = Array.from({ length: 3000 }, (_, at) => ({
      name: `t${at}`,
      value: `@acme ${'x'.repeat(at % 90)}`,
      kind: 'text' as const,
    }));
    const text = issueDescription(errorDetail({ latestEvent: errorEvent('a', eventData({ tags })) }));
    const lines = text.split('\n').filter((line) => line.includes('@acme'));
    assert.ok(lines.length > 500 && text.endsWith('\n…'));
    for (const line of lines) assert.match(line, /^- `t\d+`: `@acme(?: x+)?`$/);
  });

  it('has a title that mentions nobody and nothing', () => {
    for (const [title, expected] of [
      ['Cannot load @acme@1.2.0 for #12, !3 and &4', 'Cannot load @ acme@1.2.0 for # 12, ! 3 and & 4'],
      ['@all: ~bug %v1 $7', '@ all: ~ bug % v1 $ 7'],
      ['TypeError: a@b.example is 50% off & more #', 'TypeError: a@b.example is 50% off & more #'],
    ] as const)
      assert.equal(issueTitleOf({ title }), expected);
  });
});
