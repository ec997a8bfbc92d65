import assert from 'node:assert/strict';
import { nameErrors, pathErrors, pathFromName } from '../../../server/features/projects/rules.ts';
import { projectKey } from '../../../server/features/projectAccess/access.ts';

describe('project names', () => {
  it('project names can contain letters of any script, digits, emoji, spaces, dashes, dots, plus signs and underscores', () => {
    for (const name of ['Signal lamps', 'Straße 7', '信号灯', '🚦 lamps', '_hidden', 'C++ parser', 'v1.2 - beta', '9 lives']) {
      assert.deepEqual(nameErrors(name), [], name);
    }
  });

  it('project names cannot be blank, too long, or contain other characters', () => {
    assert.deepEqual(nameErrors('  '), ["can't be blank"]);
    assert.deepEqual(nameErrors('a'.repeat(256)), ['is too long (maximum is 255 characters)']);
    for (const name of ['-dash', '.dot', 'a/b', 'a<b>', 'a\nb', 'q?']) {
      assert.match(nameErrors(name)[0] ?? '', /^can contain only letters/, name);
    }
  });

  it('project names are converted to paths', () => {
    assert.equal(pathFromName('Signal lamps'), 'signal-lamps');
    assert.equal(pathFromName('  Ünïcode & Co. '), 'unicode-co');
    assert.equal(pathFromName('v1.2_beta'), 'v1.2_beta');
    assert.equal(pathFromName('信号灯'), '');
  });
});

describe('project paths', () => {
  it('project paths can contain ASCII letters, digits, underscores, dashes and dots', () => {
    for (const path of ['lamps', 'Lamps-2', '.github', '_x', 'group.io', '7']) assert.deepEqual(pathErrors(path), [], path);
  });

  it('project paths cannot be ambiguous in a clone URL or page address', () => {
    assert.deepEqual(pathErrors(''), ["can't be blank"]);
    assert.deepEqual(pathErrors('a'.repeat(256)), ['is too long (maximum is 255 characters)']);
    for (const path of ['-', '-x', 'a/b', 'a b', 'lamps.git', 'lamps.GIT', 'feed.atom', '..', '.', 'ümlaut']) {
      assert.match(pathErrors(path)[0] ?? '', /^can contain only letters/, path);
    }
  });
});

describe('project path parameters', () => {
  it('a project path parameter is an ID if it consists of digits, a full path if it has a slash, and invalid otherwise', () => {
    assert.deepEqual(projectKey('42'), { id: 42 });
    assert.deepEqual(projectKey('-1'), { id: -1 });
    assert.deepEqual(projectKey('root/lamps'), { path: 'root/lamps' });
    for (const text of ['lamps', '', '4x', '1e3']) assert.equal(projectKey(text), undefined, text);
  });
});
