// Compares the texts of src/ with their translations: media/l10n/bundle.l10n.<language>.json for texts in l10n.t, and
// package.nls.<language>.json for the manifest (check-manifest.ts checks its keys).
//
// The texts are found in the syntax tree of oxc-parser, a dependency of knip. Microsoft's @vscode/l10n-dev finds the same texts, but
// silently skips everything that is not a literal, which is the mistake to find here. It would also add a hundred packages.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

const L10N = '@vscode/l10n';
/** Module whose function `texts` takes tables of texts, and whose `formatText` translates them. */
const TABLES = 'src/support/texts.ts';
const BUNDLE = /^bundle\.l10n\.(.+)\.json$/;
const MANIFEST_TEXTS = /^package\.nls\.(.+)\.json$/;

/** File name → content: source text for `sources`, parsed JSON for the others, which are named without a folder. */
export interface Texts {
  readonly sources: Readonly<Record<string, string>>;
  readonly bundles: Readonly<Record<string, unknown>>;
  readonly manifestTexts: Readonly<Record<string, unknown>>;
}

/** Returns the problems, one line each; empty if there are none. */
export function wordProblems({ sources, bundles, manifestTexts }: Texts): string[] {
  const said = Object.entries(sources).map(([file, text]) => wordsSaid(file, text));
  const keys = new Set(said.flatMap((one) => one.keys));
  const english = textsOf(manifestTexts['package.nls.json']);
  return [
    ...said.flatMap((one) => one.problems),
    ...Object.entries(bundles).flatMap(([file, content]) => {
      const texts = textsOf(content);
      return [
        ...[...keys].filter((key) => !texts.has(key)).map((key) => `${file}: no translation of "${key}"`),
        ...[...texts.keys()].filter((key) => !keys.has(key)).map((key) => `${file}: src/ does not use "${key}"`),
        ...[...texts].flatMap(([key, text]) => differences(file, key, key, text)),
        ...misplaced(file, [...texts.keys()], [...texts.keys()].toSorted()),
      ];
    }),
    ...Object.entries(manifestTexts).flatMap(([file, content]) => {
      const texts = textsOf(content);
      return [
        ...[...texts].flatMap(([key, text]) => differences(file, key, english.get(key) ?? text, text)),
        ...misplaced(file, [...texts.keys()], inOrderOf([...english.keys()], [...texts.keys()])),
      ];
    }),
    ...unpaired(languagesOf(bundles, BUNDLE), languagesOf(manifestTexts, MANIFEST_TEXTS)),
  ];
}

interface Said {
  readonly keys: readonly string[];
  readonly problems: readonly string[];
}

