import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createAnswerCache } from '../../src/activity/cache.ts';
import type { GoodAnswer } from '../../src/activity/model.ts';
import { readProjectBasic } from '../../src/contract/projects.ts';
import { fakeLog } from '../support/extension/fakes.ts';
import { event } from './events.ts';

const project = readProjectBasic({ id: 42, name: 'Relay', path_with_namespace: 'signals/relay', runners_token: 'glrt-hidden' });
const answerOf = (count: number, next?: string): GoodAnswer => ({
  at: 5_000,
  next,
  events: Array.from({ length: count }, (_, at) => event({ id: count - at })),
});

describe('kept answers', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-cache-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const files = (): readonly string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));

  it('come back as they were, with the names of their projects and nothing else of those', async () => {
    const cache = createAnswerCache(folder, fakeLog());
    assert.ok(project !== undefined);
    await cache.write('a', 'a/mine', answerOf(3, 'next'), [project]);
    const kept = await createAnswerCache(folder, fakeLog()).read('a', 'a/mine');
    assert.deepEqual({ ...kept?.answer, all: undefined }, { ...answerOf(3, 'next'), all: undefined });
    assert.deepEqual(await kept?.answer.all(), answerOf(3).events);
    assert.equal(kept?.projects[0]?.path_with_namespace, 'signals/relay');
    const [file = ''] = files();
    assert.doesNotMatch(readFileSync(file, 'utf8'), /glrt-/);
    assert.equal(statSync(file).mode & 0o077, 0, 'only their owner reads them');
  });

  it('are no one else’s, and are gone when the account is', async () => {
    const cache = createAnswerCache(folder, fakeLog());
    await cache.write('a', 'mine', answerOf(1), []);
    assert.equal(await cache.read('b', 'mine'), undefined);
    assert.equal(await cache.read('a', 'other'), undefined);
    await cache.forget('a');
    assert.deepEqual(files(), []);
    assert.equal(await cache.read('a', 'mine'), undefined);
  });

  it('give their first rows before all of them are read', async () => {
    const cache = createAnswerCache(folder, fakeLog());
    await cache.write('a', 'mine', answerOf(2_000, 'next'), []);
    const kept = await cache.read('a', 'mine');
    assert.ok(kept !== undefined);
    assert.ok(kept.answer.events.length >= 50 && kept.answer.events.length < 500, String(kept.answer.events.length));
    assert.deepEqual(kept.answer.events, answerOf(2_000).events.slice(0, kept.answer.events.length));
    assert.deepEqual(await kept.answer.all(), answerOf(2_000).events);
  });

  it('stay below their size by leaving out old events, and then name no way on', async () => {
    const cache = createAnswerCache(folder, fakeLog(), 20_000);
    await cache.write('a', 'mine', answerOf(500, 'next'), []);
    const kept = await cache.read('a', 'mine');
    assert.ok(statSync(files()[0] ?? '').size < 21_000);
    assert.equal(kept?.answer.events[0]?.id, 500);
    assert.equal(kept.answer.next, undefined);
  });

  it('stay so many for an account', async () => {
    const cache = createAnswerCache(folder, fakeLog());
    for (let list = 0; list < 30; list += 1) await cache.write('a', `list ${list}`, answerOf(1), []);
    assert.equal(files().length, 24);
  });

  it('are as if there were none when their file is broken', async () => {
    const log = fakeLog();
    const cache = createAnswerCache(folder, log);
    await cache.write('a', 'mine', answerOf(2), []);
    const [file = ''] = files();
    for (const text of ['', 'x', '{"form":1}', '[]\n', '{"form":2,"at":1}\n']) {
      writeFileSync(file, text);
      assert.equal(await cache.read('a', 'mine'), undefined, text);
    }
    const [header, first] = [JSON.stringify({ form: 1, at: 1 }), JSON.stringify(event({ id: 9 }))];
    writeFileSync(file, `${header}\n${first}\n{"id":8,"acti`);
    assert.deepEqual(
      (await cache.read('a', 'mine'))?.answer.events.map(({ id }) => id),
      [9],
    );
  });

  it('that cannot be written are said in the log and hurt nobody', async () => {
    const log = fakeLog();
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    await createAnswerCache(path.join(file, 'below'), log).write('a', 'mine', answerOf(1), []);
    assert.match(log.lines.join('\n'), /^cache: /);
  });

  it('are the last of several written at once', async () => {
    const cache = createAnswerCache(folder, fakeLog());
    await Promise.all([5, 4, 3, 2, 1].map((count) => cache.write('a', 'mine', answerOf(count), [])));
    assert.equal((await cache.read('a', 'mine'))?.answer.events.length, 1);
    assert.equal(files().length, 1, 'no draft is left');
  });
});
