import assert from 'node:assert/strict';
import { readColor, textColorOn } from '../../../server/features/labels/colors.ts';
import { asHtml, changedLabels, labelErrors, requestedLabels } from '../../../server/features/labels/rules.ts';

describe('the labels of a resource', () => {
  it('labels can be replaced, added and removed, and are trimmed, sorted and unique', () => {
    assert.deepEqual(changedLabels(['b', 'a'], {}), ['a', 'b']);
    assert.deepEqual(changedLabels(['a'], { labels: ['c', ' b ', 'c', ''] }), ['b', 'c']);
    assert.deepEqual(changedLabels(['a'], { labels: [] }), []);
    assert.deepEqual(changedLabels(['a'], { add: ['b', 'a'] }), ['a', 'b']);
    assert.deepEqual(changedLabels(['a', 'b'], { remove: ['a', 'z'] }), ['b']);
    assert.deepEqual(changedLabels(['a'], { labels: ['b'], add: ['c'], remove: ['b'] }), ['c']);
  });
});

describe('titles of labels', () => {
  it('the title of a label is not blank, has no comma and at most 255 characters', () => {
    assert.deepEqual(labelErrors('a::b c'), []);
    assert.deepEqual(labelErrors('🚦'.repeat(255)), []);
    assert.deepEqual(labelErrors(''), ["can't be blank", 'is invalid']);
    assert.deepEqual(labelErrors('a,b'), ['is invalid']);
    assert.deepEqual(labelErrors('a'.repeat(256)), ['is too long (maximum is 255 characters)']);
  });
});

describe('colors of labels', () => {
  it('the color of a label is hexadecimal or a name', () => {
    for (const [text, color] of [
      ['#ffAA00', '#ffAA00'],
      [' #abc ', '#abc'],
      ['red', '#FF0000'],
      ['RebeccaPurple', '#663399'],
      ['aliceblue', '#F0F8FF'],
      ['yellowgreen', '#9ACD32'],
    ] as const) {
      assert.equal(readColor(text), color, text);
    }
    for (const text of ['', 'ffAA00', '#ab', '#abcd', '#gggggg', 'reddish', '#ffAA00;', 'constructor'])
      assert.equal(readColor(text), undefined, text);
  });

  it('the text color of a label is readable on its color', () => {
    for (const [color, text] of [
      ['#000000', '#FFFFFF'],
      ['#ffffff', '#1F1E24'],
      ['#fff', '#1F1E24'],
      ['#f00', '#FFFFFF'],
      ['#6699cc', '#FFFFFF'],
      ['#AAAAAA', '#1F1E24'],
    ] as const) {
      assert.equal(textColorOn(color), text, color);
    }
  });
});

describe('label filters', () => {
  it('a label filter is none, any, or each label once', () => {
    assert.equal(requestedLabels(undefined), undefined);
    assert.equal(requestedLabels([]), undefined);
    assert.equal(requestedLabels(['none']), 'None');
    assert.equal(requestedLabels(['ANY']), 'Any');
    assert.deepEqual(requestedLabels(['any', 'a', 'a']), ['any', 'a']);
  });
});

it('the HTML of a description is escaped', () => {
  assert.equal(asHtml('<b> & "c"'), '&lt;b&gt; &amp; &quot;c&quot;');
});
