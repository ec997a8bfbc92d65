import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { loadCompiled, saveCompiled } from '../../../server/process/compiledCode.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

const source = (text: string): string =>
  `"use strict";exports.greet=()=>{return "${text}"};exports.fail=()=>{throw new Error("no")};exports.names=[__filename,__dirname,require("./other.js")];`;

interface Greeting {
  greet(): string;
  fail(): void;
  readonly names: readonly unknown[];
}

const require = createRequire(import.meta.url);

function required(file: string): Greeting {
  const loaded = require(file) as Greeting;
  Reflect.deleteProperty(require.cache, file);
  return loaded;
}

function bundle() {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'greeting.js');
  writeFileSync(file, source('hello'));
  writeFileSync(path.join(folder.path, 'other.js'), 'module.exports = 7;');
  const stored = (): string[] => readdirSync(folder.path).filter((name) => name.endsWith('.code'));
  return {
    file,
    load: () => {
      loadCompiled(file, folder.path);
      return required(file);
    },
    stored,
    storedFile: () => path.join(folder.path, stored()[0] ?? ''),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function placeOf(fail: () => void): string {
  try {
    fail();
  } catch (error) {
    return String(error instanceof Error ? error.stack?.split('\n')[1] : error);
  }
  return '';
}

describe('compiled code of a bundle', () => {
  it('runs like a required module, with and without stored code', () => {
    using made = bundle();
    const expected = required(made.file);
    for (const _ of ['compiled', 'stored']) {
      const loaded = made.load();
      assert.deepEqual([loaded.greet(), loaded.names], [expected.greet(), expected.names]);
      assert.equal(placeOf(loaded.fail), placeOf(expected.fail));
      saveCompiled();
    }
  });

  it('is stored with the functions that were called', () => {
    using made = bundle();
    made.load();
    saveCompiled();
    assert.ok(!readFileSync(made.storedFile()).includes('hello'));
    rmSync(made.storedFile());
    made.load().greet();
    saveCompiled();
    assert.ok(readFileSync(made.storedFile()).includes('hello'));
  });

  it('is used by the next process and not stored again', () => {
    using made = bundle();
    made.load();
    saveCompiled();
    assert.equal(made.load().greet(), 'hello');
    rmSync(made.storedFile());
    saveCompiled();
    assert.deepEqual(made.stored(), []);
  });

  it('is not used for another source of the same length', () => {
    using made = bundle();
    made.load().greet();
    saveCompiled();
    writeFileSync(made.file, source('adieu'));
    assert.equal(made.load().greet(), 'adieu');
    saveCompiled();
    assert.ok(readFileSync(made.storedFile()).includes('adieu'));
  });

  it('is not used if its file is damaged or cut off', () => {
    using made = bundle();
    made.load().greet();
    saveCompiled();
    const intact = readFileSync(made.storedFile());
    const damaged = Buffer.from(intact);
    damaged.writeUInt8(damaged.readUInt8(100) ^ 1, 100);
    for (const contents of [damaged, intact.subarray(0, 200), Buffer.alloc(3)]) {
      writeFileSync(made.storedFile(), contents);
      assert.equal(made.load().greet(), 'hello');
      saveCompiled();
      assert.equal(readFileSync(made.storedFile()).length, intact.length);
    }
  });
});
