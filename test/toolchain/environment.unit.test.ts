import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

const TESTS = path.resolve(import.meta.dirname, '..');

/** Modules that name the environment, with the reasons. Most are programs that read the variables which a test gives to them. */
const READERS: Readonly<Record<string, string>> = {
  'support/environment.ts': 'makes the environments',
  'toolchain/environment.unit.test.ts': 'contains examples of what is refused',
  'toolchain/guarded.process.test.ts': 'contains the source of a program that a test starts',
  'extension/dsn/find.unit.test.ts': 'contains source code that is searched for DSNs',
  'support/extension/window.ts': 'is the program of a window: passes its environment to a server, as an extension host does',
  'support/extension/fakeServer.js': 'is a program that prints the environment in which it was started',
  'support/host/secretsSeen.mjs': 'is loaded into VS Code and writes to the file that it is told',
  'support/host/modules.mjs': 'is loaded into VS Code and writes to the file that it is told',
  'support/host/connections.mjs': 'is loaded into VS Code and writes to the file that it is told',
  'support/host/suite/outside.ts': 'runs in VS Code and reports to the address that it is told',
  'clients/node/sentry/ship.mjs': 'is a program that sends errors to the DSN that it is told',
  'clients/node/sentry/ids.mjs': 'is a program that sends errors to the DSN that it is told',
  'clients/node/sentry/shop/shop.mjs': 'is a program that sends errors to the DSN that it is told',
  'bench/activationTimes.mjs': 'is loaded into VS Code and measures what it is told',
};

const STARTERS = new Set(['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync']);

/** Returns what a module of the tests does with environments that only test/support/environment.ts may do. */
function problems(file: string, source: string): readonly string[] {
  const found: string[] = [];
  const { program } = parseSync(file, source);
  const lineOf = (start: number): number => source.slice(0, start).split('\n').length;
  for (const match of source.matchAll(/process\.env\b(?!(?:\.|\[')SIGNALBOX_)/g))
    found.push(`${file}:${lineOf(match.index)}: process.env is read; testEnvironment makes the environment of a program`);
  new Visitor({
    CallExpression({ callee, arguments: args, start }) {
      const called =
        callee.type === 'CallExpression' && callee.callee.type === 'Identifier' && callee.callee.name === 'promisify'
          ? callee.arguments[0]
          : callee;
      if (called?.type !== 'Identifier' || !STARTERS.has(called.name)) return;
      const hasEnvironment = args.some(
        (one) =>
          // Options in a variable, or the arguments of a function that passes them on.
          (one.type === 'Identifier' && one.name.includes('options')) ||
          one.type === 'SpreadElement' ||
          (one.type === 'ObjectExpression' &&
            one.properties.some(
              (property) => property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === 'env',
            )),
      );
      if (!hasEnvironment) found.push(`${file}:${lineOf(start)}: ${called.name} is called without env: testEnvironment(…)`);
    },
  }).visit(program);
  return found;
}

describe('the environment of the programs that tests start', () => {
  it('is made by one function', () => {
    const files = globSync('**/*.{ts,mjs,js}', { cwd: TESTS }).filter((file) => !Object.hasOwn(READERS, file));
    assert.ok(files.length > 500, String(files.length));
    assert.deepEqual(
      files.flatMap((file) => problems(file, readFileSync(path.join(TESTS, file), 'utf8'))),
      [],
    );
  });

  it('is read only by modules that exist and read it', () => {
    for (const file of Object.keys(READERS)) assert.match(readFileSync(path.join(TESTS, file), 'utf8'), /process\.env/, file);
  });

  for (const [source, expected] of [
    ["spawn('git', [], { env: testEnvironment(['git']) });", 0],
    ["spawn('git', [], options);", 0],
    ["spawn('git', []);", 1],
    ["promisify(execFile)('git', [], { cwd });", 1],
    ["spawnSync('git', [], { env: { ...process.env } });", 1],
    ["const path = process.env['PATH'];", 1],
    ["const seed = process.env['SIGNALBOX_TEST_SEED'];", 0],
  ] as const)
    it(`${expected === 0 ? 'may be written as' : 'is not written as'} ${source}`, () => {
      assert.equal(problems('a.ts', source).length, expected);
    });
});
