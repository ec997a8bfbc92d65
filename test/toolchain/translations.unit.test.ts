import assert from 'node:assert/strict';
import { wordProblems, type Texts } from '../../scripts/check-translations.ts';

const IMPORT = "import * as l10n from '@vscode/l10n';\n";
const said = `${IMPORT}export const told = (name: string): string => l10n.t('Hello {0}', name);\n`;

/** Returns the problems of a valid set of texts with these parts replaced. */
function problems({ sources, bundles, manifestTexts }: Partial<Texts>): string[] {
  return wordProblems({
    sources: sources ?? { 'src/a.ts': said },
    bundles: bundles ?? { 'bundle.l10n.de.json': { 'Hello {0}': 'Hallo {0}' } },
    manifestTexts: manifestTexts ?? {
      'package.nls.json': { welcome: 'Set `a.b`.\n[Start](command:signalbox.start)' },
      'package.nls.de.json': { welcome: 'Setzen Sie `a.b`.\n[Starten](command:signalbox.start)' },
    },
  });
}

/** Returns the problems of the code of a function, after the import. */
const inFunction = (code: string): string[] =>
  problems({ sources: { 'src/a.ts': said, 'src/b.ts': `${IMPORT}export function tell(name: string) {\n  ${code}\n}\n` } });

const german = (texts: Readonly<Record<string, unknown>>): string[] => problems({ bundles: { 'bundle.l10n.de.json': texts } });
const welcome = (text: string): string[] =>
  problems({
    manifestTexts: {
      'package.nls.json': { welcome: 'Set `a.b`.\n[Start](command:signalbox.start)' },
      'package.nls.de.json': { welcome: text },
    },
  });

const LITERAL = 'src/b.ts:3: the first argument of l10n.t must be a string literal';
const PASSED = 'call l10n.t directly and do not pass it on: its texts could not be found';

