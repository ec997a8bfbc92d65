import assert from 'node:assert/strict';
import { deprecationProblems, deprecationRows, documentProblems, MAX_OVERVIEW_BYTES } from '../../scripts/check-docs.ts';

const files = ['README.md', 'docs', 'docs/a.md', 'docs/with space.md', 'server/main.ts'];

/** Returns the problems of a README.md with this text next to a page docs/a.md that has two headings of the same name. */
function problemsOf(readme: string, page = '# First page\n\n## Use `--seed FILE`\n\n## Next: step\n\n## Next: step\n'): string[] {
  return documentProblems({ 'README.md': readme, 'docs/a.md': page }, (file) => files.includes(file), new Set());
}

describe('the check of the Markdown documents', () => {
  for (const [title, readme] of [
    ['files and folders', '[a](docs/a.md) [b](docs) [c](./server/main.ts) [d](docs/with%20space.md)'],
    ['headings of the same file', '# Two commands\n\n[up](#two-commands)'],
    ['headings of another file', '[a](docs/a.md#use---seed-file) [b](docs/a.md#next-step) [c](docs/a.md#next-step-1)'],
    ['lines of a source file', '[main](server/main.ts#L3)'],
    ['web addresses and commands', '[a](https://127.0.0.1/x) [b](mailto:a@b.test) [c](vscode://x/y)'],
    ['missing files, written as code', '`[a](b.md)`\n\n```md\n[a](b.md)\n```'],
  ] as const) {
    it(`accepts links to ${title}`, () => {
      assert.deepEqual(problemsOf(readme), []);
    });
  }

  for (const [title, readme, problem] of [
    [
      'a missing file, with its line',
      'One.\n\n[b](docs/b.md)',
      'README.md:3: the link docs/b.md leads nowhere: there is no docs/b.md',
    ],
    ['a missing picture', '![b](b.png)', 'README.md:1: the link b.png leads nowhere: there is no b.png'],
    [
      'a missing heading',
      '[b](docs/a.md#other)',
      'README.md:1: the link docs/a.md#other leads nowhere: docs/a.md has no heading #other',
    ],
    [
      'a missing heading of the same file',
      '[b](#other)',
      'README.md:1: the link #other leads nowhere: README.md has no heading #other',
    ],
    [
      'a heading of a file that is not Markdown',
      '[b](server/main.ts#other)',
      'README.md:1: the link server/main.ts#other leads nowhere: server/main.ts has no headings',
    ],
    ['a file outside the repository', '[b](../b.md)', 'README.md:1: the link ../b.md leads nowhere: it leaves the repository'],
  ] as const) {
    it(`reports a link to ${title}`, () => {
      assert.deepEqual(problemsOf(readme), [problem]);
    });
  }

  it('resolves links from the folder of the page', () => {
    assert.deepEqual(problemsOf('', '[up](../README.md) [here](a.md) [gone](docs/a.md)'), [
      'docs/a.md:1: the link docs/a.md leads nowhere: there is no docs/docs/a.md',
    ]);
  });

  for (const [file, folder] of [
    ['README.md', 'docs/'],
    ['ARCHITECTURE.md', 'docs/design/'],
  ] as const) {
    it(`accepts ${file} up to its maximum size and reports one byte more`, () => {
      const problemsOfSize = (bytes: number) => documentProblems({ [file]: 'x'.repeat(bytes) }, () => true, new Set());
      assert.deepEqual(problemsOfSize(MAX_OVERVIEW_BYTES), []);
      assert.deepEqual(problemsOfSize(MAX_OVERVIEW_BYTES + 1), [
        `${file} has 8193 bytes, at most 8192 are allowed. Move details to a page in ${folder}.`,
      ]);
    });
  }

  it('reports identifiers that the sources do not have, in inline code and code blocks of pages for developers', () => {
    const page = 'Call `keysetSize(count)`, `pageOf` and\n`offsetSize`.\n\n```ts\ncutOff(rows);\n```\n';
    const problemsIn = (file: string) => documentProblems({ [file]: page }, () => true, new Set(['keysetSize', 'pageOf']));
    assert.deepEqual(problemsIn('docs/design/lists.md'), [
      'docs/design/lists.md:1: `offsetSize` occurs nowhere in the sources',
      'docs/design/lists.md:4: `cutOff` occurs nowhere in the sources',
    ]);
    assert.deepEqual(problemsIn('docs/extension.md'), []);
  });

  describe('the list of source files', () => {
    const row = (file: string) => `| [\`${file}\`](../../${file}) | what it decides |\n`;
    const problemsOfList = (text: string, sources: readonly string[]) =>
      documentProblems({ 'docs/design/files.md': `| File | Decides |\n|---|---|\n${text}` }, () => true, new Set(), sources);

    it('accepts a row for each source file, and rows for some files with conventional names', () => {
      const files = ['server/features/oauth/userCode.ts', 'src/app.ts', 'server/features/issues/store.ts'];
      assert.deepEqual(problemsOfList(files.map(row).join(''), files), []);
    });

    it('reports source files without a row, even if another row links to them', () => {
      const pointer = '| [`app.ts`](../../src/app.ts) | limits are in [ids](../../src/ids.ts) |\n';
      assert.deepEqual(problemsOfList(pointer, ['src/app.ts', 'src/ids.ts', 'server/store/restore.ts']), [
        'docs/design/files.md: no row for src/ids.ts',
        'docs/design/files.md: no row for server/store/restore.ts',
      ]);
    });

    it('requires no row for files with conventional names', () => {
      const names = [
        ...['routes', 'jobRoutes', 'responses', 'present', 'store', 'readStore', 'pages', 'treePages', 'undici-parts.d'],
        'migrations/0007-second-factors',
      ];
      assert.deepEqual(
        problemsOfList(
          '',
          names.map((name) => `server/x/${name}.ts`),
        ),
        [],
      );
    });

    it('reports files with two rows', () => {
      assert.deepEqual(problemsOfList(row('src/app.ts') + row('src/app.ts'), ['src/app.ts']), [
        'docs/design/files.md: 2 rows for src/app.ts',
      ]);
    });
  });

  describe('the table of deprecations', () => {
    it('is accepted if it has the rows of the registry', () => {
      assert.deepEqual(deprecationProblems(deprecationRows().join('\n')), []);
    });

    it('reports missing and changed rows', () => {
      const [first = '', ...others] = deprecationRows();
      assert.equal(deprecationProblems(others.join('\n')).length, 1);
      const changed = deprecationProblems([first.replace(/20\.0/, '21.0'), ...others].join('\n'));
      assert.equal(changed.length, 2);
      assert.match(changed[1] ?? '', /the registry does not have this row: .*21\.0/);
    });
  });
});
