// Compiles code with the tsconfig.json of each program in a temporary folder, and compares the globals that it sees with those that it may.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { testEnvironment } from '../support/environment.ts';

const root = path.resolve(import.meta.dirname, '../..');

const dom = ['document', 'window', 'XMLHttpRequest', 'HTMLElement', 'indexedDB', 'getComputedStyle', 'alert'];
const mocha = ['describe', 'it', 'before', 'after', 'beforeEach', 'afterEach'];
const node = ['process', 'Buffer', 'setImmediate', 'console', 'fetch', 'setTimeout'];
/** Types, unlike the others. */
const vscode = ['Thenable<1>'];

const programs = [
  { folder: 'server', sees: [...node, 'URL'], hidden: [...dom, ...mocha, ...vscode] },
  { folder: 'src', sees: [...node, ...vscode, 'URL'], hidden: [...dom, ...mocha] },
  { folder: 'src/contract', sees: ['URL', 'Map', 'Intl'], hidden: [...dom, ...mocha, ...node, ...vscode] },
  { folder: 'scripts', sees: [...node, 'URL'], hidden: [...dom, ...mocha, ...vscode] },
  { folder: '.', sees: [...dom, ...mocha, ...node, ...vscode, 'URL'], hidden: [] },
];

describe('the programs of TypeScript', () => {
  let copy: string;

  before(() => {
    copy = mkdtempSync(path.join(os.tmpdir(), 'signalbox-programs-'));
    for (const { folder } of programs) {
      mkdirSync(path.join(copy, folder), { recursive: true });
      copyFileSync(path.join(root, folder, 'tsconfig.json'), path.join(copy, folder, 'tsconfig.json'));
    }
    for (const file of ['package.json', 'src/contract/globals.d.ts']) copyFileSync(path.join(root, file), path.join(copy, file));
    symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'), 'junction');
  });

  after(() => rmSync(copy, { recursive: true, force: true }));

  for (const { folder, sees, hidden } of programs) {
    it(`show the globals of ${folder === '.' ? 'tests' : folder}`, async () => {
      const names = [...sees, ...hidden];
      const file = path.join(copy, folder === '.' ? 'test' : folder, 'names.ts');
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, names.map((name) => `export type _${names.indexOf(name)} = ${typeText(name)};\n`).join(''));
      const unknown = await unknownLines(copy, path.join(folder, 'tsconfig.json'));
      rmSync(file);
      assert.deepEqual(
        names.filter((_, index) => unknown.includes(index + 1)),
        hidden,
      );
    });
  }
});

function typeText(name: string): string {
  return name.includes('<') ? name : `typeof ${name}`;
}

/** Compiles a program and returns the lines of names.ts with errors, from 1. */
async function unknownLines(cwd: string, config: string): Promise<number[]> {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const output = await promisify(execFile)(process.execPath, [tsc, '--pretty', 'false', '-p', config], {
    cwd,
    env: testEnvironment(),
  }).then(
    ({ stdout }) => stdout,
    // The exit code says that there were errors.
    (error: { stdout: string }) => error.stdout,
  );
  return [...output.matchAll(/^.*names\.ts\((\d+),/gm)].map(([, line]) => Number(line));
}
