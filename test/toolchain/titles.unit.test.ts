import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { filesWithTitle, grepOf, recordTitles } from '../support/titles.ts';

describe('the titles of tests', () => {
  let folder: string;
  let ships: string;
  let cranes: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-titles-'));
    [ships, cranes] = ['ships', 'cranes'].map((name) => path.join(folder, `${name}.unit.test.ts`)) as [string, string];
    writeFileSync(ships, "it('floats');");
    writeFileSync(cranes, "it('lifts');");
    recordTitles(ships, ['a ship floats'], folder);
    recordTitles(cranes, ['a crane lifts'], folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const matching = (pattern: RegExp): readonly string[] =>
    filesWithTitle([ships, cranes], pattern, folder).map((file) => path.basename(file, '.unit.test.ts'));

  it('leave out the files without a match', () => {
    assert.deepEqual(matching(/crane/), ['cranes']);
  });

  it('leave out no file that was changed since its titles were recorded', () => {
    writeFileSync(ships, "it('floats and carries cranes');");
    assert.deepEqual(matching(/crane/), ['ships', 'cranes']);
  });

  it('leave out no file that was never run', () => {
    const docks = path.join(folder, 'docks.unit.test.ts');
    writeFileSync(docks, "it('opens');");
    assert.deepEqual(filesWithTitle([ships, docks], /opens/, folder), [docks]);
  });

  it('leave out no file when none of them matches, because titles also come from tables of the server', () => {
    assert.deepEqual(matching(/dock/), ['ships', 'cranes']);
  });

  it('are recorded for a file that contains the import of a missing file as text', () => {
    const missing = path.relative(folder, path.join(import.meta.dirname, 'missing.ts')).replaceAll('\\', '/');
    writeFileSync(ships, `const source = \`import { hull } from '${missing}';\`;`);
    recordTitles(ships, ['a ship floats'], folder);
    assert.deepEqual(matching(/crane/), ['cranes']);
  });
});

describe('the pattern among the options of mocha', () => {
  for (const [options, expected] of [
    [['-g', 'a crane'], /a crane/],
    [['--grep', 'crane$'], /crane$/],
    [['--grep=crane'], /crane/],
    [['-g', '/CRANE/i'], /CRANE/i],
    [['--bail'], undefined],
  ] as const)
    it(`is ${String(expected)} for ${options.join(' ')}`, () => assert.deepEqual(grepOf(options), expected));
});