describe('the check of translations', () => {
  it('finds nothing where code and translations agree', () => {
    assert.deepEqual(problems({}), []);
  });

  it('finds texts in every kind of code', () => {
    const code = [
      'class Row { get label() { return l10n.t("a") satisfies string; } }',
      'const of = (one: boolean) => (one ? l10n.t(\'b\') : [`${l10n.t("c")}`]);',
      'export { Row, of };',
    ].join('\n');
    assert.deepEqual(problems({ sources: { 'src/a.ts': `${IMPORT}${code}\n` }, bundles: { 'bundle.l10n.de.json': {} } }), [
      'bundle.l10n.de.json: no translation of "a"',
      'bundle.l10n.de.json: no translation of "b"',
      'bundle.l10n.de.json: no translation of "c"',
    ]);
  });

  it('finds the texts of tables', () => {
    const code = "export const table = texts({ opened: ['d', '@{0} e'], of: { group: 'f' } });";
    assert.deepEqual(problems({ sources: { 'src/a.ts': code }, bundles: { 'bundle.l10n.de.json': {} } }), [
      'bundle.l10n.de.json: no translation of "d"',
      'bundle.l10n.de.json: no translation of "@{0} e"',
      'bundle.l10n.de.json: no translation of "f"',
    ]);
  });

  it('finds texts of tables that cannot be translated', () => {
    const code = "export const table = (name: string) => texts({ a: name, b: `b ${name}`, c: '{1} c', ...other });";
    assert.deepEqual(problems({ sources: { 'src/a.ts': code }, bundles: { 'bundle.l10n.de.json': { '{1} c': '{1} c' } } }), [
      'src/a.ts:1: a table of texts must consist of string literals',
      'src/a.ts:1: a table of texts must consist of string literals',
      'src/a.ts:1: the placeholders of "{1} c" are not numbered from {0}',
      'src/a.ts:1: a table of texts must consist of string literals',
    ]);
  });

  const cases: readonly (readonly [title: string, found: readonly string[], ...expected: readonly string[]])[] = [
    ['words without a translation', german({}), 'bundle.l10n.de.json: no translation of "Hello {0}"'],
    [
      'a translation that nobody says',
      german({ 'Hello {0}': 'Hallo {0}', More: 'Mehr' }),
      'bundle.l10n.de.json: src/ does not use "More"',
    ],
    [
      'a translation without the value',
      german({ 'Hello {0}': 'Hallo' }),
      'bundle.l10n.de.json: "Hello {0}" has different placeholders: none instead of {0}',
    ],
    [
      'a translation that is empty',
      german({ 'Hello {0}': ' ' }),
      'bundle.l10n.de.json: "Hello {0}" is empty',
      'bundle.l10n.de.json: "Hello {0}" has different placeholders: none instead of {0}',
    ],
    [
      'a translation that is no text',
      german({ 'Hello {0}': { message: 'Hallo {0}' } }),
      'bundle.l10n.de.json: "Hello {0}" is empty',
      'bundle.l10n.de.json: "Hello {0}" has different placeholders: none instead of {0}',
    ],
    [
      'another command behind a link',
      welcome('Setzen Sie `a.b`.\n[Starten](command:signalbox.stop)'),
      'package.nls.de.json: "welcome" has different links: ](command:signalbox.stop) instead of ](command:signalbox.start)',
    ],
    [
      'a name in code font that is translated',
      welcome('Setzen Sie `a.z`.\n[Starten](command:signalbox.start)'),
      'package.nls.de.json: "welcome" has different code: `a.z` instead of `a.b`',
    ],
    [
      'a language that the manifest does not speak',
      problems({
        bundles: { 'bundle.l10n.de.json': { 'Hello {0}': 'Hallo {0}' }, 'bundle.l10n.sl.json': { 'Hello {0}': 'Zdravo {0}' } },
      }),
      'package.nls.sl.json is missing',
    ],
    ['a language that the code does not speak', problems({ bundles: {} }), 'bundle.l10n.de.json is missing'],

    ['words that are a variable', inFunction('return l10n.t(name);'), LITERAL],
    ['words that are put together', inFunction("return l10n.t('Hello ' + name);"), LITERAL],
    ['words with the value inside', inFunction('return l10n.t(`Hello ${name}`);'), LITERAL],
    ['words as an object', inFunction("return l10n.t({ message: 'Hello', comment: '' });"), LITERAL],
    [
      'words without a value for their place',
      inFunction("return l10n.t('Hello {0}');"),
      'src/b.ts:3: the placeholders of "Hello {0}" do not match its arguments (0)',
    ],
    [
      'words with a place left out',
      [...inFunction("return l10n.t('Hello {1}', name);")].slice(0, 1),
      'src/b.ts:3: the placeholders of "Hello {1}" do not match its arguments (1)',
    ],
    [
      "the editor's own way",
      inFunction("return vscode.l10n.t('Hello {0}', name);"),
      'src/b.ts:3: use l10n.t of @vscode/l10n for texts',
    ],
    [
      "the editor's own way, taken apart",
      inFunction('const { t } = vscode.l10n;\n  return t;'),
      'src/b.ts:3: use l10n.t of @vscode/l10n for texts',
    ],
    ['words that are passed on', inFunction('return tell(l10n.t);'), `src/b.ts:3: ${PASSED}`],
    ['words that are taken apart', inFunction('const { t } = l10n;\n  return t(name);'), `src/b.ts:3: ${PASSED}`],
    [
      'words of a module that is being loaded',
      problems({ sources: { 'src/a.ts': `${said}export const LABEL = l10n.t('Hello {0}', 1);\n` } }),
      'src/a.ts:3: l10n.t is called when the module is loaded, before translations are available',
    ],
    [
      'keys of a bundle out of order',
      problems({
        sources: { 'src/a.ts': `${said}export const more = (): string => l10n.t('Accept');\n` },
        bundles: { 'bundle.l10n.de.json': { 'Hello {0}': 'Hallo {0}', Accept: 'Annehmen' } },
      }),
      'bundle.l10n.de.json: "Accept" has to stand before "Hello {0}"',
    ],
    [
      'texts of the manifest in another order',
      problems({ manifestTexts: { 'package.nls.json': { one: '1', two: '2' }, 'package.nls.de.json': { two: '2', one: '1' } } }),
      'package.nls.de.json: "one" has to stand before "two"',
    ],
    [
      'another form of the import',
      problems({
        sources: { 'src/a.ts': said, 'src/b.ts': "import { t } from '@vscode/l10n';\nexport const of = () => t('x');\n" },
      }),
      "src/b.ts:1: import it as `import * as l10n from '@vscode/l10n'`",
    ],
  ];

  for (const [title, found, ...expected] of cases) {
    it(`reports ${title}`, () => assert.deepEqual(found, expected));
  }

  it("allows passing on the editor's translations", () => {
    assert.deepEqual(inFunction('l10n.config({ contents: vscode.l10n.bundle ?? name });'), []);
  });
});
