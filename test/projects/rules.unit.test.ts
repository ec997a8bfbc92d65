import assert from 'node:assert/strict';
import { nameErrors, pathErrors, pathFromName, projectKey } from '../../server/projects/rules.ts';

describe('names of projects', () => {
  it('accepts letters of any script, digits, emoji, spaces, dashes, dots, plus and underscore', () => {
    for (const name of ['Signal lamps', 'Straße 7', '信号灯', '🚦 lamps', '_hidden', 'C++ parser', 'v1.2 - beta', '9 lives']) {
      assert.deepEqual(nameErrors(name), [], name);
    }
  });

  it('refuses what is blank, too long, or begins or goes on with anything else', () => {
    assert.deepEqual(nameErrors('  '), ["can't be blank"]);
    assert.deepEqual(nameErrors('a'.repeat(256)), ['is too long (maximum is 255 characters)']);
    for (const name of ['-dash', '.dot', 'a/b', 'a<b>', 'a\nb', 'q?']) {
      assert.match(nameErrors(name)[0] ?? '', /^can contain only letters/, name);
    }
  });

  it('makes a path of a name', () => {
    assert.equal(pathFromName('Signal lamps'), 'signal-lamps');
    assert.equal(pathFromName('  Ünïcode & Co. '), 'unicode-co');
    assert.equal(pathFromName('v1.2_beta'), 'v1.2_beta');
    assert.equal(pathFromName('信号灯'), '');
  });
});

describe('paths of projects', () => {
  it('accepts ASCII letters, digits, underscore, dash and dot', () => {
    for (const path of ['lamps', 'Lamps-2', '.github', '_x', 'group.io', '7']) assert.deepEqual(pathErrors(path), [], path);
  });

  it('refuses what a clone address or a page address would mean otherwise', () => {
    assert.deepEqual(pathErrors(''), ["can't be blank"]);
    assert.deepEqual(pathErrors('a'.repeat(256)), ['is too long (maximum is 255 characters)']);
    for (const path of ['-', '-x', 'a/b', 'a b', 'lamps.git', 'lamps.GIT', 'feed.atom', '..', '.', 'ümlaut']) {
      assert.match(pathErrors(path)[0] ?? '', /^can contain only letters/, path);
    }
  });
});

describe('how a path parameter names a project', () => {
  it('digits are a number, text with a slash is a full path, and text without names nothing', () => {
    assert.deepEqual(projectKey('42'), { id: 42 });
    assert.deepEqual(projectKey('-1'), { id: -1 });
    assert.deepEqual(projectKey('root/lamps'), { path: 'root/lamps' });
    for (const text of ['lamps', '', '4x', '1e3']) assert.equal(projectKey(text), undefined, text);
  });
});
