// Tests every custom lint rule of oxlint: files that each violate one rule, and similar files that are allowed, are linted in a temporary
// folder with the project's configuration.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { testEnvironment } from '../support/environment.ts';

const root = path.resolve(import.meta.dirname, '../..');

interface Case {
  readonly title: string;
  /** Rule that must be reported for the file; undefined if none may be. */
  readonly rule?: string;
  readonly file: string;
  readonly code: string;
}

const use = (name: string, from: string) => `import { ${name} } from '${from}';\nconsole.log(${name});\n`;

const cases: readonly Case[] = [
  { title: 'contract imports contract', file: 'src/contract/events.ts', code: use('page', './pages.ts') },
  {
    title: 'contract imports another folder of src',
    rule: 'signalbox(rooms)',
    file: 'src/contract/a.ts',
    code: use('send', '../api/send.ts'),
  },
  { title: 'contract imports a package', rule: 'signalbox(rooms)', file: 'src/contract/b.ts', code: use('z', 'zod') },
  {
    title: 'contract imports a module of Node',
    rule: 'signalbox(rooms)',
    file: 'src/contract/c.ts',
    code: use('join', 'node:path'),
  },

  { title: 'server imports contract', file: 'server/features/issues/d.ts', code: use('page', '../../../src/contract/pages.ts') },
  { title: 'server imports vscode', rule: 'signalbox(rooms)', file: 'server/features/issues/e.ts', code: use('env', 'vscode') },
  {
    title: 'server imports vscode as a type',
    rule: 'signalbox(rooms)',
    file: 'server/features/issues/f.ts',
    code: `import type { Uri } from 'vscode';\nexport type Place = Uri;\n`,
  },
  {
    title: 'server imports the extension',
    rule: 'signalbox(rooms)',
    file: 'server/features/issues/g.ts',
    code: use('send', '../../../src/api/send.ts'),
  },
  {
    title: 'the extension imports the server',
    rule: 'signalbox(rooms)',
    file: 'src/local/h.ts',
    code: use('now', '../../server/core/clock.ts'),
  },
  {
    title: 'the extension imports a type of the server',
    rule: 'signalbox(rooms)',
    file: 'src/local/i.ts',
    code: `export type Now = import('../../server/core/clock.ts').Now;\n`,
  },

  { title: 'a feature imports its own store', file: 'server/features/issues/j.ts', code: use('rows', './store.ts') },
  {
    title: 'a subfolder of a feature imports its store',
    file: 'server/features/issues/checks/k.ts',
    code: use('rows', '../store.ts'),
  },
  {
    title: 'a test of another feature imports a private file',
    file: 'test/server/activity/store.unit.test.ts',
    code: use('rows', '../../../server/features/issues/store.ts'),
  },
  {
    title: 'a feature imports the entry of another',
    file: 'server/features/activity/k.ts',
    code: use('issues', '../issues/issues.ts'),
  },
  {
    title: 'a feature imports a private file of another',
    rule: 'signalbox(rooms)',
    file: 'server/features/activity/l.ts',
    code: use('rows', '../issues/store.ts'),
  },
  {
    title: 'a feature imports a type of a private file of another',
    rule: 'signalbox(rooms)',
    file: 'server/features/activity/o.ts',
    code: `import type { Row } from '../issues/store.ts';\nexport type Rows = Row[];\n`,
  },
  {
    title: 'a feature names the type of a private file of another',
    rule: 'signalbox(rooms)',
    file: 'server/features/activity/p.ts',
    code: `export type Rows = import('../issues/store.ts').Row[];\n`,
  },
  {
    title: 'a feature passes a private file of another on',
    rule: 'signalbox(rooms)',
    file: 'server/features/activity/m.ts',
    code: `export { rows } from '../issues/store.ts';\nexport const own = 1;\n`,
  },
  {
    title: 'a feature loads a private file of another later',
    rule: 'signalbox(rooms)',
    file: 'server/features/activity/n.ts',
    code: `console.log(await import('../issues/store.ts'));\n`,
  },
  {
    title: 'a feature imports a file in a folder of another with the name of its entry',
    rule: 'signalbox(rooms)',
    file: 'server/features/activity/q.ts',
    code: use('rows', '../issues/checks/issues.ts'),
  },
  { title: 'the list of features imports an entry', file: 'server/app.ts', code: use('issues', './features/issues/issues.ts') },
  {
    title: 'the platform imports a private file of a feature',
    rule: 'signalbox(rooms)',
    file: 'server/platform.ts',
    code: `import type { Row } from './features/issues/store.ts';\nexport type Rows = Row[];\n`,
  },
  {
    title: 'GraphQL imports a private file of a feature',
    rule: 'signalbox(rooms)',
    file: 'server/graphql/a.ts',
    code: use('rows', '../features/issues/store.ts'),
  },
  {
    title: 'HTTP imports the entry of a feature',
    rule: 'signalbox(rooms)',
    file: 'server/http/a.ts',
    code: use('issues', '../features/issues/issues.ts'),
  },
  {
    title: 'the frame of pages imports a type of the entry of a feature',
    rule: 'signalbox(rooms)',
    file: 'server/web/a.ts',
    code: `import type { Issue } from '../features/issues/issues.ts';\nexport type Issues = Issue[];\n`,
  },

  { title: 'HTTP imports the errors of REST', file: 'server/http/b.ts', code: use('notAllowed', './failures.ts') },
  {
    title: 'a test imports the errors of REST',
    file: 'test/server/http/b.unit.test.ts',
    code: use('notAllowed', '../../../server/http/failures.ts'),
  },
  {
    title: 'a feature imports a file of its own with the name of the errors of REST',
    file: 'server/features/activity/r.ts',
    code: use('notAllowed', './failures.ts'),
  },
  {
    title: 'a feature imports the errors of REST',
    rule: 'signalbox(rooms)',
    file: 'server/features/activity/s.ts',
    code: use('notAllowed', '../../http/failures.ts'),
  },
  {
    title: 'the frame of pages imports a type of the errors of REST',
    rule: 'signalbox(rooms)',
    file: 'server/web/b.ts',
    code: `import type { NotAllowed } from '../http/failures.ts';\nexport type Refused = NotAllowed[];\n`,
  },

  {
    title: 'server/store names better-sqlite3',
    file: 'server/store/o.ts',
    code: `import Database from 'better-sqlite3';\nconsole.log(Database);\n`,
  },
  {
    title: 'a feature names better-sqlite3',
    rule: 'signalbox(rooms)',
    file: 'server/features/issues/p.ts',
    code: `import Database from 'better-sqlite3';\nconsole.log(Database);\n`,
  },
  { title: 'src/api names undici', file: 'src/api/q.ts', code: use('Agent', 'undici') },
  { title: 'a test names undici', file: 'test/api/r.unit.test.ts', code: use('Agent', 'undici') },
  { title: 'another folder of src names undici', rule: 'signalbox(rooms)', file: 'src/auth/s.ts', code: use('Agent', 'undici') },
  {
    title: 'another folder of src names a part of undici',
    rule: 'signalbox(rooms)',
    file: 'src/auth/t.ts',
    code: `console.log(await import('undici/lib/dispatcher/agent.js'));\n`,
  },

  {
    title: 'a page for the browser imports a model',
    file: 'src/activity/panel.web.ts',
    code: use('page', '../contract/pages.ts'),
  },
  {
    title: 'a page for the browser imports vscode',
    rule: 'signalbox(rooms)',
    file: 'src/activity/u.web.ts',
    code: use('env', 'vscode'),
  },
  {
    title: 'a page for the browser imports a module of Node',
    rule: 'signalbox(rooms)',
    file: 'src/activity/v.web.ts',
    code: use('join', 'node:path'),
  },
  {
    title: 'a page for the browser imports a part of one',
    rule: 'signalbox(rooms)',
    file: 'src/activity/w.web.ts',
    code: use('readFile', 'fs/promises'),
  },

  { title: 'a default export', rule: 'import(no-default-export)', file: 'src/ui/a.ts', code: 'export default 1;\n' },
  {
    title: 'a file that only passes on',
    rule: 'signalbox(no-barrels)',
    file: 'src/ui/b.ts',
    code: `export { send } from '../api/send.ts';\nexport { page } from '../contract/pages.ts';\n`,
  },
  {
    title: 'a file that passes everything of another on',
    rule: 'signalbox(no-barrels)',
    file: 'src/ui/c.ts',
    code: `export * from '../api/send.ts';\nexport const own = 1;\n`,
  },
  {
    title: 'any',
    rule: 'typescript(no-explicit-any)',
    file: 'src/ui/d.ts',
    code: 'export const thing = (value: any) => void value;\n',
  },
  {
    title: 'any from elsewhere',
    rule: 'typescript(no-unsafe-return)',
    file: 'src/ui/e.ts',
    code: 'export const thing = (text: string): string => JSON.parse(text);\n',
  },
  {
    title: 'a cast',
    rule: 'typescript(no-unsafe-type-assertion)',
    file: 'src/ui/f.ts',
    code: 'export const thing = (value: unknown) => value as string;\n',
  },
  {
    title: 'a cycle',
    rule: 'import(no-cycle)',
    file: 'src/ui/g.ts',
    code: `import { h } from './h.ts';\nexport const g = () => h();\n`,
  },
  {
    title: 'the other half of a cycle',
    rule: 'import(no-cycle)',
    file: 'src/ui/h.ts',
    code: `import { g } from './g.ts';\nexport const h = (): unknown => g();\n`,
  },
  {
    title: 'a cycle of types',
    rule: 'import(no-cycle)',
    file: 'src/ui/i.ts',
    code: `import type { J } from './j.ts';\nexport type I = J | string;\n`,
  },
  {
    title: 'the other half of a cycle of types',
    rule: 'import(no-cycle)',
    file: 'src/ui/j.ts',
    code: `import type { I } from './i.ts';\nexport type J = { i: I };\n`,
  },

  {
    title: 'the clock of the server reads the time',
    file: 'server/core/clock.ts',
    code: 'export type Now = number;\nexport const now = (): Now => Date.now();\nexport const today = () => new Date();\n',
  },
  {
    title: 'the server shows a time it was given',
    file: 'server/features/issues/present.ts',
    code: 'export const iso = (ms: number) => new Date(ms).toISOString();\n',
  },
  { title: 'the extension reads the time', file: 'src/ui/k.ts', code: 'export const now = () => Date.now();\n' },
  {
    title: 'the server reads Date.now()',
    rule: 'signalbox(system-time)',
    file: 'server/features/issues/q.ts',
    code: 'export const now = () => Date.now();\n',
  },
  {
    title: 'the server hands Date.now on',
    rule: 'signalbox(system-time)',
    file: 'server/features/issues/r.ts',
    code: 'export const clock = { now: Date.now };\n',
  },
  {
    title: 'the server reads new Date()',
    rule: 'signalbox(system-time)',
    file: 'server/features/issues/s.ts',
    code: 'export const now = () => new Date();\n',
  },
  {
    title: 'the server reads Date()',
    rule: 'signalbox(system-time)',
    file: 'server/features/issues/t.ts',
    code: 'export const now = () => Date();\n',
  },

  ...['exports', 'localStorage', 'module', 'navigator', 'require', 'sessionStorage', '__filename'].map((name) => ({
    title: `the server uses the global ${name}`,
    rule: 'eslint(no-restricted-globals)',
    file: `server/globals/${name}.ts`,
    code: `console.log(${name});\n`,
  })),
  {
    title: 'the extension uses the global navigator',
    rule: 'eslint(no-restricted-globals)',
    file: 'src/ui/l.ts',
    code: 'console.log(navigator.language);\n',
  },
  { title: 'a script uses the global navigator', file: 'scripts/a.ts', code: 'console.log(navigator.language);\n' },

  {
    title: 'z.coerce',
    rule: 'eslint(no-restricted-properties)',
    file: 'server/features/issues/u.ts',
    code: `import * as z from 'zod';\nexport const page = z.coerce.number();\n`,
  },
  {
    title: 'a promise nobody waits for',
    rule: 'typescript(no-floating-promises)',
    file: 'server/features/issues/v.ts',
    code: 'const work = () => Promise.resolve(1);\nwork();\n',
  },
];