/** The members of an ESTree node that are used here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly value?: unknown;
  readonly computed?: boolean;
  readonly callee?: Node;
  readonly object?: Node;
  readonly property?: Node;
  readonly source?: Node;
  readonly specifiers?: readonly Node[];
  readonly local?: Node;
  readonly arguments?: readonly Node[];
  readonly properties?: readonly Node[];
  readonly elements?: readonly (Node | null)[];
}

/** Returns the texts of a file in `l10n.t` and `texts`, and the uses that cannot be translated. */
function wordsSaid(file: string, text: string): Said {
  const keys: string[] = [];
  const problems: string[] = [];
  const { program, errors } = parseSync(file, text);
  const addProblem = ({ start }: Node, message: string): void => {
    problems.push(`${file}:${text.slice(0, start).split('\n').length}: ${message}`);
  };
  if (errors.length > 0) problems.push(`${file}: ${errors[0]?.message ?? 'cannot be read'}`);
  visit(program, { parent: undefined, isInFunction: false });
  return { keys, problems };

  function visit(value: unknown, { parent, isInFunction }: { parent: Node | undefined; isInFunction: boolean }): void {
    if (Array.isArray(value)) for (const item of value) visit(item, { parent, isInFunction });
    if (!isNode(value)) return;
    look(value, parent, isInFunction);
    const inside = { parent: value, isInFunction: isInFunction || /Function|MethodDefinition/.test(value.type) };
    for (const child of Object.values(value)) visit(child, inside);
  }

  function look(node: Node, parent: Node | undefined, isInFunction: boolean): void {
    if (node.type === 'ImportDeclaration' && node.source?.value === L10N) {
      const [only] = node.specifiers ?? [];
      if (only?.type !== 'ImportNamespaceSpecifier' || only.local?.name !== 'l10n')
        addProblem(node, `import it as \`import * as l10n from '${L10N}'\``);
    }
    // The `l10n` of the module `vscode` is configured separately, and pure modules cannot use it.
    if (isMember(node, 'l10n') && !isMember(parent, 'bundle')) addProblem(node, `use l10n.t of ${L10N} for texts`);
    if (isCallOfT(node) && file !== TABLES) addKey(node, isInFunction);
    if (node.type === 'CallExpression' && node.callee?.type === 'Identifier' && node.callee.name === 'texts')
      for (const table of node.arguments ?? []) addTable(table);
    if (node.type === 'Identifier' && node.name === 'l10n' && !isKnownUse(node, parent))
      addProblem(node, 'call l10n.t directly and do not pass it on: its texts could not be found');
    if (isMember(node, 't') && isL10n(node.object) && !(parent?.type === 'CallExpression' && parent.callee === node))
      addProblem(node, 'call l10n.t directly and do not pass it on: its texts could not be found');
  }

  function addKey(call: Node, isInFunction: boolean): void {
    const [first, ...values] = call.arguments ?? [];
    if (first?.type !== 'Literal' || typeof first.value !== 'string') {
      addProblem(call, 'the first argument of l10n.t must be a string literal');
      return;
    }
    keys.push(first.value);
    if (!isInFunction) addProblem(call, 'l10n.t is called when the module is loaded, before translations are available');
    const placeholders = [...new Set(placeholdersOf(first.value))];
    const isInOrder = placeholders.toSorted().every((placeholder, at) => placeholder === `{${at}}`);
    if (!isInOrder || placeholders.length !== values.length)
      addProblem(call, `the placeholders of "${first.value}" do not match its arguments (${values.length})`);
  }

  /** Adds the texts of a table, which consists of objects, arrays and literals. */
  function addTable(value: unknown): void {
    if (!isNode(value)) return;
    if (value.type === 'ObjectExpression') for (const property of value.properties ?? []) addTable(property.value ?? property);
    else if (value.type === 'ArrayExpression') for (const element of value.elements ?? []) addTable(element);
    else if (value.type === 'Literal' && typeof value.value === 'string') {
      keys.push(value.value);
      const placeholders = [...new Set(placeholdersOf(value.value))].toSorted();
      if (!placeholders.every((placeholder, at) => placeholder === `{${at}}`))
        addProblem(value, `the placeholders of "${value.value}" are not numbered from {0}`);
    } else addProblem(value, 'a table of texts must consist of string literals');
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value;
}

function isL10n(node: Node | undefined): boolean {
  return node?.type === 'Identifier' && node.name === 'l10n';
}

/** `….name` */
function isMember(node: Node | undefined, name: string): boolean {
  return node?.type === 'MemberExpression' && node.computed === false && node.property?.name === name;
}

function isCallOfT({ type, callee }: Node): boolean {
  return type === 'CallExpression' && isMember(callee, 't') && isL10n(callee?.object);
}

/** Returns true for the import, `l10n.t`, `l10n.config`, and a member of another object with that name. */
function isKnownUse(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'ImportNamespaceSpecifier') return true;
  if (parent?.type !== 'MemberExpression') return false;
  return parent.property === node || isMember(parent, 't') || isMember(parent, 'config');
}

