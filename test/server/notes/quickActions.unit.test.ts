import assert from 'node:assert/strict';
import { namedLabels, namedPeople, splitQuickActions } from '../../../server/features/notes/quickActions.ts';

const known = ['close', 'label', 'title'];

describe('quick actions of a comment', () => {
  for (const [name, body, text, actions] of [
    ['none', 'The fuse is blown.', 'The fuse is blown.', []],
    ['one alone', '/close', '', [['close', '']]],
    ['one among words', 'Done.\n/close\nThanks.', 'Done.\nThanks.', [['close', '']]],
    ['with an argument and spaces', '/label   ~bug ~"in work"  \r', '', [['label', '~bug ~"in work"']]],
    ['in capitals', '/CLOSE', '', [['close', '']]],
    [
      'several',
      '/title Lamp 7\n/close',
      '',
      [
        ['title', 'Lamp 7'],
        ['close', ''],
      ],
    ],
    ['an unknown one is text', '/shrug\n/tableflip', '/shrug\n/tableflip', []],
    ['inside of a line it is text', 'see /close', 'see /close', []],
    ['a path is text', '/close/this', '/close/this', []],
    ['in code it is text', '```\n/close\n```\n/label a', '```\n/close\n```', [['label', 'a']]],
    ['in code of tildes it is text', '~~~ sh\n/close\n```\n/close', '~~~ sh\n/close\n```\n/close', []],
    ['what nothing is left of keeps its spaces', '  two\n\nlines ', '  two\n\nlines ', []],
  ] as const) {
    it(name, () => {
      const found = splitQuickActions(body, known);
      assert.equal(found.text, text);
      assert.deepEqual(
        found.actions.map((action) => [action.name, action.argument]),
        actions,
      );
    });
  }

  it('quick actions read users and labels with their signs', () => {
    assert.deepEqual(namedPeople('@ada and @bob.b. @c-d', 3), ['ada', 'bob.b', 'c-d']);
    assert.deepEqual(namedLabels('~bug ~"in work" plain "two words"', 4), ['bug', 'in work', 'plain', 'two words']);
  });
});
