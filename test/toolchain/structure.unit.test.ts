import assert from 'node:assert/strict';
import {
  entryProblems,
  importProblems,
  importsOf,
  lengthProblems,
  shortestCycle,
  tableProblems,
} from '../../scripts/check-structure.ts';
import { exportedNames, longFunctions, parametersOfType, queriedTables } from '../../scripts/structureCounts.ts';

const issues = 'server/features/issues/manageIssues.ts';
const notes = 'server/features/notes/notes.ts';
const labels = 'server/features/labels/labels.ts';

describe('the check of the structure', () => {
  it('reads imports, types, later imports and what is passed on', () => {
    const source = [
      `import { a } from '../notes/notes.ts';`,
      `import '../labels/labels.ts';`,
      `export type { B } from '../../core/clock.ts';`,
      `export type C = import('./store.ts').C;`,
      `import { join } from 'node:path';`,
      `import { page } from '../../../src/contract/pagination.ts';`,
    ].join('\n');
    assert.deepEqual(
      importsOf({ [issues]: source }).map(({ file }) => file),
      [notes, labels, 'server/core/clock.ts', 'server/features/issues/store.ts'],
    );
  });

  it('accepts folders without a cycle', () => {
    const imports = [
      { from: issues, file: notes },
      { from: notes, file: labels },
      { from: issues, file: labels },
      // Files of one folder.
      { from: labels, file: 'server/features/labels/store.ts' },
    ];
    assert.deepEqual(importProblems(imports), []);
  });

  it('prints the imports of the shortest cycle', () => {
    const imports = [
      { from: 'server/http/mount.ts', file: issues },
      { from: issues, file: notes },
      { from: notes, file: labels },
      { from: labels, file: 'server/http/route.ts' },
      { from: labels, file: 'server/features/notes/store.ts' },
    ];
    assert.deepEqual(shortestCycle(imports), [
      [{ from: labels, file: 'server/features/notes/store.ts' }],
      [{ from: notes, file: labels }],
    ]);
    assert.deepEqual(importProblems(imports), [
      'Folders import each other in a cycle:',
      `  ${labels} -> server/features/notes/store.ts`,
      `  ${notes} -> ${labels}`,
    ]);
  });

  it('counts a subfolder of a feature to the feature, and a file of server/ as itself', () => {
    const imports = [
      { from: 'server/features/issues/checks/due.ts', file: notes },
      { from: notes, file: issues },
    ];
    assert.equal(shortestCycle(imports).length, 2);
    assert.deepEqual(
      shortestCycle([
        { from: 'server/app.ts', file: issues },
        { from: issues, file: 'server/feature.ts' },
      ]),
      [],
    );
  });

  it('refuses an entry that exports more than 40 names', () => {
    const exporting = (count: number) =>
      `export { ${Array.from({ length: count }, (_, index) => `a${index}`).join(', ')} } from './store.ts';`;
    const own = `export const notesFeature = {};`;
    assert.deepEqual(entryProblems({ [notes]: `${exporting(39)}\n${own}`, [issues]: exporting(41) }), []);
    assert.deepEqual(entryProblems({ [notes]: `${exporting(40)}\n${own}` }), [
      `${notes} exports 41 names, more than 40: split the feature, or offer fewer functions`,
    ]);
  });

  it('refuses a function of more than 120 lines', () => {
    const longest = `function a() {${'\n'.repeat(119)}}\n`;
    assert.deepEqual(lengthProblems({ [issues]: longest }, []), []);
    const longer = `\nfunction a() {${'\n'.repeat(120)}}\n`;
    assert.deepEqual(lengthProblems({ [issues]: longer }, []), [`${issues}:2: a has 121 lines, more than 120`]);
  });

  it('accepts a long function that is listed, and demands that it still is long', () => {
    const longer = `function a() {${'\n'.repeat(120)}}\n`;
    assert.deepEqual(lengthProblems({ [issues]: longer }, [`${issues} a`]), []);
    assert.deepEqual(lengthProblems({ [issues]: 'function a() {}' }, [`${issues} a`]), [
      `scripts/check-structure.ts: longOnPurpose no longer needs "${issues} a"`,
    ]);
  });
});

describe('the counts of the structure', () => {
  it('count parameters with a type, also in types of functions and in intersections', () => {
    const source = [
      'function a(platform: Platform, other: string) {}',
      'const b = ({ store }: Platform & Parts) => store;',
      'type C = (platform: Platform) => void;',
      'interface D { e(platform: Platform): void; platform: Platform }',
      'function f(part: Pick<Platform, "store">) {}',
    ].join('\n');
    assert.equal(parametersOfType({ [issues]: source }, 'Platform').length, 4);
  });

  it('name what a file exports, its own and what it passes on', () => {
    const source = [
      "export { a, type B, c as d } from './store.ts';",
      "export type { E } from './changes.ts';",
      'export const f = 1, g = 2;',
      'export function h() {}',
      'export interface I {}',
      'const j = 1;',
      'export type K = string;',
    ].join('\n');
    assert.deepEqual(exportedNames(notes, source), ['a', 'B', 'd', 'E', 'f', 'g', 'h', 'I', 'K']);
  });

  it('name long functions', () => {
    const body = '\n'.repeat(10);
    const source = `function a() {${body}}\nconst b = () => {${body}};\nit('c', () => {${body}});\nfunction d() {}\n`;
    assert.deepEqual(
      longFunctions({ [issues]: source }, 10).map(({ name, line, lines }) => ({ name, line, lines })),
      [
        { name: 'a', line: 1, lines: 11 },
        { name: 'b', line: 12, lines: 11 },
        { name: 'argument of it', line: 23, lines: 11 },
      ],
    );
  });

  it('refuse a table that two folders query', () => {
    const files = {
      'server/store/migrations/0001.ts': 'sql`CREATE TABLE notes (id); CREATE VIEW notes_view AS SELECT id FROM notes`',
      'server/features/notes/store.ts': "'SELECT * FROM notes'",
      'server/features/issues/store.ts': "'SELECT id FROM notes_view'",
    };
    assert.deepEqual(tableProblems(files), []);
    for (const folder of ['server/features/todos', 'server/seeds']) {
      assert.deepEqual(tableProblems({ ...files, [`${folder}/store.ts`]: "'SELECT 1 FROM notes'" }), [
        `the table notes is queried by server/features/notes, ${folder}: all but its owner read the view notes_view`,
      ]);
    }
  });

  it('name the folders that query a table', () => {
    const tables = queriedTables({
      'server/store/migrations/0001.ts': "sql`CREATE TABLE notes (id); CREATE TABLE labels (id)`; 'INSERT INTO labels'",
      'server/features/notes/store.ts': "'SELECT * FROM notes'; 'DELETE FROM labels'",
      'server/features/issues/store.ts': "'UPDATE notes SET id = 1'",
      'server/features/issues/list.ts': "'SELECT * FROM notes'",
      'server/seeds/past.ts': "'SELECT * FROM labels'",
    });
    assert.deepEqual(tables, [
      { table: 'labels', folders: ['server/features/notes', 'server/seeds'] },
      { table: 'notes', folders: ['server/features/notes', 'server/features/issues'] },
    ]);
  });
});