/** Parts that must be the same in every language: placeholders, code and command links. */
function differences(file: string, key: string, before: string, after: string): string[] {
  const of = (text: string, form: RegExp): string => [...new Set(text.match(form))].toSorted().join(' ');
  const kinds: readonly (readonly [string, RegExp])[] = [
    ['placeholders', /\{\w+\}/g],
    ['code', /`[^`]*`/g],
    ['links', /\]\([^)]*\)/g],
  ];
  return [
    ...(after.trim() === '' ? [`${file}: "${key}" is empty`] : []),
    ...kinds
      .filter(([, form]) => of(before, form) !== of(after, form))
      .map(
        ([kind, form]) =>
          `${file}: "${key}" has different ${kind}: ${of(after, form) || 'none'} instead of ${of(before, form) || 'none'}`,
      ),
  ];
}

function placeholdersOf(text: string): readonly string[] {
  return text.match(/\{\w+\}/g) ?? [];
}

/** Names the first key that is not where it belongs. */
function misplaced(file: string, keys: readonly string[], expected: readonly string[]): string[] {
  const at = keys.findIndex((key, index) => key !== expected[index]);
  return at < 0 ? [] : [`${file}: "${expected[at] ?? ''}" has to stand before "${keys[at] ?? ''}"`];
}

/** Sorts keys as another list has them; keys that it lacks come last. */
function inOrderOf(list: readonly string[], keys: readonly string[]): string[] {
  const position = new Map(list.map((key, index) => [key, index]));
  return keys.toSorted((one, other) => (position.get(one) ?? list.length) - (position.get(other) ?? list.length));
}

function textsOf(content: unknown): ReadonlyMap<string, string> {
  const entries = typeof content === 'object' && content !== null ? Object.entries(content) : [];
  return new Map(entries.map(([key, text]) => [key, typeof text === 'string' ? text : '']));
}

function languagesOf(files: Readonly<Record<string, unknown>>, form: RegExp): readonly string[] {
  return Object.keys(files).flatMap((file) => form.exec(file)?.[1] ?? []);
}

function unpaired(ofCode: readonly string[], ofManifest: readonly string[]): string[] {
  return [
    ...ofCode.filter((language) => !ofManifest.includes(language)).map((language) => `package.nls.${language}.json is missing`),
    ...ofManifest.filter((language) => !ofCode.includes(language)).map((language) => `bundle.l10n.${language}.json is missing`),
  ];
}

if (import.meta.main) {
  const root = path.dirname(import.meta.dirname);
  const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
  const json = (pattern: string): Record<string, unknown> =>
    Object.fromEntries(globSync(pattern, { cwd: root }).map((file) => [path.basename(file), JSON.parse(read(file))]));
  const { l10n: folder = '' }: { l10n?: string } = JSON.parse(read('package.json'));
  if (process.argv.includes('--fix')) sortKeys();
  const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.startsWith(path.join('src', 'contract')));
  const bundles = json(path.join(folder, 'bundle.l10n.*.json'));
  const problems = wordProblems({
    sources: Object.fromEntries(sources.map((file) => [file.replaceAll('\\', '/'), read(file)])),
    bundles,
    manifestTexts: json('package.nls*.json'),
  });
  if (Object.keys(bundles).length === 0) problems.push('package.json names no folder with translations (l10n)');
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;

  function sortKeys(): void {
    const english = [...textsOf(JSON.parse(read('package.nls.json'))).keys()];
    for (const file of globSync(path.join(folder, 'bundle.l10n.*.json'), { cwd: root })) rewrite(file, (keys) => keys.toSorted());
    for (const file of globSync('package.nls.*.json', { cwd: root })) rewrite(file, (keys) => inOrderOf(english, keys));
  }

  function rewrite(file: string, sorted: (keys: readonly string[]) => readonly string[]): void {
    const texts = textsOf(JSON.parse(read(file)));
    const content = Object.fromEntries(sorted([...texts.keys()]).map((key) => [key, texts.get(key)]));
    writeFileSync(path.join(root, file), `${JSON.stringify(content, undefined, 2)}\n`);
  }
}
