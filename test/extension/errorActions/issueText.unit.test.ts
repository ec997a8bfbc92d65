import assert from 'node:assert/strict';
import { issueDescription } from '../../../src/errorActions/issueText.ts';
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
});
