import assert from 'node:assert/strict';
import { readColor, textColorOn } from '../../server/labels/colors.ts';
import { asHtml, changedLabels, labelErrors, requestedLabels } from '../../server/labels/rules.ts';

describe('the labels of something', () => {
  it('are replaced, added to and taken from, trimmed, sorted and never twice', () => {
    assert.deepEqual(changedLabels(['b', 'a'], {}), ['a', 'b']);
    assert.deepEqual(changedLabels(['a'], { labels: ['c', ' b ', 'c', ''] }), ['b', 'c']);
    assert.deepEqual(changedLabels(['a'], { labels: [] }), []);
    assert.deepEqual(changedLabels(['a'], { add: ['b', 'a'] }), ['a', 'b']);
    assert.deepEqual(changedLabels(['a', 'b'], { remove: ['a', 'z'] }), ['b']);
    assert.deepEqual(changedLabels(['a'], { labels: ['b'], add: ['c'], remove: ['b'] }), ['c']);
  });
});

describe('titles of labels', () => {
  it('say something, have no comma and at most 255 characters', () => {
    assert.deepEqual(labelErrors('a::b c'), []);
    assert.deepEqual(labelErrors('🚦'.repeat(255)), []);
    assert.deepEqual(labelErrors(''), ["can't be blank", 'is invalid']);
    assert.deepEqual(labelErrors('a,b'), ['is invalid']);
    assert.deepEqual(labelErrors('a'.repeat(256)), ['is too long (maximum is 255 characters)']);
  });
});

describe('colors of labels', () => {
  it('are hexadecimal or have a name', () => {
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

  it('decide which text can be read on them', () => {
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

describe('labels that a list is to have', () => {
  it('are none, any, or each of them once', () => {
    assert.equal(requestedLabels(undefined), undefined);
    assert.equal(requestedLabels([]), undefined);
    assert.equal(requestedLabels(['none']), 'None');
    assert.equal(requestedLabels(['ANY']), 'Any');
    assert.deepEqual(requestedLabels(['any', 'a', 'a']), ['any', 'a']);
  });
});

it('a description as HTML shows what was written', () => {
  assert.equal(asHtml('<b> & "c"'), '&lt;b&gt; &amp; &quot;c&quot;');
});
