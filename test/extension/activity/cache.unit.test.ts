import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createResponseCache } from '../../../src/activity/cache.ts';
import type { SuccessResponse } from '../../../src/activity/model.ts';
import { readProjectBasic } from '../../../src/contract/projects.ts';
import { fakeLog } from '../../support/extension/fakes.ts';
import { event } from './events.ts';

const project = readProjectBasic({ id: 42, name: 'Relay', path_with_namespace: 'signals/relay', runners_token: 'glrt-hidden' });
const responseOf = (count: number, next?: string): SuccessResponse => ({
  at: 5_000,
  next,
  events: Array.from({ length: count }, (_, at) => event({ id: count - at })),
});

describe('cached responses', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-cache-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const files = (): readonly string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));

  it('cached responses are read as they were written, with only the names of their projects', async () => {
    const cache = createResponseCache(folder, fakeLog());
    assert.ok(project !== undefined);
    await cache.write('a', 'a/mine', responseOf(3, 'next'), [project]);
    const cached = await createResponseCache(folder, fakeLog()).read('a', 'a/mine');
    assert.deepEqual({ ...cached?.response, all: undefined }, { ...responseOf(3, 'next'), all: undefined });
    assert.deepEqual(await cached?.response.all(), responseOf(3).events);
    assert.equal(cached?.projects[0]?.path_with_namespace, 'signals/relay');
    const [file = ''] = files();
    assert.doesNotMatch(readFileSync(file, 'utf8'), /glrt-/);
    assert.equal(statSync(file).mode & 0o077, 0, 'readable only by the owner');
  });

  it('cached responses are separate per account and removed with it', async () => {
    const cache = createResponseCache(folder, fakeLog());
    await cache.write('a', 'mine', responseOf(1), []);
    assert.equal(await cache.read('b', 'mine'), undefined);
    assert.equal(await cache.read('a', 'other'), undefined);
    await cache.forget('a');
    assert.deepEqual(files(), []);
    assert.equal(await cache.read('a', 'mine'), undefined);
  });

  it('cached responses return their first rows before all rows are read', async () => {
    const cache = createResponseCache(folder, fakeLog());
    await cache.write('a', 'mine', responseOf(2_000, 'next'), []);
    const cached = await cache.read('a', 'mine');
    assert.ok(cached !== undefined);
    assert.ok(cached.response.events.length >= 50 && cached.response.events.length < 500, String(cached.response.events.length));
    assert.deepEqual(cached.response.events, responseOf(2_000).events.slice(0, cached.response.events.length));
    assert.deepEqual(await cached.response.all(), responseOf(2_000).events);
  });

  it('cached responses omit old events beyond the maximum size, and then have no next link', async () => {
    const cache = createResponseCache(folder, fakeLog(), 20_000);
    await cache.write('a', 'mine', responseOf(500, 'next'), []);
    const cached = await cache.read('a', 'mine');
    assert.ok(statSync(files()[0] ?? '').size < 21_000);
    assert.equal(cached?.response.events[0]?.id, 500);
    assert.equal(cached.response.next, undefined);
  });

  it('cached responses are limited in number per account', async () => {
    const cache = createResponseCache(folder, fakeLog());
    for (let list = 0; list < 30; list += 1) await cache.write('a', `list ${list}`, responseOf(1), []);
    assert.equal(files().length, 24);
  });

  it('cached responses are ignored when their file is invalid', async () => {
    const log = fakeLog();
    const cache = createResponseCache(folder, log);
    await cache.write('a', 'mine', responseOf(2), []);
    const [file = ''] = files();
    for (const text of ['', 'x', '{"form":1}', '[]\n', '{"form":2,"at":1}\n']) {
      writeFileSync(file, text);
      assert.equal(await cache.read('a', 'mine'), undefined, text);
    }
    const [header, first] = [JSON.stringify({ form: 1, at: 1 }), JSON.stringify(event({ id: 9 }))];
    writeFileSync(file, `${header}\n${first}\n{"id":8,"acti`);
    assert.deepEqual(
      (await cache.read('a', 'mine'))?.response.events.map(({ id }) => id),
      [9],
    );
  });

  it('cached responses that cannot be written are logged without an error', async () => {
    const log = fakeLog();
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    await createResponseCache(path.join(file, 'below'), log).write('a', 'mine', responseOf(1), []);
    assert.match(log.lines.join('\n'), /^Activity cache: /);
  });

  it('cached responses are the latest of several written concurrently', async () => {
    const cache = createResponseCache(folder, fakeLog());
    await Promise.all([5, 4, 3, 2, 1].map((count) => cache.write('a', 'mine', responseOf(count), [])));
    assert.equal((await cache.read('a', 'mine'))?.response.events.length, 1);
    assert.equal(files().length, 1, 'no temporary file remains');
  });
});