/** Modules that the cases import. */
const imported = {
  'src/contract/pages.ts': 'export const page = 1;\n',
  'src/api/send.ts': 'export const send = 1;\n',
  'server/features/issues/store.ts': 'export const rows = 1;\nexport interface Row {\n  id: number;\n}\n',
  'server/features/issues/manageIssues.ts': 'export const issues = 1;\nexport interface Issue {\n  id: number;\n}\n',
  'server/features/issues/checks/issues.ts': 'export const rows = 1;\n',
  'server/features/activity/failures.ts': 'export const notAllowed = 1;\n',
  'server/http/failures.ts': 'export const notAllowed = 1;\nexport interface NotAllowed {\n  id: number;\n}\n',
};

describe('the import rules', () => {
  let folder: string;
  let reported: ReadonlyMap<string, readonly string[]>;

  before(async function () {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-rules-'));
    const files = { ...imported, ...Object.fromEntries(cases.map(({ file, code }) => [file, code])) };
    for (const [file, code] of Object.entries(files)) {
      mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(folder, file), code);
    }
    mkdirSync(path.join(folder, 'scripts'), { recursive: true });
    for (const file of ['.oxlintrc.json', 'tsconfig.json', 'package.json', 'scripts/lint-rules.ts', 'scripts/serverFolders.ts']) {
      copyFileSync(path.join(root, file), path.join(folder, file));
    }
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
    reported = await lint(folder);
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const { title, rule, file } of cases) {
    it(rule === undefined ? `allow: ${title}` : `refuse: ${title}`, () => {
      const found = reported.get(file) ?? [];
      if (rule === undefined) assert.deepEqual(found, []);
      else assert.ok(found.includes(rule), `reported: ${found.join(', ') || 'nothing'}`);
    });
  }
});

/** Returns the distinct rules reported for each file below `folder`. */
async function lint(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const oxlint = path.join(root, 'node_modules/oxlint/bin/oxlint');
  const output = await promisify(execFile)(process.execPath, [oxlint, '--format', 'json'], {
    cwd: folder,
    env: testEnvironment(),
  }).then(
    ({ stdout }) => stdout,
    // Exit code 1 means that problems were found; the report is still valid.
    (error: { stdout: string }) => error.stdout,
  );
  const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; filename: string }[] };
  const rules = new Map<string, string[]>();
  for (const { code, filename } of diagnostics) {
    const found = rules.get(filename) ?? [];
    if (!found.includes(code)) rules.set(filename, [...found, code]);
  }
  return rules;
}
